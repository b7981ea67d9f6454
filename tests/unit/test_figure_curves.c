#include "tests/unit/pictures.h"

static void curves_have_their_colours(void **state) {
  (void)state;
  struct table *table = table_of_curves(3, 100);
  for (int dark = 0; dark < 2; dark++) {
    struct figure figure =
        draw_table(table, &plain, &(struct figure_options){.dark = dark}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    assert_int_equal(pixel(&pixels, 0, 0), dark ? 0x16181d : 0xffffff);
    for (size_t i = 0; i < PALETTE_CATEGORIES; i++)
      assert_true((count_pixels(&pixels, palette_category(i, dark)) > 100) == (i < 3));
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

/* The lines of a single series have its one colour where that is asked for, in the legend too. */
static void a_series_may_have_one_colour(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 100);
  struct curve_plot plot = plain;
  plot.lines[1] = "other";
  for (int one = 0; one < 2; one++) {
    plot.one_colour = one;
    struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
    assert_non_null(strstr(figure.script.data, one ? "\narray trace_colour[2] = [1, 1]\n"
                                                   : "\narray trace_colour[2] = [1, 2]\n"));
    struct pixels pixels = decode(&figure.picture);
    assert_true(count_pixels(&pixels, palette_category(0, 0)) > 100);
    assert_true((count_pixels(&pixels, palette_category(1, 0)) == 0) == one);
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

static void bands_lines_and_points_are_drawn(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 50), *overlay = table_of_curves(1, 5);
  struct curve_plot plot = plain;
  plot.low[0] = "low";
  plot.high[0] = "high";
  plot.lines[1] = "other";
  plot.line_labels[0] = "bound";
  plot.band_labels[0] = "range";
  plot.overlay = overlay;
  plot.overlay_x = "distance";
  plot.overlay_y = "bound";
  plot.overlay_label = "measured";
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nbands = 2\nlines = 4\npoints = 1\n"));
  assert_non_null(strstr(figure.script.data, "\nkeys = 6\n"));
  assert_true(script_number(&figure, "zero_line") == 1);
  /* Seven blocks and four of signs on the lines, two empty lines between them. */
  size_t blocks = 1;
  for (const char *c = figure.data.data; (c = strstr(c, "\n\n\n")); c += 3)
    blocks++;
  assert_int_equal(blocks, 7 + 4);
  struct pixels pixels = decode(&figure.picture);
  /* A quarter of the first category over white. */
  size_t shaded = 0;
  for (int level = 0xdb; level <= 0xdd; level++)
    for (int blue = 0xeb; blue <= 0xed; blue++)
      shaded += count_pixels(&pixels, 0xbf0000U | (unsigned)level << 8 | (unsigned)blue);
  assert_true(shaded > 100);
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
  table_destroy(overlay);
}

/* Bands of several series have edges, and the third no shade of the first's colour. */
static void bands_of_series_differ(void **state) {
  (void)state;
  for (size_t series = 1; series <= 3; series += 2) {
    struct table *table = table_of_curves(series, 50);
    struct curve_plot plot = plain;
    plot.low[0] = "low";
    plot.high[0] = "high";
    struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_SVG);
    assert_true(script_number(&figure, "edges") == (series > 1));
    char third[32];
    snprintf(third, sizeof third, "\ncolour[3] = 0x%06x", palette_category(5, 0));
    assert_true((strstr(figure.script.data, third) != NULL) == (series > 1));
    figure_release(&figure);
    table_destroy(table);
  }
}

/* Values that are missing break a curve; one alone is a dot. */
/* In the legend of several series bands are as transparent as in the panel, on any paper. */
static void samples_of_bands_let_paper_through(void **state) {
  (void)state;
  static const unsigned paper[2] = {0xffffff, 0x16181d}, ink[2] = {0x000000, 0xe8e8e8};
  struct table *table = table_of_curves(2, 50);
  struct curve_plot plot = plain;
  plot.low[0] = "low";
  plot.high[0] = "high";
  plot.band_labels[0] = "band";
  for (int dark = 0; dark < 2; dark++) {
    struct figure figure =
        draw_table(table, &plot, &(struct figure_options){.dark = dark}, FIGURE_PNG);
    struct pixels pixels = decode(&figure.picture);
    size_t found = 0;
    for (unsigned y = 0; y < pixels.height; y++)
      for (unsigned x = 0; x < pixels.width; x++) {
        bool like = true;
        for (int shift = 0; shift < 24; shift += 8) {
          const double expected =
              0.75 * (paper[dark] >> shift & 0xff) + 0.25 * (ink[dark] >> shift & 0xff);
          like = like && fabs((pixel(&pixels, x, y) >> shift & 0xff) - expected) <= 1;
        }
        found += like;
      }
    assert_true(found > 500); /* 60 × 18 pixels at 200 dpi */
    free(pixels.rgb);
    figure_release(&figure);
  }
  table_destroy(table);
}

static void missing_values_break_lines(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  static const double values[] = {1, 2, NAN, 2, NAN, NAN, INFINITY, 1, 2};
  for (size_t r = 0; r < 9; r++)
    table_set_real(table, r, 2, values[r]);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_string_equal(figure.data.data, "0 1\n1 2\n\n3 2\n\n7 1\n8 2\n");
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.log_x = true}, FIGURE_PNG);
  assert_string_equal(figure.data.data, "1 2\n\n3 2\n\n7 1\n8 2\n");
  figure_release(&figure);
  table_destroy(table);
  table = table_of_curves(1, 1);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  struct pixels pixels = decode(&figure.picture);
  assert_true(count_pixels(&pixels, palette_category(0, 0)) > 0);
  free(pixels.rgb);
  figure_release(&figure);
  table_destroy(table);
}

