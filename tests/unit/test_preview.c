#include "tests/unit/previews.h"

static void shades_grow_with_values(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(2, 9);
  for (size_t c = 0; c < 9; c++)
    matrix->cells[c] = matrix->cells[9 + c] = (double)c;
  matrix->cells[0] = matrix->cells[9] = NAN;
  strcpy(matrix->value_label, "score");
  const struct sight sight = {.matrix = matrix, .columns = 40, .rows = 10};
  char *text = seen(&sight);
  assert_string_equal(text, " .:-=*#%@\n1 ..::--==+**##%%@ 8 score\n");
  free(text);
  /* Cells beyond an end have its shade, and the scale says so. */
  matrix->cells[0] = -INFINITY;
  matrix->cells[9] = INFINITY;
  text = seen(&sight);
  assert_non_null(strstr(text, "\n<1 ..::--==+**##%%@ >8 score\n"));
  free(text);
  matrix_destroy(matrix);
}

/* In the logarithm, what is not above 0 is not there; where cells are merged the others show. */
static void no_logarithm_no_shade(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(2, 8);
  static const double cells[] = {0, -1, 1, 10, 100, -1000, 1000, NAN};
  for (size_t c = 0; c < 8; c++)
    matrix->cells[c] = matrix->cells[8 + c] = cells[c];
  char *text = seen(&(struct sight){.matrix = matrix, .columns = 20, .rows = 10, .log_c = true});
  assert_memory_equal(text, "  .-* @ \n", 9);
  free(text);
  text = seen(&(struct sight){.matrix = matrix, .columns = 4, .rows = 10, .log_c = true});
  assert_memory_equal(text, " -*@\n", 5);
  free(text);
  /* Signed ones are all there: a decade is an eighth of the shades. */
  matrix->range = MATRIX_DIVERGING;
  text = seen(&(struct sight){.matrix = matrix, .columns = 20, .rows = 10, .log_c = true});
  assert_memory_equal(text, "+=*#%.@ \n", 9);
  free(text);
  matrix_destroy(matrix);
}

static void half_blocks_hold_two_rows(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(3, 2);
  matrix->cells[1] = NAN;
  const struct sight sight = {
      .matrix = matrix, .columns = 8, .rows = 8, .colour = PREVIEW_TRUECOLOR};
  char *raw = printed(look, &sight, NULL);
  /* Upper cell in the foreground, lower cell in the background: the first and third of viridis'
   * five. */
  assert_memory_equal(raw, "\033[38;2;68;1;84m\033[48;2;", 22);
  free(raw);
  char *text = seen(&sight);
  assert_string_equal(text, "▀▄\n▀▀\n");
  free(text);
  matrix_destroy(matrix);
}

/* The right half is set apart: strokes from character to character, in black or white, and the
   scale says what they mean where there is room. */
static void cells_set_apart_are_hatched(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(8, 8);
  matrix->hatch.cell = calloc(64, sizeof *matrix->hatch.cell);
  assert_non_null(matrix->hatch.cell);
  for (size_t i = 0; i < 64; i++) {
    matrix->cells[i] = i % 8 == 7;
    matrix->hatch.cell[i] = i % 8 >= 4;
  }
  strcpy(matrix->value_label, "score");
  strcpy(matrix->hatch.label, "unseen");
  struct sight sight = {.matrix = matrix, .columns = 60, .rows = 10};
  char *text = seen(&sight);
  assert_string_equal(text, "...././@\n"
                            "....././\n"
                            "...././@\n"
                            "....././\n"
                            "0 ..::--==+**##%%@ 1 score, / unseen\n");
  free(text);
  sight.colour = PREVIEW_TRUECOLOR;
  text = seen(&sight);
  assert_memory_equal(text, "▀▀▀▀╱▀╱▀\n▀▀▀▀▀╱▀╱\n", 50);
  assert_non_null(strstr(text, " 1 score, ╱ unseen\n"));
  free(text);
  /* White on viridis' first colour, black on its last. */
  text = printed(look, &sight, NULL);
  assert_non_null(strstr(text, "\033[38;2;255;255;255m\033[48;2;68;1;84m╱\033[0m"));
  assert_non_null(strstr(text, "\033[38;2;0;0;0m\033[48;2;253;231;37m╱\033[0m"));
  free(text);
  sight.columns = 30;
  text = seen(&sight);
  assert_non_null(strstr(text, " 1 score\n"));
  free(text);
  /* Both inks are in a picture of dots. */
  sight.sixel = true;
  text = printed(look, &sight, NULL);
  assert_non_null(strstr(text, ";2;0;0;0"));
  assert_non_null(strstr(text, ";2;100;100;100"));
  free(text);
  matrix_destroy(matrix);
}

