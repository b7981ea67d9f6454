#include "tests/unit/pictures.h"

#include "lib/figure/raster.h"
#include "lib/figure/style.h"

/* Widths in inches that the venues' instructions and style files give (TeX points are 72.27 to an
 * inch). */
static const struct {
  const char *name;
  double width;
} widths[] = {
    {"aaai", 3.3},
    {"aaai-full", 6.975},
    {"acl", 7.7 / 2.54},
    {"acl-full", (2 * 7.7 + 0.6) / 2.54},
    {"acm", 3.33},
    {"acm-full", 7},
    {"beamer", 0.9 * 398.34 / 72.27},
    {"cvpr", 3.25},
    {"cvpr-full", 6.875},
    {"default", 6},
    {"eccv", 122 / 25.4},
    {"elsevier", 90 / 25.4},
    {"elsevier-1.5", 140 / 25.4},
    {"elsevier-full", 190 / 25.4},
    {"iclr", 5.5},
    {"icml", 3.25},
    {"icml-full", 2 * 3.25 + 0.25},
    {"ieee", 3.5},
    {"ieee-full", 7.16},
    {"jmlr", 6},
    {"lncs", 122 / 25.4},
    {"nature", 89 / 25.4},
    {"nature-1.5", 120 / 25.4},
    {"nature-full", 183 / 25.4},
    {"neurips", 5.5},
    {"springer", 84 / 25.4},
    {"springer-full", 174 / 25.4},
    {"tmlr", 6.5},
};
enum { STYLES = sizeof widths / sizeof widths[0] };

static bool is_listed(const char *name) {
  for (size_t i = 0; style_name_at(i); i++)
    if (!strcmp(style_name_at(i), name)) return true;
  return false;
}

static void has_the_venues_widths(void **state) {
  (void)state;
  for (size_t i = 0; i < STYLES; i++) {
    struct style style;
    struct error error;
    assert_true(is_listed(widths[i].name));
    if (style_find(widths[i].name, &style, &error)) fail_msg("%s", error.message);
    assert_string_equal(style.name, widths[i].name);
    if (!(fabs(style.width - widths[i].width) < 1e-3))
      fail_msg("%s is %g in wide, expected %g", style.name, style.width, widths[i].width);
  }
  assert_non_null(style_name_at(STYLES - 1));
  assert_null(style_name_at(STYLES));
}

static void fits_print(void **state) {
  (void)state;
  for (size_t i = 0; i < STYLES; i++) {
    struct style style;
    assert_int_equal(style_find(widths[i].name, &style, NULL), OK);
    assert_true(style.tick_size >= 5 && style.tick_size <= style.font_size &&
                style.font_size <= 11);
    assert_true(style.height_ratio == 0.618);
    assert_true(style.line_width >= 0.5 && style.line_width <= 2);
    assert_true(style.dpi >= (strcmp(style.name, "default") ? 300 : 150));
    assert_true(strlen(style.source) > 5 && strlen(style.font) > 2);
  }
}

static void keeps_the_venues_rules(void **state) {
  (void)state;
  struct style style;
  assert_int_equal(style_find("nature", &style, NULL),
                   OK); /* text of 5 to 7 pt, Helvetica or Arial */
  assert_true(style.font_size <= 7 && style.tick_size >= 5 && style.dpi == 450);
  assert_string_equal(style.font, "Helvetica");
  assert_int_equal(style_find("ieee", &style, NULL), OK); /* 8 pt, 600 dpi for line art */
  assert_true(style.font_size == 8 && style.dpi == 600);
  assert_int_equal(style_find("icml", &style, NULL), OK);
  assert_true(style.font_size == 8 && style.tick_size == 6 && style.dpi == 300);
}

/* The number behind `mark` in a file. */
static double number_after(const struct blob *file, const char *mark) {
  const char *place = memmem(file->data, file->size, mark, strlen(mark));
  if (!place) fail_msg("no '%s' in the file", mark);
  return place ? strtod(place + strlen(mark), NULL) : NAN;
}

static struct figure draw_sealed(const struct table *table, const struct figure_options *options,
                                 enum figure_format format) {
  struct figure figure = draw_table(table, &plain, options, format);
  struct error error;
  if (provenance_seal(format, figure.dpi, NULL, &figure.picture, &error))
    fail_msg("%s", error.message);
  return figure;
}

