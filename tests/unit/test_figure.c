#include "tests/unit/pictures.h"
#include "tests/unit/wellformed.h"

static void same_input_gives_same_bytes(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 60);
  struct matrix *matrix = matrix_random(20, 20, 4);
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++)
    for (int kind = 0; kind < 2; kind++) {
      struct figure figure[2];
      for (int run = 0; run < 2; run++) {
        setenv("TZ", run ? "Asia/Kolkata" : "UTC", 1);
        figure[run] =
            kind ? draw_matrix(matrix, &(struct figure_options){0}, (enum figure_format)format)
                 : draw_table(table, &plain, &(struct figure_options){0},
                              (enum figure_format)format);
      }
      unsetenv("TZ");
      const struct blob *one[] = {&figure[0].picture, &figure[0].tex, &figure[0].script,
                                  &figure[0].data};
      const struct blob *two[] = {&figure[1].picture, &figure[1].tex, &figure[1].script,
                                  &figure[1].data};
      /* The PDF carries its date until it is sealed. */
      for (size_t b = format == FIGURE_PDF || format == FIGURE_TEX; b < 4; b++) {
        assert_int_equal(one[b]->size, two[b]->size);
        if (one[b]->size) assert_memory_equal(one[b]->data, two[b]->data, one[b]->size);
      }
      assert_int_equal(one[0]->size, two[0]->size);
      figure_release(&figure[0]);
      figure_release(&figure[1]);
    }
  table_destroy(table);
  matrix_destroy(matrix);
}

/* Puts the data into a folder, runs the kept script there, and compares. */
static void assert_redraws(struct figure *figure) {
  char directory[PATH_MAX];
  struct blob picture;
  struct error error;
  const struct gnuplot_job job = {
      .script = figure->script.data, .data = "", .terminal = "pngcairo"};
  write_whole(path_of("figure.dat"), figure->data.data, figure->data.size);
  assert_non_null(getcwd(directory, sizeof directory));
  assert_int_equal(chdir(folder), 0);
  const int code = gnuplot_run(&job, &picture, NULL, &error);
  assert_int_equal(chdir(directory), 0);
  if (code) fail_msg("%s", error.message);
  assert_int_equal(picture.size, figure->picture.size);
  assert_memory_equal(picture.data, figure->picture.data, picture.size);
  free(picture.data);
  figure_release(figure);
}

static void script_and_data_redraw_the_picture(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 60);
  struct matrix *matrix = matrix_random(20, 20, 4);
  struct figure figure =
      draw_table(table, &plain, &(struct figure_options){.title = "it's"}, FIGURE_PNG);
  assert_redraws(&figure);
  figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG);
  assert_redraws(&figure);
  figure = draw_matrix(matrix, &(struct figure_options){0}, FIGURE_TEX);
  assert_non_null(strstr(figure.script.data, "set output './figure'.'.tex'"));
  assert_non_null(memmem(figure.tex.data, figure.tex.size, "graphic{figure}%", 16));
  figure_release(&figure);
  /* A name that gnuplot would take for a command. */
  struct error error;
  assert_int_equal(figure_draw_matrix(matrix, &(struct figure_options){0}, FIGURE_PNG, "|touch x",
                                      &figure, &error),
                   OK);
  assert_non_null(strstr(figure.script.data, "datafile = './|touch x'.'.dat'"));
  figure_release(&figure);
  table_destroy(table);
  matrix_destroy(matrix);
}

static const char *const odd_texts[] = {
    "`touch canary`",
    "$(touch canary)",
    "' . system('touch canary') . '",
    "\" . system(\"touch canary\") . \"",
    "'; system('touch canary'); set title '",
    "@x _{a}^b &{c} ~d {/Bold e} \\n \\\\ %s %%",
    "α θ 旋转 🌀 שלום",
    "",
    " ",
    "<b>&amp;</b> ]]> <!-- -->",
    "]]>",
    "]]]>>]]>&<\"'",
    "\xef\xbf\xbe \xef\xbf\xbf \xc2\x80",
    "[l] \\input{/etc/passwd} \\write18{touch canary} $x$ # % ~ ^ { }"};