static void diagonals_survive_reduction(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(512, 512);
  for (size_t i = 0; i < 512 * 512; i++)
    matrix->cells[i] = i % 513 == 0;
  char *text = seen(&(struct sight){.matrix = matrix, .columns = 32, .rows = 17});
  const char *line = text;
  for (size_t row = 0; row < 16; row++, line = strchr(line, '\n') + 1)
    assert_true(line[2 * row] == '@' && line[2 * row + 1] == '@' && (row == 0 || line[0] == '.'));
  free(text);
  matrix->range = MATRIX_DIVERGING;
  for (size_t i = 0; i < 512 * 512; i++)
    matrix->cells[i] = -matrix->cells[i];
  text = seen(&(struct sight){.matrix = matrix, .columns = 32, .rows = 17});
  assert_true(text[0] == '.');
  assert_true(text[5] != '.');
  free(text);
  matrix_destroy(matrix);
}

static void maps_fit_their_space(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{1, 1}, {1, 300}, {300, 1}, {7, 5}, {1000, 1000}, {64, 1000}};
  for (size_t s = 0; s < 6; s++) {
    struct matrix *matrix = matrix_of(sizes[s][0], sizes[s][1]);
    for (unsigned columns = 0; columns < 90; columns += 11)
      for (unsigned rows = 0; rows < 30; rows += 7)
        for (int colour = 0; colour < 3; colour++) {
          char *text = seen(&(struct sight){.matrix = matrix,
                                            .columns = columns,
                                            .rows = rows,
                                            .colour = (enum preview_colour)colour});
          assert_fits(text, columns, rows);
          assert_true(columns < 11 || rows < 7 || *text);
          free(text);
        }
    matrix_destroy(matrix);
  }
}

static void a_rising_line_rises(void **state) {
  (void)state;
  struct table *table = table_of(1, 100);
  char *text = seen(&(struct sight){.table = table, .plot = &plot, .columns = 26, .rows = 9});
  assert_fits(text, 26, 9);
  const char *first = strchr(text, '\n'), *last = text;
  assert_memory_equal(text, "       99 ", 10);
  assert_memory_equal(text + 10, "              ", 14);
  for (int line = 0; line < 7; line++)
    last = strchr(last, '\n') + 1;
  assert_memory_equal(last, "        0 \xe2", 11);
  assert_non_null(first);
  assert_non_null(strstr(last, "\n          0             99\n"));
  free(text);
  table_destroy(table);
}

/* A row of dots at a value and a column at a place, behind the curves; none where these do not go.
 */
static void marks_are_dotted(void **state) {
  (void)state;
  struct table *table = table_of(1, 11);
  struct curve_plot marked = plot;
  marked.marks[0] = (struct curve_mark){8, ""};
  marked.marks[1] = (struct curve_mark){-1, "out of reach"};
  marked.x_mark = (struct curve_mark){4, "four"};
  const struct sight sight = {
      .table = table, .plot = &marked, .columns = 31, .rows = 12, .ascii = true};
  char *text = seen(&sight);
  assert_string_equal(text, "       10         .          **\n"
                            "                           **  \n"
                            "          . . . . . . . . * . .\n"
                            "                        **     \n"
                            "                  .   **       \n"
                            "                    **         \n"
                            "                  **           \n"
                            "                **             \n"
                            "              **  .            \n"
                            "            **                 \n"
                            "        0 **      .            \n"
                            "          0                  10\n");
  free(text);
  table_destroy(table);
}

/* Of a second column. */
static void second_lines_are_dashed(void **state) {
  (void)state;
  struct table *table = table_of(1, 11);
  struct curve_plot two = plot;
  two.lines[0] = "x";
  two.lines[1] = "y";
  for (size_t r = 0; r < 11; r++)
    table_set_real(table, r, 2, 5);
  char *text =
      seen(&(struct sight){.table = table, .plot = &two, .columns = 31, .rows = 13, .ascii = true});
  assert_string_equal(text, "       10                    **\n"
                            "                           **  \n"
                            "                          *    \n"
                            "                        **     \n"
                            "                      **       \n"
                            "          ++  ++  ++**++  ++  +\n"
                            "                  **           \n"
                            "                **             \n"
                            "              **               \n"
                            "            **                 \n"
                            "        0 **                   \n"
                            "          0                  10\n"
                            "* x + y\n");
  free(text);
  table_destroy(table);
}

