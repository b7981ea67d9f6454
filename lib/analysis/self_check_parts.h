/* Inside of the self-check: its checks, and the numbers that all of them take. */
#ifndef ROPETOOL_ANALYSIS_SELF_CHECK_PARTS_H
#define ROPETOOL_ANALYSIS_SELF_CHECK_PARTS_H

#include <math.h>

#include "lib/analysis/self_check.h"

struct self_check {
  const char *name;
  bool on_gpu;
  int (*run)(struct backend *backend, struct self_check_result *result, struct error *error);
};

extern const struct self_check self_check_decay_bound, self_check_cosine_sum,
    self_check_cosine_range, self_check_phase_map, self_check_rotate, self_check_gaussian,
    self_check_scores, self_check_softmax, self_check_profile_tiles, self_check_quantiles;

enum { SELF_CHECK_PAIRS = 16, SELF_CHECK_DIM = 2 * SELF_CHECK_PAIRS };

/* The angles of θ_i = 10000^(−i/16), as every batch takes them. */
struct self_check_angles {
  struct phases phases;
  uint64_t step[SELF_CHECK_PAIRS];
  double inv_freq[SELF_CHECK_PAIRS];
};
void self_check_angles_set(struct self_check_angles *angles);

/* The angle of pair i at position m, in (−π, π]. */
long double self_check_angle(const struct self_check_angles *angles, size_t pair, int64_t m);

/* The i-th of the numbers in [−1, 1) that vectors are filled with, always the same. */
double self_check_number(size_t index);

/* Takes |value − expected| / size into `result`. */
void self_check_compare(struct self_check_result *result, double value, long double expected,
                        long double size);

#endif