static void wellformed_is_strict(void **state) {
  (void)state;
  static const char *const good[] = {
      "<a/>", "<a b='&lt;\"' c=\"'\"><b/>x &amp; &#65; ]] > <![CDATA[<]]><!-- - --></a >",
      "<?xml version='1.0'?>\n<!DOCTYPE a>\n<a></a>\n", "<a>\xef\xbf\xbd</a>"};
  static const char *const bad[] = {"",
                                    "x",
                                    "<a>",
                                    "<a/><b/>",
                                    "<a></b>",
                                    "<a>]]></a>",
                                    "<a>&</a>",
                                    "<a>&x;</a>",
                                    "<a b=c/>",
                                    "<a b='<'/>",
                                    "<a b='&'/>",
                                    "<a b='c'd='e'/>",
                                    "<a><</a>",
                                    "<a/>x",
                                    "<a>\x01</a>",
                                    "<a>\xff</a>",
                                    "<a>\xef\xbf\xbe</a>",
                                    "<a><!-- -- --></a>",
                                    "<a>&#1;</a>",
                                    "<a b='c/>",
                                    "<a><b></a></b>"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    if (!is_wellformed(good[i], strlen(good[i]))) fail_msg("'%s' is refused", good[i]);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (is_wellformed(bad[i], strlen(bad[i]))) fail_msg("'%s' is let through", bad[i]);
}

/* A series, its columns and the labels of the figure are called so. */
static void texts_are_only_drawn(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 30);
  struct matrix *matrix = matrix_random(5, 5, 4);
  char longest[5001], directory[300];
  memset(longest, 'W', 5000);
  longest[5000] = '\0';
  assert_non_null(getcwd(directory, sizeof directory));
  assert_int_equal(chdir(folder), 0);
  for (size_t t = 0; t <= sizeof odd_texts / sizeof odd_texts[0]; t++) {
    const char *text = t < sizeof odd_texts / sizeof odd_texts[0] ? odd_texts[t] : longest;
    struct curve_plot plot = plain;
    struct error error;
    plot.lines[1] = "other";
    plot.line_labels[1] = text;
    for (size_t r = 30; r < 60; r++)
      assert_int_equal(table_set_text(table, r, 0, text, NULL), OK);
    snprintf(matrix->value_label, sizeof matrix->value_label, "%.20s", text);
    const struct figure_options options = {.title = text, .xlabel = text, .ylabel = text};
    for (int format = FIGURE_SVG; format <= FIGURE_TEX; format++) {
      struct figure figure;
      if (figure_draw_table(table, &plot, &options, (enum figure_format)format, "f", &figure,
                            &error))
        fail_msg("'%s': %s", text, error.message);
      if (format == FIGURE_SVG && !is_wellformed(figure.picture.data, figure.picture.size))
        fail_msg("'%s': the SVG is no XML", text);
      if (format == FIGURE_TEX) {
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\input{/etc", 11));
        assert_null(memmem(figure.tex.data, figure.tex.size, "\\write", 6));
      }
      figure_release(&figure);
    }
    if (t == 6) continue; /* cut within a character */
    struct figure figure;
    if (figure_draw_matrix(matrix, &options, FIGURE_PNG, "f", &figure, &error))
      fail_msg("'%s': %s", text, error.message);
    figure_release(&figure);
  }
  const bool executed = access("canary", F_OK) == 0;
  assert_int_equal(chdir(directory), 0);
  assert_false(executed);
  table_destroy(table);
  matrix_destroy(matrix);
}

/* TeX gets the text with its specials as commands. */
static void texts_are_escaped_for_tex(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 30);
  const struct figure_options options = {.title = "50% of a_b$ {\\x} #1 & ^~ θ² −1"};
  struct figure figure = draw_table(table, &plain, &options, FIGURE_TEX);
  static const char expected[] =
      "50\\% of a\\_b\\$ \\{\\textbackslash{}x\\} \\#1 \\& \\textasciicircum{}\\textasciitilde{} "
      "\\ensuremath{\\theta}\\ensuremath{^2} \\ensuremath{-}1";
  assert_non_null(memmem(figure.tex.data, figure.tex.size, expected, sizeof expected - 1));
  figure_release(&figure);
  table_destroy(table);
}