static void curves_fit_their_space(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 1000};
  for (size_t n = 0; n < 3; n++) {
    struct table *table = table_of(2, counts[n]);
    for (unsigned columns = 0; columns < 100; columns += 9)
      for (unsigned rows = 0; rows < 30; rows += 5)
        for (int colour = 0; colour < 3; colour++) {
          char *text = seen(&(struct sight){.table = table,
                                            .plot = &plot,
                                            .columns = columns,
                                            .rows = rows,
                                            .colour = (enum preview_colour)colour});
          assert_fits(text, columns, rows);
          assert_true(columns < 27 || rows < 10 || *text);
          assert_true(!*text || strstr(text, "one") != NULL);
          /* Without colours they differ in their characters. */
          assert_true(!*text || (strchr(text, '+') != NULL) == (colour == 0));
          free(text);
        }
    table_destroy(table);
  }
}

/* Each line of each series has a name, in its colour or behind its character. */
static void curves_have_names(void **state) {
  (void)state;
  static const struct curve_plot two = {
      .x = "x", .group = "series", .lines = {"x", "y"}, .line_labels = {"first \xce\xb8"}};
  struct table *one = table_of(1, 9), *several = table_of(2, 9);
  const struct {
    const struct table *table;
    enum preview_colour colour;
    bool ascii;
    const char *names;
  } cases[] = {
      {one, PREVIEW_PLAIN, false, "\n* first \xce\xb8 + y\n"},
      {one, PREVIEW_PLAIN, true, "\n* first ? + y\n"},
      {one, PREVIEW_256, false, "\n\xe2\x94\x81 first \xce\xb8 \xe2\x94\x81 y\n"},
      {several, PREVIEW_PLAIN, false,
       "\n* one, first \xce\xb8 + one, y x two, first \xce\xb8\no two, y\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = seen(&(struct sight){.table = cases[i].table,
                                      .plot = &two,
                                      .columns = 40,
                                      .rows = 12,
                                      .colour = cases[i].colour,
                                      .ascii = cases[i].ascii});
    assert_fits(text, 40, 12);
    const size_t size = strlen(text), tail = strlen(cases[i].names);
    assert_true(size > tail);
    assert_string_equal(text + size - tail, cases[i].names);
    free(text);
  }
  table_destroy(one);
  table_destroy(several);
}

static void nothing_to_see_prints_nothing(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(2, 2);
  struct table *table = table_of(1, 3);
  for (size_t i = 0; i < 4; i++)
    matrix->cells[i] = NAN;
  for (size_t r = 0; r < 3; r++)
    table_set_real(table, r, 2, NAN);
  char *text = seen(&(struct sight){.matrix = matrix, .columns = 40, .rows = 20});
  assert_string_equal(text, "");
  free(text);
  text = seen(&(struct sight){.table = table, .plot = &plot, .columns = 40, .rows = 20});
  assert_string_equal(text, "");
  free(text);
  table_set_real(table, 0, 2, 1e308);
  table_set_real(table, 1, 2, -1e308);
  text = seen(&(struct sight){.table = table, .plot = &plot, .columns = 40, .rows = 20});
  assert_string_equal(text, "");
  free(text);
  matrix_destroy(matrix);
  table_destroy(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shades_grow_with_values),
      cmocka_unit_test(no_logarithm_no_shade),
      cmocka_unit_test(half_blocks_hold_two_rows),
      cmocka_unit_test(cells_set_apart_are_hatched),
      cmocka_unit_test(diagonals_survive_reduction),
      cmocka_unit_test(maps_fit_their_space),
      cmocka_unit_test(a_rising_line_rises),
      cmocka_unit_test(marks_are_dotted),
      cmocka_unit_test(second_lines_are_dashed),
      cmocka_unit_test(curves_fit_their_space),
      cmocka_unit_test(curves_have_names),
      cmocka_unit_test(nothing_to_see_prints_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