/* Whole pixels of the stated resolution, which pHYs has in pixels per metre. */
static void assert_png(const struct table *table, const struct figure_options *options,
                       double width, double dpi) {
  struct figure figure = draw_sealed(table, options, FIGURE_PNG);
  unsigned across, down;
  assert_int_equal(raster_size(figure.picture.data, figure.picture.size, &across, &down, NULL), OK);
  if (!(fabs(across - width * dpi) <= 0.5))
    fail_msg("%s: %u pixels for %g in at %g dpi", options->style, across, width, dpi);
  struct raster_chunk chunk = {.type = ""};
  for (size_t at = 0; strcmp(chunk.type, "pHYs");)
    if (!raster_next_chunk(figure.picture.data, figure.picture.size, &at, &chunk))
      fail_msg("%s: no pHYs", options->style);
  if (!chunk.data) return; /* for the analyser: fail_msg does not come back */
  for (int i = 0; i < 2; i++) {
    const unsigned char *d = chunk.data + 4 * i;
    const unsigned density =
        (unsigned)d[0] << 24 | (unsigned)d[1] << 16 | (unsigned)d[2] << 8 | d[3];
    assert_int_equal(density, lround(dpi / 0.0254));
  }
  assert_int_equal(chunk.data[8], 1); /* pixels per metre */
  /* gnuplot thinks in 96 dpi: true points are larger by the ratio. */
  const struct blob script = figure.script;
  assert_true(fabs(number_after(&script, " fontscale ") - dpi / 96) < 1e-3);
  figure_release(&figure);
}

/* PNG, PDF and SVG have the width of the style, and its type sizes. */
static void figures_have_the_stated_size(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 20);
  for (size_t i = 0; style_name_at(i); i++) {
    struct style style;
    char name[32], font[128];
    snprintf(name, sizeof name, "%s", style_name_at(i));
    assert_int_equal(style_find(name, &style, NULL), OK);
    const struct figure_options options = {.style = name};
    assert_png(table, &options, style.width, style.dpi);
    struct figure figure = draw_sealed(table, &options, FIGURE_PDF);
    const double points = number_after(&figure.picture, "/MediaBox[0 0 ");
    if (!(fabs(points - style.width * 72) < 1e-4)) fail_msg("%s: a page of %g pt", name, points);
    assert_true(number_after(&figure.script, " fontscale ") == 0.75);
    snprintf(font, sizeof font, " font '%s,%g' ", style.font, style.font_size);
    assert_non_null(memmem(figure.script.data, figure.script.size, font, strlen(font)));
    snprintf(font, sizeof font, "\nlabel_font = ',%g'\ntic_font = ',%g'\n", style.font_size,
             style.tick_size);
    assert_non_null(memmem(figure.script.data, figure.script.size, font, strlen(font)));
    figure_release(&figure);
    figure = draw_sealed(table, &options, FIGURE_SVG);
    assert_true(fabs(number_after(&figure.picture, " width=\"") - style.width) < 1e-5);
    assert_non_null(memmem(figure.picture.data, 200, "in\" height=\"", 12));
    figure_release(&figure);
    /* The font is the document's; gnuplot places the numbers by its size. */
    figure = draw_table(table, &plain, &options, FIGURE_TEX);
    snprintf(font, sizeof font, " font ',%g' ", style.font_size);
    assert_non_null(memmem(figure.script.data, figure.script.size, font, strlen(font)));
    assert_null(memmem(figure.tex.data, figure.tex.size, "usefont", 7));
    figure_release(&figure);
  }
  table_destroy(table);
}

/* Sizes that are asked for, and resolutions. */
static void asked_sizes_are_exact(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 20);
  static const double widths_asked[] = {3, 8.5 / 2.54, 89 / 25.4, 5.12};
  static const double dpis[] = {300, 600, 100};
  for (size_t w = 0; w < 4; w++)
    for (size_t d = 0; d < 3; d++)
      assert_png(table,
                 &(struct figure_options){
                     .style = "icml", .width = widths_asked[w], .height = 2, .dpi = dpis[d]},
                 widths_asked[w], dpis[d]);
  table_destroy(table);
}

static void unknown_names_list_the_choices(void **state) {
  (void)state;
  static const char *const bad[] = {"", "ICML", "icml.style", "../palettes/viridis",
                                    "neurips2017x"};
  for (size_t i = 0; i < 5; i++) {
    struct style style;
    struct error error;
    assert_int_equal(style_find(bad[i], &style, &error), ERROR_INPUT);
    assert_message(&error, "unknown style");
    for (size_t s = 0; s < STYLES; s++)
      assert_message(&error, widths[s].name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(has_the_venues_widths),  cmocka_unit_test(fits_print),
      cmocka_unit_test(keeps_the_venues_rules), cmocka_unit_test(figures_have_the_stated_size),
      cmocka_unit_test(asked_sizes_are_exact),  cmocka_unit_test(unknown_names_list_the_choices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
