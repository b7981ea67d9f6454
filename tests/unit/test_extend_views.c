/* lib/analysis/extend.h: what figures show of methods. */
#include "tests/unit/extend_job.h"

static struct table *view_of(struct extend_request request, const char *name) {
  assert_int_equal(extend_view_find(name, &request.view, &error), OK);
  if (!extend_view_methods(request.view)) request.methods.count = 0;
  return extend(&request);
}

/* The bounds by their definitions, sum by sum, and where the claim that the one is 600 times the
   other ends: 4861 tokens, as counted apart. */
static void bounds_are_those_of_the_paper(void **state) {
  (void)state;
  struct table *table = view_of(request_of(128, 10000, 4096, 20000, "none"), "bound");
  const size_t rows = table_rows(table);
  assert_true(rows > 400 && rows <= 512);
  assert_near(cell(table, 0, "distance"), 1, 0);
  assert_near(cell(table, rows - 1, "distance"), 20000, 0);
  for (size_t row = 0; row < rows; row++) {
    const double m = cell(table, row, "distance");
    double real = 0, imaginary = 0, sum = 0;
    for (size_t i = 0; i < 64; i++) {
      const double theta = pow(10000, -2. * (double)i / 128);
      real += cos(m * theta);
      imaginary += sin(m * theta);
      sum += hypot(real, imaginary);
    }
    assert_near(cell(table, row, "extrapolation"), 2 * sum, 1e-8 * sum);
    assert_near(cell(table, row, "interpolation"), 128 / 294.73089190323788, 1e-12);
    assert_near(cell(table, row, "ratio"), 2 * sum * 294.73089190323788 / 128, 5e-8 * sum);
    /* 589 times at the least, up to there. */
    assert_true(m > 4860 || cell(table, row, "ratio") >= 2 * 294.7308919);
  }
  const struct meta *bound = meta_child(table_meta(table), "extrapolation");
  assert_near(meta_real(bound, "ratio_minimum", NAN), 2 * 294.7308919 * 0.662559, 1e-3);
  assert_near(meta_real(bound, "floor", NAN), 256, 0);
  assert_near(meta_real(bound, "first_below_1", NAN), 4861, 0);
  assert_int_equal(meta_count(table_meta(table), "methods"), 0);
  table_destroy(table);
  /* A base of 1 has no interpolation bound. */
  table = view_of(request_of(128, 1, 16, 32, "none"), "bound");
  assert_true(isnan(cell(table, 0, "interpolation")) && isnan(cell(table, 0, "ratio")));
  assert_near(cell(table, 0, "extrapolation"), 64 * 65, 1e-9);
  table_destroy(table);
}

/* YaRN, eq. 22, squared; a factor that is given stays, and the original context changes nothing. */
static void temperatures_follow_the_context(void **state) {
  (void)state;
  struct table *table =
      view_of(request_of(128, 10000, 4096, 65536, "none,yarn,yarn:factor=4"), "temperature");
  const size_t rows = table_rows(table), each = rows / 3;
  assert_int_equal(rows, 3 * 64);
  for (size_t row = 0; row < rows; row++) {
    const double context = cell(table, row, "context");
    const double yarn = 0.1 * log(context / 4096) + 1, fixed = 0.1 * log(4) + 1;
    const double wanted = row < each ? 1 : row < 2 * each ? yarn * yarn : fixed * fixed;
    assert_near(cell(table, row, "score_factor"), wanted, 1e-14);
    if (row % each == 0) assert_near(context, 4096, 0);
    if (row % each == each - 1) assert_near(context, 65536, 0);
  }
  /* √(1/t) of YaRN at 16 times the context, from its eq. 22. */
  const struct meta *method = meta_item(table_meta(table), "methods", 1);
  assert_near(sqrt(meta_real(method, "score_factor", NAN)), 1.2772588722, 1e-10);
  table_destroy(table);
}

