/* lib/analysis/compare.h */
#include "tests/unit/encodings.h"

#include "lib/analysis/compare.h"
#include "lib/analysis/metrics.h"
#include "lib/base/thread.h"

enum { MOST = 8 };

/* A comparison and what it holds. */
struct job {
  struct backend *backend;
  const struct encoding *encoding[MOST];
  struct spectrum *spectrum;
  struct compare_request request;
  struct compare_result result;
};

static struct job job_of(struct backend *backend, const char *names, size_t dim, size_t length,
                         enum content_kind content) {
  struct job job = {.backend = backend, .spectrum = plain_spectrum(dim, 10000)};
  char list[128], *rest = list;
  snprintf(list, sizeof list, "%s", names);
  for (char *name; (name = strsep(&rest, ","));)
    job.encoding[job.request.encodings++] = encoding_of(name);
  const size_t encodings = job.request.encodings;
  job.request = (struct compare_request){.encodings = encodings,
                                         .spectrum = job.spectrum,
                                         .length = length,
                                         .width = dim,
                                         .batch = 4,
                                         .content = {.kind = content},
                                         .seed = 1,
                                         .cells = 64};
  return job;
}

static void run(struct job *job) {
  struct error error;
  job->request.encoding = job->encoding;
  if (compare_run(job->backend, &job->request, &job->result, &error)) fail_msg("%s", error.message);
}

static void release(struct job *job) {
  compare_result_release(&job->result);
  spectrum_destroy(job->spectrum);
}

static void assert_fails(struct job *job, const char *part) {
  struct error error;
  job->request.encoding = job->encoding;
  assert_int_equal(compare_run(job->backend, &job->request, &job->result, &error), ERROR_INPUT);
  assert_message(error, part);
  assert_null(job->result.metrics);
  release(job);
}

static size_t row_of(const struct job *job, const char *encoding, enum metric metric) {
  const struct table *table = job->result.metrics;
  for (size_t row = 0; row < table_rows(table); row++)
    if (!strcmp(table_text(table, row, 0), encoding) &&
        !strcmp(table_text(table, row, 3), metric_name(metric)))
      return row;
  fail_msg("no %s of %s", metric_name(metric), encoding);
  return 0;
}

static double value_of(const struct job *job, const char *encoding, enum metric metric) {
  return table_real(job->result.metrics, row_of(job, encoding, metric), 4);
}

static double error_of(const struct job *job, const char *encoding, enum metric metric) {
  return table_real(job->result.metrics, row_of(job, encoding, metric), 5);
}

static const char *detail_of(const struct job *job, const char *encoding, enum metric metric) {
  return table_text(job->result.metrics, row_of(job, encoding, metric), 6);
}

static void columns_and_rows(void **state) {
  static const char *const names[] = {"encoding", "head",   "length", "metric",
                                      "value",    "stderr", "detail"};
  struct job job = job_of(*state, "rope,alibi", 16, 40, CONTENT_GAUSSIAN);
  run(&job);
  const struct table *table = job.result.metrics;
  assert_int_equal(table_columns(table), 7);
  for (size_t i = 0; i < 7; i++)
    assert_string_equal(table_column_name(table, i), names[i]);
  assert_int_equal(table_rows(table), 2 * METRICS);
  for (size_t row = 0; row < 2 * METRICS; row++) {
    assert_string_equal(table_text(table, row, 0), row < METRICS ? "rope" : "alibi");
    assert_string_equal(table_text(table, row, 3), metric_name((enum metric)(row % METRICS)));
    assert_int_equal(table_integer(table, row, 2), 40);
    if (row < METRICS)
      assert_true(isnan(table_real(table, row, 1)));
    else
      assert_near(table_real(table, row, 1), 0, 0);
  }
  assert_true(isinf(value_of(&job, "rope", METRIC_BEYOND_TABLE)));
  assert_string_equal(detail_of(&job, "rope", METRIC_BEYOND_TABLE), "periodic");
  assert_string_equal(detail_of(&job, "alibi", METRIC_BEYOND_TABLE), "extrapolated");
  assert_string_equal(detail_of(&job, "rope", METRIC_NEGATIVE_SHARE), "softmax");
  assert_true(isnan(value_of(&job, "rope", METRIC_NEGATIVE_SHARE)));
  assert_string_equal(meta_text(table_meta(table), "arithmetic"), "fp64");
  release(&job);
}

