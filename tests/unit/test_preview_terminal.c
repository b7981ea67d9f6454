/* Previews by what the terminal can show, and those of panels and dials. */
#include "tests/unit/previews.h"

/* ASCII alone; the series have signs of their own. */
static void dumb_terminals_get_ascii(void **state) {
  (void)state;
  struct table *table = table_of(2, 50);
  char *text = seen(
      &(struct sight){.table = table, .plot = &plot, .columns = 40, .rows = 12, .ascii = true});
  assert_fits(text, 40, 12);
  for (const char *c = text; *c; c++)
    assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
  assert_non_null(strstr(text, "* one + two\n"));
  size_t first = 0, second = 0;
  for (const char *c = text; c < strstr(text, "* one"); c++)
    first += *c == '*', second += *c == '+';
  assert_true(first > 20 && second > 20);
  free(text);
  struct matrix *matrix = matrix_of(4, 4);
  strcpy(matrix->value_label, "θ");
  text = seen(&(struct sight){.matrix = matrix, .columns = 40, .rows = 12, .ascii = true});
  for (const char *c = text; *c; c++)
    assert_true((unsigned char)*c < 0x80);
  free(text);
  matrix_destroy(matrix);
  table_destroy(table);
}

/* The nearest of the cube and of the greys, as xterm has them. */
static void colours_come_down_to_256(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(2, 2);
  matrix->cells[0] = matrix->cells[2] = 0;
  matrix->cells[1] = matrix->cells[3] = 1;
  char *text = printed(
      look, &(struct sight){.matrix = matrix, .columns = 8, .rows = 8, .colour = PREVIEW_256},
      NULL);
  /* #440154: 5f005f, 53; #fde725: ffd700, 220. */
  assert_string_equal(text,
                      "\033[38;5;53m\033[48;5;53m▀\033[0m\033[38;5;220m\033[48;5;220m▀\033[0m\n");
  free(text);
  matrix_destroy(matrix);
}

/* Reads sixel graphics back: how many dots have a colour; the sizes it states in `width` and
   `height`. */
static size_t read_sixel(const char *text, unsigned *width, unsigned *height) {
  const char *c = strstr(text, "\033P0;1q\"1;1;");
  assert_non_null(c);
  int end = 0;
  assert_int_equal(sscanf(c + 11, "%u;%u%n", width, height, &end), 2);
  size_t dots = 0, x = 0, top = 0;
  for (c += 11 + end; *c != '\033';) {
    unsigned run = 1;
    if (*c == '#') {
      c += strspn(c + 1, "0123456789;") + 1;
      continue;
    }
    if (*c == '$' || *c == '-') {
      top += *c++ == '-' ? 6 : 0;
      x = 0;
      continue;
    }
    if (*c == '!') run = (unsigned)strtoul(c + 1, (char **)&c, 10);
    assert_in_range(*c, '?', '~');
    const int bits = *c++ - '?';
    x += run;
    assert_true(x <= *width);
    for (int i = 0; i < 6; i++) {
      if (!(bits >> i & 1)) continue;
      assert_true(top + (size_t)i < *height);
      dots += run;
    }
  }
  assert_memory_equal(c, "\033\\\n", 3);
  return dots;
}

static void sixel_has_every_cell(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(32, 32);
  matrix->cells[5] = NAN;
  char *text = printed(
      look,
      &(struct sight){
          .matrix = matrix, .columns = 40, .rows = 17, .colour = PREVIEW_TRUECOLOR, .sixel = true},
      NULL);
  unsigned width, height;
  /* 16 lines of 16 dots hold 32 cells of 8 dots. */
  assert_int_equal(read_sixel(text, &width, &height), (32 * 32 - 1) * 8 * 8);
  assert_int_equal(width, 320);
  assert_int_equal(height, 256);
  free(text);
  struct table *table = table_of(2, 100);
  text = printed(look,
                 &(struct sight){.table = table,
                                 .plot = &plot,
                                 .columns = 40,
                                 .rows = 14,
                                 .colour = PREVIEW_TRUECOLOR,
                                 .sixel = true},
                 NULL);
  /* Two thick lines across the width. */
  const size_t dots = read_sixel(text, &width, &height);
  assert_true(width == 320 && height == 160 && dots > 4 * 300 && dots < 4 * 600);
  free(text);
  table_destroy(table);
  matrix_destroy(matrix);
}