/* Of a model whose rule it is, LongRoPE takes the lists: Phi-3's attention factor is √(1 + ln 32 /
   ln 4096) for 32 times the context. */
static void longrope_of_a_model_that_has_it(void **state) {
  (void)state;
  const struct extend_request request = request_of(96, 10000, 4096, 131072, "none,longrope");
  double shorter[48], longer[48];
  for (size_t i = 0; i < 48; i++)
    shorter[i] = 1 + (double)i / 100, longer[i] = 1 + (double)i;
  strcpy(model.scaling.type, "longrope");
  assert_int_equal(spec_set_list(&model, "short_factor", shorter, 48, &error), OK);
  assert_int_equal(spec_set_list(&model, "long_factor", longer, 48, &error), OK);
  struct table *table = view_of(request, "temperature");
  const size_t last = table_rows(table) - 1;
  assert_near(sqrt(cell(table, last, "score_factor")), 1.1902380714, 1e-10);
  table_destroy(table);
  table = view_of(request, "reach");
  for (size_t i = 0; i < 48; i++)
    assert_near(cell(table, 48 + i, "reach"), 32 / (1 + (double)i), 1e-12);
  table_destroy(table);
}

/* Against the definition, for rules whose frequencies can be said in a line. */
static void reaches_of_pairs(void **state) {
  (void)state;
  struct table *table = view_of(request_of(128, 10000, 4096, 32768, "none,linear,ntk"), "reach");
  assert_int_equal(table_rows(table), 3 * 64);
  for (size_t row = 0; row < 3 * 64; row++) {
    const size_t pair = row % 64, method = row / 64;
    const double exponent = -2. * (double)pair / 128, theta = pow(10000, exponent);
    const double scaled = method == 0   ? theta
                          : method == 1 ? theta / 8
                                        : theta * pow(8, exponent * 128 / 126);
    const double known = 4096 * theta, reached = 32768 * scaled;
    assert_near(cell(table, row, "pair"), (double)pair, 0);
    assert_near(cell(table, row, "trained_angle"), known, 1e-12 * known);
    assert_near(cell(table, row, "angle"), reached, 1e-12 * reached);
    assert_near(cell(table, row, "reach"), reached / known, 1e-11);
    const double gap = cell(table, row, "gap");
    if (pair < 46)
      assert_true(isnan(gap));
    else
      /* NTK leaves the last pair where training had it. */
      assert_near(gap, method == 1 || (method == 2 && pair == 63) ? 0 : reached - known, 1e-9);
  }
  const struct meta *meta = table_meta(table);
  assert_near(meta_real(meta, "first_never_turning", NAN), 46, 0);
  static const double count[] = {18, 0, 17};
  for (size_t i = 0; i < 3; i++)
    assert_near(meta_real(meta_item(meta, "methods", i), "untrained_pairs", NAN), count[i], 0);
  assert_near(meta_real(meta_item(meta, "methods", 0), "max_angle_gap", NAN),
              (32768 - 4096) * pow(10000, -92. / 128), 1e-10);
  table_destroy(table);
}

static void views_are_found(void **state) {
  (void)state;
  struct extend_request request = request_of(128, 10000, 4096, 8192, "none");
  struct table *table = NULL;
  assert_int_equal(extend_view_find("turns", &request.view, &error), ERROR_INPUT);
  assert_message(error, "unknown figure 'turns': bound, temperature or reach");
  assert_int_equal(extend_view_find("table", &request.view, &error), ERROR_INPUT);
  assert_int_equal(extend_view_find("bound", &request.view, &error), OK);
  assert_int_equal(extend_run(backend, &request, &table, &error), ERROR_INPUT);
  assert_message(error, "none is taken");
  assert_null(table);
  assert_null(extend_view_at(4));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bounds_are_those_of_the_paper),
      cmocka_unit_test(temperatures_follow_the_context),
      cmocka_unit_test(longrope_of_a_model_that_has_it),
      cmocka_unit_test(reaches_of_pairs),
      cmocka_unit_test(views_are_found),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
