/* Metrics of the pattern that positions leave in attention: numbers from the sums over the scores
   and softmax rows of one draw. */
#ifndef ROPETOOL_ANALYSIS_METRICS_H
#define ROPETOOL_ANALYSIS_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/backend.h"
#include "lib/base/error.h"

/* S: the scores that are not masked; P: their softmax over the keys; f(m): the mean of S where
   query − key = m >= 0. */
enum metric {
  /* The share of the energy of S − mean(S) that lies in its diagonal means, 0..1; 1 where S is
     constant. */
  METRIC_TRANSLATION_INVARIANCE,
  METRIC_SYMMETRY,     /* the share in its symmetric part, 0..1; of maps without a mask alone */
  METRIC_MONOTONICITY, /* −(Spearman's correlation of f(m) with m), −1..1 */
  METRIC_LOCALITY, /* mean over rows of Σ P·2^−|i − j| (Chen et al., EMNLP Findings 2023) */
  METRIC_MEAN_DISTANCE, /* mean over rows of Σ P·|i − j|, tokens */
  METRIC_ENTROPY,       /* mean over rows of −Σ P ln P, nats */
  METRIC_HALF_DISTANCE, /* the first m with f(m) <= f(0)/2, tokens */
  METRIC_NORM_DRIFT,    /* token_geometry.h */
  METRIC_ANGLE_DRIFT,
  METRIC_NEGATIVE_SHARE, /* of the weights of linear attention, 0..1 */
  METRIC_BEYOND_TABLE,   /* positions that the encoding is defined for */
  METRICS,
};

const char *metric_name(enum metric metric); /* "translation_invariance" */

/* What the metrics of a draw are made of. */
struct metric_sources {
  size_t length;
  bool causal;
  double cells;           /* how many scores are not masked */
  struct score_sums sums; /* of S, or of S less any constant: energies do not change by it */
  struct weight_sums weights;
  const double *profile; /* (2·length − 1): mean of S at query − key, −(length − 1) first */
  /* What rounding may have made of a score: backend.h's bound, but where the encoding has terms of
     its own their root mean square stands for the largest. */
  double score_error;
  double profile_error; /* and of one where query − key >= 0 */
};

/* Whether the scores and their squares are numbers that double has. */
bool metrics_finite(const struct metric_sources *sources);

/* Whether the sums have lost digits that a constant taken off the scores would keep: the energy of
   S − mean(S) is less than a thousandth of that of S. */
bool metrics_cancel(const struct metric_sources *sources);

/* Fills in those of scores and weights; others are left alone. NaN: not applicable, all of them
   where metrics_finite() does not hold.

   S counts as constant, and translation invariance and symmetry are then 1, where the root mean
   square of S − mean(S) is no more than `score_error`. f is constant, and has no monotonicity,
   where its largest and smallest value are no further apart than twice `profile_error`. Equal f(m)
   share their mean rank. */
int metrics_fill(const struct metric_sources *sources, double value[METRICS], struct error *error);

/* Mean over those of `count` draws that are not NaN, how many these are, and the standard error of
   the mean, sd/√n with n − 1 in the variance; NaN for n = 1. */
struct metric_estimate {
  double mean, standard_error;
  size_t draws;
};
struct metric_estimate metric_estimate(const double *value, size_t count);

#endif
