/* The table of bases: its further columns, its meta data, and what is refused. */
#include "lib/analysis/base.h"
#include "lib/analysis/base_reach.h"
#include "lib/base/progress.h"
#include "tests/oracle/cpu_backend.h"

static struct error error;

static struct table *run(int64_t dim, const int64_t *context, size_t contexts,
                         enum base_line line) {
  struct table *table;
  const struct base_request request = {
      .dim = &dim, .dims = 1, .context = context, .contexts = contexts, .line = &line, .lines = 1};
  assert_done(base_run(backend, &request, &table, &error));
  return table;
}

static double cell(const struct table *table, size_t row, const char *column) {
  const int index = table_find_column(table, column);
  assert_true(index >= 0);
  return table_real(table, row, (size_t)index);
}

/* (L/2π)^(128/126) and L/0.6165054856207162, computed in double by other means; the law as printed.
 */
static void lines(void **state) {
  (void)state;
  static const int64_t contexts[] = {1024, 4096, 8192};
  static const struct {
    enum base_line line;
    double value[3];
  } cases[] = {
      {BASE_LINE_ALIASING, {NAN, 722.5, 1461.0}},
      {BASE_LINE_LIMIT, {1660.97, 6643.90, 13287.80}},
      {BASE_LINE_PUBLISHED, {3373.9, 32232.0, 99624.2}},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct table *table = run(128, contexts, 3, cases[i].line);
    for (size_t r = 0; r < 3; r++)
      if (!isnan(cases[i].value[r]))
        assert_close(cell(table, r, base_line_column(cases[i].line)), cases[i].value[r], 0.06);
    table_destroy(table);
  }
}

/* Σ (ln law − ln first_base)². */
static double squares_of(const struct table *table, const int64_t *context, double factor,
                         double exponent) {
  double squares = 0;
  for (size_t r = 0; r < table_rows(table); r++)
    squares += pow(
        log(factor) + exponent * log((double)context[r]) - log(cell(table, r, "first_base")), 2);
  return squares;
}

/* Two contexts: the law goes through both. Three: any other is worse. */
static void fit(void **state) {
  (void)state;
  static const int64_t contexts[] = {100, 300, 900};
  struct table *table = run(128, contexts, 2, BASE_LINE_FIT);
  for (size_t r = 0; r < 2; r++)
    assert_close(cell(table, r, "fit_base"), cell(table, r, "first_base"), 1e-9);
  table_destroy(table);
  table = run(128, contexts, 3, BASE_LINE_FIT);
  const struct meta *series = meta_item(table_meta(table), "series", 0);
  const double factor = meta_real(series, "fit_factor", NAN),
               exponent = meta_real(series, "fit_exponent", NAN),
               least = squares_of(table, contexts, factor, exponent);
  static const double moves[3] = {-1e-4, 0, 1e-4};
  for (size_t move = 0; move < 9; move++)
    assert_true(move == 4 || squares_of(table, contexts, factor * (1 + moves[move % 3]),
                                        exponent + moves[move / 3]) > least);
  for (size_t r = 0; r < 3; r++)
    assert_close(cell(table, r, "fit_base"), factor * pow((double)contexts[r], exponent), 1e-9);
  table_destroy(table);
}

static void names(void **state) {
  (void)state;
  enum base_line line;
  for (int i = 0; i < BASE_LINES; i++) {
    assert_done(base_line_parse(base_line_name((enum base_line)i), &line, &error));
    assert_int_equal(line, i);
  }
  assert_refused(base_line_parse("fits", &line, &error), ERROR_INPUT, "unknown line 'fits'");
}

/* Two digits of the first base, and what becomes of them. */
static void rounded(void **state) {
  (void)state;
  static const int64_t contexts[] = {1024, 2048};
  struct table *table = run(128, contexts, 2, BASE_LINE_LIMIT);
  const struct meta *meta = table_meta(table);
  assert_close(meta_real(meta_item(meta, "answers", 0), "rounded_base", 0), 4300, 0);
  assert_true(isnan(meta_real(meta_item(meta, "answers", 0), "rounded_first_negative", NAN)));
  assert_close(meta_real(meta_item(meta, "answers", 1), "rounded_base", 0), 12000, 0);
  assert_close(meta_real(meta_item(meta, "answers", 1), "rounded_first_negative", NAN), 1554, 0);
  table_destroy(table);
}