static void panels_stand_side_by_side(void **state) {
  (void)state;
  struct matrix *maps[3];
  static const char *const titles[] = {"rope", NULL, "a much longer title"};
  for (size_t i = 0; i < 3; i++) {
    maps[i] = matrix_of(4, 4);
    for (size_t c = 0; c < 16; c++)
      maps[i]->cells[c] = (double)i;
  }
  const struct panel_set set = {(const struct matrix *const *)maps, titles, 3, true};
  char *text = seen(&(struct sight){.panels = &set, .columns = 40, .rows = 20});
  /* One scale: the first map is the lowest value, the last one the highest. */
  assert_string_equal(text, "(a) rope      (b)           (c) a much l\n"
                            "....          ++++          @@@@\n"
                            "....          ++++          @@@@\n"
                            "0 ..::--==+**##%%@ 2\n");
  free(text);
  for (unsigned columns = 0; columns < 140; columns += 7)
    for (int colour = 0; colour < 3; colour++) {
      text = seen(&(struct sight){
          .panels = &set, .columns = columns, .rows = 20, .colour = (enum preview_colour)colour});
      assert_fits(text, columns, 60);
      assert_true(columns < 21 || strstr(text, "(c)"));
      free(text);
    }
  text = printed(
      look,
      &(struct sight){
          .panels = &set, .columns = 40, .rows = 20, .colour = PREVIEW_TRUECOLOR, .sixel = true},
      NULL);
  assert_memory_equal(text, "(a) rope      (b)           (c) a much l\n\033P", 43);
  unsigned width, height;
  /* 3 times 16 cells in 12 characters of 8 dots each, with 2 between two maps. */
  assert_int_equal(read_sixel(strchr(text, '\033'), &width, &height), 3 * 16 * 24 * 24);
  assert_int_equal(width, 40 * 8);
  assert_int_equal(height, 4 * 24);
  free(text);
  for (size_t i = 0; i < 3; i++)
    matrix_destroy(maps[i]);
}

/* Rows of a position, a pair and an angle. */
static struct table *table_of_hands(size_t positions) {
  struct table *table = table_create(NULL);
  table_add_column(table, "position", COLUMN_INTEGER, NULL);
  table_add_column(table, "pair", COLUMN_INTEGER, NULL);
  table_add_column(table, "angle", COLUMN_REAL, NULL);
  assert_int_equal(table_add_rows(table, 2 * positions, NULL), OK);
  for (size_t r = 0; r < 2 * positions; r++) {
    table_set_integer(table, r, 0, (int64_t)(r / 2));
    table_set_integer(table, r, 1, (int64_t)(r % 2));
    const size_t quarters = r / 2;
    table_set_real(table, r, 2, (double)quarters * M_PI / 2);
  }
  return table;
}

static void hands_point_where_they_should(void **state) {
  (void)state;
  struct table *table = table_of_hands(2);
  char *text = seen(&(struct sight){.table = table, .columns = 50, .rows = 12, .ascii = true});
  assert_fits(text, 50, 12);
  /* Up at position 0, to the right at position 1: none of its signs is above the middle. */
  const char *line = text;
  for (int row = 0; row < 11; row++, line = strchr(line, '\n') + 1) {
    const char *sign = memchr(line, '*', strcspn(line, "\n"));
    if (row > 0 && row < 5) assert_true(sign && sign - line >= 9 && sign - line <= 10);
    if (row == 5 || row == 4) assert_true(sign != NULL);
    if (row > 5) assert_null(sign);
  }
  assert_non_null(strstr(text, "position 0"));
  assert_non_null(strstr(text, "position 1\n"));
  free(text);
  table_destroy(table);
  table = table_of_hands(9);
  for (unsigned columns = 0; columns < 120; columns += 9)
    for (int colour = 0; colour < 3; colour++) {
      text = seen(&(struct sight){
          .table = table, .columns = columns, .rows = 12, .colour = (enum preview_colour)colour});
      assert_fits(text, columns, 11);
      assert_true((columns >= 20) == (*text != 0));
      free(text);
    }
  table_destroy(table);
}

