#include "lib/figure/trial.h"

#include "lib/figure/figure.h"

enum { X, RISING, FALLING, COLUMNS };

static struct table *make_table(struct error *error) {
  static const char *const names[COLUMNS] = {"x", "rising", "falling"};
  enum { POINTS = 5 };
  struct table *table = table_create(error);
  int status = table ? OK : ERROR_FAILED;
  for (size_t c = 0; !status && c < COLUMNS; c++)
    if (table_add_column(table, names[c], COLUMN_REAL, error) < 0) status = ERROR_FAILED;
  if (!status) status = table_add_rows(table, POINTS, error);
  for (size_t row = 0; !status && row < POINTS; row++) {
    table_set_real(table, row, X, (double)row);
    table_set_real(table, row, RISING, (double)(row * row));
    table_set_real(table, row, FALLING, 16 - (double)row);
  }
  if (!status) return table;
  table_destroy(table);
  return NULL;
}

/* Checks the files as sealing does, without provenance. */
static int seal(enum figure_format format, struct figure *figure, struct error *error) {
  const bool tex = format == FIGURE_TEX;
  const int status =
      provenance_seal(tex ? FIGURE_PDF : format, figure->dpi, NULL, &figure->picture, error);
  return status || !tex ? status
                        : provenance_seal(FIGURE_TEX, figure->dpi, NULL, &figure->tex, error);
}

int figure_trial(enum figure_format format, size_t *size, struct error *error) {
  const struct curve_plot plot = {
      .x = "x", .lines = {"rising", "falling"}, .title = "ropetool", .xlabel = "x", .ylabel = "y"};
  const struct figure_options options = {.width = 3, .height = 2};
  struct figure figure = {0};
  *size = 0;
  struct table *table = make_table(error);
  if (!table) return ERROR_FAILED;
  int status = figure_draw_table(table, &plot, &options, format, "trial", &figure, error);
  if (!status) status = seal(format, &figure, error);
  if (!status) *size = figure.picture.size + figure.tex.size;
  figure_release(&figure);
  table_destroy(table);
  return status;
}
