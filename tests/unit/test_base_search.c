/* First and safe bases against cosine sums in long double, from the definition. */
#include "lib/analysis/base_search.h"
#include "lib/base/thread.h"
#include "tests/oracle/cpu_backend.h"

/* Σ_i cos(mθ_i), θ_i = base^(−2i/dim). */
static long double sum_of(const long double *theta, size_t dim, int64_t m) {
  long double sum = 0;
  for (size_t i = 0; i < dim / 2; i++)
    sum += cosl((long double)m * theta[i]);
  return sum;
}

static void frequencies(size_t dim, long double base, long double *theta) {
  for (size_t i = 0; i < dim / 2; i++)
    theta[i] = powl(base, -2.0L * (long double)i / (long double)dim);
}

static long double sum_at(size_t dim, int64_t m, long double base) {
  long double theta[128];
  frequencies(dim, base, theta);
  return sum_of(theta, dim, m);
}

/* The first distance below the context with a negative sum; 0: none. */
static int64_t first_negative(size_t dim, int64_t context, long double base) {
  long double theta[128];
  frequencies(dim, base, theta);
  for (int64_t m = 1; m < context; m++)
    if (sum_of(theta, dim, m) < 0) return m;
  return 0;
}

static void search_all(size_t dim, const int64_t *context, size_t count,
                       struct base_answer *answer) {
  struct error error;
  const struct base_problem problem = {
      .dim = dim, .context = context, .contexts = count, .parts = 2 * count};
  assert_done(base_search(backend, &problem, answer, &error));
}

static struct base_answer search(size_t dim, int64_t context) {
  struct base_answer answer;
  search_all(dim, &context, 1, &answer);
  return answer;
}

/* What every answer has to be, wherever the feasible bases lie. */
static void assert_answer(size_t dim, int64_t context, const struct base_answer *answer) {
  const struct base_limit *first = &answer->first, *safe = &answer->safe;
  const long double near = 1e-9L;
  assert_true(first->certified && safe->certified);
  assert_true(first->base > 1 && first->base <= safe->base);
  assert_true(first->below <= first->base && first->base <= first->above);
  assert_true(safe->below <= safe->base && safe->base <= safe->above);
  assert_true(first->witness > 0 && first->witness < context);
  assert_true(safe->witness > 0 && safe->witness < context);
  /* The witness changes its sign there, the base given is its zero to the last digits. */
  for (int i = 0; i < 2; i++) {
    const struct base_limit *limit = i ? safe : first;
    const long double base = limit->base;
    assert_true(sum_at(dim, limit->witness, base * (1 - 4e-15L)) < 0);
    assert_true(sum_at(dim, limit->witness, base * (1 + 4e-15L)) > 0);
  }
  assert_int_not_equal(first_negative(dim, context, first->base * (1 - near)), 0);
  assert_int_equal(first_negative(dim, context, first->base * (1 + near)), 0);
  assert_int_not_equal(first_negative(dim, context, safe->base * (1 - near)), 0);
  assert_int_equal(first_negative(dim, context, safe->base * (1 + near)), 0);
}

/* No base of a grid below the first is feasible, and none above the safe one is not. */
static void small_contexts(void **state) {
  (void)state;
  static const size_t dims[] = {6, 8, 24, 64};
  static const int64_t contexts[] = {3, 4, 7, 12, 25, 40};
  for (size_t d = 0; d < COUNT_OF(dims); d++)
    for (size_t c = 0; c < COUNT_OF(contexts); c++) {
      const size_t dim = dims[d];
      const int64_t context = contexts[c];
      const struct base_answer answer = search(dim, context);
      assert_answer(dim, context, &answer);
      const long double first = logl(answer.first.base), safe = logl(answer.safe.base);
      for (int k = 0; k < 500; k++)
        assert_int_not_equal(first_negative(dim, context, expl(first * k / 500)), 0);
      for (int k = 0; k < 1000; k++) {
        const long double base = expl(safe + 1e-6L + 200 * powl((long double)k / 1000, 3));
        if (first_negative(dim, context, base))
          fail_msg("d=%zu context %lld: %Lg is not feasible", dim, (long long)context, base);
      }
    }
}

/* What an independent program found, which covers every other base with intervals on which one
   distance proves it infeasible, or all of them prove it feasible. */
static void certified_values(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    int64_t context;
    double first, safe;
    int64_t first_witness, safe_witness;
  } cases[] = {
      {128, 1024, 4293.43756926, 6018.28085728, 1009, 903},
      {128, 4096, 26952.3392279, 58789.5041506, 4012, 4000},
      {64, 1500, 18246.7505415, 51078.903729, 1141, 1379},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const struct base_answer answer = search(cases[i].dim, cases[i].context);
    assert_answer(cases[i].dim, cases[i].context, &answer);
    assert_close(answer.first.base, cases[i].first, 1e-11 * cases[i].first);
    assert_close(answer.safe.base, cases[i].safe, 1e-11 * cases[i].safe);
    assert_int_equal(answer.first.witness, cases[i].first_witness);
    assert_int_equal(answer.safe.witness, cases[i].safe_witness);
  }
}

/* Men et al., table 2, as Su corrected it (kexue.fm/archives/10122), in two digits: and the scan of
   a grid, whose bases are feasible, and at most 2e-6 above the first. */
