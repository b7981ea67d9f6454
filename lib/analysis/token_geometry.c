#include "lib/analysis/token_geometry.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/rope/phases.h"

static void add(const struct token_rows *tokens, const double *table, double *vector) {
  const size_t count = tokens->rows * tokens->dim;
  for (size_t i = 0; i < count; i++)
    vector[i] += table[tokens->first * tokens->dim + i];
}

static void multiply(const struct token_rows *tokens, const double *scale, double *vector) {
  const size_t count = tokens->rows * tokens->dim;
  for (size_t i = 0; scale && i < count; i++)
    vector[i] *= scale[tokens->first * tokens->dim + i];
}

static int rotate(struct backend *backend, const struct scorer *scorer,
                  const struct token_rows *tokens, double *vector, struct error *error) {
  int64_t *position = memory_array(tokens->rows, sizeof *position, "positions", error);
  if (!position) return ERROR_FAILED;
  for (size_t r = 0; r < tokens->rows; r++)
    position[r] = (int64_t)(tokens->first + r);
  const struct rotate_batch batch = {.phases = phases_of(scorer->rotation),
                                     .layout = scorer->rotation->spec.layout,
                                     .amplitude = scorer->rotation->attention_factor,
                                     .storage = STORAGE_F64,
                                     .batch = 1,
                                     .length = tokens->rows,
                                     .heads = 1,
                                     .dim = tokens->dim,
                                     .position = position,
                                     .input = vector,
                                     .output = vector};
  const int status = backend_rotate(backend, &batch, error);
  free(position);
  return status;
}

int token_geometry_place(struct backend *backend, const struct scorer *scorer,
                         const struct token_rows *tokens, double *query, double *key,
                         struct error *error) {
  const size_t size = tokens->rows * tokens->dim * sizeof *query;
  memcpy(query, tokens->query, size);
  memcpy(key, tokens->key, size);
  if (scorer->query_table) add(tokens, scorer->table, query);
  if (scorer->key_table) add(tokens, scorer->table, key);
  multiply(tokens, scorer->query_scale, query);
  multiply(tokens, scorer->key_scale, key);
  if (!scorer->rotation) return OK;
  const int status = rotate(backend, scorer, tokens, query, error);
  return status ? status : rotate(backend, scorer, tokens, key, error);
}

static double norm(const double *x, size_t dim) {
  double sum = 0, largest = 0;
  for (size_t i = 0; i < dim; i++)
    sum += x[i] * x[i];
  if (isfinite(sum) && sum >= DBL_MIN) return sqrt(sum);
  /* Squares beyond double, or too small for it. */
  for (size_t i = 0; i < dim; i++)
    largest = fmax(largest, fabs(x[i]));
  if (largest == 0 || !isfinite(largest)) return largest;
  sum = 0;
  for (size_t i = 0; i < dim; i++)
    sum += x[i] / largest * (x[i] / largest);
  return largest * sqrt(sum);
}

/* The angle between vectors of lengths a and b > 0, as 2·atan2(‖u − v‖, ‖u + v‖) of the unit
   vectors: an arc cosine would lose half of the digits near 0 and π. */
static double angle(const double *x, double a, const double *y, double b, size_t dim) {
  double difference = 0, sum = 0;
  for (size_t i = 0; i < dim; i++) {
    const double u = x[i] / a, v = y[i] / b;
    difference += (u - v) * (u - v);
    sum += (u + v) * (u + v);
  }
  return 2 * atan2(sqrt(difference), sqrt(sum));
}

static void add_row(const double *const before[2], const double *const after[2], size_t dim,
                    struct token_drift *drift) {
  double old[2], new[2];
  for (int side = 0; side < 2; side++) {
    old[side] = norm(before[side], dim);
    new[side] = norm(after[side], dim);
    if (old[side] == 0) continue;
    drift->norm += fabs(new[side] / old[side] - 1);
    drift->norms++;
  }
  if (old[0] == 0 || old[1] == 0 || new[0] == 0 || new[1] == 0) return;
  drift->angle += fabs(angle(after[0], new[0], after[1], new[1], dim) -
                       angle(before[0], old[0], before[1], old[1], dim));
  drift->angles++;
}

int token_geometry_add(struct backend *backend, const struct scorer *scorer,
                       const struct token_rows *tokens, struct token_drift *drift,
                       struct error *error) {
  const size_t count = tokens->rows * tokens->dim, dim = tokens->dim;
  double *placed = memory_array(2 * count, sizeof *placed, "vectors with positions", error);
  if (!placed) return ERROR_FAILED;
  double *query = placed, *key = placed + count;
  const int status = token_geometry_place(backend, scorer, tokens, query, key, error);
  for (size_t r = 0; !status && r < tokens->rows; r++) {
    const double *const before[2] = {tokens->query + r * dim, tokens->key + r * dim};
    const double *const after[2] = {query + r * dim, key + r * dim};
    add_row(before, after, dim, drift);
  }
  free(placed);
  return status;
}