/* Many points become a few thousand; no extreme is lost. */
static void many_points_are_thinned_to_their_extremes(void **state) {
  (void)state;
  enum { COUNT = 200000 };
  struct table *table = table_of_curves(1, COUNT);
  table_set_real(table, 123457, 2, 4096.125);
  table_set_real(table, 165432, 2, -77.0625);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(figure.data.size < 400000);
  assert_non_null(strstr(figure.data.data, "\n123457 4096.125\n"));
  assert_non_null(strstr(figure.data.data, "\n165432 -77.0625\n"));
  assert_memory_equal(figure.data.data, "0 10\n", 5);
  assert_non_null(strstr(figure.data.data, "\n199999 "));
  const double width = script_number(&figure, "line_width");
  figure_release(&figure);
  figure =
      draw_table(table, &plain, &(struct figure_options){.log_x = true, .log_y = true}, FIGURE_SVG);
  assert_non_null(strstr(figure.data.data, "\n123457 4096.125\n"));
  assert_true(figure.data.size < 400000);
  figure_release(&figure);
  table_destroy(table);
  /* A line that goes up and down in every dot is thinner than others. */
  table = table_of_curves(1, 100);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(width < 0.8 * script_number(&figure, "line_width"));
  figure_release(&figure);
  table_destroy(table);
}

/* y of the first entry of the legend against the top of the panel. */
static bool legend_is_above(const struct figure *figure) {
  return script_element(figure, "key_y", 1) > script_number(figure, "panel_top");
}

/* Of four series that do not fit side by side two stand above two, not three above one. */
static void rows_of_the_legend_are_even(void **state) {
  (void)state;
  struct table *table = table_of_curves(4, 50);
  struct figure figure = draw_table(
      table, &plain, &(struct figure_options){.legend = "above", .style = "icml", .width = 2.2},
      FIGURE_PNG);
  double x[4], y[4];
  for (size_t i = 0; i < 4; i++) {
    x[i] = script_element(&figure, "key_x", i + 1);
    y[i] = script_element(&figure, "key_y", i + 1);
  }
  assert_true(x[0] == x[2] && x[1] == x[3] && x[0] < x[1]);
  assert_true(y[0] == y[1] && y[2] == y[3] && y[0] > y[2]);
  figure_release(&figure);
  table_destroy(table);
}

/* No empty rows above it, also where the sheet that it makes higher lets the label of the y axis
   have one line less, and so the panel more entries side by side. */
