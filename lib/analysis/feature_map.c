/* Feature maps of linear attention. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/linalg.h"
#include "lib/analysis/linear_attention.h"
#include "lib/base/memory.h"

/* Streams of random numbers beside those of contents. */
enum { STREAM_DIRECTIONS = 0xfa70, STREAM_LENGTHS = 0xfa71 };
static const double floor_of_features = 1e-4;

size_t feature_map_default(size_t dim) {
  const size_t count = (size_t)((double)dim * log((double)dim)) / 2 * 2;
  return count > dim ? count : dim;
}

void feature_map_release(struct feature_map *map) {
  free(map->directions);
  map->directions = NULL;
}

static int draw(struct backend *backend, uint32_t stream, uint64_t seed, size_t count,
                double *output, struct error *error) {
  const struct gaussian_batch batch = {
      .seed = seed, .stream = stream, .count = count, .output = output};
  return backend_gaussian(backend, &batch, error);
}

/* Gives each row the length of a Gaussian vector of its own. */
static int stretch(struct backend *backend, const struct feature_map *map, uint64_t seed,
                   struct error *error) {
  const size_t dim = map->dim;
  double *other = memory_array(map->count * dim, sizeof *other, "random features", error);
  int status =
      other ? draw(backend, STREAM_LENGTHS, seed, map->count * dim, other, error) : ERROR_FAILED;
  for (size_t r = 0; !status && r < map->count; r++) {
    double square = 0;
    for (size_t i = 0; i < dim; i++)
      square += other[r * dim + i] * other[r * dim + i];
    for (size_t i = 0; i < dim; i++)
      map->directions[r * dim + i] *= sqrt(square);
  }
  free(other);
  return status;
}

int feature_map_make(struct backend *backend, struct feature_map *map, uint64_t seed,
                     struct error *error) {
  map->directions = NULL;
  if (!map->favor) map->count = map->dim;
  if (map->count % 2)
    return error_set(error, ERROR_INPUT,
                     "linear attention with '%zu' features cannot rotate them in pairs: an even "
                     "number",
                     map->count);
  if (!map->favor) return OK;
  const size_t dim = map->dim, blocks = (map->count + dim - 1) / dim;
  if (memory_require(blocks, 2 * dim * dim * sizeof(double), "random features", error))
    return error->code;
  map->directions = memory_array(blocks * dim * dim, sizeof(double), "random features", error);
  if (!map->directions) return ERROR_FAILED;
  int status = draw(backend, STREAM_DIRECTIONS, seed, blocks * dim * dim, map->directions, error);
  for (size_t b = 0; !status && b < blocks; b++)
    status = linalg_orthonormal_rows(dim, map->directions + b * dim * dim, error);
  return status ? status : stretch(backend, map, seed, error);
}

static void apply_elu(size_t count, const double *vector, double *feature) {
  for (size_t i = 0; i < count; i++)
    feature[i] = vector[i] > 0 ? vector[i] + 1 : exp(vector[i]);
}

static double largest(const double *value, size_t count) {
  double most = -INFINITY;
  for (size_t i = 0; i < count; i++)
    most = fmax(most, value[i]);
  return most;
}

static int apply_favor(const struct feature_map *map, bool key, size_t rows, const double *vector,
                       double *feature, struct error *error) {
  const size_t dim = map->dim, count = map->count;
  const double scale = pow((double)dim, -0.25);
  const struct linalg_rows product = {.rows = rows,
                                      .columns = count,
                                      .inner = dim,
                                      .left = vector,
                                      .right = map->directions,
                                      .output = feature};
  if (linalg_product_of_rows(&product, error)) return ERROR_FAILED;
  const double of_all = key ? scale * largest(feature, rows * count) : 0;
  for (size_t r = 0; r < rows; r++) {
    double *row = feature + r * count, square = 0;
    for (size_t i = 0; i < dim; i++)
      square += vector[r * dim + i] * vector[r * dim + i];
    const double shift = scale * scale * square / 2 + (key ? of_all : scale * largest(row, count));
    for (size_t i = 0; i < count; i++)
      row[i] = (exp(scale * row[i] - shift) + floor_of_features) / sqrt((double)count);
  }
  return OK;
}

int feature_map_apply(const struct feature_map *map, bool key, size_t rows, const double *vector,
                      double *feature, struct error *error) {
  if (map->favor) return apply_favor(map, key, rows, vector, feature, error);
  apply_elu(rows * map->dim, vector, feature);
  return OK;
}
