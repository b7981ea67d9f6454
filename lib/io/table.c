#include "lib/io/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

struct column {
  char *name;
  enum column_kind kind;
  union {
    double *reals;
    int64_t *integers;
    char **texts;
    void *cells;
  };
};

struct table {
  struct meta *meta;
  struct column *columns;
  size_t column_count, rows;
};

static size_t cell_size(enum column_kind kind) {
  return kind == COLUMN_TEXT ? sizeof(char *) : sizeof(double);
}

struct table *table_create(struct error *error) {
  struct table *table = memory_array(1, sizeof *table, "a table", error);
  if (!table) return NULL;
  table->meta = meta_create();
  if (table->meta) return table;
  free(table);
  error_set(error, ERROR_FAILED, "out of memory: the meta data of a table");
  return NULL;
}

void table_destroy(struct table *table) {
  if (!table) return;
  for (size_t c = 0; c < table->column_count; c++) {
    struct column *column = &table->columns[c];
    if (column->kind == COLUMN_TEXT)
      for (size_t r = 0; r < table->rows; r++)
        free(column->texts[r]);
    free(column->cells);
    free(column->name);
  }
  free(table->columns);
  meta_destroy(table->meta);
  free(table);
}

struct meta *table_meta(const struct table *table) {
  return table->meta;
}

int table_add_column(struct table *table, const char *name, enum column_kind kind,
                     struct error *error) {
  struct column *larger =
      table->rows ? NULL : realloc(table->columns, (table->column_count + 1) * sizeof *larger);
  if (!larger) {
    error_set(error, ERROR_FAILED,
              table->rows ? "column '%s' comes after the rows" : "out of memory: column '%s'",
              name);
    return -1;
  }
  table->columns = larger;
  struct column *column = &larger[table->column_count];
  column->kind = kind;
  column->cells = NULL;
  column->name = memory_text(name, error);
  if (!column->name) return -1;
  return (int)table->column_count++;
}

int table_add_rows(struct table *table, size_t rows, struct error *error) {
  size_t total;
  if (__builtin_add_overflow(table->rows, rows, &total)) total = SIZE_MAX;
  const int status =
      memory_require(total, 8 * (table->column_count + 1), "the rows of the table", error);
  if (status) return status;
  for (size_t c = 0; c < table->column_count; c++) {
    struct column *column = &table->columns[c];
    void *larger = realloc(column->cells, (total ? total : 1) * cell_size(column->kind));
    if (!larger) return error_set(error, ERROR_FAILED, "out of memory: %zu rows of a table", total);
    column->cells = larger;
    for (size_t r = table->rows; r < total; r++)
      if (column->kind == COLUMN_REAL)
        column->reals[r] = NAN;
      else if (column->kind == COLUMN_INTEGER)
        column->integers[r] = 0;
      else
        column->texts[r] = NULL;
  }
  table->rows = total;
  return OK;
}

size_t table_rows(const struct table *table) {
  return table->rows;
}

size_t table_columns(const struct table *table) {
  return table->column_count;
}

const char *table_column_name(const struct table *table, size_t column) {
  return table->columns[column].name;
}

enum column_kind table_column_kind(const struct table *table, size_t column) {
  return table->columns[column].kind;
}

int table_find_column(const struct table *table, const char *name) {
  for (size_t c = 0; c < table->column_count; c++)
    if (!strcmp(table->columns[c].name, name)) return (int)c;
  return -1;
}

void table_set_real(struct table *table, size_t row, size_t column, double value) {
  table->columns[column].reals[row] = value;
}

void table_set_integer(struct table *table, size_t row, size_t column, int64_t value) {
  table->columns[column].integers[row] = value;
}

int table_set_text(struct table *table, size_t row, size_t column, const char *text,
                   struct error *error) {
  char *copy = text && *text ? memory_text(text, error) : NULL;
  if (text && *text && !copy) return ERROR_FAILED;
  free(table->columns[column].texts[row]);
  table->columns[column].texts[row] = copy;
  return OK;
}

double table_real(const struct table *table, size_t row, size_t column) {
  const struct column *c = &table->columns[column];
  return c->kind == COLUMN_REAL      ? c->reals[row]
         : c->kind == COLUMN_INTEGER ? (double)c->integers[row]
                                     : NAN;
}

int64_t table_integer(const struct table *table, size_t row, size_t column) {
  return table->columns[column].integers[row];
}

const char *table_text(const struct table *table, size_t row, size_t column) {
  const char *text = table->columns[column].texts[row];
  return text ? text : "";
}
