/* lib/analysis/decay.h */
#include "tests/unit/curves.h"

#include <inttypes.h>

#include "lib/base/memory.h"
#include "lib/base/thread.h"

/* Su's figure: d = 128, base 10000. 50-digit arithmetic, rounded to the digits written. */
static void known_bounds(void **state) {
  static const struct {
    size_t distance;
    double bound, cosine_sum;
  } known[] = {
      {0, 32.5, 64},
      {1, 31.538166142658, 62.093683805768},
      {2, 28.955988473564, 57.381860552824},
      {10, 17.954137137085, 42.820022898497},
      {50, 12.629452488319, 34.955010843335},
      {100, 10.227329948505, 30.543454701491},
      {256, 6.543097322979, 20.524832691387},
  };
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct table *table = run(*state, plain, 0, 256, &spectrum, 1);
  static const char *const columns[] = {"series",   "dim",   "base",      "scaling",
                                        "distance", "bound", "cosine_sum"};
  assert_int_equal(table_columns(table), 7);
  for (size_t c = 0; c < 7; c++)
    assert_string_equal(table_column_name(table, c), columns[c]);
  assert_int_equal(table_rows(table), 257);
  assert_string_equal(table_text(table, 256, 0), "d=128 b=10000");
  assert_string_equal(table_text(table, 256, 3), "none");
  assert_near(cell(table, 256, "dim"), 128, 0);
  assert_near(cell(table, 256, "base"), 10000, 0);
  double mean = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    assert_near(cell(table, known[i].distance, "bound"), known[i].bound, 6e-13);
    assert_near(cell(table, known[i].distance, "cosine_sum"), known[i].cosine_sum, 6e-13);
  }
  for (size_t r = 0; r < 257; r++) {
    assert_near(cell(table, r, "distance"), (double)r, 0);
    mean += cell(table, r, "bound") / 257;
  }
  assert_near(mean, 10.368744656, 5e-10);
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void known_summaries(void **state) {
  struct spectrum *series[] = {plain_spectrum(128, 10000), plain_spectrum(64, 10000)};
  struct table *table = run(*state, plain, 0, 256, series, 2);
  const struct meta *meta = series_meta(table, 0);
  assert_string_equal(meta_text(meta, "series"), "d=128 b=10000");
  assert_near(meta_real(meta, "rotary_dim", NAN), 128, 0);
  assert_near(meta_real(meta, "rises", NAN), 115, 0);
  assert_near(meta_real(meta, "first_rise", NAN), 19, 0);
  assert_near(meta_real(meta, "minimum", NAN), 6.414997, 5e-7);
  assert_near(meta_real(meta, "minimum_distance", NAN), 236, 0);
  assert_true(isnan(meta_real(meta, "first_negative", NAN)));
  assert_near(meta_real(meta, "negative_count", NAN), 0, 0);
  assert_null(meta_child(meta, "attain"));
  assert_near(meta_real(series_meta(table, 1), "first_rise", NAN), 12, 0);
  const struct meta *distances = meta_child(table_meta(table), "distances");
  assert_near(meta_real(distances, "first", NAN), 0, 0);
  assert_near(meta_real(distances, "last", NAN), 256, 0);
  assert_near(meta_real(distances, "count", NAN), 257, 0);
  assert_null(meta_text(distances, "spacing"));
  assert_string_equal(meta_text(table_meta(table), "normalise"), "mean");
  table_destroy(table);
  /* Negative cosine sums up to 2048 and 4096: counted in double precision over whole distances. */
  static const double negative[][2] = {{2048, 16}, {4096, 420}};
  for (int i = 0; i < 2; i++) {
    table = run(*state, plain, 0, (int64_t)negative[i][0], series, 1);
    assert_near(meta_real(series_meta(table, 0), "first_negative", NAN), 1707, 0);
    assert_near(meta_real(series_meta(table, 0), "negative_count", NAN), negative[i][1], 0);
    table_destroy(table);
  }
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

/* How the distances lie is said where it is known. */
static void spacing_is_stated(void **state) {
  struct spectrum *spectrum = plain_spectrum(8, 10000);
  struct decay_request request = plain;
  request.spacing = "linear";
  request.step = 1;
  struct table *table = run(*state, request, 3, 20, &spectrum, 1);
  const struct meta *distances = meta_child(table_meta(table), "distances");
  assert_string_equal(meta_text(distances, "spacing"), "linear");
  assert_near(meta_real(distances, "step", NAN), 1, 0);
  table_destroy(table);
  request.spacing = "log";
  table = run(*state, request, 3, 20, &spectrum, 1);
  distances = meta_child(table_meta(table), "distances");
  assert_string_equal(meta_text(distances, "spacing"), "log");
  assert_true(isnan(meta_real(distances, "step", NAN)));
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* Base 1: |S_j| = j at every distance. Two dimensions: one pair, |S_1| = 1. Neither ever rises. */
static void constant_curves(void **state) {
  struct spectrum *series[] = {plain_spectrum(128, 1), plain_spectrum(2, 10000)};
  struct table *table = run(*state, plain, 0, 300, series, 2);
  for (size_t m = 0; m <= 300; m++) {
    assert_near(cell(table, m, "bound"), 32.5, 32.5e-14);
    assert_near(cell(table, m, "cosine_sum"), 64 * cos((double)m), 1e-12);
    assert_near(cell(table, 301 + m, "bound"), 1, 1e-14);
    assert_near(cell(table, 301 + m, "cosine_sum"), cos((double)m), 1e-14);
  }
  for (size_t i = 0; i < 2; i++) {
    assert_near(meta_real(series_meta(table, i), "rises", NAN), 0, 0);
    assert_true(isnan(meta_real(series_meta(table, i), "first_rise", NAN)));
    assert_near(meta_real(series_meta(table, i), "first_negative", NAN), 2, 0);
  }
  table_destroy(table);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

static void normalisations(void **state) {
  struct spectrum *spectrum = plain_spectrum(64, 500000);
  struct table *tables[3];
  for (int n = 0; n < 3; n++) {
    struct decay_request request = plain;
    assert_int_equal(normalisation_parse(normalisation_name((enum normalisation)n),
                                         &request.normalisation, NULL),
                     OK);
    assert_int_equal(request.normalisation, n);
    request.cosine_mean = true;
    tables[n] = run(*state, request, 5, 40, &spectrum, 1); /* 0 is not listed */
  }
  for (size_t r = 0; r < 36; r++) {
    const double mean = cell(tables[NORMALISE_MEAN], r, "bound");
    assert_near(cell(tables[NORMALISE_SUM], r, "bound"), 32 * mean, 1e-13 * mean);
    assert_near(cell(tables[NORMALISE_UNIT], r, "bound"), mean / 16.5, 1e-14);
    for (int n = 0; n < 3; n++) {
      assert_near(cell(tables[n], r, "cosine_sum"), cell(tables[0], r, "cosine_sum"), 0);
      assert_near(cell(tables[n], r, "cosine_mean") * 32, cell(tables[0], r, "cosine_sum"), 1e-14);
    }
  }
  for (int n = 0; n < 3; n++)
    table_destroy(tables[n]);
  spectrum_destroy(spectrum);
  enum normalisation normalisation;
  struct error error;
  assert_int_equal(normalisation_parse("max", &normalisation, &error), ERROR_INPUT);
  assert_message(error, "'max': mean, sum or unit");
}

static void envelope_is_the_largest_still_to_come(void **state) {
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct decay_request request = plain;
  request.envelope = true;
  struct table *table = run(*state, request, 0, 256, &spectrum, 1);
  for (size_t r = 0; r < 257; r++) {
    double largest = 0;
    for (size_t later = r; later < 257; later++)
      largest = fmax(largest, cell(table, later, "bound"));
    assert_near(cell(table, r, "envelope"), largest, 0);
  }
  assert_true(cell(table, 18, "envelope") > cell(table, 18, "bound"));
  table_destroy(table);
  spectrum_destroy(spectrum);
}

/* The value of cosine_limit at one distance. */
static double limit_of(struct backend *backend, double base, int64_t distance) {
  struct spectrum *spectrum = plain_spectrum(4, base);
  struct decay_request request = plain;
  request.limit = true;
  struct table *table = run(backend, request, distance, distance, &spectrum, 1);
  const double limit = cell(table, 0, "cosine_limit");
  table_destroy(table);
  spectrum_destroy(spectrum);
  return limit;
}

static void limits(void **state) {
  FILE *file = fopen("tests/golden/cosine_limit.tsv", "r");
  assert_non_null(file);
  char line[256];
  size_t checked = 0;
  while (fgets(line, sizeof line, file)) {
    double base, expected;
    int64_t distance;
    if (sscanf(line, "%lf %" SCNd64 " %lf", &base, &distance, &expected) != 3) continue;
    const double rounding = fabs(log(base)) < 1 ? 4e-16 / fabs(log(base)) : 1e-15;
    assert_near(limit_of(*state, base, distance), expected, rounding);
    checked++;
  }
  fclose(file);
  assert_int_equal(checked, 16);
  assert_near(limit_of(*state, 10000, 0), 1, 1e-15);
  /* Base 1 turns every pair alike; its neighbours must join on smoothly. */
  for (int64_t m = 1; m < 5; m++) {
    assert_near(limit_of(*state, 1, m), cos((double)m), 1e-15);
    assert_near(limit_of(*state, 1 + 1e-9, m), cos((double)m), 1e-8);
  }
}

static void limit_needs_a_plain_spectrum(void **state) {
  struct rope_spec spec;
  spec_default(&spec);
  assert_int_equal(spec_parse_scaling("linear:factor=8", &spec.scaling, NULL), OK);
  struct spectrum *spectrum = spectrum_of(&spec);
  struct decay_request request = plain;
  const int64_t distance[] = {0, 1};
  request.distance = distance;
  request.count = 2;
  request.limit = true;
  struct table *table;
  struct error error;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_INPUT);
  assert_message(error, "'linear'");
  assert_null(table);
  spectrum_destroy(spectrum);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Against scores of the same vectors, really rotated and sorted here. */
static void samples_are_quantiles(void **state) {
  enum { DIM = 16, SAMPLES = 41, COUNT = 7 };
  static const char *const names[] = {"q05", "q25", "q50", "q75", "q95"};
  static const size_t rank[] = {2, 10, 20, 30, 38}; /* level · (41 − 1) */
  struct spectrum *spectrum = plain_spectrum(DIM, 100);
  struct decay_request request = plain;
  request.samples = SAMPLES;
  request.seed = 5;
  request.content = (struct content){.kind = CONTENT_ALIGNED, .rho = 0.5};
  struct table *table = run(*state, request, 0, COUNT - 1, &spectrum, 1);
  double query[SAMPLES * DIM], key[SAMPLES * DIM], rotated[SAMPLES * DIM], score[SAMPLES];
  const struct content_batch vectors = {.content = request.content,
                                        .seed = request.seed,
                                        .rows = SAMPLES,
                                        .dim = DIM,
                                        .query = query,
                                        .key = key};
  assert_int_equal(content_fill(*state, &vectors, NULL), OK);
  for (int64_t m = 0; m < COUNT; m++) {
    int64_t position[SAMPLES];
    for (int s = 0; s < SAMPLES; s++)
      position[s] = m;
    const struct rotate_batch batch = {.phases = {.series = 1,
                                                  .pairs = spectrum->pairs,
                                                  .step = spectrum->step,
                                                  .inv_freq = spectrum->inv_freq_double},
                                       .amplitude = 1,
                                       .batch = 1,
                                       .length = SAMPLES,
                                       .heads = 1,
                                       .dim = DIM,
                                       .position = position,
                                       .input = query,
                                       .output = rotated};
    assert_int_equal(backend_rotate(*state, &batch, NULL), OK);
    for (int s = 0; s < SAMPLES; s++) {
      score[s] = 0;
      for (int i = 0; i < DIM; i++)
        score[s] += rotated[s * DIM + i] * key[s * DIM + i] / DIM;
    }
    qsort(score, SAMPLES, sizeof *score, compare);
    for (int l = 0; l < 5; l++)
      assert_near(cell(table, (size_t)m, names[l]), score[rank[l]], 1e-13);
  }
  assert_string_equal(meta_text(table_meta(table), "content"), "aligned:0.5");
  table_destroy(table);
  spectrum_destroy(spectrum);
}

static void series_have_distinct_names(void **state) {
  struct rope_spec spec;
  struct spectrum *series[8];
  spec_default(&spec);
  series[0] = spectrum_of(&spec);
  series[1] = spectrum_of(&spec);
  assert_int_equal(spec_parse_scaling("linear:factor=8", &spec.scaling, NULL), OK);
  spec.base = 1e6;
  series[2] = spectrum_of(&spec);
  spec.precision = PRECISION_BF16;
  series[3] = spectrum_of(&spec);
  snprintf(spec.label, sizeof spec.label, "Mine");
  series[4] = spectrum_of(&spec);
  series[5] = spectrum_of(&spec);
  snprintf(spec.label, sizeof spec.label, "Other");
  series[6] = spectrum_of(&spec);
  spec.base = 500000;
  series[7] = spectrum_of(&spec);
  struct table *table = run(*state, plain, 0, 1, series, 8);
  static const char *const names[] = {"d=128 b=10000",
                                      "d=128 b=10000 (2)",
                                      "d=128 b=1000000 linear factor=8",
                                      "d=128 b=1000000 linear factor=8 bf16",
                                      "Mine",
                                      "Mine (2)",
                                      "Other b=1000000",
                                      "Other b=500000"};
  for (size_t i = 0; i < 8; i++) {
    assert_string_equal(table_text(table, 2 * i, 0), names[i]);
    assert_string_equal(table_text(table, 2 * i, 3), i < 2 ? "none" : "linear");
    assert_string_equal(meta_text(series_meta(table, i), "series"), names[i]);
    spectrum_destroy(series[i]);
  }
  table_destroy(table);
}

/* In float: near to double, and not the same; nor do steps of rounding count as rises. */
static void single_arithmetic(void **state) {
  struct spectrum *series[] = {plain_spectrum(128, 10000), plain_spectrum(128, 1)};
  struct decay_request request = plain;
  struct table *exact = run(*state, request, 0, 4096, series, 2);
  request.single = true;
  struct table *single = run(*state, request, 0, 4096, series, 2);
  assert_string_equal(meta_text(table_meta(exact), "arithmetic"), "fp64");
  assert_string_equal(meta_text(table_meta(single), "arithmetic"), "fp32");
  size_t different = 0;
  for (size_t r = 0; r < table_rows(exact); r++) {
    const double bound = cell(exact, r, "bound");
    assert_near(cell(single, r, "bound"), bound, 2e-6 * bound);
    assert_near(cell(single, r, "cosine_sum"), cell(exact, r, "cosine_sum"), 2e-6 * 64);
    different += cell(single, r, "bound") != bound;
  }
  assert_true(different > 1000);
  assert_near(meta_real(series_meta(single, 0), "first_negative", NAN), 1707, 0);
  assert_near(meta_real(series_meta(single, 0), "negative_count", NAN), 420, 0);
  assert_near(meta_real(series_meta(single, 1), "rises", NAN), 0, 0);
  table_destroy(exact);
  table_destroy(single);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

static void single_needs_fp64(void **state) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.precision = PRECISION_BF16;
  struct spectrum *series[] = {plain_spectrum(8, 10000), spectrum_of(&spec)};
  static const int64_t distance[] = {0, 1};
  struct decay_request request = plain;
  struct table *table;
  struct error error;
  request.distance = distance;
  request.count = 2;
  request.single = true;
  assert_int_equal(decay_run(*state, &request, series, 2, &table, &error), ERROR_INPUT);
  assert_message(error, "'bf16'");
  assert_null(table);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

static void refuses_requests(void **state) {
  struct spectrum *spectrum = plain_spectrum(8, 10000);
  static const int64_t negative[] = {-1, 2}, descending[] = {3, 2}, good[] = {0, 1};
  struct decay_request request = plain;
  struct table *table;
  struct error error;
  request.distance = good;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_INPUT);
  assert_message(error, "no distances");
  request.count = 2;
  assert_int_equal(decay_run(*state, &request, &spectrum, 0, &table, &error), ERROR_INPUT);
  assert_message(error, "no series");
  request.distance = negative;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_INPUT);
  request.distance = descending;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_INPUT);
  assert_message(error, "ascend");
  request.distance = good;
  request.content.kind = CONTENT_ZERO;
  request.samples = 3;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_INPUT);
  assert_message(error, "'zero'");
  request.content.kind = CONTENT_GAUSSIAN;
  request.samples = (size_t)1 << 50;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_FAILED);
  assert_message(error, "GiB");
  request.samples = SIZE_MAX;
  assert_int_equal(decay_run(*state, &request, &spectrum, 1, &table, &error), ERROR_FAILED);
  assert_null(table);
  spectrum_destroy(spectrum);
}

