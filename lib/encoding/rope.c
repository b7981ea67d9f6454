/* Rotary position embedding. */
#include "lib/encoding/list.h"

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  (void)backend;
  (void)error;
  scorer->rotation = setting->spectrum;
  return OK;
}

static bool stationary(const struct encoding_setting *setting, double value) {
  (void)setting;
  (void)value;
  return true;
}

/* With equal components the sine terms of a pair cancel: what is left of pair i is
   2·value²·cos(mθ_i), times the attention factor of query and of key. Dimensions that are not
   rotated add value² each. */
static int profile(struct backend *backend, const struct encoding_setting *setting, double value,
                   size_t count, double *score, struct error *error) {
  const struct spectrum *spectrum = setting->spectrum;
  const int status = encoding_cosine_sums(backend, spectrum, count, score, error);
  if (status) return status;
  const double energy = value * value;
  const double wave = 2 * energy * spectrum->attention_factor * spectrum->attention_factor;
  const double rest = energy * (double)(setting->dim - 2 * spectrum->pairs);
  for (size_t m = 0; m < count; m++)
    score[m] = wave * score[m] + rest;
  return OK;
}

const struct encoding encoding_rope = {
    .name = "rope",
    .title = "RoPE",
    .formula = "(R_m q)^T (R_n k) = Re sum_i q_i conj(k_i) exp(I (m - n) theta_i)",
    .source = "Su et al., RoFormer, arXiv:2104.09864, eq. 16 and 34",
    .beyond = "periodic",
    .kind = ENCODING_ROTATES,
    .frequencies = FREQUENCIES_OF_DIM,
    .make = make,
    .stationary = stationary,
    .profile = profile,
};
