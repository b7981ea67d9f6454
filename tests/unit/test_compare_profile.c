/* lib/analysis/compare.h: scores over distance, and their quantiles */
#include "tests/unit/compare_job.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { MEAN = 4, QUANTILE };
static const double levels[] = {0.05, 0.25, 0.75, 0.95};

static double quantile_error(const struct job *job) {
  return meta_real(meta_item(table_meta(job->result.metrics), "encodings", 0), "quantile_error",
                   NAN);
}

/* The quantiles are those of the map's diagonals, to the last digits. */
static void quantiles_of_diagonals(void **state) {
  enum { LENGTH = 30 };
  struct job maps = job_of(*state, "xpos", 8, LENGTH, CONTENT_GAUSSIAN),
             job = job_of(*state, "xpos", 8, LENGTH, CONTENT_GAUSSIAN);
  maps.request.batch = job.request.batch = 1;
  maps.request.view = COMPARE_PANELS;
  job.request.view = COMPARE_PROFILE;
  run(&maps);
  run(&job);
  assert_int_equal(table_rows(job.result.curves), LENGTH);
  assert_near(quantile_error(&job), 0, 0);
  for (size_t m = 0; m < LENGTH; m++) {
    double score[LENGTH];
    const size_t count = LENGTH - m;
    for (size_t n = 0; n < count; n++)
      score[n] = maps.result.panel[0]->cells[(n + m) * LENGTH + n];
    gsl_sort(score, 1, count);
    assert_near(table_real(job.result.curves, m, MEAN), gsl_stats_mean(score, 1, count), 1e-13);
    for (size_t q = 0; q < 4; q++)
      assert_near(table_real(job.result.curves, m, QUANTILE + q),
                  gsl_stats_quantile_from_sorted_data(score, 1, count, levels[q]), 1e-13);
  }
  release(&maps);
  release(&job);
}

/* Over all draws: with more of them the quantiles are of more scores. */
static void quantiles_of_all_draws(void **state) {
  struct job job = job_of(*state, "none", 2, 2, CONTENT_GAUSSIAN);
  job.request.view = COMPARE_PROFILE;
  job.request.batch = 4000;
  run(&job);
  /* q·k of 2 dimensions has the density exp(−|x|)/2: quantiles ± ln 10 and ± ln 2; their standard
     errors for 8000 scores are √(p(1 − p)/8000)/p: 0.05 and 0.02. */
  static const double expected[] = {-2.302585, -0.693147, 0.693147, 2.302585};
  for (size_t q = 0; q < 4; q++)
    assert_near(table_real(job.result.curves, 0, QUANTILE + q), expected[q], 0.2);
  release(&job);
}

/* Equal scores at a distance have no spread, whatever rounding makes of them. */
static void no_spread(void **state) {
  static const size_t lengths[] = {300, 8192};
  for (size_t i = 0; i < 2; i++) {
    struct job job = job_of(*state, "xpos", 4, lengths[i], CONTENT_ONES);
    job.request.view = COMPARE_PROFILE;
    run(&job);
    for (size_t m = 0; m < lengths[i]; m += 1 + lengths[i] / 300)
      for (size_t q = 0; q < 4; q++)
        assert_near(table_real(job.result.curves, m, QUANTILE + q),
                    table_real(job.result.curves, m, MEAN), 0);
    release(&job);
  }
}

/* The histogram covers the scores of distances >= 0 alone: those of xPos before them are 10^5 times
   as large here. */
static void histogram(void **state) {
  struct job job = job_of(*state, "xpos", 4, 8192, CONTENT_GAUSSIAN);
  job.request.view = COMPARE_PROFILE;
  job.request.batch = 1;
  run(&job);
  const struct table *curves = job.result.curves;
  const double spread = table_real(curves, 0, QUANTILE + 3) - table_real(curves, 0, QUANTILE),
               error = quantile_error(&job);
  assert_true(error > 0 && error < 0.01 * spread);
  /* Products of 4 pairs of normal numbers have the variance 4. */
  assert_true(spread > 4 && spread < 8);
  release(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_of_diagonals),
      cmocka_unit_test(quantiles_of_all_draws),
      cmocka_unit_test(no_spread),
      cmocka_unit_test(histogram),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
