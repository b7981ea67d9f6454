/* A matrix to be drawn: the cells of a picture, with what the axes mean. */
#ifndef ROPETOOL_IO_MATRIX_H
#define ROPETOOL_IO_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/io/meta.h"

/* What kind of colours tell the truth about the values. */
enum matrix_range {
  MATRIX_SEQUENTIAL, /* from the smallest to the largest */
  MATRIX_DIVERGING,  /* signed: symmetric about 0 */
  MATRIX_CYCLIC,     /* an angle in [0, 2π) */
};

struct matrix_axis {
  char label[64];  /* "query position" */
  char column[16]; /* its name in a CSV file: "query" */
  size_t length;   /* of what was reduced: positions, pairs, dimensions */
};

/* Cells set apart from the others: figures show them pale and hatched, CSV and JSON have a column
   of 0 and 1 for them. */
struct matrix_hatch {
  bool *cell;      /* (row, column), owned by the matrix; NULL: none is */
  char column[16]; /* its name in a CSV file: "unseen" */
  char label[32];  /* what they are: "unseen" */
  size_t row;      /* a line lies before this row of what was reduced; 0: none */
  char row_label[32];
};

struct matrix {
  size_t rows,
      columns; /* cells drawn; row r covers ⌊r·length/rows⌋ up to ⌊(r+1)·length/rows⌋ − 1 */
  double *cells; /* (row, column), NaN where masked; a large_array() */
  struct matrix_axis row_axis, column_axis;
  char value_label[64]; /* of the colour bar */
  enum matrix_range range;
  struct matrix_hatch hatch;
  double bound; /* of diverging ones: cells lie within ±bound by what they are; 0: not known */
  struct meta *meta;
};

/* A matrix of zeros with empty meta data and axes of `rows` and `columns` called so. NULL with the
   error filled. */
struct matrix *matrix_create(size_t rows, size_t columns, struct error *error);
void matrix_destroy(struct matrix *matrix);

/* First position of a cell: ⌊index·length/cells⌋. */
size_t matrix_first(size_t index, size_t length, size_t cells);

/* Successive cells. Whoever fills a map, or goes over a whole one, takes one band after the other
   and leaves each: a map may be larger than what is to be in memory. */
struct matrix_band {
  const double *cell;
  size_t first, count; /* the cells first .. first + count − 1 of the matrix */
};
size_t matrix_bands(const struct matrix *matrix); /* how many there are */
struct matrix_band matrix_band(const struct matrix *matrix, size_t index);
/* Cells of one's own choice, such as a row. */
struct matrix_band matrix_stretch(const struct matrix *matrix, size_t first, size_t count);
void matrix_leave(const struct matrix_band *band); /* its cells keep their values */

/* What the finite cells span. No end is −0. */
struct matrix_span {
  size_t finite;    /* how many there are */
  double low, high; /* the smallest and the largest; without any INFINITY and −INFINITY */
  double positive;  /* the smallest above 0; INFINITY: there is none */
};
struct matrix_span matrix_span(const struct matrix *matrix);

/* A plain <f8 matrix of the cells, masked NaN. */
void matrix_write_npy(const struct matrix *matrix, FILE *out);
/* Columns ROW,COLUMN,value with the first position of each cell, and that of the hatch; a masked
   value is empty. */
void matrix_write_csv(const struct matrix *matrix, char separator, FILE *out);
/* {"meta": {...}, "table": [{ROW:, COLUMN:, "value":}, ...]} */
void matrix_write_json(const struct matrix *matrix, FILE *out);

#endif