static void legend_leaves_no_gap(void **state) {
  (void)state;
  struct table *table = table_of_curves(7, 100);
  for (int width = 52; width < 59; width++) {
    const struct figure_options options = {
        .legend = "above", .ylabel = "a label of two lines, or of one", .width = 0.05 * width};
    struct figure figure = draw_table(table, &plain, &options, FIGURE_SVG);
    double first = -INFINITY, second = -INFINITY;
    const char *place = figure.script.data;
    while ((place = strstr(place, "; key_y["))) {
      const double y = strtod(strstr(place, "= ") + 2, NULL);
      if (y > first)
        second = first, first = y;
      else if (y < first && y > second)
        second = y;
      place++;
    }
    assert_true(second > 0 && first < 1);
    assert_true(1 - first < 1.3 * (first - second));
    figure_release(&figure);
  }
  table_destroy(table);
}

static void legend_keeps_clear_of_curves(void **state) {
  (void)state;
  struct table *table = table_of_curves(3, 100);
  struct figure figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_false(legend_is_above(&figure));
  struct pixels pixels = decode(&figure.picture);
  const unsigned height = pixels.height;
  free(pixels.rgb);
  figure_release(&figure);
  /* Curves everywhere: it goes above, and the sheet grows. */
  for (size_t r = 0; r < table_rows(table); r++)
    table_set_real(table, r, 2, r % 2 ? 1 : -1);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(legend_is_above(&figure));
  pixels = decode(&figure.picture);
  assert_true(pixels.height > height);
  free(pixels.rgb);
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.legend = "bottom-left"}, FIGURE_PNG);
  assert_false(legend_is_above(&figure));
  figure_release(&figure);
  figure = draw_table(table, &plain, &(struct figure_options){.legend = "none"}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nkeys = 0\n"));
  figure_release(&figure);
  table_destroy(table);
  table = table_of_curves(1, 100);
  figure = draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nkeys = 0\n"));
  figure_release(&figure);
  table_destroy(table);
}

/* Bands that nowhere have a width are neither drawn nor named, nor is then the one line left. */
static void bands_without_width_are_left_out(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 50);
  struct curve_plot plot = plain;
  plot.low[0] = "low", plot.high[0] = "high";
  plot.low[1] = "bound", plot.high[1] = "bound";
  plot.band_labels[0] = "wide", plot.band_labels[1] = "narrow";
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nbands = 2\nlines = 2\n"));
  assert_non_null(strstr(figure.script.data, "\nkeys = 4\n"));
  assert_null(strstr(figure.script.data, "narrow"));
  figure_release(&figure);
  for (size_t r = 0; r < table_rows(table); r++) /* as rounding makes it, and a gap */
    table_set_real(table, r, 5, r == 3 ? NAN : table_real(table, r, 2) * (1 + 0x1p-50));
  plot.low[0] = "bound", plot.high[0] = "other";
  figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nbands = 0\nlines = 2\n"));
  assert_non_null(strstr(figure.script.data, "\nkeys = 2\n"));
  figure_release(&figure);
  table_destroy(table);
}

static double low_end(const struct figure *figure) {
  double low, high;
  script_range(figure, "yrange", &low, &high);
  return low;
}

/* What cannot be negative is seen from 0, but for a logarithm; what is negative all the same shows.
 */
static void axes_start_at_zero_where_asked(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9);
  for (size_t r = 0; r < 9; r++)
    table_set_real(table, r, 2, 50 + (double)r);
  struct curve_plot plot = plain;
  for (int from_zero = 0; from_zero < 2; from_zero++) {
    plot.from_zero = from_zero;
    struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
    assert_true(from_zero ? low_end(&figure) == 0 : low_end(&figure) > 49);
    figure_release(&figure);
  }
  struct figure figure =
      draw_table(table, &plot, &(struct figure_options){.log_y = true}, FIGURE_PNG);
  assert_true(low_end(&figure) > 0);
  figure_release(&figure);
  table_set_real(table, 4, 2, -3);
  figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_true(low_end(&figure) < -3);
  figure_release(&figure);
  table_destroy(table);
}

