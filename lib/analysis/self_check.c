#include "lib/analysis/self_check_parts.h"
#include "lib/base/phase.h"

static const struct self_check *const checks[] = {
    &self_check_decay_bound, &self_check_cosine_sum, &self_check_cosine_range,
    &self_check_phase_map,   &self_check_rotate,     &self_check_gaussian,
    &self_check_scores,      &self_check_softmax,    &self_check_profile_tiles,
    &self_check_quantiles,
};
enum { CHECKS = sizeof checks / sizeof *checks };

const char *self_check_name(size_t index) {
  return index < CHECKS ? checks[index]->name : NULL;
}

bool self_check_on_gpu(size_t index) {
  return checks[index]->on_gpu;
}

int self_check_run(size_t index, struct backend *backend, struct self_check_result *result,
                   struct error *error) {
  *result = (struct self_check_result){0};
  return checks[index]->run(backend, result, error);
}

void self_check_angles_set(struct self_check_angles *angles) {
  for (size_t i = 0; i < SELF_CHECK_PAIRS; i++) {
    const long double inv_freq = powl(10000, -(long double)i / SELF_CHECK_PAIRS);
    angles->step[i] = phase_step(inv_freq);
    angles->inv_freq[i] = (double)inv_freq;
  }
  angles->phases = (struct phases){.series = 1,
                                   .pairs = SELF_CHECK_PAIRS,
                                   .step = angles->step,
                                   .inv_freq = angles->inv_freq,
                                   .precision = PRECISION_FP64};
}

/* step · m wraps at a turn by itself; as a signed number it is the angle next to 0. */
long double self_check_angle(const struct self_check_angles *angles, size_t pair, int64_t m) {
  const int64_t fraction = (int64_t)(angles->step[pair] * (uint64_t)m);
  return ldexpl((long double)fraction, -63) * 3.14159265358979323846264338327950288L;
}

/* The golden ratio's multiples in 32 bits: far from a pattern that an error could hide in. */
double self_check_number(size_t index) {
  return (double)(int32_t)((uint32_t)(index + 1) * 2654435769u) * 0x1p-31;
}

void self_check_compare(struct self_check_result *result, double value, long double expected,
                        long double size) {
  const double error = (double)(fabsl((long double)value - expected) / size);
  if (!(error <= result->error)) result->error = isnan(error) ? INFINITY : error;
}
