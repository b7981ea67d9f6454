/* Dials with hands. */
#include "tests/unit/pictures.h"
#include "tests/unit/wellformed.h"

/* Angles of `pairs` pairs at `dials` positions 0, 1, 10, 100, ... */
static struct table *table_of_angles(size_t dials, size_t pairs) {
  struct table *table = table_create(NULL);
  assert_int_equal(table_add_column(table, "position", COLUMN_INTEGER, NULL), 0);
  assert_int_equal(table_add_column(table, "pair", COLUMN_INTEGER, NULL), 1);
  assert_int_equal(table_add_column(table, "angle", COLUMN_REAL, NULL), 2);
  assert_int_equal(table_add_column(table, "note", COLUMN_TEXT, NULL), 3);
  assert_int_equal(table_add_rows(table, dials * pairs, NULL), OK);
  for (size_t r = 0; r < dials * pairs; r++) {
    const size_t dial = r / pairs, pair = r % pairs;
    const double position = dial ? floor(pow(10, (double)dial - 1) + 0.5) : 0;
    table_set_integer(table, r, 0, (int64_t)position);
    table_set_integer(table, r, 1, (int64_t)pair);
    table_set_real(table, r, 2, fmod(position * pow(1e4, -(double)pair / (double)pairs), 2 * M_PI));
  }
  return table;
}

static struct figure draw_clock(const struct table *table, const struct figure_options *options,
                                enum figure_format format) {
  struct figure figure;
  struct error error;
  if (figure_draw_clock(table, &(struct clock_plot){0}, options, format, "figure", &figure, &error))
    fail_msg("%s", error.message);
  return figure;
}

/* The part of the data that belongs to `index` of gnuplot. */
static const char *block(const struct figure *figure, int index) {
  const char *place = figure->data.data;
  for (; index; index--)
    place = strstr(place, "\n\n\n") + 3;
  return place;
}

/* A hand points from the top clockwise, and the smallest pair has the longest. */
static void hands_point_clockwise_from_the_top(void **state) {
  (void)state;
  struct table *table = table_of_angles(1, 3);
  table_set_real(table, 0, 2, M_PI / 2);
  table_set_real(table, 1, 2, M_PI);
  table_set_real(table, 2, 2, -M_PI / 2);
  struct figure figure = draw_clock(table, &(struct figure_options){0}, FIGURE_PNG);
  double x, y, radius, tip[3][2];
  assert_int_equal(sscanf(figure.data.data, "%lf %lf %lf", &x, &y, &radius), 3);
  const char *hand = block(&figure, 2);
  unsigned rgb[3];
  for (int h = 0; h < 3; h++) {
    double from[2];
    assert_int_equal(
        sscanf(hand, "%lf %lf %lf %lf %u", &from[0], &from[1], &tip[h][0], &tip[h][1], &rgb[h]), 5);
    assert_true(from[0] == x && from[1] == y);
    hand = strchr(hand, '\n') + 1;
  }
  assert_true(tip[0][0] > 0.9 * radius && fabs(tip[0][1]) < 1e-6 * radius);
  assert_true(tip[1][1] < -0.5 * radius && fabs(tip[1][0]) < 1e-6 * radius);
  assert_true(tip[2][0] < -0.2 * radius && tip[2][0] > -0.4 * radius);
  /* Pixels where the hands are. */
  struct pixels pixels = decode(&figure.picture);
  for (int h = 0; h < 3; h++) {
    const unsigned px = (unsigned)(x + 0.9 * tip[h][0]),
                   py = (unsigned)(pixels.height - (y + 0.9 * tip[h][1]));
    assert_int_equal(pixel(&pixels, px, py), rgb[h]);
  }
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
}

/* The dark pixels of a dial's circle reach equally far in all directions; more than a point beyond
   it the caption may begin. */