static void what_is_left_out_is_counted(void **state) {
  (void)state;
  const struct figure_options options[] = {{0},
                                           {.log_x = true},
                                           {.log_y = true},
                                           {.log_x = true, .log_y = true},
                                           {.colours.logarithmic = true}};
  struct table *table = table_of_curves(2, 9), *overlay = table_of_curves(1, 6);
  static const double values[] = {1, 0, NAN, -2, INFINITY, -INFINITY, 3, 4, 5};
  for (size_t r = 0; r < 9; r++) {
    table_set_real(table, r, 2, values[r]);
    table_set_real(table, r, 3, 1);
    table_set_real(table, r, 4, r == 8 ? NAN : 2);
    table_set_real(table, 9 + r, 2, 1);
    table_set_real(table, 9 + r, 3, r == 4 ? -1 : 1);
    table_set_real(table, 9 + r, 4, 2);
  }
  static const double points[] = {1, NAN, INFINITY, 0, -1, 2};
  for (size_t r = 0; r < 6; r++)
    table_set_real(overlay, r, 2, points[r]);
  struct curve_plot plot = plain;
  static const size_t lines[] = {2, 4, 4, 6, 2}, bands[] = {0, 2, 1, 3, 0},
                      overlays[] = {2, 3, 4, 5, 2};
  for (size_t o = 0; o < 5; o++)
    assert_int_equal(figure_left_out_table(table, &plot, &options[o]), lines[o]);
  plot.low[0] = "low";
  plot.high[0] = "high";
  for (size_t o = 0; o < 5; o++)
    assert_int_equal(figure_left_out_table(table, &plot, &options[o]), lines[o] + bands[o]);
  plot.overlay = overlay;
  plot.overlay_x = "distance";
  plot.overlay_y = "bound";
  for (size_t o = 0; o < 5; o++)
    assert_int_equal(figure_left_out_table(table, &plot, &options[o]),
                     lines[o] + bands[o] + overlays[o]);
  plot.overlay_y = "none";
  assert_int_equal(figure_left_out_table(table, &plot, &options[0]), lines[0] + bands[0]);
  table_destroy(table);
  table_destroy(overlay);
}

/* Points beyond the curves are shown: the axis reaches as far. */
static void overlays_widen_the_axes(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 9), *overlay = table_of_curves(1, 2);
  table_set_integer(overlay, 0, 1, -50);
  table_set_integer(overlay, 1, 1, 700);
  struct curve_plot plot = plain;
  plot.overlay = overlay;
  plot.overlay_x = "distance";
  plot.overlay_y = "bound";
  struct figure figure = draw_table(table, &plot, &(struct figure_options){0}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "set xrange [-50:700]"));
  assert_int_equal(figure_left_out_table(table, &plot, &(struct figure_options){0}), 0);
  figure_release(&figure);
  /* They may be all that is left. */
  for (size_t r = 0; r < 9; r++)
    table_set_real(table, r, 2, -1);
  figure = draw_table(table, &plot, &(struct figure_options){.log_y = true}, FIGURE_PNG);
  assert_non_null(strstr(figure.script.data, "\nbands = 0\nlines = 0\npoints = 1\n"));
  figure_release(&figure);
  table_destroy(table);
  table_destroy(overlay);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_the_legend_are_even),
      cmocka_unit_test(curves_have_their_colours),
      cmocka_unit_test(a_series_may_have_one_colour),
      cmocka_unit_test(bands_lines_and_points_are_drawn),
      cmocka_unit_test(bands_of_series_differ),
      cmocka_unit_test(samples_of_bands_let_paper_through),
      cmocka_unit_test(missing_values_break_lines),
      cmocka_unit_test(many_points_are_thinned_to_their_extremes),
      cmocka_unit_test(bands_without_width_are_left_out),
      cmocka_unit_test(axes_start_at_zero_where_asked),
      cmocka_unit_test(what_is_left_out_is_counted),
      cmocka_unit_test(overlays_widen_the_axes),
      cmocka_unit_test(legend_leaves_no_gap),
      cmocka_unit_test(legend_keeps_clear_of_curves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
