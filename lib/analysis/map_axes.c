/* How RoPE over several axes sees a picture: the cosine sums of a query in the middle with keys all
   around it, each pair turned by its own axis (M-RoPE, arXiv:2409.12191; RoPE-Axial,
   arXiv:2403.13298), or by both (RoPE-Mixed). */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/rope/axis_of_pair.h"
#include "lib/rope/phases.h"

static int check_axes(const struct rope_spec *spec, struct error *error) {
  if (spec_has_axes(spec)) return OK;
  return error_set(error, ERROR_INPUT,
                   "'%s' takes positions from %zu ax%s alone: a model with M-RoPE, --sections "
                   "T,H,W or axial, or --mixed FILE is needed",
                   spec->label[0] ? spec->label : "this RoPE", spec->axes ? spec->axes : 1,
                   spec->axes > 1 ? "es" : "is");
}

static int shape(const struct map_request *request, size_t *rows, size_t *columns,
                 struct error *error) {
  if (!request->mixed && check_axes(&request->spectrum->spec, error)) return error->code;
  if (!request->grid.height || !request->grid.width)
    return error_set(error, ERROR_INPUT, "a grid is '%zu x %zu': 1 or more each",
                     request->grid.height, request->grid.width);
  *rows = request->grid.height;
  *columns = request->grid.width;
  return OK;
}

/* Sums over the pairs of one axis, at distances first .. first + count − 1. */
static int sum_axis(struct backend *backend, const struct map_request *request, enum spec_axis axis,
                    const struct cosine_sum_batch *distances, struct error *error) {
  const struct spectrum *spectrum = request->spectrum;
  double *weight = memory_array(spectrum->pairs, sizeof *weight, "the pairs of an axis", error);
  if (!weight) return ERROR_FAILED;
  for (size_t i = 0; i < spectrum->pairs; i++)
    weight[i] = spec_axis(&spectrum->spec, i) == axis;
  struct cosine_sum_batch batch = *distances;
  batch.phases = phases_of(spectrum);
  batch.weight = weight;
  batch.step = 1;
  const int status = backend_cosine_sum(backend, &batch, error);
  free(weight);
  return status;
}

static void describe_pairs(const struct spectrum *spectrum, struct meta *meta) {
  char letters[SPEC_PAIRS + 1];
  spec_axis_letters(&spectrum->spec, letters);
  meta_set_text(meta, "pair_axes", letters);
}

static void describe(const struct map_request *request, struct matrix *matrix) {
  struct meta *meta = matrix->meta;
  if (request->mixed)
    mixed_describe(request->mixed, meta);
  else
    describe_pairs(request->spectrum, meta);
  meta_set_integer(meta, "query_row", (int64_t)(request->grid.height / 2));
  meta_set_integer(meta, "query_column", (int64_t)(request->grid.width / 2));
  if (!request->mixed) meta_set_integer(meta, "frame", request->grid.frame);
  if (!request->mixed || !request->mixed->untrained) return;
  meta_set_flag(meta, "untrained", true);
  snprintf(matrix->value_label, sizeof matrix->value_label, "%s (untrained)", map_axes.value_label);
}

static size_t apart(size_t a, size_t b) {
  return a > b ? a - b : b - a;
}

/* Each pair is of one axis: a sum of what the axes have each for themselves. */
static int fill_sections(struct backend *backend, const struct map_request *request, double *whole,
                         struct error *error) {
  const size_t height = request->grid.height, width = request->grid.width;
  double *down = memory_array(height, sizeof *down, "the sums by height", error);
  double *across = down ? memory_array(width, sizeof *across, "the sums by width", error) : NULL;
  const int64_t frame = request->grid.frame;
  double of_time = 0, of_rest = 0;
  const struct cosine_sum_batch batches[] = {
      [SPEC_TIME] = {.first = frame < 0 ? -frame : frame, .count = 1, .sum = &of_time},
      [SPEC_HEIGHT] = {.count = height, .sum = down},
      [SPEC_WIDTH] = {.count = width, .sum = across},
      [SPEC_EXTRA] = {.count = 1, .sum = &of_rest},
  };
  int status = across ? OK : ERROR_FAILED;
  for (int axis = SPEC_TIME; !status && axis <= SPEC_EXTRA; axis++)
    status = sum_axis(backend, request, (enum spec_axis)axis, &batches[axis], error);
  for (size_t r = 0; !status && r < height; r++)
    for (size_t c = 0; c < width; c++)
      whole[r * width + c] =
          of_time + of_rest + down[apart(r, height / 2)] + across[apart(c, width / 2)];
  free(across);
  free(down);
  return status;
}

static int fill(struct backend *backend, const struct map_request *request,
                enum reduction reduction, struct matrix *matrix, struct error *error) {
  const size_t height = request->grid.height, width = request->grid.width;
  char what[80];
  snprintf(what, sizeof what, "a grid of %zu x %zu keys", height, width);
  if (memory_require(height, width * sizeof(double), what, error)) return error->code;
  double *whole = memory_array(height * width, sizeof *whole, what, error);
  if (!whole) return ERROR_FAILED;
  const int status =
      (request->mixed ? map_axes_mixed : fill_sections)(backend, request, whole, error);
  if (!status) {
    map_reduce(matrix, whole, reduction, matrix->cells);
    describe(request, matrix);
    if (matrix_span(matrix).low < 0) matrix->range = MATRIX_DIVERGING;
  }
  free(whole);
  return status;
}

const struct map_kind map_axes = {
    .name = "axes",
    .reduction = REDUCE_MEAN,
    .range = MATRIX_SEQUENTIAL,
    .value_label = "sum of cosines",
    .row_axis = {.label = "height position of the key", .column = "height"},
    .column_axis = {.label = "width position of the key", .column = "width"},
    .shape = shape,
    .fill = fill,
};