static void dials_are_round(void **state) {
  (void)state;
  struct table *table = table_of_angles(2, 1);
  static const char *const styles[] = {"default", "neurips", "ieee", "nature"};
  for (size_t s = 0; s < 4; s++) {
    struct figure figure =
        draw_clock(table, &(struct figure_options){.style = styles[s]}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    double x, y, radius;
    assert_int_equal(sscanf(figure.data.data, "%lf %lf %lf", &x, &y, &radius), 3);
    const double middle[2] = {x, pixels.height - y};
    double reach[4];
    for (int side = 0; side < 4; side++) {
      const int dx = (side == 0) - (side == 1), dy = (side == 2) - (side == 3);
      reach[side] = 0;
      for (int step = 0; step < (int)(radius / 2 + figure.dpi / 72); step++) {
        const double d = radius / 2 + step;
        const int px = (int)(middle[0] + dx * d + 3 * (dy != 0)),
                  py = (int)(middle[1] + dy * d + 3 * (dx != 0));
        if (px < 0 || py < 0 || px >= (int)pixels.width || py >= (int)pixels.height) break;
        if (pixel(&pixels, (unsigned)px, (unsigned)py) != 0xffffff) reach[side] = d;
      }
      assert_true(fabs(reach[side] - radius) <= 0.75 * figure.dpi / 72);
      assert_true(fabs(reach[side] - reach[0]) <= 1);
    }
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (const char *c = text; c[0] && !(c[0] == '\n' && c[1] == '\n'); c++)
    lines += *c == '\n';
  return lines + 1;
}

/* As wide as the style says, every dial on the sheet, none over another. */
static void dials_fit_the_sheet(void **state) {
  (void)state;
  static const char *const styles[] = {"default", "neurips", "ieee", "nature"};
  for (size_t dials = 1; dials <= DIALS_MOST; dials++) {
    struct table *table = table_of_angles(dials, 64);
    struct figure figure =
        draw_clock(table, &(struct figure_options){.style = styles[dials % 4]}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    double x[DIALS_MOST], y[DIALS_MOST], radius = 0;
    const char *line = figure.data.data;
    assert_int_equal(lines_of(line), dials);
    assert_int_equal(lines_of(block(&figure, 2)), dials * 64);
    for (size_t d = 0; d < dials; d++, line = strchr(line, '\n') + 1) {
      assert_int_equal(sscanf(line, "%lf %lf %lf", &x[d], &y[d], &radius), 3);
      assert_true(x[d] - radius >= 0 && x[d] + radius <= pixels.width);
      assert_true(y[d] - radius >= 0 && y[d] + radius <= pixels.height);
      for (size_t e = 0; e < d; e++)
        assert_true(hypot(x[d] - x[e], y[d] - y[e]) > 2 * radius);
    }
    assert_true(script_number(&figure, "bar_left") * pixels.width > x[dials - 1] + radius);
    char caption[32];
    snprintf(caption, sizeof caption, "'position %.0f'",
             dials > 1 ? pow(10, (double)dials - 2) : 0);
    /* Long numbers stand alone. */
    assert_true(strstr(figure.script.data, caption) ||
                (dials > 9 && strstr(figure.script.data, strchr(caption, ' ') + 1)));
    free(pixels.rgb);
    figure_release(&figure);
    table_destroy(table);
  }
}

static void every_format_is_drawn_twice_alike(void **state) {
  (void)state;
  struct table *table = table_of_angles(4, 16);
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++) {
    const struct figure_options options = {.title = "\\input{x} ]]> & α", .dark = format % 2};
    struct figure one = draw_clock(table, &options, (enum figure_format)format);
    struct figure two = draw_clock(table, &options, (enum figure_format)format);
    assert_int_equal(one.script.size, two.script.size);
    assert_memory_equal(one.script.data, two.script.data, one.script.size);
    assert_memory_equal(one.data.data, two.data.data, one.data.size);
    /* A PDF carries its date until it is sealed. */
    if (format == FIGURE_PNG || format == FIGURE_SVG)
      assert_memory_equal(one.picture.data, two.picture.data, one.picture.size);
    if (format == FIGURE_SVG) assert_true(is_wellformed(one.picture.data, one.picture.size));
    if (format == FIGURE_TEX) assert_null(memmem(one.tex.data, one.tex.size, "\\input{x", 8));
    figure_release(&one);
    figure_release(&two);
  }
  table_destroy(table);
}

/* One pair is drawn; what is not finite has no hand; nothing at all is refused. */
static void missing_angles_have_no_hand(void **state) {
  (void)state;
  struct table *table = table_of_angles(2, 1);
  table_set_real(table, 1, 2, NAN);
  struct figure figure = draw_clock(table, &(struct figure_options){0}, FIGURE_PNG);
  assert_int_equal(lines_of(figure.data.data), 2);
  assert_int_equal(lines_of(block(&figure, 2)), 1);
  figure_release(&figure);
  table_set_real(table, 0, 2, INFINITY);
  struct error error;
  assert_int_equal(figure_draw_clock(table, &(struct clock_plot){0}, &(struct figure_options){0},
                                     FIGURE_PNG, "f", &figure, &error),
                   ERROR_FAILED);
  assert_message(&error, "no angle of the table is finite");
  table_destroy(table);
}

static void wrong_tables_are_refused(void **state) {
  (void)state;
  struct table *table = table_of_angles(DIALS_MOST + 1, 2);
  struct figure figure;
  struct error error;
  const struct {
    struct clock_plot plot;
    struct figure_options options;
    const char *message;
  } bad[] = {{{0}, {0}, "more than 12 positions"},
             {{.angle = "phase"}, {0}, "column 'phase' is not in the table"},
             {{.pair = "note"}, {0}, "column 'note' holds text"},
             {{.position = "note"}, {0}, "column 'note' holds text"},
             {{0}, {.style = "none"}, "unknown style 'none'"},
             {{0}, {.palette = "none"}, "more than 12"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(
        figure_draw_clock(table, &bad[i].plot, &bad[i].options, FIGURE_PNG, "f", &figure, &error),
        ERROR_INPUT);
    assert_message(&error, bad[i].message);
    assert_null(figure.picture.data);
  }
  table_destroy(table);
  table = table_of_angles(DIALS_MOST, 2);
  const struct figure_options small[] = {{.width = 1}, {.height = 1}, {.palette = "none"}};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(figure_draw_clock(table, &(struct clock_plot){0}, &small[i], FIGURE_PNG, "f",
                                       &figure, &error),
                     ERROR_INPUT);
    assert_message(&error, i < 2 ? "too small for" : "unknown palette 'none'");
  }
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hands_point_clockwise_from_the_top),
      cmocka_unit_test(dials_are_round),
      cmocka_unit_test(dials_fit_the_sheet),
      cmocka_unit_test(every_format_is_drawn_twice_alike),
      cmocka_unit_test(missing_angles_have_no_hand),
      cmocka_unit_test(wrong_tables_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
