/* The reader of lib/io/table.h. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/io/table.h"

enum { CSV_LIMIT = 1 << 28, CSV_COLUMNS = 1024 };

/* The fields of a CSV file, unquoted in place; each record holds `columns` of them. */
struct fields {
  char **field;
  size_t count, room, columns;
};

/* Where the reader stands, for messages too. */
struct cursor {
  char *next;
  size_t line;
  const char *path;
};

static int bad_line(const struct cursor *cursor, const char *fault, struct error *error) {
  return error_set(error, ERROR_INPUT, "'%s' line %zu: %s", cursor->path, cursor->line, fault);
}

static int add_field(struct fields *fields, char *field, struct error *error) {
  if (fields->count == fields->room) {
    const size_t room = fields->room ? fields->room * 2 : 256;
    const int status = memory_require(room, sizeof *fields->field, "the fields of a table", error);
    if (status) return status;
    char **larger = realloc(fields->field, room * sizeof *larger);
    if (!larger) return error_set(error, ERROR_FAILED, "out of memory: the fields of a table");
    fields->field = larger;
    fields->room = room;
  }
  fields->field[fields->count++] = field;
  return OK;
}

/* Unquotes the field at the cursor, ends it with a NUL, and moves behind the character that ended
   it, which goes to *end: ',', '\n' or NUL. */
static int end_field(struct cursor *cursor, char *end, struct error *error) {
  char *in = cursor->next, *out = in;
  size_t lines = 0;
  if (*in == '"') {
    for (in++; *in && !(*in == '"' && in[1] != '"'); in++) {
      if (*in == '"') in++;
      lines += *in == '\n';
      *out++ = *in;
    }
    if (*in++ != '"') return bad_line(cursor, "a quote is not closed", error);
  } else {
    while (*in && *in != ',' && *in != '\n' && *in != '\r')
      *out++ = *in++;
  }
  cursor->line += lines;
  if (*in == '\r' && in[1] == '\n') in++;
  *end = *in;
  if (*in == '\r') return bad_line(cursor, "a carriage return without a line feed", error);
  if (*in && *in != ',' && *in != '\n')
    return bad_line(cursor, "text behind a closed quote", error);
  *out = '\0';
  cursor->next = *end ? in + 1 : in;
  return OK;
}

/* Adds the fields of one record; a blank line is none unless records have one field. */
static int read_record(struct cursor *cursor, struct fields *fields, struct error *error) {
  const size_t first = fields->count, line = cursor->line;
  char end = ',';
  while (end == ',') {
    char *field = cursor->next;
    int status = end_field(cursor, &end, error);
    if (!status && fields->count - first >= CSV_COLUMNS)
      status = bad_line(cursor, "more than 1024 fields", error);
    if (!status) status = add_field(fields, field, error);
    if (status) return status;
  }
  const size_t found = fields->count - first;
  if (end == '\n') cursor->line++;
  if (found == 1 && !*fields->field[first] && fields->columns != 1) {
    fields->count = first;
    return OK;
  }
  if (!fields->columns) fields->columns = found;
  if (found == fields->columns) return OK;
  return error_set(error, ERROR_INPUT, "'%s' line %zu: %zu fields where the header has %zu",
                   cursor->path, line, found, fields->columns);
}

static int split(char *text, const char *path, struct fields *fields, struct error *error) {
  static const char mark[] = "\xef\xbb\xbf"; /* some programs begin UTF-8 text with it */
  if (!strncmp(text, mark, sizeof mark - 1)) text += sizeof mark - 1;
  struct cursor cursor = {text, 1, path};
  int status = OK;
  while (!status && *cursor.next)
    status = read_record(&cursor, fields, error);
  return status;
}

/* Whether `field` may stand in a column of numbers; an empty one is NaN. */
static bool field_value(const char *field, double *value) {
  static const struct {
    const char *name;
    double value;
  } names[] = {{"", NAN}, {"nan", NAN}, {"NaN", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(field, names[i].name)) {
      *value = names[i].value;
      return true;
    }
  return !number_real(field, "", value, NULL);
}

static bool column_is_numeric(const struct fields *fields, size_t column) {
  double value;
  for (size_t i = fields->columns + column; i < fields->count; i += fields->columns)
    if (!field_value(fields->field[i], &value)) return false;
  return true;
}

static int fill(struct table *table, const struct fields *fields, const char *path,
                struct error *error) {
  const size_t columns = fields->columns;
  if (!columns)
    return error_set(error, ERROR_INPUT, "'%s' is empty: a header line is needed", path);
  const size_t rows = fields->count / columns - 1;
  for (size_t c = 0; c < columns; c++) {
    const enum column_kind kind = column_is_numeric(fields, c) ? COLUMN_REAL : COLUMN_TEXT;
    if (table_add_column(table, fields->field[c], kind, error) < 0) return ERROR_FAILED;
  }
  int status = table_add_rows(table, rows, error);
  for (size_t r = 0; !status && r < rows; r++)
    for (size_t c = 0; !status && c < columns; c++) {
      const char *field = fields->field[(r + 1) * columns + c];
      double value;
      if (table_column_kind(table, c) == COLUMN_TEXT)
        status = table_set_text(table, r, c, field, error);
      else if (field_value(field, &value))
        table_set_real(table, r, c, value);
    }
  return status;
}

int table_read_csv(const char *path, struct table **result, char hex[HASH_TEXT],
                   struct error *error) {
  char *text;
  size_t size;
  *result = NULL;
  int status = file_read(path, CSV_LIMIT, &text, &size, error);
  if (status) return status;
  if (hex) hash_bytes(text, size, hex);
  struct fields fields = {0};
  struct table *table = NULL;
  if (strlen(text) != size)
    status = error_set(error, ERROR_INPUT, "'%s' is not text: it holds a NUL byte", path);
  if (!status) status = split(text, path, &fields, error);
  if (!status && !(table = table_create(error))) status = ERROR_FAILED;
  if (!status) status = fill(table, &fields, path, error);
  free(fields.field);
  free(text);
  if (status)
    table_destroy(table);
  else
    *result = table;
  return status;
}
