/* Maps side by side in one colour scale. */
#include "tests/unit/pictures.h"
#include "tests/unit/wellformed.h"

struct maps {
  struct matrix *matrix[PANELS_MOST];
  size_t count;
};

static struct maps maps_random(size_t count, size_t rows, size_t columns) {
  struct maps maps = {.count = count};
  for (size_t m = 0; m < count; m++) {
    maps.matrix[m] = matrix_random(rows, columns, m + 1);
    for (size_t i = 0; i < rows * columns; i++)
      maps.matrix[m]->cells[i] *= (double)(m + 1); /* each has a range of its own */
  }
  return maps;
}

static void maps_release(struct maps *maps) {
  for (size_t m = 0; m < maps->count; m++)
    matrix_destroy(maps->matrix[m]);
}

static struct figure draw_panels(const struct panel_set *set, const struct figure_options *options,
                                 enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_panels(set, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

/* The cells' pixels of a panel: see panel_of. */
static struct rectangle cells_of(const struct figure *figure, const struct pixels *pixels,
                                 size_t index) {
  const double across = pixels->width - 1, down = pixels->height - 1;
  return (struct rectangle){
      (unsigned)lround(script_element(figure, "cells_left", index) * across + 0.5),
      pixels->height - (unsigned)lround(script_element(figure, "cells_top", index) * down + 0.48),
      (unsigned)lround(script_element(figure, "cells_right", index) * across + 0.48),
      pixels->height -
          (unsigned)lround(script_element(figure, "cells_bottom", index) * down + 0.5)};
}

/* Every pixel of every panel has its cell's colour on the common scale. */
static void assert_exact(const struct panel_set *set, enum matrix_range range,
                         const struct figure_options *options) {
  struct figure figure = draw_panels(set, options, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  struct palette palette;
  struct colour_scale scale;
  assert_int_equal(palette_find(palette_default(range), &palette, NULL), OK);
  assert_int_equal(
      colour_scale_fit(set->matrix, set->count, range, &options->colours, &scale, NULL), OK);
  size_t wrong = 0;
  const struct rectangle first = cells_of(&figure, &pixels, 1);
  const unsigned width = first.right - first.left, height = first.bottom - first.top;
  for (size_t m = 0; m < set->count; m++) {
    const struct matrix *matrix = set->matrix[m];
    const struct rectangle panel = cells_of(&figure, &pixels, m + 1);
    assert_int_equal(panel.right - panel.left, width);
    assert_int_equal(panel.bottom - panel.top, height);
    assert_int_equal(width % matrix->columns, 0);
    assert_int_equal(height % matrix->rows, 0);
    assert_true(panel.right < pixels.width && panel.bottom < pixels.height);
    for (unsigned y = 0; y < height; y++)
      for (unsigned x = 0; x < width; x++) {
        const size_t row = y / (height / matrix->rows), column = x / (width / matrix->columns);
        const int index = colour_index(&scale, matrix->cells[row * matrix->columns + column]);
        const uint8_t *c = palette.rgb[index < 0 ? 0 : index];
        const unsigned expected =
            index < 0 ? 0xffffff : (unsigned)c[0] << 16 | (unsigned)c[1] << 8 | c[2];
        wrong += pixel(&pixels, panel.left + x, panel.top + y) != expected;
      }
  }
  if (wrong) fail_msg("%zu pixels of %zu panels are wrong", wrong, set->count);
  free(pixels.rgb);
  figure_release(&figure);
}

static void pixels_are_the_palette_in_every_panel(void **state) {
  (void)state;
  static const struct {
    size_t count, rows, columns;
    struct figure_options options;
  } cases[] = {{2, 64, 64, {.style = "neurips"}},
               {3, 7, 90, {.style = "ieee"}},
               {4, 30, 30, {.style = "default", .width = 5, .height = 4}},
               {5, 1, 9, {.style = "icml"}},
               {16, 40, 40, {.style = "ieee"}},
               {16, 3, 3, {.style = "nature"}},
               {7, 128, 128, {.style = "icml-full"}},
               {2, 1, 1, {.style = "default"}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct maps maps = maps_random(cases[i].count, cases[i].rows, cases[i].columns);
    const struct panel_set set = {(const struct matrix *const *)maps.matrix, NULL, maps.count,
                                  i % 2};
    assert_exact(&set, MATRIX_SEQUENTIAL, &cases[i].options);
    maps_release(&maps);
  }
}

/* One signed map makes the common scale signed; masked cells are paper, whole maps of them too. */
static void ranges_are_joined(void **state) {
  (void)state;
  struct maps maps = maps_random(4, 20, 20);
  const struct panel_set set = {(const struct matrix *const *)maps.matrix, NULL, 4, false};
  maps.matrix[2]->range = MATRIX_DIVERGING;
  for (size_t i = 0; i < 400; i++)
    maps.matrix[1]->cells[i] = NAN;
  maps.matrix[0]->cells[7] = NAN;
  maps.matrix[0]->cells[8] = -12;
  assert_exact(&set, MATRIX_DIVERGING, &(struct figure_options){0});
  struct figure figure = draw_panels(&set, &(struct figure_options){0}, FIGURE_SVG);
  assert_true(script_number(&figure, "colour_low") == -12);
  assert_true(script_number(&figure, "colour_high") == 12);
  figure_release(&figure);
  const struct figure_options log = {.colours.logarithmic = true};
  size_t left_out = 0;
  for (size_t m = 0; m < 4; m++) {
    maps.matrix[m]->range = MATRIX_SEQUENTIAL;
    /* Not in the last row: the round ends of tics shine through paper there. */
    for (size_t i = 380; i < 400; i++)
      maps.matrix[m]->cells[i] = fabs(maps.matrix[m]->cells[i]);
    left_out += figure_left_out_matrix(maps.matrix[m], &log);
  }
  assert_exact(&set, MATRIX_SEQUENTIAL, &log);
  assert_true(left_out > 100);
  assert_int_equal(figure_left_out_panels(&set, &log), left_out);
  assert_int_equal(figure_left_out_panels(&set, &(struct figure_options){0}), 0);
  maps_release(&maps);
}

/* One panel is the map alone. */
static void one_panel_is_a_map(void **state) {
  (void)state;
  struct maps maps = maps_random(1, 30, 30);
  const struct panel_set set = {(const struct matrix *const *)maps.matrix, NULL, 1, false};
  struct figure one = draw_panels(&set, &(struct figure_options){0}, FIGURE_PNG);
  struct figure two = draw_matrix(maps.matrix[0], &(struct figure_options){0}, FIGURE_PNG);
  assert_int_equal(one.picture.size, two.picture.size);
  assert_memory_equal(one.picture.data, two.picture.data, one.picture.size);
  figure_release(&one);
  figure_release(&two);
  maps_release(&maps);
}

/* Numbers stand at the edges of the grid alone, those of an incomplete row too. */
static void outer_axes_have_numbers(void **state) {
  (void)state;
  struct maps maps = maps_random(5, 16, 16);
  const struct panel_set set = {(const struct matrix *const *)maps.matrix, NULL, 5, false};
  struct figure figure = draw_panels(&set, &(struct figure_options){0}, FIGURE_PNG);
  /* Three and two. */
  for (size_t i = 1; i <= 5; i++) {
    assert_true(script_element(&figure, "show_y", i) == (i == 1 || i == 4));
    assert_true(script_element(&figure, "show_x", i) == (i >= 3));
    if (i > 1 && i != 4)
      assert_true(script_element(&figure, "cells_left", i) >
                  script_element(&figure, "cells_right", i - 1));
  }
  assert_true(script_element(&figure, "cells_top", 4) < script_element(&figure, "cells_bottom", 1));
  assert_true(script_number(&figure, "bar_left") > script_element(&figure, "cells_right", 3));
  figure_release(&figure);
  maps_release(&maps);
}

static const char *const odd_titles[] = {
    "'; system('touch canary'); set title '",
    "`touch canary` @x _{a}^b",
    "\\input{x} $x$ # % ~ ]]> <b>&",
    "α 旋转 ±",
    "a title of many words, far longer than two lines above a panel could ever be, to be cut",
    ""};

/* What tells panels apart stands at the end of their titles: it shows also where these are long. */
static void titles_keep_their_ends(void **state) {
  static const char *const titles[] = {
      "T5 bias, head 0 (untrained)",
      "a name of very many words that does not fit, head 1 (untrained)",
      "a name of very many words that does not fit, head 2 (untrained)",
      "T5 bias, head 3 (untrained)"};
  (void)state;
  struct maps maps = maps_random(4, 8, 8);
  snprintf(maps.matrix[0]->value_label, sizeof maps.matrix[0]->value_label,
           "a label that is as long as the sheet is high, and more");
  const struct panel_set set = {(const struct matrix *const *)maps.matrix, titles, 4, true};
  struct figure figure = draw_panels(&set, &(struct figure_options){.width = 3.2}, FIGURE_SVG);
  for (size_t i = 0; i < 4; i++) {
    char text[64], line[256];
    snprintf(text, sizeof text, "\npanel_title[%zu] = ", i + 1);
    const char *place = strstr(figure.script.data, text);
    assert_non_null(place);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(place + 1, "\n"), place + 1);
    snprintf(text, sizeof text, "head %zu", i);
    assert_non_null(strstr(line, text));
    assert_non_null(strstr(line, "(untrained)"));
    assert_true((strstr(line, "…") != NULL) == (i == 1 || i == 2));
    /* Titles of three lines lie between the panels. */
    if (i >= 2)
      assert_true(script_element(&figure, "frame_bottom", i - 1) >
                  script_element(&figure, "panel_y", i + 1) + 0.01);
  }
  const char *label = strstr(figure.script.data, "\nvalue_label = ");
  assert_non_null(label);
  assert_null(memmem(label, strcspn(label + 1, "\n"), "…", strlen("…")));
  figure_release(&figure);
  maps_release(&maps);
}

static void titles_are_only_drawn(void **state) {
  (void)state;
  struct maps maps = maps_random(6, 8, 8);
  const struct panel_set set = {(const struct matrix *const *)maps.matrix, odd_titles, 6, true};
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
    struct figure figure =
        draw_panels(&set, &(struct figure_options){.style = "ieee"}, (enum figure_format)format);
    struct figure again =
        draw_panels(&set, &(struct figure_options){.style = "ieee"}, (enum figure_format)format);
    assert_int_equal(figure.script.size, again.script.size);
    assert_memory_equal(figure.script.data, again.script.data, figure.script.size);
    if (format == FIGURE_PNG || format == FIGURE_SVG)
      assert_memory_equal(figure.picture.data, again.picture.data, figure.picture.size);
    if (format == FIGURE_SVG) assert_true(is_wellformed(figure.picture.data, figure.picture.size));
    if (format == FIGURE_TEX) assert_null(memmem(figure.tex.data, figure.tex.size, "\\input{x", 8));
    const char *place = strstr(figure.script.data, "panel_title[5] = ");
    assert_non_null(place);
    const char *end = strchr(place, '\n');
    assert_non_null(memmem(place, (size_t)(end - place), format == FIGURE_TEX ? "ldots" : "…",
                           format == FIGURE_TEX ? 5 : strlen("…")));
    assert_non_null(strstr(figure.script.data, format == FIGURE_TEX ? "(f)" : "'(f)'"));
    figure_release(&figure);
    figure_release(&again);
  }
  assert_int_equal(access("canary", F_OK), -1);
  maps_release(&maps);
}

static void assert_refused(const struct panel_set *set, const struct figure_options *options,
                           const char *message) {
  struct figure figure;
  struct error error;
  assert_true(figure_draw_panels(set, options, FIGURE_PNG, "f", &figure, &error) != OK);
  assert_message(&error, message);
  assert_null(figure.picture.data);
}

static void panels_that_do_not_belong_together_are_refused(void **state) {
  (void)state;
  const struct figure_options none = {0};
  struct maps maps = maps_random(4, 8, 8);
  struct panel_set set = {(const struct matrix *const *)maps.matrix, NULL, 0, false};
  assert_refused(&set, &none, "0 panels is not possible; from 1 to 16");
  set.count = 17;
  assert_refused(&set, &none, "17 panels is not possible");
  set.count = 4;
  assert_refused(&set, &(struct figure_options){.width = 1.65, .height = 1.5}, "too small for 4");
  assert_refused(&set, &(struct figure_options){.palette = "none"}, "unknown palette 'none'");
  set.letters = true;
  assert_refused(&set, &(struct figure_options){.letter = "a"}, "goes with a single panel");
  set.letters = false;
  set.titles = (const char *const[]){"a", "b\n", "c", "d"};
  assert_refused(&set, &none, "title of a panel: control character");
  set.titles = NULL;
  maps.matrix[2]->range = MATRIX_CYCLIC;
  assert_refused(&set, &none, "panel 3 and the first cannot share a colour scale");
  maps.matrix[2]->range = MATRIX_SEQUENTIAL;
  maps.matrix[3]->row_axis.length = 9;
  assert_refused(&set, &none, "panel 4 of 8 x 8 cells does not fit the first");
  maps.matrix[3]->row_axis.length = 8;
  for (size_t m = 0; m < 4; m++)
    for (size_t i = 0; i < 64; i++)
      maps.matrix[m]->cells[i] = NAN;
  assert_refused(&set, &none, "nothing to draw");
  maps_release(&maps);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_are_the_palette_in_every_panel),
      cmocka_unit_test(ranges_are_joined),
      cmocka_unit_test(one_panel_is_a_map),
      cmocka_unit_test(outer_axes_have_numbers),
      cmocka_unit_test(titles_keep_their_ends),
      cmocka_unit_test(titles_are_only_drawn),
      cmocka_unit_test(panels_that_do_not_belong_together_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