static void published_row(void **state) {
  (void)state;
  static const int64_t contexts[] = {1024, 2048, 4096, 8192};
  static const double su[] = {4.3e3, 1.2e4, 2.7e4, 8.4e4},
                      grid[] = {4293.44, 11587.25, 26952.36, 83763.88};
  struct base_answer answer[COUNT_OF(contexts)];
  search_all(128, contexts, COUNT_OF(contexts), answer);
  for (size_t i = 0; i < COUNT_OF(contexts); i++) {
    char text[16];
    snprintf(text, sizeof text, "%.1e", answer[i].first.base);
    assert_true(strtod(text, NULL) == su[i]);
    assert_true(answer[i].first.base < grid[i] + 0.005);
    assert_true(answer[i].first.base > grid[i] * (1 - 2e-6) - 0.005);
  }
}

/* The same for other dimensions: scans of a grid in coarser steps. */
static void other_dimensions(void **state) {
  (void)state;
  static const struct {
    size_t dim;
    double grid[3];
  } cases[] = {
      {64, {29617, 100071, 323744}}, {96, {18742, 54600, 103142}}, {256, {6564, 17733, 41307}}};
  static const int64_t contexts[] = {2048, 4096, 8192};
  for (size_t d = 0; d < COUNT_OF(cases); d++) {
    struct base_answer answer[3];
    search_all(cases[d].dim, contexts, 3, answer);
    assert_answer(cases[d].dim, contexts[1 - d / 2], &answer[1 - d / 2]);
    for (size_t c = 0; c < 3; c++) {
      assert_true(answer[c].first.certified && answer[c].safe.certified);
      assert_true(answer[c].first.base < cases[d].grid[c] + 0.5);
      assert_true(answer[c].first.base > cases[d].grid[c] * (1 - 1e-5) - 0.5);
    }
  }
}

/* The same bits whatever the number of threads, and whatever other contexts were asked for. */
static void always_the_same(void **state) {
  (void)state;
  static const int64_t contexts[] = {1, 2, 3, 100, 1000, 1001};
  enum { COUNT = COUNT_OF(contexts) };
  struct base_answer answer[3][COUNT];
  for (int i = 0; i < 3; i++) {
    thread_use(1 + 2 * i);
    search_all(128, contexts, COUNT, answer[i]);
  }
  for (size_t c = 0; c < COUNT; c++) {
    const struct base_answer alone = search(128, contexts[c]);
    for (int i = 0; i < 3; i++) {
      const struct base_answer *other = &answer[i][c];
      assert_close(other->first.base, alone.first.base, 0);
      assert_int_equal(other->first.witness, alone.first.witness);
      assert_int_equal(other->safe.witness, alone.safe.witness);
      assert_true(other->safe.base == alone.safe.base ||
                  (isnan(other->safe.base) && isnan(alone.safe.base)));
    }
  }
  thread_use(1);
}

/* Distances 0 and 1 are negative with no base. */
static void nothing_negative(void **state) {
  (void)state;
  for (int64_t context = 1; context <= 2; context++) {
    const struct base_answer answer = search(128, context);
    assert_true(answer.first.certified && answer.safe.certified);
    assert_close(answer.first.base, 1, 0);
    assert_true(isnan(answer.safe.base));
    assert_int_equal(answer.first.witness, 0);
    assert_int_equal(answer.safe.witness, 0);
  }
}

/* Two pairs: the distance that sets the base, and whether 1 + cos of it is too small to certify. */
static void contexts_of_two_pairs(void **state) {
  (void)state;
  static const struct {
    int64_t context, distance;
    bool certified;
  } cases[] = {{22, 16, true},   {23, 22, false},  {67, 22, false},   {179, 22, false},
               {180, 179, true}, {311, 267, true}, {312, 311, false}, {356, 355, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const struct base_answer answer = search(4, cases[c].context);
    assert_int_equal(answer.first.certified && answer.safe.certified, cases[c].certified);
    const double m = (double)cases[c].distance, slow = acos(-cos(m)) / m;
    assert_close(answer.first.base, pow(slow, -2), 1e-3 * answer.first.base);
  }
}

/* Two pairs: the sum of distance 355, nearly 113π, comes so near to 0 that rounding hides where it
   is. That is said, and the bounds hold. cos(355) + cos(355/√b) = 0 where 355/√b = 355 − 113π. */
static void rounding_is_owned(void **state) {
  (void)state;
  const struct base_answer answer = search(4, 1000);
  const long double angle = 355 - 113 * M_PIl, base = (355 / angle) * (355 / angle);
  assert_false(answer.first.certified || answer.safe.certified);
  for (int i = 0; i < 2; i++) {
    const struct base_limit *limit = i ? &answer.safe : &answer.first;
    assert_true(limit->below <= base && base <= limit->above);
    assert_close(limit->base, (double)base, 1e-3 * (double)base);
    assert_int_equal(limit->witness, 355);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contexts_of_two_pairs), cmocka_unit_test(small_contexts),
      cmocka_unit_test(certified_values),      cmocka_unit_test(published_row),
      cmocka_unit_test(other_dimensions),      cmocka_unit_test(always_the_same),
      cmocka_unit_test(nothing_negative),      cmocka_unit_test(rounding_is_owned),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
