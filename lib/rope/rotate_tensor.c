#include "lib/rope/rotate_tensor.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/rope/phases.h"

static int check_request(const struct rotate_request *request, struct error *error) {
  const struct tensor *input = request->input;
  const struct positions *positions = request->positions;
  const char *name = input->name ? input->name : "the tensor";
  const size_t dim = axes_extent(&request->axes, input, AXIS_DIM);
  const size_t length = axes_extent(&request->axes, input, AXIS_POSITION);
  const size_t batch = axes_extent(&request->axes, input, AXIS_BATCH);
  if (!storage_is_real(input->storage))
    return error_set(error, ERROR_INPUT,
                     "cannot rotate '%s': its elements are %s, not f64, f32, f16 or bf16", name,
                     storage_name(input->storage));
  if (dim < 2 * request->spectrum->pairs)
    return error_set(error, ERROR_INPUT,
                     "cannot rotate '%s': its vectors have %zu dimensions, %zu would rotate "
                     "(--dim N rotates the first N, an even number)",
                     name, dim, 2 * request->spectrum->pairs);
  if (positions->length != length)
    return error_set(error, ERROR_INPUT,
                     "%zu positions do not fit '%s': its position axis has %zu (axes %s, shape %s)",
                     positions->length, name, length, axes_list(&request->axes).text,
                     tensor_shape(input).text);
  if (positions->batch != 1 && positions->batch != batch)
    return error_set(
        error, ERROR_INPUT,
        "%zu sets of positions do not fit '%s': its batch axis has %zu (axes %s, shape %s)",
        positions->batch, name, batch, axes_list(&request->axes).text, tensor_shape(input).text);
  return OK;
}

/* The positions of each slice of the axes before the position axis, which may hold heads as well as
   batches: (slice, position). NULL with the error. */
static int64_t *spread_positions(const struct positions *positions, const struct axes *axes,
                                 const struct tensor *tensor, struct error *error) {
  const size_t end = axes_find(axes, AXIS_POSITION), batch_axis = axes_find(axes, AXIS_BATCH);
  const size_t length = positions->length;
  size_t slices = 1, inside = 1;
  for (size_t i = 0; i < end; i++) {
    slices *= tensor->shape[i];
    if (i > batch_axis) inside *= tensor->shape[i];
  }
  int64_t *spread = memory_array(slices, length * sizeof *spread, "the positions", error);
  for (size_t slice = 0; spread && slice < slices; slice++)
    memcpy(spread + slice * length,
           positions->position + slice / inside % positions->batch * length,
           length * sizeof *spread);
  return spread;
}

/* Rotates a tensor whose last axis is dim and whose batch axis, if positions differ along it, comes
   before the positions. */
static int rotate_sorted(struct backend *backend, const struct rotate_request *request,
                         const struct axes *axes, const struct tensor *input, struct tensor *output,
                         struct error *error) {
  const struct spectrum *spectrum = request->spectrum;
  const size_t at = axes_find(axes, AXIS_POSITION);
  struct rotate_batch batch = {
      .phases = phases_of(spectrum),
      .layout = spectrum->spec.layout,
      .amplitude = request->inverse ? 1 / spectrum->attention_factor : spectrum->attention_factor,
      .inverse = request->inverse,
      .storage = input->storage,
      .batch = 1,
      .length = input->shape[at],
      .heads = 1,
      .dim = input->shape[input->rank - 1],
      .position = request->positions->position,
      .position_per_batch = request->positions->batch > 1,
      .input = input->data,
      .output = output->data,
  };
  for (size_t i = 0; i < at; i++)
    batch.batch *= input->shape[i];
  for (size_t i = at + 1; i + 1 < input->rank; i++)
    batch.heads *= input->shape[i];
  if (!input->count) return OK;
  int64_t *spread = NULL;
  if (batch.position_per_batch) {
    spread = spread_positions(request->positions, axes, input, error);
    if (!spread) return ERROR_FAILED;
    batch.position = spread;
  }
  const int status = backend_rotate(backend, &batch, error);
  free(spread);
  return status;
}

/* Replaces *tensor, which is released unless it is `kept`. */
static void replace(struct tensor **tensor, struct tensor *by, const struct tensor *kept) {
  if (*tensor != kept) tensor_destroy(*tensor);
  *tensor = by;
}

