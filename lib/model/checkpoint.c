#include "lib/model/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/model/checkpoint_parts.h"

/* The streams of random numbers that projections are drawn from. */
enum { STREAM_QUERY = 0x9e41, STREAM_KEY };

/* Where a head lies in a tensor of projections: `dim` outputs from `first` on. */
struct place {
  char name[CHECKPOINT_NAME];
  bool columns; /* outputs are columns */
  size_t first, dim, width;
};

/* Outputs and inputs of the projections in a tensor. */
static int read_shape(const struct checkpoint *checkpoint, const struct place *place, size_t *rows,
                      size_t *width, struct error *error) {
  struct tensor *tensor;
  int status = weights_read(checkpoint->weights, place->name, &tensor, error);
  if (status) return status;
  if (tensor->rank != 2 || !tensor->count || !storage_is_real(tensor->storage))
    status = error_set(error, ERROR_INPUT,
                       "'%s' has the shape %s and elements of type %s: a matrix of real numbers is "
                       "needed",
                       tensor->name, tensor_shape(tensor).text, storage_name(tensor->storage));
  *rows = tensor->shape[place->columns];
  *width = tensor->shape[!place->columns];
  tensor_destroy(tensor);
  return status;
}

static int check_finite(const struct tensor *tensor, const double *value, size_t count,
                        struct error *error) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(value[i]))
      return error_set(error, ERROR_INPUT, "%g in '%s': weights must be finite", value[i],
                       tensor->name);
  return OK;
}

/* Copies the head's outputs: (dim, width). */
static int copy_head(const struct tensor *tensor, const struct place *place, double *weight,
                     struct error *error) {
  const size_t size = storage_size(tensor->storage), dim = place->dim, width = place->width;
  const char *data = tensor->data;
  if (!place->columns) {
    storage_load(tensor->storage, data + place->first * width * size, dim * width, weight);
    return check_finite(tensor, weight, dim * width, error);
  }
  double *column = memory_array(dim, sizeof *column, "a head's weights", error);
  if (!column) return ERROR_FAILED;
  for (size_t w = 0; w < width; w++) {
    const size_t at = w * tensor->shape[1] + place->first;
    storage_load(tensor->storage, data + at * size, dim, column);
    for (size_t d = 0; d < dim; d++)
      weight[d * width + w] = column[d];
  }
  free(column);
  return check_finite(tensor, weight, dim * width, error);
}

static int read_weight(const struct checkpoint *checkpoint, const struct place *place,
                       double **weight, struct error *error) {
  struct tensor *tensor;
  int status = weights_read(checkpoint->weights, place->name, &tensor, error);
  if (status) return status;
  *weight = memory_array(place->dim * place->width, sizeof **weight, "a head's weights", error);
  status = *weight ? copy_head(tensor, place, *weight, error) : ERROR_FAILED;
  tensor_destroy(tensor);
  return status;
}

/* The bias that goes with the weights, if there is one for their `rows`. */
static int read_bias(const struct checkpoint *checkpoint, const struct place *place, size_t rows,
                     double **bias, struct error *error) {
  char name[CHECKPOINT_NAME];
  struct weights_array array;
  snprintf(name, sizeof name, "%.*s.bias", (int)(strlen(place->name) - strlen(".weight")),
           place->name);
  if (!weights_has(checkpoint->weights, name)) return OK;
  int status = weights_reals(checkpoint->weights, name, 1, &array, error);
  if (status) return status;
  if (array.rank != 1 || array.shape[0] != rows)
    status =
        error_set(error, ERROR_INPUT,
                  "'%s' of '%s' has %zu elements: %zu are needed, as the weights have rows", name,
                  weights_path(checkpoint->weights), array.rank ? array.shape[0] : 1, rows);
  else
    *bias = memory_array(place->dim, sizeof **bias, "a head's bias", error);
  if (*bias)
    memcpy(*bias, array.value + place->first, place->dim * sizeof **bias);
  else if (!status)
    status = ERROR_FAILED;
  free(array.value);
  return status;
}

/* Where the query and the key of the head lie. */
static void place_head(const struct checkpoint *checkpoint, const struct projection *projection,
                       struct place *query, struct place *key) {
  const size_t dim = projection->dim, heads = projection->heads, head = projection->head;
  const size_t key_head = head / (heads / projection->key_heads);
  query->dim = key->dim = dim;
  query->width = key->width = projection->width;
  switch (checkpoint->family->layout) {
  case CHECKPOINT_APART:
    query->first = head * dim;
    key->first = key_head * dim;
    break;
  case CHECKPOINT_FUSED_HEADS:
    query->first = head * 3 * dim;
    key->first = query->first + dim;
    break;
  case CHECKPOINT_FUSED:
  case CHECKPOINT_FUSED_COLUMNS:
    query->first = head * dim;
    key->first = (heads + key_head) * dim;
    break;
  }
}

