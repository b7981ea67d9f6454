/* Angles m·θ_i modulo 2π. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"

#define TWO_PI 6.28318530717958647693

/* A mean of numbers would put 350° and 10° together at 180°. */
static int fill_circular_mean(struct backend *backend, const struct map_request *request,
                              struct matrix *matrix, struct error *error) {
  const size_t count = matrix->rows * matrix->columns;
  double *sine = memory_array(count, sizeof *sine, "the cells of the map", error);
  if (!sine) return ERROR_FAILED;
  double *const cells[2] = {matrix->cells, sine};
  const enum phase_quantity quantity[2] = {PHASE_COSINE, PHASE_SINE};
  int status = OK;
  for (size_t i = 0; !status && i < 2; i++) {
    double *whole;
    status = map_phases_whole(backend, request, quantity[i], &whole, error);
    if (!status) map_reduce(matrix, whole, REDUCE_MEAN, cells[i]);
    free(whole);
  }
  for (size_t i = 0; !status && i < count; i++) {
    double angle = atan2(sine[i], matrix->cells[i]);
    if (angle < 0) angle += TWO_PI;
    matrix->cells[i] = angle >= TWO_PI ? 0 : angle;
  }
  free(sine);
  return status;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  if (reduction == REDUCE_MEAN && map_is_reduced(matrix))
    return fill_circular_mean(backend, request, matrix, error);
  double *whole;
  const int status = map_phases_whole(backend, request, PHASE_ANGLE, &whole, error);
  if (!status) map_reduce(matrix, whole, reduction, matrix->cells);
  free(whole);
  return status;
}

const struct map_kind map_angles = {
    .name = "angles",
    .positions = true,
    .phases = true,
    .reduction = REDUCE_MEAN,
    .range = MATRIX_CYCLIC,
    .value_label = "angle (radians)",
    .mean_name = "circular mean",
    .row_axis = {.label = "position", .column = "position"},
    .column_axis = {.label = "pair", .column = "pair"},
    .shape = map_phases_shape,
    .fill = fill,
};
