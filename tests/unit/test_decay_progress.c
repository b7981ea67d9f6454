/* What lib/analysis/decay.h reports while it runs. */
#include "tests/unit/curves.h"

#include "lib/base/progress.h"

static size_t reports;
static double share;

/* Shares never go back. */
static void note(uint64_t done, uint64_t total) {
  const double now = (double)done / (double)total;
  assert_true(done <= total && now >= share);
  share = now;
  reports++;
}

static size_t reports_of(struct backend *backend, struct decay_request request, size_t count) {
  struct spectrum *series[] = {plain_spectrum(8, 10000), plain_spectrum(8, 500000),
                               plain_spectrum(16, 10000)};
  reports = 0;
  share = 0;
  progress_set(note);
  table_destroy(run(backend, request, 0, 500, series, count));
  progress_set(NULL);
  assert_true(share == 1);
  for (size_t i = 0; i < 3; i++)
    spectrum_destroy(series[i]);
  return reports;
}

static void every_series_is_a_part(void **state) {
  struct decay_request request = plain;
  assert_true(reports_of(*state, request, 1) >= 2);
  assert_true(reports_of(*state, request, 3) >= 4);
  /* The quantiles report on their own. */
  request.samples = 10;
  request.content.kind = CONTENT_GAUSSIAN;
  assert_true(reports_of(*state, request, 3) >= 7);
}

static int open_backend(void **state) {
  *state = cpu_backend();
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_series_is_a_part),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