static int read_projections(const struct checkpoint *checkpoint,
                            const struct checkpoint_choice *choice, struct projection *projection,
                            struct error *error) {
  const struct checkpoint_family *family = checkpoint->family;
  const bool columns = family->layout == CHECKPOINT_FUSED_COLUMNS;
  struct place query = {.columns = columns}, key = {.columns = columns};
  size_t rows = 0, key_rows = 0, key_width = 0;
  checkpoint_name(checkpoint, family->query, ".weight", query.name);
  checkpoint_name(checkpoint, family->key ? family->key : family->query, ".weight", key.name);
  int status = read_shape(checkpoint, &query, &rows, &projection->width, error);
  if (!status) status = read_shape(checkpoint, &key, &key_rows, &key_width, error);
  if (status) return status;
  if (key_width != projection->width)
    return error_set(error, ERROR_INPUT,
                     "'%s' takes in %zu dimensions, '%s' %zu: as many are needed", query.name,
                     projection->width, key.name, key_width);
  status = checkpoint_measure(checkpoint, rows, key_rows, choice->dim, projection, error);
  if (status) return status;
  if (choice->head >= projection->heads)
    return error_set(error, ERROR_INPUT,
                     "the head is '%zu', and a layer of '%s' has %zu of %zu dimensions: 0 to %zu",
                     choice->head, weights_path(checkpoint->weights), projection->heads,
                     projection->dim, projection->heads - 1);
  place_head(checkpoint, projection, &query, &key);
  status = read_weight(checkpoint, &query, &projection->query, error);
  if (!status) status = read_weight(checkpoint, &key, &projection->key, error);
  if (!status) status = read_bias(checkpoint, &query, rows, &projection->query_bias, error);
  if (!status) status = read_bias(checkpoint, &key, key_rows, &projection->key_bias, error);
  weights_describe(checkpoint->weights, query.name, projection->name, sizeof projection->name);
  return status;
}

int projection_read(const char *text, const struct checkpoint_choice *choice,
                    struct projection *projection, struct error *error) {
  struct checkpoint checkpoint = {0};
  *projection = (struct projection){.layer = choice->layer, .head = choice->head};
  int status = weights_open(text, &checkpoint.weights, error);
  if (!status) status = checkpoint_find(&checkpoint, choice->layer, error);
  if (!status) status = read_projections(&checkpoint, choice, projection, error);
  if (!status) status = checkpoint_read_norms(&checkpoint, projection, error);
  if (!status) weights_hash(checkpoint.weights, projection->sha256);
  weights_close(checkpoint.weights);
  if (status) projection_release(projection);
  return status;
}

static int draw(struct backend *backend, uint32_t stream, uint64_t seed, size_t width, size_t dim,
                double **weight, struct error *error) {
  size_t count;
  if (__builtin_mul_overflow(width, dim, &count)) count = SIZE_MAX;
  *weight = memory_array(count, sizeof **weight, "random projections", error);
  if (!*weight) return ERROR_FAILED;
  const struct gaussian_batch batch = {
      .seed = seed, .stream = stream, .count = count, .output = *weight};
  const int status = backend_gaussian(backend, &batch, error);
  for (size_t i = 0; !status && i < count; i++)
    (*weight)[i] /= sqrt((double)width);
  return status;
}

int projection_draw(struct backend *backend, size_t width, size_t dim, uint64_t seed,
                    struct projection *projection, struct error *error) {
  *projection = (struct projection){.width = width, .dim = dim, .heads = 1, .key_heads = 1};
  snprintf(projection->name, sizeof projection->name, "random");
  int status = draw(backend, STREAM_QUERY, seed, width, dim, &projection->query, error);
  if (!status) status = draw(backend, STREAM_KEY, seed, width, dim, &projection->key, error);
  if (status) projection_release(projection);
  return status;
}

/* What a norm does with a row: x becomes (x − mean) · scale · gain + shift. */
struct moments {
  double mean, scale;
};