/* Puts the axes back that axes_sort() sorted by `order`. */
static int unsort(struct tensor **tensor, const size_t order[AXES], struct error *error) {
  size_t back[AXES];
  struct tensor *sorted;
  for (size_t i = 0; i < (*tensor)->rank; i++)
    back[order[i]] = i;
  if (tensor_permute(*tensor, back, &sorted, error)) return ERROR_FAILED;
  replace(tensor, sorted, NULL);
  return OK;
}

static bool is_sorted(const struct rotate_request *request) {
  const struct axes *axes = &request->axes;
  const bool batch_first = axes_find(axes, AXIS_BATCH) < axes_find(axes, AXIS_POSITION);
  return axes->axis[axes->rank - 1] == AXIS_DIM && (batch_first || request->positions->batch == 1);
}

int rotate_tensor(struct backend *backend, const struct rotate_request *request,
                  struct tensor **result, struct error *error) {
  *result = NULL;
  int status = check_request(request, error);
  if (status) return status;
  const bool sorted = is_sorted(request);
  const enum storage storage =
      request->input->storage == request->storage ? request->storage : STORAGE_F64;
  struct tensor *input = (struct tensor *)(uintptr_t)request->input, *output = NULL, *next;
  struct axes axes = request->axes;
  size_t order[AXES];
  axes_sort(&axes, order);
  if (!sorted) {
    status = tensor_permute(input, order, &next, error);
    if (!status) replace(&input, next, request->input);
    for (size_t i = 0; i < axes.rank; i++)
      axes.axis[i] = request->axes.axis[order[i]];
  }
  if (!status && input->storage != storage) {
    status = tensor_convert(input, storage, &next, error);
    if (!status) replace(&input, next, request->input);
  }
  if (!status) {
    output = tensor_create(storage, input->rank, input->shape, "the rotated tensor", error);
    status = output ? rotate_sorted(backend, request, &axes, input, output, error) : ERROR_FAILED;
  }
  replace(&input, NULL, request->input);
  if (!status && !sorted) status = unsort(&output, order, error);
  if (!status && storage != request->storage) {
    status = tensor_convert(output, request->storage, &next, error);
    if (!status) replace(&output, next, NULL);
  }
  if (status)
    tensor_destroy(output);
  else
    *result = output;
  return status;
}

/* The attention factor is a double in Hugging Face's code too, and a float where it multiplies one:
   the product is rounded to float, and narrower formats round that. */
static double multiply(enum precision precision, double value, double factor) {
  if (precision == PRECISION_FP64) return value * factor;
  return precision_round(precision, (float)value * (float)factor);
}

/* cos or sin of all positions into `output`, (position, pair). */
static int fill_table(struct backend *backend, const struct spectrum *spectrum,
                      const struct positions *positions, enum phase_quantity quantity,
                      double *output, struct error *error) {
  const struct phase_map_batch batch = {
      .phases = phases_of(spectrum),
      .quantity = quantity,
      .rows = positions->batch * positions->length,
      .position = positions->position,
      .output = output,
  };
  const int status = backend_phase_map(backend, &batch, error);
  for (size_t i = 0; !status && i < batch.rows * spectrum->pairs; i++)
    output[i] = multiply(spectrum->spec.precision, output[i], spectrum->attention_factor);
  return status;
}

int rotate_tables(struct backend *backend, const struct spectrum *spectrum,
                  const struct positions *positions, enum storage storage, struct tensor **result,
                  struct error *error) {
  size_t shape[4] = {2, positions->batch, positions->length, spectrum->pairs}, rank = 4;
  *result = NULL;
  if (positions->rank == 1) {
    shape[1] = positions->length;
    shape[2] = spectrum->pairs;
    rank = 3;
  }
  struct tensor *table = tensor_create(STORAGE_F64, rank, shape, "the tables", error), *next;
  if (!table) return ERROR_FAILED;
  double *cosines = table->data, *sines = cosines + table->count / 2;
  int status = fill_table(backend, spectrum, positions, PHASE_COSINE, cosines, error);
  if (!status) status = fill_table(backend, spectrum, positions, PHASE_SINE, sines, error);
  if (!status && storage != STORAGE_F64) {
    status = tensor_convert(table, storage, &next, error);
    if (!status) replace(&table, next, NULL);
  }
  if (status)
    tensor_destroy(table);
  else
    *result = table;
  return status;
}
