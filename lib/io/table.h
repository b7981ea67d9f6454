/* Tables: the result of a computation, with named columns. Every output is written from one. */
#ifndef ROPETOOL_IO_TABLE_H
#define ROPETOOL_IO_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/io/meta.h"

enum column_kind { COLUMN_TEXT, COLUMN_INTEGER, COLUMN_REAL };

struct table;

/* An empty table without columns; it owns its meta data. NULL with the error filled. */
struct table *table_create(struct error *error);
void table_destroy(struct table *table);

struct meta *table_meta(const struct table *table);

/* Adds a column; `name` is copied. Columns come before rows. Returns its index, or -1 with the
 * error. */
int table_add_column(struct table *table, const char *name, enum column_kind kind,
                     struct error *error);

/* Adds `rows` rows of empty cells; those of an integer column are 0, for they cannot be empty. */
int table_add_rows(struct table *table, size_t rows, struct error *error);

size_t table_rows(const struct table *table);
size_t table_columns(const struct table *table);
const char *table_column_name(const struct table *table, size_t column);
enum column_kind table_column_kind(const struct table *table, size_t column);
int table_find_column(const struct table *table,
                      const char *name); /* the first so called; -1: none */

/* Cells, by the kind of their column. A real that is NaN is an empty cell ("not applicable"); text
   NULL or "" too. Text is copied. */
void table_set_real(struct table *table, size_t row, size_t column, double value);
void table_set_integer(struct table *table, size_t row, size_t column, int64_t value);
int table_set_text(struct table *table, size_t row, size_t column, const char *text,
                   struct error *error);

/* Of an integer column too; NaN of a text. */
double table_real(const struct table *table, size_t row, size_t column);
int64_t table_integer(const struct table *table, size_t row, size_t column);
const char *table_text(const struct table *table, size_t row, size_t column); /* "" when empty */

/* Writers. Numbers with %.17g, "inf"; CSV quotes by RFC 4180; TSV writes \t, \n, \r and \\ as such.
   JSON: {"meta": {...}, "table": [{column: value, ...}, ...]}. Write errors, and that memory is
   out, show on the stream. */
void table_write_csv(const struct table *table, char separator, FILE *out);
void table_write_json(const struct table *table, FILE *out);
/* A structured .npy array whose fields are the numeric columns (<i8, <f8). */
void table_write_npy(const struct table *table, FILE *out);
/* Aligned columns for people, numbers with 6 significant digits, control characters as '?'. */
void table_write_text(const struct table *table, FILE *out);

/* Reads a CSV file (RFC 4180; LF as well as CRLF ends a line) with a header line. Columns in which
   every filled cell is a number, "inf" or "nan" are COLUMN_REAL. Blank lines are left out unless
   there is one column. The file is read once; `hex` gets its hash, unless it is NULL. */
int table_read_csv(const char *path, struct table **result, char hex[HASH_TEXT],
                   struct error *error);

#endif