static struct moments measure_row(const struct projection *projection, const double *token) {
  const size_t width = projection->width;
  double sum = 0, square = 0;
  if (!projection->gain) return (struct moments){0, 1};
  if (projection->centred)
    for (size_t w = 0; w < width; w++)
      sum += token[w] + (projection->offset ? projection->offset[w] : 0);
  const double mean = sum / (double)width;
  for (size_t w = 0; w < width; w++) {
    const double rest = token[w] + (projection->offset ? projection->offset[w] : 0) - mean;
    square += rest * rest;
  }
  return (struct moments){mean, 1 / sqrt(square / (double)width + projection->epsilon)};
}

static void norm_head(const double *gain, double epsilon, size_t dim, double *vector) {
  double square = 0;
  for (size_t d = 0; d < dim; d++)
    square += vector[d] * vector[d];
  const double scale = 1 / sqrt(square / (double)dim + epsilon);
  for (size_t d = 0; d < dim; d++)
    vector[d] *= scale * gain[d];
}

/* Input `w` of a row, behind the norm. */
static inline double input_of(const struct projection *projection, struct moments moments,
                              const double *token, size_t w) {
  double x = token[w] + (projection->offset ? projection->offset[w] : 0);
  if (projection->gain) x = (x - moments.mean) * moments.scale * projection->gain[w];
  return projection->shift ? x + projection->shift[w] : x;
}

enum { ROWS = 4 }; /* made at a time, so that weights are fetched once for them */

/* Makes ROWS vectors, of which those past `rows` are of no use; `inputs` are the weights, (width,
   dim). */
static void apply_rows(const struct projection *projection, const double *inputs,
                       const double *token, size_t rows, double *restrict vector) {
  const size_t width = projection->width, dim = projection->dim;
  const double *from[ROWS];
  struct moments moments[ROWS];
  for (size_t r = 0; r < ROWS; r++) {
    from[r] = token + (r < rows ? r : 0) * width;
    moments[r] = measure_row(projection, from[r]);
  }
  for (size_t w = 0; w < width; w++) {
    const double *restrict input = inputs + w * dim;
    const double x0 = input_of(projection, moments[0], from[0], w);
    const double x1 = input_of(projection, moments[1], from[1], w);
    const double x2 = input_of(projection, moments[2], from[2], w);
    const double x3 = input_of(projection, moments[3], from[3], w);
#pragma omp simd
    for (size_t d = 0; d < dim; d++) {
      vector[d] += x0 * input[d];
      vector[dim + d] += x1 * input[d];
      vector[2 * dim + d] += x2 * input[d];
      vector[3 * dim + d] += x3 * input[d];
    }
  }
}

int projection_apply(const struct projection *projection, bool key, const double *token,
                     size_t rows, double *vector, struct error *error) {
  const size_t width = projection->width, dim = projection->dim;
  const double *weight = key ? projection->key : projection->query;
  const double *bias = key ? projection->key_bias : projection->query_bias;
  const double *head_gain = key ? projection->key_gain : projection->query_gain;
  double *inputs = memory_array(width * dim, sizeof *inputs, "a head's weights, transposed", error);
  if (!inputs) return ERROR_FAILED;
  double *last = memory_array(ROWS * dim, sizeof *last, "the last vectors", error);
  if (!last) {
    free(inputs);
    return ERROR_FAILED;
  }
  for (size_t d = 0; d < dim; d++)
    for (size_t w = 0; w < width; w++)
      inputs[w * dim + d] = weight[d * width + w];
#pragma omp parallel for
  for (size_t row = 0; row < rows; row += ROWS) {
    const size_t left = rows - row < ROWS ? rows - row : ROWS;
    /* The last block may be shorter than what is made. */
    double *to = left < ROWS ? last : vector + row * dim;
    for (size_t i = 0; i < ROWS * dim; i++)
      to[i] = bias ? bias[i % dim] : 0;
    apply_rows(projection, inputs, token + row * width, left, to);
    for (size_t r = 0; head_gain && r < left; r++)
      norm_head(head_gain, projection->epsilon, dim, to + r * dim);
    if (left < ROWS) memcpy(vector + row * dim, to, left * dim * sizeof *to);
  }
  free(last);
  free(inputs);
  return OK;
}

void projection_release(struct projection *projection) {
  free(projection->query);
  free(projection->key);
  free(projection->query_bias);
  free(projection->key_bias);
  free(projection->gain);
  free(projection->shift);
  free(projection->query_gain);
  free(projection->key_gain);
  free(projection->offset);
  *projection = (struct projection){0};
}
