/* What lib/analysis/decay.h reports while it runs. */
#include "tests/unit/curves.h"

#include "lib/base/progress.h"

/* What was reported: the last share, and which of three parts began. */
static size_t reports;
static double last_share;
static bool impossible, begun[3];

/* Called from any thread, so nothing is asserted here. */
static void note(uint64_t done, uint64_t total) {
  last_share = (double)done / (double)total;
  impossible |= done > total;
  for (int part = 0; part < 3; part++)
    begun[part] |= 3 * done == (uint64_t)part * total;
  reports++;
}

static void assert_reports(struct backend *backend, struct decay_request request, size_t count,
                           size_t least) {
  struct spectrum *series[] = {plain_spectrum(8, 10000), plain_spectrum(8, 500000),
                               plain_spectrum(16, 10000)};
  reports = 0;
  memset(begun, 0, sizeof begun);
  progress_set(note);
  table_destroy(run(backend, request, 0, 500, series, count));
  progress_set(NULL);
  assert_true(reports >= least && last_share == 1 && !impossible);
  assert_true(begun[0]);
  if (count == 3) assert_true(begun[1] && begun[2]);
  for (size_t i = 0; i < 3; i++)
    spectrum_destroy(series[i]);
}

static void every_series_is_a_part(void **state) {
  struct decay_request request = plain;
  assert_reports(*state, request, 1, 2);
  assert_reports(*state, request, 3, 4);
  /* The quantiles report on their own. */
  request.samples = 10;
  request.content.kind = CONTENT_GAUSSIAN;
  assert_reports(*state, request, 3, 7);
}

static int open_backend(void **state) {
  *state = open_cpu();
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
