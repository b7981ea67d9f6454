/* Numbers of tests/golden/learned_table.tsv, and the scores they are of. */
#ifndef ROPETOOL_TESTS_UNIT_LEARNED_TABLE_H
#define ROPETOOL_TESTS_UNIT_LEARNED_TABLE_H

#include "tests/oracle/harness.h"

/* They have 12 digits. */
static const double learned_tolerance = 1e-11;

static inline double learned_value(const char *quantity, int index) {
  static FILE *file;
  char line[256], name[64], at[16];
  double value;
  if (!file) file = fopen("tests/golden/learned_table.tsv", "r");
  assert_non_null(file);
  rewind(file);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%63s %15s %lf", name, at, &value) != 3 || strcmp(name, quantity)) continue;
    if (*at == '-' || atoi(at) == index) return value;
  }
  fail_msg("no %s %d in the table", quantity, index);
  return NAN;
}

static inline void assert_learned(double value, const char *quantity, int index) {
  const double expected = learned_value(quantity, index);
  if (!(fabs(value - expected) <= learned_tolerance * fabs(expected)))
    fail_msg("%s %d is %.17g, expected %.12g", quantity, index, value, expected);
}

/* Sums over the scores of (length, dim) queries and keys, beside the facts "..._WHAT" of the table.
   Scores are multiplied by `scale`. */
static inline void assert_learned_scores(struct backend *backend, struct score_batch batch,
                                         double scale, const char *what, int index) {
  struct error error;
  struct score_sums sums;
  char name[64];
  batch.batch = 1;
  batch.sums = &sums;
  assert_done(backend_scores(backend, &batch, &error));
  const double count = (double)batch.length * (double)batch.length, mean = sums.sum / count;
  const double energy = sums.square - sums.sum * mean, share = sums.toeplitz - sums.sum * mean;
  snprintf(name, sizeof name, "score_mean_%s", what);
  assert_learned(mean * scale, name, index);
  snprintf(name, sizeof name, "score_energy_%s", what);
  assert_learned(energy * scale * scale, name, index);
  snprintf(name, sizeof name, "toeplitz_share_%s", what);
  assert_learned(share / energy, name, index);
  snprintf(name, sizeof name, "toeplitz_share_%s_uncentred", what);
  assert_learned(sums.toeplitz / sums.square, name, index);
}

#endif
