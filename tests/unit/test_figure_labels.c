/* Title, letter and the labels of the axes keep apart and on the sheet. */
#include "tests/unit/pictures.h"

/* Over the panel's middle, or as near to it as the sheet has room. */
static void titles_stand_over_the_panel(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  char title[41];
  for (size_t length = 1; length < sizeof title; length++) {
    memset(title, 'm', length);
    title[length] = '\0';
    const struct figure_options options = {.title = title, .width = 3};
    struct figure figure = draw_table(table, &plain, &options, FIGURE_PNG);
    const double middle =
        (script_number(&figure, "panel_left") + script_number(&figure, "panel_right")) / 2;
    const double place = script_number(&figure, "title_x");
    if (length <= 10)
      assert_true(fabs(place - middle) < 0.005);
    else
      assert_true(place > 0.495 && place < middle + 0.005);
    if (length == 40) assert_true(fabs(place - 0.5) < 0.005);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* The first column of dots that holds ink above the panel; the width where there is none. */
static unsigned first_ink_above(const struct figure *figure) {
  struct pixels pixels = decode(&figure->picture);
  const struct rectangle panel = panel_of(figure, &pixels);
  unsigned x = 0;
  for (bool found = false; x < pixels.width && !found; x += !found)
    for (unsigned y = 0; y + 12 < panel.top && !found; y++)
      found = pixel(&pixels, x, y) != 0xffffff;
  free(pixels.rgb);
  return x;
}

/* At the upper left, in a line of its own where there is no title; long titles leave it room. */
static void letters_stand_at_the_upper_left(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  static const char *const titles[] = {
      NULL, "title", "a title of many words, as long as the sheet is wide and longer than that"};
  for (size_t t = 0; t < 3; t++) {
    struct figure_options options = {.title = titles[t], .width = 4};
    struct figure without = draw_table(table, &plain, &options, FIGURE_PNG);
    options.letter = "b";
    struct figure with = draw_table(table, &plain, &options, FIGURE_PNG);
    assert_non_null(strstr(with.script.data, "\nletter = '(b)'\n"));
    assert_non_null(strstr(without.script.data, "\nletter = ''\n"));
    assert_true(first_ink_above(&with) < 20);
    assert_true(first_ink_above(&without) > (t < 2 ? 300u : 4u));
    if (t == 0) /* the line is there for the letter alone */
      assert_true(script_number(&with, "panel_top") < script_number(&without, "panel_top") - 0.03);
    if (t == 1)
      assert_true(script_number(&with, "panel_top") == script_number(&without, "panel_top"));
    if (t == 2) {
      /* More lines than without, and none that begins below the letter. */
      const char *line = strstr(with.script.data, "\ntitle = ");
      assert_non_null(line);
      assert_non_null(memmem(line, strcspn(line + 1, "\n"), "\\n", 2));
    }
    figure_release(&with);
    figure_release(&without);
  }
  struct figure figure =
      draw_table(table, &plain, &(struct figure_options){.letter = "ii"}, FIGURE_TEX);
  assert_non_null(strstr(figure.script.data, "selectfont (ii)'"));
  figure_release(&figure);
  table_destroy(table);
}

/* A long label of the y axis ends below the letter or a long title, and on the sheet. */
static void labels_of_the_y_axis_stay_apart(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  for (int letter = 0; letter < 3; letter++) {
    const struct figure_options low = {
        .width = 4,
        .height = 1.5,
        .ylabel = "fifteen letters",
        .letter = letter == 1 ? "a" : NULL,
        .title = letter == 2 ? "this long title ends close to both edges of it" : NULL};
    struct figure figure = draw_table(table, &plain, &low, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    const unsigned last = (unsigned)(script_number(&figure, "panel_left") * pixels.width) - 100;
    unsigned y = letter ? 24 : 0; /* the letter is on 5 to 35 of 300 dots */
    size_t gap = 0, most = 0;
    for (; y < 60; y++) {
      bool ink = false;
      for (unsigned x = 0; x < last; x++)
        ink = ink || pixel(&pixels, x, y) != 0xffffff;
      gap = ink ? 0 : gap + 1;
      if (gap > most) most = gap;
    }
    assert_true(most >= 4);
    for (unsigned x = 0; x < pixels.width; x++) {
      assert_int_equal(pixel(&pixels, x, 0), 0xffffff);
      assert_int_equal(pixel(&pixels, x, pixels.height - 1), 0xffffff);
    }
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* A picture of a label of the x axis beside a long one of the y axis; where its panel begins. */
static struct pixels draw_xlabel(struct table *table, const char *xlabel, unsigned *left) {
  const struct figure_options options = {
      .width = 3,
      .xlabel = xlabel,
      .ylabel = "a label of many words, which fills two lines of all the height of the sheet"};
  struct figure figure = draw_table(table, &plain, &options, FIGURE_PNG);
  const struct pixels pixels = decode(&figure.picture);
  *left = panel_of(&figure, &pixels).left;
  figure_release(&figure);
  return pixels;
}

/* A label longer than the panel is cut where the sheet ends, and at that of the y axis. */
static void labels_of_the_x_axis_stay_apart(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  static const char text[] =
      "distance of query and key (tokens, of which a page of this book holds about five hundred)";
  unsigned left;
  struct pixels alone = draw_xlabel(table, "d", &left);
  for (size_t length = 20; length < sizeof text; length += 3) {
    char xlabel[sizeof text];
    snprintf(xlabel, length + 1, "%s", text);
    struct pixels pixels = draw_xlabel(table, xlabel, &left);
    for (unsigned y = 0; y < pixels.height; y++) {
      assert_int_equal(pixel(&pixels, pixels.width - 1, y), 0xffffff);
      for (unsigned x = 0; x < left / 2; x++)
        assert_int_equal(pixel(&pixels, x, y), pixel(&alone, x, y));
    }
    free(pixels.rgb);
  }
  free(alone.rgb);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(titles_stand_over_the_panel),
      cmocka_unit_test(letters_stand_at_the_upper_left),
      cmocka_unit_test(labels_of_the_y_axis_stay_apart),
      cmocka_unit_test(labels_of_the_x_axis_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
