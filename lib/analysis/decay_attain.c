/* A query and a key whose score reaches the Abel bound at one distance: the bound is sharp. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/decay_parts.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/rope/phases.h"

/* S_1 .. S_pairs of RoFormer eq. 36 at one distance. */
static void partial_sums(const struct spectrum *spectrum, int64_t distance, double complex *sum) {
  double complex total = 0;
  for (size_t i = 0; i < spectrum->pairs; i++) {
    double cosine, sine;
    phase_cos_sin_rounded(spectrum->spec.precision, spectrum->step[i], spectrum->inv_freq_double[i],
                          distance, &cosine, &sine);
    sum[i] = total += cosine + sine * I;
  }
}

/* Eq. 36: Σ_i h_i (S_{i+1} − S_i) = −Σ_i S_{i+1} (h_{i+1} − h_i), h being 0 behind the last pair.
   Steps h_{i+1} − h_i = −conj(S_{i+1}) / |S_{i+1}| have length 1 and make every term |S_{i+1}|, the
   most that eq. 37 allows; where S_{i+1} is 0 any direction serves. They are summed from the last
   pair back. With every pair of the key 1 + 0I, h_i = q_i conj(k_i) is the query. Returns max_i
   |h_{i+1} − h_i|. */
static double construct(const struct spectrum *spectrum, const double complex *sum, double *query,
                        double *key) {
  const enum layout layout = spectrum->spec.layout;
  const size_t pairs = spectrum->pairs;
  double complex next = 0;
  double longest = 0;
  for (size_t i = pairs; i-- > 0;) {
    const double size = cabs(sum[i]);
    const double complex h = next + (size > 0 ? conj(sum[i]) / size : 1);
    const size_t first = layout_first(layout, i), second = layout_second(layout, i, pairs);
    query[first] = creal(h);
    query[second] = cimag(h);
    key[first] = 1;
    key[second] = 0;
    longest = fmax(longest, cabs(next - h));
    next = h;
  }
  return longest;
}

/* The score of the query at `distance` and the key at 0, both really rotated. */
static int rotated_score(struct backend *backend, const struct spectrum *spectrum, int64_t distance,
                         const double *query, const double *key, double *score,
                         struct error *error) {
  const size_t dim = 2 * spectrum->pairs;
  double *rotated = memory_array(2 * dim, sizeof *rotated, "two rotated vectors", error);
  if (!rotated) return ERROR_FAILED;
  const double *const input[2] = {query, key};
  const int64_t position[2] = {distance, 0};
  int status = OK;
  for (size_t i = 0; !status && i < 2; i++) {
    const struct rotate_batch batch = {
        .phases = phases_of(spectrum),
        .layout = spectrum->spec.layout,
        .amplitude = 1,
        .batch = 1,
        .length = 1,
        .heads = 1,
        .dim = dim,
        .position = &position[i],
        .input = input[i],
        .output = rotated + i * dim,
    };
    status = backend_rotate(backend, &batch, error);
  }
  *score = 0;
  for (size_t d = 0; d < dim; d++)
    *score += rotated[d] * rotated[dim + d];
  free(rotated);
  return status;
}

int decay_attain(struct backend *backend, const struct spectrum *spectrum, int64_t distance,
                 struct meta *meta, struct error *error) {
  const size_t pairs = spectrum->pairs, dim = 2 * pairs;
  double complex *sum = memory_array(pairs, sizeof *sum, "the partial sums", error);
  double *vectors = memory_array(2 * dim, sizeof *vectors, "a query and a key", error);
  int status = sum && vectors ? OK : ERROR_FAILED;
  double bound = 0, score = 0, longest = 0;
  if (!status) {
    partial_sums(spectrum, distance, sum);
    longest = construct(spectrum, sum, vectors, vectors + dim);
    const struct decay_batch batch = {
        .phases = phases_of(spectrum), .count = 1, .distance = &distance, .bound = &bound};
    status = backend_decay_bound(backend, &batch, error);
  }
  if (!status)
    status = rotated_score(backend, spectrum, distance, vectors, vectors + dim, &score, error);
  if (!status) {
    struct meta *attain = meta_object(meta, "attain");
    meta_set_integer(attain, "distance", distance);
    meta_set_reals(attain, "query", vectors, dim);
    meta_set_reals(attain, "key", vectors + dim, dim);
    meta_set_real(attain, "score", score);
    meta_set_real(attain, "bound", longest * bound);
  }
  free(vectors);
  free(sum);
  return status;
}
