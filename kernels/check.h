/* What the door refuses before any device sees a batch: each returns OK or ERROR_FAILED. */
#ifndef ROPETOOL_KERNELS_CHECK_H
#define ROPETOOL_KERNELS_CHECK_H

#include "kernels/backend.h"

int check_decay(const struct decay_batch *batch, struct error *error);
int check_cosine_sum(const struct cosine_sum_batch *batch, struct error *error);
int check_cosine_range(const struct cosine_range_batch *batch, struct error *error);
int check_phase_map(const struct phase_map_batch *batch, struct error *error);
int check_rotate(const struct rotate_batch *batch, struct error *error);
int check_gaussian(const struct gaussian_batch *batch, struct error *error);
int check_scores(const struct score_batch *batch, struct error *error);
int check_profile(const struct profile_batch *batch, struct error *error);
int check_quantiles(const struct quantile_batch *batch, struct error *error);
int check_limit(const struct limit_batch *batch, struct error *error);

#endif
