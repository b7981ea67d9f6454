/* The attained bound of lib/analysis/decay.h. */
#include "tests/unit/curves.h"

static void read_vector(const struct meta *meta, const char *name, double *vector, size_t dim) {
  char *text = meta_to_json(meta, 0), quoted[32];
  snprintf(quoted, sizeof quoted, "\"%s\": [", name);
  char *cursor = strstr(text, quoted);
  assert_non_null(cursor);
  cursor += strlen(quoted);
  for (size_t i = 0; i < dim; i++, cursor++)
    vector[i] = strtod(cursor, &cursor);
  free(text);
}

/* The vectors reported are rotated here, the query to the distance and the key to 0, then both by
   1000 more; their score is the bound. */
static void check_attained(struct backend *backend, const struct spectrum *spectrum,
                           const struct meta *attain) {
  const size_t dim = 2 * spectrum->pairs;
  double vectors[2 * 128], rotated[2 * 128];
  assert_true(dim <= 128);
  const double bound = meta_real(attain, "bound", NAN), score = meta_real(attain, "score", NAN);
  assert_near(score, bound, 1e-12 * bound);
  read_vector(attain, "query", vectors, dim);
  read_vector(attain, "key", vectors + dim, dim);
  for (int64_t shift = 0; shift <= 1000; shift += 1000) {
    const int64_t position[2] = {(int64_t)meta_real(attain, "distance", NAN) + shift, shift};
    const struct rotate_batch batch = {.phases = {.series = 1,
                                                  .pairs = spectrum->pairs,
                                                  .step = spectrum->step,
                                                  .inv_freq = spectrum->inv_freq_double},
                                       .layout = spectrum->spec.layout,
                                       .amplitude = 1,
                                       .batch = 1,
                                       .length = 2,
                                       .heads = 1,
                                       .dim = dim,
                                       .position = position,
                                       .input = vectors,
                                       .output = rotated};
    assert_int_equal(backend_rotate(backend, &batch, NULL), OK);
    double product = 0;
    for (size_t i = 0; i < dim; i++)
      product += rotated[i] * rotated[dim + i];
    assert_near(product, bound, 1e-12 * bound);
  }
}

/* Σ_j |S_j(57)|: 40-digit arithmetic. */
static void attains_the_bound(void **state) {
  static const struct {
    size_t dim;
    double base;
    enum layout layout;
    int64_t distance;
    double bound;
  } cases[] = {
      {128, 10000, LAYOUT_INTERLEAVED, 57, 772.4824372288184938},
      {128, 10000, LAYOUT_HALVES, 57, 772.4824372288184938},
      {64, 500000, LAYOUT_HALVES, 57, 303.45321335406573449},
      {8, 1, LAYOUT_INTERLEAVED, 3, 10},
      {2, 10000, LAYOUT_INTERLEAVED, 9, 1},
      {128, 10000, LAYOUT_INTERLEAVED, 0, 2080},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.head_dim = spec.rotary_dim = cases[c].dim;
    spec.base = cases[c].base;
    spec.layout = cases[c].layout;
    struct spectrum *spectrum = spectrum_of(&spec);
    struct decay_request request = plain;
    request.attain = cases[c].distance;
    struct table *table = run(*state, request, 1, 3, &spectrum, 1);
    const struct meta *attain = meta_child(series_meta(table, 0), "attain");
    assert_non_null(attain);
    assert_near(meta_real(attain, "distance", NAN), (double)cases[c].distance, 0);
    assert_near(meta_real(attain, "bound", NAN), cases[c].bound, 1e-12 * cases[c].bound);
    check_attained(*state, spectrum, attain);
    table_destroy(table);
    spectrum_destroy(spectrum);
  }
}

/* Rounded tables have partial sums of their own, and a bound that is attained all the same. */
static void attains_in_every_format(void **state) {
  for (int p = 0; p < PRECISION_COUNT; p++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.precision = (enum precision)p;
    struct spectrum *spectrum = spectrum_of(&spec);
    struct decay_request request = plain;
    request.attain = 57;
    struct table *table = run(*state, request, 57, 57, &spectrum, 1);
    const struct meta *attain = meta_child(series_meta(table, 0), "attain");
    const double bound = meta_real(attain, "bound", NAN);
    assert_near(bound, 64 * cell(table, 0, "bound"), 1e-12 * bound);
    assert_near(meta_real(attain, "score", NAN), bound, 1e-12 * bound);
    table_destroy(table);
    spectrum_destroy(spectrum);
  }
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
      cmocka_unit_test(attains_the_bound),
      cmocka_unit_test(attains_in_every_format),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
