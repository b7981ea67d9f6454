/* The values of a table on paper, and their texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/figure/grid.h"
#include "lib/figure/tics.h"
#include "lib/figure/traces.h"

/* Which of `names` a text is, added when it is new; `most` when there is no room for one more. */
static size_t index_of(const char **names, size_t *count, size_t most, const char *text) {
  size_t i = 0;
  while (i < *count && strcmp(names[i], text) != 0)
    i++;
  if (i == *count && i < most) names[(*count)++] = text;
  return i;
}

static int find_texts(const struct table *table, const char *name, struct error *error) {
  const int column = table_find_column(table, name);
  if (column >= 0 && table_column_kind(table, (size_t)column) == COLUMN_TEXT) return column;
  error_set(error, ERROR_INPUT,
            column < 0 ? "column '%s' is not in the table" : "column '%s' holds no text", name);
  return -1;
}

/* A number as it stands in a cell, with a proper minus and powers of ten; `decimals` < 0: of so
   many digits. */
static void write_number(char *out, size_t capacity, double value, int decimals) {
  const char *sign = value < 0 ? "−" : "";
  char digits[24], power[TICS_POWER];
  if (decimals >= 0) {
    snprintf(out, capacity, "%s%.*f", sign, decimals, fabs(value));
    return;
  }
  snprintf(digits, sizeof digits, "%.*g", -decimals, fabs(value));
  char *exponent = strchr(digits, 'e');
  if (!exponent) {
    snprintf(out, capacity, "%s%s", sign, digits);
    return;
  }
  tics_write_power(power, (int)strtol(exponent + 1, NULL, 10));
  *exponent = '\0';
  snprintf(out, capacity, "%s%.12s×%.16s", sign, digits, power);
}

/* Decimals that show three digits of a number from 0.0001 to 999: 2.998 is 3.00, beside 2.33. Whole
   numbers, also but for rounding, are as they are; NaN, of which none is written, has none. */
static int decimals_of(double size) {
  if (!(fabs(size - round(size)) > 1e-9 * size)) return 0;
  const int leading = (int)floor(log10(size)), decimals = 2 - leading;
  const double unit = pow(10, decimals);
  return round(size * unit) >= pow(10, leading + 1) * unit ? decimals - 1 : decimals;
}

/* "0.98 ±0.01": the standard error has one digit, and the value ends with it, also where both are
   written with exponents. A value without a standard error has three digits, or more before the
   point; two with an exponent. */
static void write_cell(double value, double error, char *out, size_t capacity) {
  char number[40], spread[40];
  const bool known = isfinite(error) && error > 0;
  const double exponent = known ? floor(log10(error) + 1e-9) : 0;
  const bool plain = exponent >= -6 && exponent <= 6 && fabs(value) < 1e7;
  const double leading = known && value != 0 ? floor(log10(fabs(value))) : exponent;
  const double size = fabs(value);
  const bool exponential = (size < 1e-4 && size > 0) || size >= 1e7;
  int decimals = exponential ? -2 : size >= 999.5 ? 0 : decimals_of(size), error_decimals = -1;
  if (known && plain)
    decimals = error_decimals = exponent < 0 ? (int)-exponent : 0;
  else if (known)
    decimals = -(int)fmin(15, fmax(1, leading - exponent + 1));
  if (known && exponent >= 0 && exponent <= 6) error_decimals = 0;
  write_number(number, sizeof number, value, decimals);
  write_number(spread, sizeof spread, error, error_decimals);
  if (isnan(value))
    snprintf(out, capacity, "–");
  else
    snprintf(out, capacity, known ? "%s ±%s" : "%s", number, spread);
}

static int add_value(struct grid *grid, const char *row, const char *column, double value,
                     double spread, struct error *error) {
  const size_t r = index_of(grid->row, &grid->rows, GRID_ROWS, row),
               c = index_of(grid->column, &grid->columns, GRID_COLUMNS, column);
  if (r == GRID_ROWS || c == GRID_COLUMNS)
    return error_set(error, ERROR_INPUT, "more than %d rows or %d columns do not fit a figure",
                     GRID_ROWS, GRID_COLUMNS);
  if (grid->held[r][c])
    return error_set(error, ERROR_INPUT, "two values of '%s' for '%s'", column, row);
  grid->held[r][c] = true;
  grid->value[r][c] = value;
  grid->error[r][c] = spread;
  return OK;
}

int grid_collect(struct grid *grid, const struct table *table, const struct grid_plot *plot,
                 struct error *error) {
  grid->row_name = plot->row ? plot->row : "encoding";
  grid->column_name = plot->column ? plot->column : "metric";
  const int row = find_texts(table, grid->row_name, error);
  const int column = row < 0 ? -1 : find_texts(table, grid->column_name, error);
  const int value =
      column < 0 ? -1 : find_numbers(table, plot->value ? plot->value : "value", error);
  if (value < 0) return ERROR_INPUT;
  const int spread = plot->error ? find_numbers(table, plot->error, error) : -1;
  if (plot->error && spread < 0) return ERROR_INPUT;
  size_t finite = 0;
  for (size_t r = 0; r < table_rows(table); r++) {
    const double number = table_real(table, r, (size_t)value);
    const int code =
        add_value(grid, table_text(table, r, (size_t)row), table_text(table, r, (size_t)column),
                  number, spread < 0 ? NAN : table_real(table, r, (size_t)spread), error);
    if (code) return code;
    finite += isfinite(number);
  }
  if (!finite)
    return error_set(error, ERROR_FAILED, "nothing to draw: no value of the table is finite");
  for (size_t r = 0; r < grid->rows; r++)
    for (size_t c = 0; c < grid->columns; c++)
      write_cell(grid->held[r][c] ? grid->value[r][c] : NAN, grid->error[r][c], grid->text[r][c],
                 sizeof grid->text[r][c]);
  return OK;
}

void grid_turn(struct grid *grid) {
  const char *name = grid->row_name;
  grid->row_name = grid->column_name;
  grid->column_name = name;
  grid->turned = !grid->turned;
  for (size_t r = 0; r < GRID_COLUMNS; r++) {
    const char *row = grid->row[r];
    grid->row[r] = grid->column[r];
    grid->column[r] = row;
    for (size_t c = 0; c < r; c++) {
      const double value = grid->value[r][c];
      const bool held = grid->held[r][c];
      char text[sizeof grid->text[r][c]];
      memcpy(text, grid->text[r][c], sizeof text);
      grid->value[r][c] = grid->value[c][r];
      grid->held[r][c] = grid->held[c][r];
      memcpy(grid->text[r][c], grid->text[c][r], sizeof text);
      grid->value[c][r] = value;
      grid->held[c][r] = held;
      memcpy(grid->text[c][r], text, sizeof text);
    }
  }
  const size_t rows = grid->rows;
  grid->rows = grid->columns;
  grid->columns = rows;
}

double grid_part(const struct grid *grid, size_t row, size_t column) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < (grid->turned ? grid->columns : grid->rows); i++) {
    const size_t r = grid->turned ? row : i, c = grid->turned ? i : column;
    if (!grid->held[r][c] || !isfinite(grid->value[r][c])) continue;
    low = fmin(low, grid->value[r][c]);
    high = fmax(high, grid->value[r][c]);
  }
  const double value = grid->value[row][column];
  /* Differences as of rounding are none. */
  return high - low > 1e-12 * fmax(1, fmax(fabs(low), fabs(high)))
             ? fmin(1, fmax(0, (value - low) / (high - low)))
             : 0;
}
