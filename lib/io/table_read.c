/* The reader of lib/io/table.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/number.h"
#include "lib/io/table.h"

enum { CSV_LIMIT = 1 << 28, CSV_COLUMNS = 1024 };

/* The fields of a CSV file, unquoted in place; each record holds `columns` of them. */
struct fields {
  char **field;
  size_t count, room;
};

static int add_field(struct fields *fields, char *field) {
  if (fields->count == fields->room) {
    const size_t room = fields->room ? fields->room * 2 : 256;
    char **larger = realloc(fields->field, room * sizeof *larger);
    if (!larger) return -1;
    fields->field = larger;
    fields->room = room;
  }
  fields->field[fields->count++] = field;
  return 0;
}

/* Ends the field at *cursor with a NUL, unquotes it and returns the character that ended it
   (',', '\n' or 0); −1 when a quote is not closed or is followed by text. */
static int end_field(char **cursor) {
  char *in = *cursor, *out = in;
  if (*in == '"') {
    for (in++; *in && !(*in == '"' && in[1] != '"'); in++) {
      if (*in == '"') in++;
      *out++ = *in;
    }
    if (*in++ != '"') return -1;
  } else {
    while (*in && *in != ',' && *in != '\n' && *in != '\r')
      *out++ = *in++;
  }
  if (*in == '\r' && in[1] == '\n') in++;
  const char end = *in;
  if (end && end != ',' && end != '\n') return -1;
  *out = '\0';
  *cursor = in + (end != '\0');
  return end;
}

/* Splits `text`; every record must have as many fields as the first. */
static int split(char *text, const char *path, struct fields *fields, size_t *columns,
                 struct error *error) {
  size_t line = 1, first = 0;
  for (char *cursor = text; *cursor || first < fields->count;) {
    char *field = cursor;
    const int end = end_field(&cursor);
    if (end < 0) return error_set(error, ERROR_INPUT, "'%s' line %zu: bad quotes", path, line);
    if (add_field(fields, field))
      return error_set(error, ERROR_FAILED, "out of memory: '%s'", path);
    if (end == ',') continue;
    const size_t found = fields->count - first;
    if (!*columns) *columns = found;
    if (found != *columns || found > CSV_COLUMNS)
      return error_set(error, ERROR_INPUT, "'%s' line %zu: %zu fields where the header has %zu",
                       path, line, found, *columns);
    first = fields->count;
    line++;
  }
  return OK;
}

static double field_value(const char *field) {
  if (!strcmp(field, "inf")) return INFINITY;
  if (!strcmp(field, "-inf")) return -INFINITY;
  double value;
  return *field && !number_real(field, "", &value, NULL) ? value : NAN;
}

static int column_is_numeric(const struct fields *fields, size_t column, size_t columns) {
  for (size_t i = columns + column; i < fields->count; i += columns)
    if (*fields->field[i] && isnan(field_value(fields->field[i]))) return 0;
  return 1;
}

static int fill(struct table *table, const struct fields *fields, size_t columns,
                struct error *error) {
  for (size_t c = 0; c < columns; c++) {
    const enum column_kind kind = column_is_numeric(fields, c, columns) ? COLUMN_REAL : COLUMN_TEXT;
    if (table_add_column(table, fields->field[c], kind, error) < 0) return error->code;
  }
  const size_t rows = fields->count / columns - 1;
  if (table_add_rows(table, rows, error)) return error->code;
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++) {
      const char *field = fields->field[(r + 1) * columns + c];
      if (table_column_kind(table, c) == COLUMN_REAL)
        table_set_real(table, r, c, field_value(field));
      else if (table_set_text(table, r, c, field, error))
        return error->code;
    }
  return OK;
}

int table_read_csv(const char *path, struct table **result, struct error *error) {
  char *text;
  size_t size, columns = 0;
  *result = NULL;
  if (file_read(path, CSV_LIMIT, &text, &size, error)) return error->code;
  struct fields fields = {0};
  struct table *table = NULL;
  int status = OK;
  if (strlen(text) != size)
    status = error_set(error, ERROR_INPUT, "'%s' is not text: it holds a NUL byte", path);
  if (!status) status = split(text, path, &fields, &columns, error);
  if (!status && !columns)
    status = error_set(error, ERROR_INPUT, "'%s' is empty: a header line is needed", path);
  if (!status && !(table = table_create(error))) status = error->code;
  if (!status) status = fill(table, &fields, columns, error);
  free(fields.field);
  free(text);
  if (status)
    table_destroy(table);
  else
    *result = table;
  return status;
}