/* Equal tokens: scores of a rotation depend on the distance alone, f(m) = 2·B_m. */
static void rope_of_ones(void **state) {
  enum { LENGTH = 300, DIM = 64 };
  struct job job = job_of(*state, "rope", DIM, LENGTH, CONTENT_ONES);
  job.request.view = COMPARE_PROFILE;
  run(&job);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_SYMMETRY), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_NORM_DRIFT), 0, 1e-15);
  assert_near(value_of(&job, "rope", METRIC_ANGLE_DRIFT), 0, 1e-15);
  assert_near(error_of(&job, "rope", METRIC_LOCALITY), 0, 0);
  const struct table *curves = job.result.curves;
  assert_int_equal(table_rows(curves), LENGTH);
  size_t half = 0;
  for (size_t m = 0; m < LENGTH; m++) {
    const double expected = 2 * cosine_sum_of(job.spectrum, (int64_t)m);
    assert_int_equal(table_integer(curves, m, 3), m);
    assert_near(table_real(curves, m, 4), expected, 1e-11);
    if (!half && expected <= DIM / 2) half = m;
  }
  assert_true(half > 0);
  assert_near(value_of(&job, "rope", METRIC_HALF_DISTANCE), (double)half, 0);
  release(&job);
}

/* Independent queries and keys: E f(m) = 0 and Var S = d at every distance. Of the 200 means over
   4·(200 − m) scores none is off by more than 5 standard deviations. */
static void rope_of_gaussians(void **state) {
  enum { LENGTH = 200, DIM = 32, DRAWS = 4 };
  struct job job = job_of(*state, "rope", DIM, LENGTH, CONTENT_GAUSSIAN);
  job.request.view = COMPARE_PROFILE;
  run(&job);
  const struct table *curves = job.result.curves;
  for (size_t m = 0; m < LENGTH; m++) {
    const double scores = DRAWS * (double)(LENGTH - m);
    assert_near(table_real(curves, m, 4), 0, 5 * sqrt(DIM / scores));
    for (size_t q = 5; q < 8; q++)
      assert_true(table_real(curves, m, q) <= table_real(curves, m, q + 1));
  }
  /* Quantiles at distance 0, of 800 scores: those of a normal distribution are at ±1.645 and
     ±0.674 standard deviations; 0.5 is 5 times what so many scores leave open. */
  const double deviation = sqrt(DIM);
  static const double normal[] = {-1.6449, -0.6745, 0.6745, 1.6449};
  for (size_t q = 0; q < 4; q++)
    assert_near(table_real(curves, 0, 5 + q) / deviation, normal[q], 0.5);
  /* The Toeplitz part of noise has one of LENGTH²/(2·LENGTH − 1) degrees of freedom. */
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 2.0 / LENGTH, 0.5 / LENGTH);
  assert_near(value_of(&job, "rope", METRIC_SYMMETRY), 0.5, 0.02);
  assert_true(error_of(&job, "rope", METRIC_SYMMETRY) > 0);
  release(&job);
}

/* Draws one after another are those of a batch: metrics of 2 draws lie between those of each. */
static void draws_are_averaged(void **state) {
  struct job job = job_of(*state, "rope", 16, 60, CONTENT_ALIGNED);
  double value[3];
  job.request.content.rho = 0.7;
  for (size_t draws = 1; draws <= 2; draws++) {
    job.request.batch = draws;
    run(&job);
    value[draws] = value_of(&job, "rope", METRIC_ENTROPY);
    if (draws == 1)
      assert_true(isnan(error_of(&job, "rope", METRIC_ENTROPY)));
    else /* of two values a and b: mean (a + b)/2, standard error |a − b|/2 */
      assert_near(error_of(&job, "rope", METRIC_ENTROPY), fabs(value[2] - value[1]), 1e-13);
    compare_result_release(&job.result);
  }
  release(&job);
}

