/* Previews for the tests: what they print, and things to look at. */
#ifndef ROPETOOL_TESTS_PREVIEWS_H
#define ROPETOOL_TESTS_PREVIEWS_H

#include "tests/unit/ground.h"

#include "lib/base/text.h"
#include "lib/figure/preview.h"

struct sight {
  const struct matrix *matrix;
  const struct panel_set *panels;
  const struct table *table;
  const struct curve_plot *plot; /* NULL: dials */
  unsigned columns, rows;
  enum preview_colour colour;
  bool log_c, ascii, sixel, off;
};

static inline void look(const void *what, FILE *out) {
  const struct sight *sight = what;
  const struct figure_options options = {.colours.logarithmic = sight->log_c};
  const struct preview_terminal terminal = {.off = sight->off,
                                            .columns = sight->columns,
                                            .rows = sight->rows,
                                            .colour = sight->colour,
                                            .blocks = !sight->ascii,
                                            .sixel = sight->sixel};
  if (sight->matrix)
    preview_matrix(sight->matrix, &options, &terminal, out);
  else if (sight->panels)
    preview_panels(sight->panels, &options, &terminal, out);
  else if (sight->plot)
    preview_table(sight->table, sight->plot, &options, &terminal, out);
  else
    preview_clock(sight->table, &(struct clock_plot){0}, &options, &terminal, out);
}

/* The text without its colours, after a check that every colour is reset before the end of its
 * line. */
static inline char *seen(const struct sight *sight) {
  size_t size;
  char *text = printed(look, sight, &size), *to = text;
  assert_true(text_is_utf8(text, size));
  bool coloured = false;
  for (const char *c = text; *c;) {
    if (*c == '\033') {
      assert_true(sight->colour);
      coloured = strncmp(c, "\033[0m", 4) != 0;
      c = strchr(c, 'm') + 1;
      continue;
    }
    assert_false(*c == '\n' && coloured);
    *to++ = *c++;
  }
  *to = '\0';
  return text;
}

/* At most so many characters a line and lines. */
static inline void assert_fits(const char *text, unsigned columns, unsigned rows) {
  unsigned lines = 0, width = 0;
  for (; *text; text++) {
    if (*text == '\n') {
      lines++;
      width = 0;
    } else if (((unsigned char)*text & 0xc0) != 0x80) {
      assert_true(++width <= columns);
    }
  }
  assert_int_equal(width, 0);
  assert_true(lines <= rows);
}

static inline struct matrix *matrix_of(size_t rows, size_t columns) {
  struct matrix *matrix = matrix_create(rows, columns, NULL);
  assert_non_null(matrix);
  for (size_t i = 0; i < rows * columns; i++)
    matrix->cells[i] = (double)i;
  return matrix;
}

static inline struct table *table_of(size_t series, size_t count) {
  struct table *table = table_create(NULL);
  table_add_column(table, "series", COLUMN_TEXT, NULL);
  table_add_column(table, "x", COLUMN_REAL, NULL);
  table_add_column(table, "y", COLUMN_REAL, NULL);
  assert_int_equal(table_add_rows(table, series * count, NULL), OK);
  for (size_t r = 0; r < series * count; r++) {
    table_set_text(table, r, 0, r / count ? "two" : "one", NULL);
    table_set_real(table, r, 1, (double)(r % count));
    table_set_real(table, r, 2, (double)(r % count) * (r / count ? -1 : 1));
  }
  return table;
}

static const struct curve_plot plot = {.x = "x", .group = "series", .lines = {"y"}};

#endif
