/* Self-check: scores, weights, and what is taken from them. Sources of the formulas:
   kernels/backend.h. */
#include "lib/analysis/self_check_parts.h"

enum { LENGTH = 24, CELLS = LENGTH * LENGTH, NUMBERS = LENGTH * SELF_CHECK_DIM };

struct vectors {
  double query[NUMBERS], key[NUMBERS];
};

static void fill_vectors(struct vectors *vectors) {
  for (size_t i = 0; i < NUMBERS; i++) {
    vectors->query[i] = self_check_number(i);
    vectors->key[i] = self_check_number(i + NUMBERS);
  }
}

/* q_m · k_n after both were rotated, as the pairs turned by their distance; interleaved. */
static long double rotated_score(const struct self_check_angles *angles, const double *q,
                                 const double *k, int64_t distance) {
  long double score = 0;
  for (size_t i = 0; i < SELF_CHECK_PAIRS; i++) {
    const long double angle = self_check_angle(angles, i, distance);
    const long double x = q[2 * i], y = q[2 * i + 1], u = k[2 * i], v = k[2 * i + 1];
    score += (x * u + y * v) * cosl(angle) + (x * v - y * u) * sinl(angle);
  }
  return score;
}

/* The longest of the vectors. */
static long double longest(const double *vectors) {
  long double most = 0;
  for (size_t m = 0; m < LENGTH; m++) {
    long double square = 0;
    for (size_t i = 0; i < SELF_CHECK_DIM; i++)
      square += (long double)vectors[m * SELF_CHECK_DIM + i] * vectors[m * SELF_CHECK_DIM + i];
    most = fmaxl(most, sqrtl(square));
  }
  return most;
}

/* exp(logit) / Σ exp(logit), in place. */
static void soften(long double *logit, size_t count) {
  long double peak = logit[0], total = 0;
  for (size_t n = 1; n < count; n++)
    peak = fmaxl(peak, logit[n]);
  for (size_t n = 0; n < count; n++)
    total += logit[n] = expl(logit[n] - peak);
  for (size_t n = 0; n < count; n++)
    logit[n] /= total;
}

/* The bounds of struct score_batch: of scores against the vectors' lengths, of weights against
   themselves. */
static double tolerance_of(const struct score_batch *batch, long double size) {
  const double u = 0x1p-53, score = (double)(batch->dim + batch->batch + 24) * u;
  if (!batch->softmax) return score;
  const double reach = batch->scale * (double)size;
  return 2 * reach * score + 8 * u * reach + (double)(batch->batch + 12) * u;
}

static int check_map(struct backend *backend, bool softmax, struct self_check_result *result,
                     struct error *error) {
  struct self_check_angles angles;
  struct vectors vectors;
  double cells[CELLS];
  self_check_angles_set(&angles);
  fill_vectors(&vectors);
  const struct score_batch batch = {
      .batch = 1,
      .length = LENGTH,
      .dim = SELF_CHECK_DIM,
      .query = vectors.query,
      .key = vectors.key,
      .rotation = &angles.phases,
      .layout = LAYOUT_INTERLEAVED,
      .amplitude = 1,
      .causal = softmax,
      .softmax = softmax,
      .scale = 0.5,
      .tiles = {.rows = LENGTH, .columns = LENGTH, .reduction = REDUCE_MAX, .cells = cells},
  };
  if (backend_scores(backend, &batch, error)) return ERROR_FAILED;
  const long double size = longest(vectors.query) * longest(vectors.key);
  for (size_t m = 0; m < LENGTH; m++) {
    const size_t seen = softmax ? m + 1 : LENGTH;
    long double row[LENGTH];
    for (size_t n = 0; n < seen; n++)
      row[n] = (softmax ? (long double)batch.scale : 1) *
               rotated_score(&angles, vectors.query + m * SELF_CHECK_DIM,
                             vectors.key + n * SELF_CHECK_DIM, (int64_t)m - (int64_t)n);
    if (softmax) soften(row, seen);
    for (size_t n = 0; n < seen; n++)
      self_check_compare(result, cells[m * LENGTH + n], row[n], softmax ? row[n] : size);
  }
  result->tolerance = tolerance_of(&batch, size);
  return OK;
}

static int run_scores(struct backend *backend, struct self_check_result *result,
                      struct error *error) {
  return check_map(backend, false, result, error);
}

static int run_softmax(struct backend *backend, struct self_check_result *result,
                       struct error *error) {
  return check_map(backend, true, result, error);
}

/* Means over tiles of four by four. */
static int run_profile_tiles(struct backend *backend, struct self_check_result *result,
                             struct error *error) {
  enum { SIDE = 4, TILES = LENGTH / SIDE };
  double profile[2 * LENGTH - 1], cells[TILES * TILES];
  for (size_t d = 0; d < 2 * LENGTH - 1; d++)
    profile[d] = self_check_number(d);
  const struct profile_batch batch = {
      .length = LENGTH,
      .profile = profile,
      .scale = 1,
      .tiles = {.rows = TILES, .columns = TILES, .reduction = REDUCE_MEAN, .cells = cells},
  };
  if (backend_profile_tiles(backend, &batch, error)) return ERROR_FAILED;
  for (size_t t = 0; t < TILES * TILES; t++) {
    long double sum = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
      const size_t m = t / TILES * SIDE + i / SIDE, n = t % TILES * SIDE + i % SIDE;
      sum += profile[m + LENGTH - 1 - n];
    }
    self_check_compare(result, cells[t], sum / (SIDE * SIDE), 1);
  }
  result->tolerance = SIDE * SIDE * 0x1p-53;
  return OK;
}

/* Medians: of an odd number of samples each is a score itself. */
static int run_quantiles(struct backend *backend, struct self_check_result *result,
                         struct error *error) {
  enum { SAMPLES = LENGTH - 1 };
  static const int64_t distance[] = {0, 1, 100, 4096};
  enum { DISTANCES = sizeof distance / sizeof *distance };
  const double middle = 0.5;
  struct self_check_angles angles;
  struct vectors vectors;
  double median[DISTANCES];
  self_check_angles_set(&angles);
  fill_vectors(&vectors);
  const struct quantile_batch batch = {.phases = angles.phases,
                                       .samples = SAMPLES,
                                       .query = vectors.query,
                                       .key = vectors.key,
                                       .count = DISTANCES,
                                       .distance = distance,
                                       .levels = 1,
                                       .level = &middle,
                                       .quantile = median};
  if (backend_quantiles(backend, &batch, error)) return ERROR_FAILED;
  for (size_t d = 0; d < DISTANCES; d++) {
    long double score[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
      const long double next = rotated_score(&angles, vectors.query + s * SELF_CHECK_DIM,
                                             vectors.key + s * SELF_CHECK_DIM, distance[d]);
      size_t place = s;
      for (; place && score[place - 1] > next; place--)
        score[place] = score[place - 1];
      score[place] = next;
    }
    self_check_compare(result, median[d], score[SAMPLES / 2], 1);
  }
  result->tolerance = 1e-14 * SELF_CHECK_PAIRS;
  return OK;
}

const struct self_check self_check_scores = {"scores", true, run_scores},
                        self_check_softmax = {"softmax", true, run_softmax},
                        self_check_profile_tiles = {"profile_tiles", false, run_profile_tiles},
                        self_check_quantiles = {"quantiles", false, run_quantiles};
