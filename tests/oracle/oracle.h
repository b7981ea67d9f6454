/* Third implementations, slow and plain: long double, from the definitions in kernels/backend.h,
   sharing no code with the engine. */
#ifndef ROPETOOL_TESTS_ORACLE_ORACLE_H
#define ROPETOOL_TESTS_ORACLE_ORACLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/backend.h"

/* The angle of step·m / 2^64 turns, in (−π, π]. */
static inline long double oracle_angle(uint64_t step, int64_t m) {
  const int64_t fraction = (int64_t)(step * (uint64_t)m);
  return (long double)fraction * (3.14159265358979323846264338327950288L / 9223372036854775808.0L);
}

/* Σ_j |S_j(m)| and Σ_i cos(mθ_i). */
static inline void oracle_decay(const uint64_t *step, size_t pairs, int64_t m, double *bound,
                                double *cosine_sum) {
  long double real = 0, imaginary = 0, sum = 0;
  for (size_t i = 0; i < pairs; i++) {
    real += cosl(oracle_angle(step[i], m));
    imaginary += sinl(oracle_angle(step[i], m));
    sum += hypotl(real, imaginary);
  }
  *bound = (double)sum;
  *cosine_sum = (double)real;
}

/* Σ_i w_i cos(mθ_i); `weight` NULL: 1 each. */
static inline double oracle_cosine_sum(const uint64_t *step, const double *weight, size_t pairs,
                                       int64_t m) {
  long double sum = 0;
  for (size_t i = 0; i < pairs; i++)
    sum += (weight ? weight[i] : 1) * cosl(oracle_angle(step[i], m));
  return (double)sum;
}

/* The two dimensions of a pair, by the words of the layouts' definitions. */
static inline void oracle_pair(enum layout layout, size_t pair, size_t pairs, size_t *a,
                               size_t *b) {
  *a = layout == LAYOUT_INTERLEAVED ? pair * 2 : pair;
  *b = layout == LAYOUT_INTERLEAVED ? pair * 2 + 1 : pairs + pair;
}

/* Rotates `vector` (dim) by position m, by the matrix of each pair. */
static inline void oracle_rotate(const uint64_t *step, size_t pairs, enum layout layout,
                                 double amplitude, int64_t m, long double *vector) {
  for (size_t i = 0; i < pairs; i++) {
    size_t a, b;
    oracle_pair(layout, i, pairs, &a, &b);
    const long double angle = oracle_angle(step[i], m), x = vector[a], y = vector[b];
    vector[a] = amplitude * (cosl(angle) * x - sinl(angle) * y);
    vector[b] = amplitude * (sinl(angle) * x + cosl(angle) * y);
  }
}

/* One vector of a score batch as it enters the product. */
static inline void oracle_vector(const struct score_batch *batch, const double *content,
                                 const double *add, size_t draw, size_t m, long double *vector) {
  for (size_t i = 0; i < batch->dim; i++) {
    vector[i] = content ? (long double)content[(draw * batch->length + m) * batch->dim + i] : 0;
    if (add) vector[i] += add[m * batch->dim + i];
  }
  if (batch->rotation)
    oracle_rotate(batch->rotation->step, batch->rotation->pairs, batch->layout, batch->amplitude,
                  (int64_t)m, vector);
}

/* Whether query m and key n are masked by the bias. */
static inline bool oracle_masked(const struct score_batch *batch, size_t m, size_t n) {
  const double bias = batch->bias ? batch->bias[m + batch->length - 1 - n] : 0;
  return isinf(bias);
}

/* exp(logit) / Σ exp(logit) of a row of `count` logits, in place; −∞ has no part in it, and stays.
 */
static inline void oracle_weights(long double *logit, size_t count) {
  long double peak = -INFINITY, total = 0;
  for (size_t n = 0; n < count; n++)
    if (logit[n] > peak) peak = logit[n];
  for (size_t n = 0; n < count; n++)
    if (logit[n] != -INFINITY) total += expl(logit[n] - peak);
  for (size_t n = 0; n < count; n++)
    if (logit[n] != -INFINITY) logit[n] = expl(logit[n] - peak) / total;
}

