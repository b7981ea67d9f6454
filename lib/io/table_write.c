/* The writers of lib/io/table.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/io/document.h"
#include "lib/io/npy.h"
#include "lib/io/table.h"

static void write_real(double value, FILE *out) {
  if (!isnan(value)) fprintf(out, "%.17g", value);
}

static void write_csv_text(const char *text, FILE *out) {
  if (!text[strcspn(text, ",\"\r\n")]) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void write_tsv_text(const char *text, FILE *out) {
  for (; *text; text++)
    switch (*text) {
    case '\t':
      fputs("\\t", out);
      break;
    case '\n':
      fputs("\\n", out);
      break;
    case '\r':
      fputs("\\r", out);
      break;
    case '\\':
      fputs("\\\\", out);
      break;
    default:
      fputc(*text, out);
    }
}

void table_write_csv(const struct table *table, char separator, FILE *out) {
  void (*write_text)(const char *, FILE *) = separator == ',' ? write_csv_text : write_tsv_text;
  const size_t columns = table_columns(table);
  for (size_t c = 0; c < columns; c++) {
    if (c) fputc(separator, out);
    write_text(table_column_name(table, c), out);
  }
  fputc('\n', out);
  for (size_t r = 0; r < table_rows(table); r++) {
    for (size_t c = 0; c < columns; c++) {
      if (c) fputc(separator, out);
      switch (table_column_kind(table, c)) {
      case COLUMN_TEXT:
        write_text(table_text(table, r, c), out);
        break;
      case COLUMN_INTEGER:
        fprintf(out, "%" PRId64, table_integer(table, r, c));
        break;
      case COLUMN_REAL:
        write_real(table_real(table, r, c), out);
        break;
      }
    }
    fputc('\n', out);
  }
}

/* A JSON string; an ill-formed byte becomes '?', as in lib/io/meta.c. */
static void write_json_text(const char *text, FILE *out) {
  fputc('"', out);
  for (size_t left = strlen(text); left;) {
    const size_t length = text_utf8_length(text, left), step = length ? length : 1;
    const unsigned char c = (unsigned char)*text;
    if (c < 0x20)
      fprintf(out, "\\u%04x", c);
    else if (!length)
      fputc('?', out);
    else
      fprintf(out, "%s%.*s", c == '"' || c == '\\' ? "\\" : "", (int)length, text);
    text += step;
    left -= step;
  }
  fputc('"', out);
}

static void write_json_cell(const struct table *table, size_t row, size_t column, FILE *out) {
  switch (table_column_kind(table, column)) {
  case COLUMN_TEXT: {
    const char *text = table_text(table, row, column);
    if (*text)
      write_json_text(text, out);
    else
      fputs("null", out);
    break;
  }
  case COLUMN_INTEGER:
    fprintf(out, "%" PRId64, table_integer(table, row, column));
    break;
  case COLUMN_REAL: {
    const double value = table_real(table, row, column);
    fprintf(out, isfinite(value) ? "%.17g" : "null", value);
    break;
  }
  }
}

static void write_json_rows(const void *data, FILE *out) {
  const struct table *table = data;
  fputs(",\n\"table\": [", out);
  for (size_t r = 0; r < table_rows(table); r++) {
    fputs(r ? ",\n{" : "\n{", out);
    for (size_t c = 0; c < table_columns(table); c++) {
      if (c) fputs(", ", out);
      write_json_text(table_column_name(table, c), out);
      fputs(": ", out);
      write_json_cell(table, r, c, out);
    }
    fputc('}', out);
  }
  fputs("\n]", out);
}

void table_write_json(const struct table *table, FILE *out) {
  document_write(table_meta(table), write_json_rows, table, out);
}

/* The fields as the header lists them, to be released with free(); NULL when memory is out. */
static char *npy_fields(const struct table *table) {
  char *fields = NULL;
  size_t size = 0, count = 0;
  FILE *memory = open_memstream(&fields, &size);
  if (!memory) return NULL;
  for (size_t c = 0; c < table_columns(table); c++) {
    const enum column_kind kind = table_column_kind(table, c);
    if (kind == COLUMN_TEXT) continue;
    fputs(count++ ? ", (" : "[(", memory);
    npy_write_name(memory, table_column_name(table, c));
    fputs(kind == COLUMN_INTEGER ? ", '<i8')" : ", '<f8')", memory);
  }
  fputs(count ? "]" : "[]", memory);
  const int failed = ferror(memory);
  if (!fclose(memory) && !failed) return fields;
  free(fields);
  return NULL;
}

void table_write_npy(const struct table *table, FILE *out) {
  char *fields = npy_fields(table);
  if (!fields) {
    file_mark_failed(out);
    return;
  }
  npy_write_header(out, fields, (size_t[]){table_rows(table)}, 1);
  free(fields);
  for (size_t r = 0; r < table_rows(table); r++)
    for (size_t c = 0; c < table_columns(table); c++)
      switch (table_column_kind(table, c)) {
      case COLUMN_TEXT:
        break;
      case COLUMN_INTEGER:
        npy_write_integer(out, table_integer(table, r, c));
        break;
      case COLUMN_REAL:
        npy_write_reals(out, (double[]){table_real(table, r, c)}, 1);
        break;
      }
}

/* Characters that `text` takes on a terminal, one a code point. */
static size_t text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++)
    width += (*text & 0xc0) != 0x80;
  return width;
}

static const char *cell_for_people(const struct table *table, size_t row, size_t column,
                                   char text[32]) {
  switch (table_column_kind(table, column)) {
  case COLUMN_TEXT:
    return table_text(table, row, column);
  case COLUMN_INTEGER:
    snprintf(text, 32, "%" PRId64, table_integer(table, row, column));
    break;
  case COLUMN_REAL:
    if (isnan(table_real(table, row, column)))
      text[0] = '\0';
    else
      snprintf(text, 32, "%.6g", table_real(table, row, column));
  }
  return text;
}

/* Where a line for people stands: blanks are written when something follows them. */
struct line {
  FILE *out;
  size_t blanks;
};

static void write_cell(struct line *line, const char *text, size_t width, int left) {
  const size_t pad = width - text_width(text);
  if (!left) line->blanks += pad;
  if (*text) {
    fprintf(line->out, "%*s", (int)line->blanks, "");
    line->blanks = 0;
  }
  for (; *text; text++)
    fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, line->out);
  line->blanks += left ? pad + 2 : 2;
}

static void end_line(struct line *line) {
  fputc('\n', line->out);
  line->blanks = 0;
}

void table_write_text(const struct table *table, FILE *out) {
  const size_t columns = table_columns(table), rows = table_rows(table);
  size_t *width = calloc(columns ? columns : 1, sizeof *width);
  if (!width) {
    file_mark_failed(out);
    return;
  }
  char text[32];
  for (size_t c = 0; c < columns; c++) {
    width[c] = text_width(table_column_name(table, c));
    for (size_t r = 0; r < rows; r++) {
      const size_t wide = text_width(cell_for_people(table, r, c, text));
      if (wide > width[c]) width[c] = wide;
    }
  }
  struct line line = {out, 0};
  for (size_t c = 0; c < columns; c++)
    write_cell(&line, table_column_name(table, c), width[c],
               table_column_kind(table, c) == COLUMN_TEXT);
  end_line(&line);
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < columns; c++)
      write_cell(&line, cell_for_people(table, r, c, text), width[c],
                 table_column_kind(table, c) == COLUMN_TEXT);
    end_line(&line);
  }
  free(width);
}