static void constant_scores(void **state) {
  struct job job = job_of(*state, "none,alibi", 24, 50, CONTENT_ONES);
  run(&job);
  assert_near(value_of(&job, "none", METRIC_TRANSLATION_INVARIANCE), 1, 0);
  assert_true(isnan(value_of(&job, "none", METRIC_MONOTONICITY)));
  assert_string_equal(detail_of(&job, "none", METRIC_MONOTONICITY), "the same at all distances");
  assert_string_equal(detail_of(&job, "none", METRIC_HALF_DISTANCE), "0 of 1 draws");
  assert_near(value_of(&job, "none", METRIC_ENTROPY), log(50), 1e-13);
  assert_near(value_of(&job, "alibi", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "alibi", METRIC_MONOTONICITY), 1, 1e-14);
  assert_near(value_of(&job, "alibi", METRIC_NORM_DRIFT), 0, 0);
  release(&job);
}

/* Uniform weights under a causal mask: row i has entropy ln(i + 1) and mean distance i/2. */
static void uniform_and_causal(void **state) {
  enum { LENGTH = 70 };
  struct job job = job_of(*state, "none", 8, LENGTH, CONTENT_ONES);
  job.request.causal = true;
  job.request.view = COMPARE_PANELS;
  run(&job);
  double entropy = 0;
  for (int i = 0; i < LENGTH; i++)
    entropy += log(i + 1) / LENGTH;
  assert_near(value_of(&job, "none", METRIC_ENTROPY), entropy, 1e-13);
  assert_near(value_of(&job, "none", METRIC_MEAN_DISTANCE), (LENGTH - 1) / 4.0, 1e-13);
  assert_string_equal(detail_of(&job, "none", METRIC_SYMMETRY), "masked");
  assert_int_equal(job.result.panels, 1);
  const struct matrix *panel = job.result.panel[0];
  assert_int_equal(panel->rows, 64);
  assert_true(isnan(panel->cells[63]));
  assert_near(panel->cells[63 * 64], 8, 0);
  release(&job);
}

/* Sinusoidal tables alone: S = B_{m−n}, and their tokens are as long as √(d/2). */
static void sinusoidal_of_zero(void **state) {
  enum { LENGTH = 90, DIM = 32 };
  struct job job = job_of(*state, "sinusoidal,rope", DIM, LENGTH, CONTENT_ZERO);
  job.request.view = COMPARE_PANELS;
  job.request.cells = LENGTH;
  run(&job);
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++)
      assert_near(job.result.panel[0]->cells[m * LENGTH + n], cosine_sum_of(job.spectrum, m - n),
                  1e-12);
  assert_near(value_of(&job, "sinusoidal", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 0);
  assert_string_equal(detail_of(&job, "rope", METRIC_NORM_DRIFT), "no content");
  release(&job);
  job = job_of(*state, "sinusoidal", DIM, LENGTH, CONTENT_ONES);
  run(&job);
  assert_true(value_of(&job, "sinusoidal", METRIC_NORM_DRIFT) > 0.1);
  assert_true(value_of(&job, "sinusoidal", METRIC_TRANSLATION_INVARIANCE) < 0.999);
  release(&job);
}