/* What the environment makes of a terminal. */
static void environment_says_what_there_is(void **state) {
  (void)state;
  static const struct {
    const char *preview, *term, *colorterm, *no_color, *locale;
    struct preview_terminal expected;
  } cases[] = {
      {NULL, NULL, NULL, NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {NULL, "dumb", "truecolor", NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {"auto",
       "xterm",
       "truecolor",
       NULL,
       "C.UTF-8",
       {.colour = PREVIEW_TRUECOLOR, .blocks = true}},
      {"", "foot-direct", NULL, "", "de_DE.utf8", {.colour = PREVIEW_TRUECOLOR, .blocks = true}},
      {NULL, "xterm-256color", "24bit", NULL, "C", {.colour = PREVIEW_TRUECOLOR}},
      {NULL, "screen", NULL, NULL, "en_GB.UTF-8", {.colour = PREVIEW_256, .blocks = true}},
      {NULL, "xterm", "truecolor", "1", "C.UTF-8", {.colour = PREVIEW_PLAIN, .blocks = true}},
      {NULL, "xterm", NULL, "", "C.UTF-8", {.colour = PREVIEW_256, .blocks = true}},
      {NULL, "linux", NULL, NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {NULL, "vt100", NULL, NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {NULL, "vt220-w", NULL, NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {NULL, "vte-256color", NULL, NULL, "C.UTF-8", {.colour = PREVIEW_256, .blocks = true}},
      {NULL, "linux", "truecolor", "1", "C.UTF-8", {.colour = PREVIEW_PLAIN, .blocks = true}},
      {"auto", "xterm-direct", NULL, "1", "C.UTF-8", {.colour = PREVIEW_PLAIN, .blocks = true}},
      {"none", "xterm", "truecolor", NULL, "C.UTF-8", {.off = true}},
      {"ascii", "xterm", "truecolor", NULL, "C.UTF-8", {.colour = PREVIEW_PLAIN}},
      {"256", "xterm", "truecolor", "1", "C", {.colour = PREVIEW_256, .blocks = true}},
      {"truecolor", "dumb", NULL, "1", "C", {.colour = PREVIEW_TRUECOLOR, .blocks = true}},
      {"sixel",
       NULL,
       NULL,
       NULL,
       NULL,
       {.colour = PREVIEW_TRUECOLOR, .blocks = true, .sixel = true}},
  };
  static const char *const names[] = {"ROPETOOL_PREVIEW", "TERM", "COLORTERM", "NO_COLOR",
                                      "LC_ALL"};
  unsetenv("LC_CTYPE");
  unsetenv("LANG");
  setenv("COLUMNS", "57", 1);
  struct preview_terminal terminal;
  struct error error;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *const values[] = {cases[i].preview, cases[i].term, cases[i].colorterm,
                                  cases[i].no_color, cases[i].locale};
    for (size_t v = 0; v < 5; v++)
      if (values[v])
        setenv(names[v], values[v], 1);
      else
        unsetenv(names[v]);
    const struct preview_terminal *expected = &cases[i].expected;
    assert_int_equal(preview_terminal_of(-1, &terminal, &error), OK);
    if (terminal.off != expected->off || terminal.colour != expected->colour ||
        terminal.blocks != expected->blocks || terminal.sixel != expected->sixel)
      fail_msg("case %zu is another terminal", i);
    assert_int_equal(terminal.columns, 57);
  }
  setenv("COLUMNS", "wide", 1);
  setenv("ROPETOOL_PREVIEW", "kitty", 1);
  assert_int_equal(preview_terminal_of(-1, &terminal, &error), ERROR_INPUT);
  assert_message(&error, "ROPETOOL_PREVIEW 'kitty' is unknown; one of auto, none, ascii, 256");
  assert_int_equal(terminal.columns, 80);
  for (size_t v = 0; v < 5; v++)
    unsetenv(names[v]);
  unsetenv("COLUMNS");
}

static void nothing_is_shown_when_it_is_not_wanted(void **state) {
  (void)state;
  struct matrix *matrix = matrix_of(4, 4);
  struct table *table = table_of(1, 9), *hands = table_of_hands(2);
  const struct matrix *const maps[] = {matrix};
  const struct panel_set set = {maps, NULL, 1, false};
  const struct sight sights[] = {
      {.matrix = matrix, .columns = 80, .rows = 30, .off = true},
      {.panels = &set, .columns = 80, .rows = 30, .off = true},
      {.table = table, .plot = &plot, .columns = 80, .rows = 30, .off = true},
      {.table = hands, .columns = 80, .rows = 30, .off = true},
      {.table = table, .columns = 80, .rows = 30}, /* no dials in it */
  };
  for (size_t i = 0; i < sizeof sights / sizeof *sights; i++) {
    char *text = seen(&sights[i]);
    assert_string_equal(text, "");
    free(text);
  }
  table_destroy(table);
  table_destroy(hands);
  matrix_destroy(matrix);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dumb_terminals_get_ascii),
      cmocka_unit_test(colours_come_down_to_256),
      cmocka_unit_test(sixel_has_every_cell),
      cmocka_unit_test(panels_stand_side_by_side),
      cmocka_unit_test(hands_point_where_they_should),
      cmocka_unit_test(environment_says_what_there_is),
      cmocka_unit_test(nothing_is_shown_when_it_is_not_wanted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