/* The first distance whose sum is negative in long double, from the definition; 0: none. */
static int64_t negative_at(int64_t dim, double base, int64_t distances) {
  for (int64_t m = 1; m < distances; m++) {
    long double sum = 0;
    for (int64_t i = 0; i < dim / 2; i++)
      sum += cosl((long double)m * powl(base, -2.0L * (long double)i / (long double)dim));
    if (sum < 0) return m;
  }
  return 0;
}

/* Each base reaches as far as its sums say; below the first base none reaches the context, above
   the safe one all do, and the counts of those between are right. */
static void reach(void **state) {
  (void)state;
  static const int64_t dims[] = {16, 64}, contexts[] = {50, 200};
  const struct base_request request = {
      .dim = dims, .dims = 2, .context = contexts, .contexts = 2, .points = 150};
  struct table *table;
  size_t capped = 0;
  assert_done(base_reach_run(backend, &request, &table, &error));
  assert_int_equal(table_rows(table), 300);
  for (size_t row = 0; row < 300; row++) {
    const double base = cell(table, row, "base"), reached = cell(table, row, "reach");
    const int64_t negative = negative_at(dims[row / 150], base, 400);
    assert_close(reached, negative ? (double)negative : 400, 0);
    capped += !negative;
  }
  assert_true(capped > 0 && capped < 300);
  for (size_t i = 0; i < 4; i++) {
    const struct meta *answer = meta_item(table_meta(table), "answers", i);
    const double context = meta_real(answer, "context", 0),
                 first = meta_real(answer, "first_base", 0),
                 safe = meta_real(answer, "safe_base", 0);
    double between = 0, enough = 0;
    for (size_t row = i / 2 * 150; row < i / 2 * 150 + 150; row++) {
      const double base = cell(table, row, "base"), reached = cell(table, row, "reach");
      if (base < first) assert_true(reached < context);
      if (base > safe) assert_true(reached >= context);
      between += base > first && base < safe;
      enough += base > first && base < safe && reached >= context;
    }
    assert_close(meta_real(answer, "between", NAN), between, 0);
    assert_close(meta_real(answer, "enough", NAN), enough, 0);
  }
  table_destroy(table);
}

/* What was reported: the last share, and whether one was less than one before it. */
static size_t reports;
static double last_share;
static bool fell;

static void note(uint64_t done, uint64_t total) {
  const double share = (double)done / (double)total;
  fell |= share < last_share;
  last_share = share;
  reports++;
}

/* Progress goes from 0 to 1 over all that is asked for, and never back. */
static void progress(void **state) {
  (void)state;
  static const int64_t dims[] = {32, 64}, contexts[] = {500, 1000};
  const struct base_request request = {.dim = dims, .dims = 2, .context = contexts, .contexts = 2};
  struct table *table;
  progress_set(note);
  assert_done(base_run(backend, &request, &table, &error));
  progress_set(NULL);
  assert_true(!fell && last_share == 1 && reports > 12);
  table_destroy(table);
}

static void refusals(void **state) {
  (void)state;
  static const int64_t dims[] = {2, 65, -4, BASE_DIM_MOST + 2}, one[] = {1024},
                       contexts[][2] = {{0, 9}, {9, 9}, {9, 8}, {9, BASE_CONTEXT_MOST + 1}};
  static const int64_t good = 64;
  struct table *table;
  for (size_t i = 0; i < COUNT_OF(dims); i++) {
    const struct base_request request = {.dim = &dims[i], .dims = 1, .context = one, .contexts = 1};
    assert_refused(base_run(backend, &request, &table, &error), ERROR_INPUT, "dimensions are not");
    assert_null(table);
  }
  const struct base_request one_point = {
      .dim = &good, .dims = 1, .context = one, .contexts = 1, .points = 1};
  assert_refused(base_reach_run(backend, &one_point, &table, &error), ERROR_INPUT, "1 bases");
  for (size_t i = 0; i < COUNT_OF(contexts); i++) {
    const struct base_request request = {
        .dim = &good, .dims = 1, .context = contexts[i], .contexts = 2};
    assert_refused(base_run(backend, &request, &table, &error), ERROR_INPUT, "is not one of");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines),    cmocka_unit_test(fit),      cmocka_unit_test(names),
      cmocka_unit_test(rounded),  cmocka_unit_test(progress), cmocka_unit_test(reach),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