/* The terms of query m with all keys: (length), zeros without any. */
static inline void oracle_terms(const struct score_batch *batch, size_t draw, size_t m,
                                double *terms) {
  struct error why;
  const struct score_block block = {.draw = draw, .row = m, .rows = 1, .keys = batch->length};
  for (size_t n = 0; n < batch->length; n++)
    terms[n] = 0;
  if (batch->terms) batch->terms->fill(batch->terms->user, &block, terms, &why);
}

/* The full map (length, length) of one draw: scores, or weights. What the bias masks is −∞. */
static inline long double *oracle_draw_map(const struct score_batch *batch, size_t draw,
                                           bool softmax) {
  const size_t length = batch->length, dim = batch->dim;
  long double *map = calloc(length * length + 1, sizeof *map);
  long double *query = calloc(dim + 1, sizeof *query), *key = calloc(length * dim + 1, sizeof *key);
  double *terms = calloc(length + 1, sizeof *terms);
  for (size_t n = 0; n < length; n++)
    oracle_vector(batch, batch->key, batch->key_add, draw, n, key + n * dim);
  for (size_t m = 0; m < length; m++) {
    long double *row = map + m * length;
    oracle_vector(batch, batch->query, batch->query_add, draw, m, query);
    oracle_terms(batch, draw, m, terms);
    for (size_t n = 0; n < length; n++) {
      const bool after = batch->terms && batch->terms->after_scale;
      for (size_t i = 0; i < dim; i++)
        row[n] += query[i] * key[n * dim + i];
      if (!after) row[n] += terms[n];
      if (softmax) row[n] *= batch->scale;
      if (after) row[n] += terms[n];
      if (batch->bias) row[n] += batch->bias[m + length - 1 - n];
      if (oracle_masked(batch, m, n)) row[n] = -INFINITY;
    }
    if (softmax) oracle_weights(row, batch->causal ? m + 1 : length);
  }
  free(query);
  free(key);
  free(terms);
  return map;
}

/* The same averaged over the batch, before any reduction. */
static inline long double *oracle_score_map(const struct score_batch *batch) {
  const size_t cells = batch->length * batch->length;
  long double *mean = calloc(cells, sizeof *mean);
  for (size_t draw = 0; draw < batch->batch; draw++) {
    long double *map = oracle_draw_map(batch, draw, batch->softmax);
    for (size_t c = 0; c < cells; c++)
      mean[c] += map[c] / batch->batch;
    free(map);
  }
  return mean;
}

/* The largest of the terms. */
static inline double oracle_largest_term(const struct score_batch *batch) {
  double largest = 0, *terms = calloc(batch->length + 1, sizeof *terms);
  for (size_t r = 0; batch->terms && r < batch->batch * batch->length; r++) {
    oracle_terms(batch, r / batch->length, r % batch->length, terms);
    for (size_t n = 0; n < (batch->causal ? r % batch->length + 1 : batch->length); n++)
      largest = fmax(largest, fabs(terms[n]));
  }
  free(terms);
  return largest;
}

/* The longest query times the longest key, as they enter the product, and the largest term. */
static inline double oracle_norm_product(const struct score_batch *batch) {
  long double longest[2] = {0, 0}, *vector = calloc(batch->dim, sizeof *vector);
  for (size_t r = 0; r < 2 * batch->batch * batch->length; r++) {
    const size_t draw = r / 2 / batch->length, m = r / 2 % batch->length;
    long double square = 0;
    oracle_vector(batch, r % 2 ? batch->key : batch->query,
                  r % 2 ? batch->key_add : batch->query_add, draw, m, vector);
    for (size_t i = 0; i < batch->dim; i++)
      square += vector[i] * vector[i];
    longest[r % 2] = fmaxl(longest[r % 2], sqrtl(square));
  }
  free(vector);
  return (double)(longest[0] * longest[1]) + oracle_largest_term(batch);
}

/* The largest |bias| that masks nothing and is not masked. */
static inline double oracle_largest_bias(const struct score_batch *batch) {
  double largest = 0;
  for (size_t t = batch->causal ? batch->length - 1 : 0; t < 2 * batch->length - 1; t++)
    if (batch->bias && isfinite(batch->bias[t])) largest = fmax(largest, fabs(batch->bias[t]));
  return largest;
}

/* What no score is beyond. */
static inline double oracle_largest_score(const struct score_batch *batch) {
  return oracle_norm_product(batch) + oracle_largest_bias(batch);
}