static char *json_with(struct backend *backend, int threads, struct spectrum *const *series,
                       size_t count) {
  struct decay_request request = plain;
  request.envelope = request.limit = true;
  request.samples = 33;
  request.content.kind = CONTENT_GAUSSIAN;
  request.attain = 100;
  thread_use(threads);
  struct table *table = run(backend, request, 0, 3000, series, count);
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  table_write_json(table, out);
  fclose(out);
  table_destroy(table);
  return text;
}

static void threads_do_not_matter(void **state) {
  struct spectrum *series[] = {plain_spectrum(128, 10000), plain_spectrum(64, 500000)};
  char *one = json_with(*state, 1, series, 2), *two = json_with(*state, 2, series, 2);
  assert_string_equal(one, two);
  free(one);
  free(two);
  spectrum_destroy(series[0]);
  spectrum_destroy(series[1]);
}

static int open_backend(void **state) {
  *state = open_cpu();
  memory_set_limit((uint64_t)1 << 32);
  return 0;
}

static int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_bounds),
      cmocka_unit_test(known_summaries),
      cmocka_unit_test(spacing_is_stated),
      cmocka_unit_test(constant_curves),
      cmocka_unit_test(normalisations),
      cmocka_unit_test(envelope_is_the_largest_still_to_come),
      cmocka_unit_test(limits),
      cmocka_unit_test(limit_needs_a_plain_spectrum),
      cmocka_unit_test(samples_are_quantiles),
      cmocka_unit_test(series_have_distinct_names),
      cmocka_unit_test(single_arithmetic),
      cmocka_unit_test(single_needs_fp64),
      cmocka_unit_test(refuses_requests),
      cmocka_unit_test(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
