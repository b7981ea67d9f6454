/* Self-check: what is summed over the pairs. Sources of the formulas: kernels/backend.h. */
#include "lib/analysis/self_check_parts.h"

/* Neighbours, and one as far as 2^30 tokens. */
static int64_t distance_at(size_t index) {
  return index % 8 == 7 ? INT64_C(1) << (index / 2) : (int64_t)index;
}

static int run_decay_bound(struct backend *backend, struct self_check_result *result,
                           struct error *error) {
  enum { COUNT = 61 };
  struct self_check_angles angles;
  int64_t distance[COUNT];
  double bound[COUNT], cosine_sum[COUNT];
  self_check_angles_set(&angles);
  for (size_t d = 0; d < COUNT; d++)
    distance[d] = distance_at(d);
  const struct decay_batch batch = {.phases = angles.phases,
                                    .count = COUNT,
                                    .distance = distance,
                                    .bound = bound,
                                    .cosine_sum = cosine_sum};
  if (backend_decay_bound(backend, &batch, error)) return ERROR_FAILED;
  for (size_t d = 0; d < COUNT; d++) {
    long double real = 0, imaginary = 0, sum = 0;
    for (size_t i = 0; i < SELF_CHECK_PAIRS; i++) {
      real += cosl(self_check_angle(&angles, i, distance[d]));
      imaginary += sinl(self_check_angle(&angles, i, distance[d]));
      sum += hypotl(real, imaginary);
    }
    self_check_compare(result, bound[d], sum, sum);
    self_check_compare(result, cosine_sum[d], real, SELF_CHECK_PAIRS);
  }
  result->tolerance = 1e-14;
  return OK;
}

static int run_cosine_sum(struct backend *backend, struct self_check_result *result,
                          struct error *error) {
  enum { COUNT = 301, STEP = 7 };
  struct self_check_angles angles;
  double weight[SELF_CHECK_PAIRS], sum[COUNT], total = 0;
  self_check_angles_set(&angles);
  for (size_t i = 0; i < SELF_CHECK_PAIRS; i++)
    total += fabs(weight[i] = self_check_number(i));
  const struct cosine_sum_batch batch = {
      .phases = angles.phases, .weight = weight, .step = STEP, .count = COUNT, .sum = sum};
  if (backend_cosine_sum(backend, &batch, error)) return ERROR_FAILED;
  for (size_t n = 0; n < COUNT; n++) {
    long double expected = 0;
    for (size_t i = 0; i < SELF_CHECK_PAIRS; i++)
      expected += weight[i] * cosl(self_check_angle(&angles, i, (int64_t)n * STEP));
    self_check_compare(result, sum[n], expected, total);
  }
  result->tolerance = 1e-14;
  return OK;
}

/* Boxes of one point: both bounds are at its sum, on their own sides. */
static int run_cosine_range(struct backend *backend, struct self_check_result *result,
                            struct error *error) {
  enum { COUNT = 30 };
  struct self_check_angles angles;
  const double spread[SELF_CHECK_PAIRS] = {0};
  int64_t distance[COUNT];
  double low[COUNT], high[COUNT];
  self_check_angles_set(&angles);
  for (size_t d = 0; d < COUNT; d++)
    distance[d] = distance_at(d);
  const struct cosine_range_batch batch = {.phases = angles.phases,
                                           .spread = spread,
                                           .count = COUNT,
                                           .first = distance,
                                           .last = distance,
                                           .low = low,
                                           .high = high};
  if (backend_cosine_range(backend, &batch, error)) return ERROR_FAILED;
  for (size_t d = 0; d < COUNT; d++) {
    long double sum = 0;
    for (size_t i = 0; i < SELF_CHECK_PAIRS; i++)
      sum += cosl(self_check_angle(&angles, i, distance[d]));
    self_check_compare(result, low[d], sum, 1);
    self_check_compare(result, high[d], sum, 1);
    if (!(low[d] <= sum && sum <= high[d])) result->error = INFINITY;
  }
  result->tolerance = SELF_CHECK_PAIRS * (SELF_CHECK_PAIRS + 32) * 0x1p-52;
  return OK;
}

const struct self_check self_check_decay_bound = {"decay_bound", true, run_decay_bound},
                        self_check_cosine_sum = {"cosine_sum", true, run_cosine_sum},
                        self_check_cosine_range = {"cosine_range", false, run_cosine_range};