/* The error bounds of kernels/backend.h: of what the product gives, of a score, and of a weight
   relative to it. */
static inline double oracle_product_error(const struct score_batch *batch) {
  return (double)(batch->dim + batch->batch + 24) * (batch->single ? 0x1p-24 : 0x1p-53) *
         oracle_norm_product(batch);
}

static inline double oracle_score_error(const struct score_batch *batch) {
  return oracle_product_error(batch) +
         (double)(batch->dim + batch->batch + 24) * 0x1p-53 * oracle_largest_bias(batch);
}

static inline double oracle_weight_error(const struct score_batch *batch) {
  const double u = batch->single ? 0x1p-24 : 0x1p-53;
  const double scaled = fabs(batch->scale) * oracle_norm_product(batch),
               after = batch->terms && batch->terms->after_scale
                           ? fabs(1 - batch->scale) * oracle_largest_term(batch)
                           : 0,
               bias = oracle_largest_bias(batch) + after;
  return 2 * fabs(batch->scale) * oracle_product_error(batch) + 8 * u * scaled +
         (double)(batch->batch + 12) * u +
         (batch->bias || after > 0 ? 2 * u * scaled + 10 * u * bias : 0);
}

/* The full map of scores that depend on the distance alone. */
static inline long double *oracle_profile_map(const struct profile_batch *batch) {
  const size_t length = batch->length;
  long double *map = calloc(length * length + 1, sizeof *map);
  for (size_t m = 0; m < length; m++) {
    for (size_t n = 0; n < length; n++)
      map[m * length + n] =
          (batch->softmax ? batch->scale : 1) * (long double)batch->profile[m + length - 1 - n];
    if (batch->softmax) oracle_weights(map + m * length, batch->causal ? m + 1 : length);
  }
  return map;
}

/* Cells (row, column) of a full map; −∞ is masked. */
static inline void oracle_reduce(const long double *map, size_t length, bool causal,
                                 const struct tiles *tiles, double *cells) {
  for (size_t r = 0; r < tiles->rows; r++)
    for (size_t c = 0; c < tiles->columns; c++) {
      long double sum = 0, highest = -INFINITY, largest = 0;
      size_t count = 0;
      bool nan = false;
      for (size_t m = r * length / tiles->rows; m < (r + 1) * length / tiles->rows; m++)
        for (size_t n = c * length / tiles->columns; n < (c + 1) * length / tiles->columns; n++) {
          const long double score = map[m * length + n];
          if ((causal && n > m) || score == -INFINITY) continue;
          nan |= isnan(score);
          sum += score;
          if (score > highest) highest = score;
          if (!count || fabsl(score) > fabsl(largest) || (score == -largest && score > 0))
            largest = score;
          count++;
        }
      const long double cell = tiles->reduction == REDUCE_MEAN  ? sum / count
                               : tiles->reduction == REDUCE_MAX ? highest
                                                                : largest;
      cells[r * tiles->columns + c] = !count || nan ? NAN : (double)cell;
    }
}

static inline int oracle_ascending(const void *a, const void *b) {
  const long double x = *(const long double *)a, y = *(const long double *)b;
  return (x > y) - (x < y);
}

/* One quantile of the scores of all samples at distance m, by sorting. */
static inline double oracle_quantile(const struct quantile_batch *batch, int64_t m, double level) {
  const size_t pairs = batch->phases.pairs;
  long double *score = calloc(batch->samples, sizeof *score);
  for (size_t s = 0; s < batch->samples; s++)
    for (size_t i = 0; i < pairs; i++) {
      const double *q = batch->query + (s * pairs + i) * 2, *k = batch->key + (s * pairs + i) * 2;
      const long double angle = oracle_angle(batch->phases.step[i], m), c = cosl(angle),
                        s1 = sinl(angle);
      const long double x = q[0] * c - q[1] * s1, y = q[0] * s1 + q[1] * c; /* q turned by m */
      score[s] += x * k[0] + y * k[1];
    }
  qsort(score, batch->samples, sizeof *score, oracle_ascending);
  const long double rank = (long double)level * (batch->samples - 1);
  const size_t below = (size_t)floorl(rank), above = (size_t)ceill(rank);
  const long double quantile = score[below] + (score[above] - score[below]) * (rank - below);
  free(score);
  return (double)quantile;
}

#endif
