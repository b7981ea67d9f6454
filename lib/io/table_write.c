/* The writers of lib/io/table.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
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

/* A JSON string; ill-formed UTF-8 becomes '?', as in lib/io/meta.c. */
static void write_json_text(const char *text, FILE *out) {
  const bool well_formed = text_is_utf8(text, strlen(text));
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if (*c == '"' || *c == '\\')
      fprintf(out, "\\%c", *c);
    else if (*c < 0x20)
      fprintf(out, "\\u%04x", *c);
    else
      fputc(*c >= 0x80 && !well_formed ? '?' : *c, out);
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

void table_write_json(const struct table *table, FILE *out) {
  char *meta = meta_to_json(table_meta(table), 2);
  fprintf(out, "{\"meta\": %s,\n\"table\": [", meta ? meta : "{}");
  free(meta);
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
  fputs("\n]}\n", out);
}

void table_write_npy(const struct table *table, FILE *out) {
  char *descr = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&descr, &size);
  if (!memory) return;
  fputc('[', memory);
  for (size_t c = 0, fields = 0; c < table_columns(table); c++) {
    const enum column_kind kind = table_column_kind(table, c);
    if (kind == COLUMN_TEXT) continue;
    fprintf(memory, "%s('%s', '%s')", fields++ ? ", " : "", table_column_name(table, c),
            kind == COLUMN_INTEGER ? "<i8" : "<f8");
  }
  fputc(']', memory);
  fclose(memory);
  npy_write_header(out, descr, (size_t[]){table_rows(table)}, 1);
  free(descr);
  for (size_t r = 0; r < table_rows(table); r++)
    for (size_t c = 0; c < table_columns(table); c++) {
      const enum column_kind kind = table_column_kind(table, c);
      if (kind == COLUMN_REAL) npy_write_reals(out, (double[]){table_real(table, r, c)}, 1);
      if (kind != COLUMN_INTEGER) continue;
      const uint64_t bits = (uint64_t)table_integer(table, r, c);
      for (int shift = 0; shift < 64; shift += 8)
        fputc((int)(bits >> shift & 255), out);
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

static void write_padded(const char *text, size_t width, int left, int last, FILE *out) {
  const int pad = (int)(width - text_width(text));
  if (left)
    fprintf(out, "%s%*s", text, last ? 0 : pad, "");
  else
    fprintf(out, "%*s%s", pad, "", text);
  fputs(last ? "\n" : "  ", out);
}

void table_write_text(const struct table *table, FILE *out) {
  const size_t columns = table_columns(table), rows = table_rows(table);
  size_t *width = calloc(columns ? columns : 1, sizeof *width);
  if (!width) return;
  char text[32];
  for (size_t c = 0; c < columns; c++) {
    width[c] = text_width(table_column_name(table, c));
    for (size_t r = 0; r < rows; r++) {
      const size_t wide = text_width(cell_for_people(table, r, c, text));
      if (wide > width[c]) width[c] = wide;
    }
  }
  for (size_t c = 0; c < columns; c++)
    write_padded(table_column_name(table, c), width[c], table_column_kind(table, c) == COLUMN_TEXT,
                 c + 1 == columns, out);
  for (size_t r = 0; r < rows; r++)
    for (size_t c = 0; c < columns; c++)
      write_padded(cell_for_people(table, r, c, text), width[c],
                   table_column_kind(table, c) == COLUMN_TEXT, c + 1 == columns, out);
  free(width);
}
