/* Inside of the figures of tables: the values, and where they stand. */
#ifndef ROPETOOL_FIGURE_GRID_H
#define ROPETOOL_FIGURE_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/figure/canvas.h"

struct grid {
  struct canvas canvas;
  const char *row_name, *column_name; /* of the table's columns */
  bool turned; /* rows are what the plot has as columns: to be compared within the row */
  const char *row[GRID_ROWS], *column[GRID_COLUMNS];
  size_t rows, columns;
  double value[GRID_ROWS][GRID_COLUMNS], error[GRID_ROWS][GRID_COLUMNS];
  bool held[GRID_ROWS][GRID_COLUMNS];
  char text[GRID_ROWS][GRID_COLUMNS][64];
  double head_width, head_height, width, height; /* of names of rows and columns, and of cells */
  size_t lines;                                  /* of a number in a cell */
  size_t name_lines;                             /* of the longest name of a row */
  bool upright; /* names of columns stand on end, because their words are wider than a column */
};

/* Reads the values and writes their texts. Errors as figure_draw_grid's. */
int grid_collect(struct grid *grid, const struct table *table, const struct grid_plot *plot,
                 struct error *error);

/* Makes columns of the rows, of which there are at most GRID_COLUMNS, and rows of the columns. */
void grid_turn(struct grid *grid);

/* Where a value stands between the smallest and the largest that it is to be compared with, 0..1.
 */
double grid_part(const struct grid *grid, size_t row, size_t column);

#endif