/* The four terms add up to the whole. */
static void terms_add_up(void **state) {
  static const char *const names[] = {"sinusoidal", "sinusoidal:content-content",
                                      "sinusoidal:content-position", "sinusoidal:position-content",
                                      "sinusoidal:position-position"};
  struct job job = job_of(*state, "sinusoidal,rope", 16, 40, CONTENT_GAUSSIAN);
  job.request.terms = true;
  job.request.view = COMPARE_PANELS;
  run(&job);
  assert_int_equal(table_rows(job.result.metrics), 6 * METRICS);
  assert_int_equal(job.result.panels, 6);
  for (size_t i = 0; i < 5; i++)
    assert_string_equal(table_text(job.result.metrics, i * METRICS, 0), names[i]);
  for (size_t c = 0; c < 40 * 40; c++) {
    double sum = 0;
    for (size_t i = 1; i < 5; i++)
      sum += job.result.panel[i]->cells[c];
    assert_near(sum, job.result.panel[0]->cells[c], 1e-13);
  }
  assert_near(value_of(&job, names[4], METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  assert_string_equal(detail_of(&job, names[2], METRIC_NORM_DRIFT), "of the whole alone");
  release(&job);
}

/* A head behind a LayerNorm with token types, biases and a norm of its own. */
static void fill(double *x, size_t count, double base, double step) {
  for (size_t i = 0; i < count; i++)
    x[i] = base + 0.3 * sin(step * (double)(i + 1));
}

static void terms_behind_norms_add_up(void **state) {
  enum { WIDTH = 12, HEAD = 6, LENGTH = 25 };
  double weight[2][HEAD * WIDTH], bias[2][HEAD], gain[2][HEAD], norm[3][WIDTH];
  for (int side = 0; side < 2; side++) {
    fill(weight[side], HEAD * WIDTH, 0.01, 1.3 + side);
    fill(bias[side], HEAD, 0.2, 0.7 + side);
    fill(gain[side], HEAD, 1, 0.4 + side);
  }
  for (int i = 0; i < 3; i++)
    fill(norm[i], WIDTH, i == 0, 0.9 + i);
  for (int variant = 0; variant < 4; variant++) {
    struct projection projection = {.width = WIDTH,
                                    .dim = HEAD,
                                    .heads = 2,
                                    .query = weight[0],
                                    .key = weight[1],
                                    .query_bias = bias[0],
                                    .key_bias = bias[1],
                                    .epsilon = 1e-3};
    if (variant & 1) {
      projection.gain = norm[0];
      projection.shift = norm[1];
      projection.offset = norm[2];
      projection.centred = true;
    }
    if (variant & 2) {
      projection.query_gain = gain[0];
      projection.key_gain = gain[1];
    }
    struct job job = job_of(*state, "sinusoidal,rope", HEAD, LENGTH, CONTENT_GAUSSIAN);
    job.request.width = WIDTH;
    job.request.projection = &projection;
    job.request.projections = 1;
    job.request.terms = true;
    job.request.view = COMPARE_PANELS;
    run(&job);
    double largest = 0;
    for (size_t c = 0; c < LENGTH * LENGTH; c++) {
      double sum = 0;
      for (size_t i = 1; i < 5; i++)
        sum += job.result.panel[i]->cells[c];
      assert_near(sum, job.result.panel[0]->cells[c], 1e-13);
      largest = fmax(largest, fabs(job.result.panel[4]->cells[c]));
    }
    assert_true(largest > 0.1);
    assert_near(table_real(job.result.metrics, 0, 1), 0, 0); /* has a head */
    release(&job);
  }
}

static void projections_of_another_width(void **state) {
  struct projection projection = {.width = 5, .dim = 8, .heads = 1, .name = "given"};
  struct job job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.projection = &projection;
  job.request.projections = 1;
  assert_fails(&job, "'given' take tokens of 5 dimensions");
}

/* A table of 40 positions: 16 keys after its end nothing is added any more. */
static void edge_of_a_table(void **state) {
  enum { DIM = 8, POSITIONS = 40, LENGTH = 70 };
  double row[POSITIONS * DIM];
  fill(row, POSITIONS * DIM, 0.1, 0.77);
  struct position_table table = {
      .row = row, .positions = POSITIONS, .width = DIM, .name = "given", .untrained = true};
  struct job job = job_of(*state, "learned,rope,alibi,none", DIM, LENGTH, CONTENT_GAUSSIAN);
  job.request.learned = &table;
  job.request.beyond = true;
  job.request.view = COMPARE_EDGE;
  run(&job);
  const struct table *curves = job.result.curves;
  const size_t count = LENGTH - 1;
  assert_int_equal(table_rows(curves), 4 * count);
  assert_string_equal(table_text(curves, 0, 0), "Learned (untrained)");
  for (size_t i = 0; i < count; i++) {
    const int64_t position = table_integer(curves, i, 3);
    assert_int_equal(position, i + 1);
    const double change = table_real(curves, i, 4);
    if (position >= POSITIONS + 16)
      assert_near(change, 0, 0);
    else
      assert_true(change > 0);
    /* ALiBi's first slope is 1/2: the root mean square of t/2 over the near keys. */
    double square = 0;
    const int64_t near = position < 16 ? position : 16;
    for (int64_t t = 1; t <= near; t++)
      square += (double)(t * t) / 4 / (double)near;
    assert_near(table_real(curves, 2 * count + i, 4), sqrt(square), 1e-12);
    assert_true(isnan(table_real(curves, 3 * count + i, 6))); /* none changes nothing */
  }
  /* Rotations go on: 14 queries of 4 draws, whose change scatters by a good half, mean 1 ± 0.08. */
  double after = 0;
  for (size_t i = POSITIONS + 15; i < count; i++)
    after += table_real(curves, count + i, 6) / (double)(count - POSITIONS - 15);
  assert_near(after, 1, 0.4);
  assert_near(value_of(&job, "learned", METRIC_BEYOND_TABLE), POSITIONS, 0);
  assert_string_equal(detail_of(&job, "learned", METRIC_BEYOND_TABLE), "refused, untrained");
  compare_result_release(&job.result);
  job.request.beyond = false;
  assert_fails(&job, "40 positions, and the length is '70'");
}

static void grid_of_metrics(void **state) {
  struct job job = job_of(*state, "rope,alibi", 8, 20, CONTENT_GAUSSIAN);
  struct table *grid;
  job.request.causal = true;
  job.request.all_heads = true;
  job.request.heads = 2;
  run(&job);
  assert_int_equal(compare_grid(job.result.metrics, &grid, NULL), OK);
  assert_int_equal(table_rows(grid), 3 * 8); /* no symmetry, no negative share, no table */
  assert_string_equal(table_text(grid, 0, 0), "rope");
  assert_string_equal(table_text(grid, 16, 0), "alibi, head 1");
  assert_string_equal(table_text(grid, 0, 1), "invariance");
  assert_near(table_real(grid, 0, 2), table_real(job.result.metrics, 0, 4), 0);
  table_destroy(grid);
  release(&job);
}

/* Panels are differences; rows stay. */
static void differences_to_a_reference(void **state) {
  struct job job = job_of(*state, "none,alibi,rope", 8, 30, CONTENT_GAUSSIAN);
  job.request.view = COMPARE_PANELS;
  run(&job);
  struct compare_result plain = job.result;
  job.request.reference = encoding_of("none");
  run(&job);
  assert_int_equal(plain.panels, 3);
  assert_int_equal(job.result.panels, 2);
  assert_string_equal(job.result.title[0], "ALiBi");
  for (size_t i = 0; i < 2; i++)
    for (size_t c = 0; c < 30 * 30; c++)
      assert_near(job.result.panel[i]->cells[c],
                  plain.panel[i + 1]->cells[c] - plain.panel[0]->cells[c], 0);
  for (size_t row = 0; row < table_rows(plain.metrics); row++)
    assert_int_equal(isnan(table_real(plain.metrics, row, 4)),
                     isnan(table_real(job.result.metrics, row, 4)));
  compare_result_release(&plain);
  release(&job);
}

static void linear_attention(void **state) {
  for (int variant = 0; variant < 8; variant++) {
    struct job job = job_of(*state, "rope,none", 16, 80, CONTENT_GAUSSIAN);
    job.request.attention = variant & 1 ? COMPARE_LINEAR_FAVOR : COMPARE_LINEAR_ELU;
    job.request.causal = variant & 2;
    job.request.rotate_first = variant & 4;
    job.request.view = COMPARE_PANELS;
    job.request.weights = true;
    run(&job);
    const struct meta *meta = table_meta(job.result.metrics);
    for (size_t i = 0; i < 2; i++) {
      /* Sums of 80 · 44 products at most, in two orders. */
      const double difference =
          meta_real(meta_item(meta, "encodings", i), "linear_form_difference", NAN);
      assert_near(difference, 0, 1e-13);
    }
    const double negative = value_of(&job, "rope", METRIC_NEGATIVE_SHARE);
    if (variant & 4) /* a kernel of positive features */
      assert_near(negative, 0, 0);
    else
      assert_true(negative > 0 && negative < 0.6);
    assert_int_equal(isnan(value_of(&job, "rope", METRIC_ENTROPY)), !(variant & 4));
    assert_near(value_of(&job, "none", METRIC_NEGATIVE_SHARE), 0, 0);
    assert_true(value_of(&job, "none", METRIC_ENTROPY) > 1);
    assert_int_equal(meta_real(meta, "features", 0), variant & 1 ? 44 : 16);
    release(&job);
  }
}

/* RoFormer's form of equal tokens: A(m, n) = B_{m−n}/(pairs·length). */
static void linear_attention_of_ones(void **state) {
  enum { LENGTH = 40, DIM = 8 };
  struct job job = job_of(*state, "rope", DIM, LENGTH, CONTENT_ONES);
  job.request.attention = COMPARE_LINEAR_ELU;
  job.request.view = COMPARE_PANELS;
  job.request.weights = true;
  run(&job);
  double locality = 0;
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const double a = cosine_sum_of(job.spectrum, m - n) / (DIM / 2 * LENGTH);
      assert_near(job.result.panel[0]->cells[m * LENGTH + n], a, 1e-15);
      locality += a * exp2(-abs(m - n)) / LENGTH;
    }
  assert_near(value_of(&job, "rope", METRIC_LOCALITY), locality, 1e-14);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  release(&job);
}

/* In float the metrics stay within a few roundings of scores. */
static void float_and_threads(void **state) {
  struct job job = job_of(*state, "rope,sinusoidal,alibi", 32, 200, CONTENT_GAUSSIAN);
  struct compare_result result[3];
  for (int i = 0; i < 3; i++) {
    job.request.arithmetic = i == 2 ? COMPARE_SINGLE : COMPARE_DOUBLE;
    thread_use(i ? 3 : 1);
    run(&job);
    result[i] = job.result;
  }
  thread_use(thread_available());
  assert_string_equal(meta_text(table_meta(result[2].metrics), "arithmetic"), "fp32");
  for (size_t row = 0; row < table_rows(result[0].metrics); row++) {
    const double value = table_real(result[0].metrics, row, 4);
    if (!isfinite(value)) continue;
    assert_near(table_real(result[1].metrics, row, 4), value, 0);
    if (row % METRICS != METRIC_HALF_DISTANCE)
      assert_near(table_real(result[2].metrics, row, 4), value, 1e-4 * (fabs(value) + 1));
  }
  for (int i = 0; i < 3; i++)
    compare_result_release(&result[i]);
  spectrum_destroy(job.spectrum);
}

static void refusals(void **state) {
  struct job job = job_of(*state, "rope,none", 8, 10, CONTENT_ZERO);
  assert_fails(&job, "content 'zero'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.length = 0;
  assert_fails(&job, "length of a comparison is '0'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.batch = 0;
  assert_fails(&job, "batch");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.reference = encoding_of("none");
  assert_fails(&job, "reference 'none'");
  job = job_of(*state, "rope", 8, 10, CONTENT_ONES);
  job.request.reference = encoding_of("rope");
  job.request.view = COMPARE_PANELS;
  assert_fails(&job, "nothing to be compared with");
  job = job_of(*state, "learned", 8, 10, CONTENT_ONES);
  assert_fails(&job, "needs a table");
  job = job_of(*state, "alibi", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_ELU;
  assert_fails(&job, "'alibi' adds to the scores");
  job = job_of(*state, "alibi", 8, 10, CONTENT_GAUSSIAN);
  job.request.head = 8;
  assert_fails(&job, "head '8'");
  job = job_of(*state, "rope", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_FAVOR;
  job.request.features = 7;
  assert_fails(&job, "'7' features");
  job = job_of(*state, "sinusoidal", 8, 10, CONTENT_GAUSSIAN);
  job.request.attention = COMPARE_LINEAR_ELU;
  job.request.terms = true;
  assert_fails(&job, "no terms");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_and_rows),
      cmocka_unit_test(rope_of_ones),
      cmocka_unit_test(rope_of_gaussians),
      cmocka_unit_test(draws_are_averaged),
      cmocka_unit_test(constant_scores),
      cmocka_unit_test(uniform_and_causal),
      cmocka_unit_test(sinusoidal_of_zero),
      cmocka_unit_test(terms_add_up),
      cmocka_unit_test(terms_behind_norms_add_up),
      cmocka_unit_test(projections_of_another_width),
      cmocka_unit_test(edge_of_a_table),
      cmocka_unit_test(grid_of_metrics),
      cmocka_unit_test(differences_to_a_reference),
      cmocka_unit_test(linear_attention),
      cmocka_unit_test(linear_attention_of_ones),
      cmocka_unit_test(float_and_threads),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
