/* Rotary position embedding. */
#include "lib/encoding/list.h"

static size_t dim(const struct spectrum *spectrum) {
  return spectrum->spec.head_dim;
}

static bool stationary(double value) {
  (void)value;
  return true;
}

/* With equal components the sine terms of a pair cancel: what is left of pair i is
   2·value²·cos(mθ_i), times the attention factor of query and of key. Dimensions that are not
   rotated add value² each. */
static int profile(struct backend *backend, const struct spectrum *spectrum, double value,
                   size_t count, double *score, struct error *error) {
  const int status = encoding_cosine_sums(backend, spectrum, count, score, error);
  if (status) return status;
  const double energy = value * value;
  const double wave = 2 * energy * spectrum->attention_factor * spectrum->attention_factor;
  const double rest = energy * (double)(spectrum->spec.head_dim - 2 * spectrum->pairs);
  for (size_t m = 0; m < count; m++)
    score[m] = wave * score[m] + rest;
  return OK;
}

const struct encoding encoding_rope = {
    .name = "rope",
    .title = "RoPE",
    .formula = "(R_m q)^T (R_n k) = Re sum_i q_i conj(k_i) exp(I (m - n) theta_i)",
    .source = "Su et al., RoFormer, arXiv:2104.09864, eq. 16 and 34",
    .rotates = true,
    .dim = dim,
    .stationary = stationary,
    .profile = profile,
};