static void assert_refused(const struct table *table, const struct curve_plot *plot,
                           const struct figure_options *options, const char *message, int code) {
  struct figure figure = {.dpi = 1};
  struct error error = {0};
  assert_int_equal(figure_draw_table(table, plot, options, FIGURE_PNG, "f", &figure, &error), code);
  assert_message(&error, message);
  assert_null(figure.picture.data);
  assert_null(figure.script.data);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  struct table *table = table_of_curves(2, 30);
  static const struct {
    struct figure_options options;
    const char *message;
  } bad[] = {
      {{.style = "nips"}, "unknown style 'nips'; one of "},
      {{.palette = "jet"}, "unknown palette 'jet'; one of "},
      {{.legend = "left"}, "unknown place 'left' for the legend; one of auto"},
      {{.width = 200}, "picture of 40000 x 24720 pixels is too large; at most 32767 a side"},
      {{.width = 1e300}, "is too large"},
      {{.width = 0.5}, "too small for its labels in 10 pt; at least "},
      {{.height = 0.5}, "too small for its labels"},
      {{.font_size = 100}, "too small for its labels"},
      {{.font_size = 1000}, "font size of 1000 pt is not possible"},
      {{.dpi = 1}, "resolution of 1 dpi is not possible"},
      {{.font = "x' y"}, "font 'x' y' has the character '''"},
      {{.font = "Times,20"}, "font 'Times,20' has the character ','"},
      {{.title = "a\nset output"}, "title: control character in text 'a\\x0aset output'"},
      {{.xlabel = "\x1b"}, "xlabel: control character"},
      {{.letter = ""}, "letter '' is not possible; 1 to 3 letters or digits"},
      {{.letter = "four"}, "letter 'four' is not possible"},
      {{.letter = "a'"}, "letter 'a'' is not possible"},
      {{.letter = "α"}, "letter 'α' is not possible"},
      {{.ylabel = "\xff"}, "ylabel: text '\\xff' is not UTF-8"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_refused(table, &plain, &bad[i].options, bad[i].message, ERROR_INPUT);
  struct figure figure;
  struct error error;
  assert_int_equal(figure_draw_table(table, &plain, &(struct figure_options){0}, FIGURE_TEX, "a%b",
                                     &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "TeX cannot include a file named 'a%b'");
  assert_int_equal(figure_draw_table(table, &plain, &(struct figure_options){0}, FIGURE_PNG, "a\nb",
                                     &figure, &error),
                   ERROR_INPUT);
  assert_message(&error, "name of the figure: control character");
  table_destroy(table);
}

static void tables_without_anything_to_draw_are_refused(void **state) {
  (void)state;
  const struct figure_options none = {0}, log = {.log_y = true};
  struct table *table = table_of_curves(2, 0);
  assert_refused(table, &plain, &none, "nothing to draw", ERROR_FAILED);
  table_destroy(table);
  table = table_of_curves(1, 10);
  struct curve_plot plot = plain;
  plot.x = "position";
  assert_refused(table, &plot, &none, "column 'position' is not in the table", ERROR_INPUT);
  plot = plain;
  plot.lines[0] = "series";
  assert_refused(table, &plot, &none, "column 'series' holds text", ERROR_INPUT);
  plot = plain;
  plot.group = "model";
  assert_refused(table, &plot, &none, "column 'model'", ERROR_INPUT);
  plot = plain;
  plot.lines[0] = "other";
  assert_refused(table, &plot, &log, "positive on the logarithmic axis", ERROR_FAILED);
  for (size_t r = 0; r < 10; r++)
    table_set_real(table, r, 2, r % 2 ? NAN : INFINITY);
  assert_refused(table, &plain, &none, "nothing to draw: no point of the table is finite",
                 ERROR_FAILED);
  table_set_real(table, 0, 2, 1e305);
  assert_refused(table, &plain, &none, "1e300", ERROR_FAILED);
  table_destroy(table);
  struct matrix *matrix = matrix_random(2, 2, 1);
  for (size_t i = 0; i < 4; i++)
    matrix->cells[i] = NAN;
  struct figure figure;
  struct error error;
  assert_int_equal(figure_draw_matrix(matrix, &none, FIGURE_PNG, "f", &figure, &error),
                   ERROR_FAILED);
  assert_message(&error, "nothing to draw");
  matrix->rows = 0;
  assert_int_equal(figure_draw_matrix(matrix, &none, FIGURE_PNG, "f", &figure, &error),
                   ERROR_FAILED);
  matrix->rows = 2;
  matrix_destroy(matrix);
}

static void faults_of_gnuplot_come_through(void **state) {
  (void)state;
  struct table *table = table_of_curves(1, 10);
  static const char *const fakes[][2] = {{"exit 7", "status 7"},
                                         {"exit 0", "no picture"},
                                         {"kill -9 $$", "killed by signal 9"},
                                         {"echo 'unknown or ambiguous terminal type' >&2; exit 1",
                                          "terminal 'pngcairo' is not in this gnuplot"}};
  for (size_t i = 0; i < 4; i++) {
    char text[128];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", fakes[i][0]);
    chmod(write_text("fake", text), 0755);
    setenv("ROPETOOL_GNUPLOT", path_of("fake"), 1);
    assert_refused(table, &plain, &(struct figure_options){0}, fakes[i][1], ERROR_FAILED);
  }
  unsetenv("ROPETOOL_GNUPLOT");
  /* Without fonts cairo would draw a figure without text. */
  setenv("FONTCONFIG_FILE", write_text("none.conf", "<fontconfig></fontconfig>"), 1);
  assert_refused(table, &plain, &(struct figure_options){0}, "no fonts found", ERROR_FAILED);
  unsetenv("FONTCONFIG_FILE");
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_input_gives_same_bytes),
      cmocka_unit_test(script_and_data_redraw_the_picture),
      cmocka_unit_test(wellformed_is_strict),
      cmocka_unit_test(texts_are_only_drawn),
      cmocka_unit_test(texts_are_escaped_for_tex),
      cmocka_unit_test(bad_options_are_refused),
      cmocka_unit_test(tables_without_anything_to_draw_are_refused),
      cmocka_unit_test(faults_of_gnuplot_come_through),
  };
  return cmocka_run_group_tests(tests, folder_create, folder_remove);
}
