/* lib/analysis/compare.h: terms, projections, references, views and linear attention */
#include "tests/unit/compare_job.h"

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
  struct table *grid;
  assert_int_equal(compare_grid(job.result.metrics, &grid, NULL), OK);
  assert_string_equal(table_text(grid, 0, 0), "Learned (untrained)");
  table_destroy(grid);
  compare_result_release(&job.result);
  job.request.beyond = false;
  assert_fails(&job, "40 positions, and the length is '70'");
}

/* The table takes no part in the scores of contents alone. */
static void untrained_terms(void **state) {
  enum { POSITIONS = 12, DIM = 8 };
  double row[POSITIONS * DIM];
  fill(row, POSITIONS * DIM, 0.1, 0.77);
  struct position_table table = {
      .row = row, .positions = POSITIONS, .width = DIM, .name = "given", .untrained = true};
  struct job job = job_of(*state, "learned", DIM, POSITIONS, CONTENT_GAUSSIAN);
  job.request.learned = &table;
  job.request.terms = true;
  job.request.view = COMPARE_PANELS;
  job.request.cells = POSITIONS;
  run(&job);
  assert_int_equal(job.result.panels, 5);
  assert_string_equal(job.result.title[0], "Learned (untrained)");
  assert_string_equal(job.result.title[1], "Learned, content × content");
  assert_string_equal(job.result.title[2], "Learned, content × position (untrained)");
  assert_string_equal(detail_of(&job, "learned:content-content", METRIC_LOCALITY), "");
  release(&job);
}

static void grid_of_metrics(void **state) {
  struct job job = job_of(*state, "rope,alibi", 8, 20, CONTENT_GAUSSIAN);
  struct table *grid;
  job.request.causal = true;
  job.request.all_heads = true;
  job.request.heads = 2;
  run(&job);
  assert_int_equal(compare_grid(job.result.metrics, &grid, NULL), OK);
  assert_int_equal(table_rows(grid),
                   3 * 7); /* no symmetry, half distance of all draws, negative share or table */
  assert_string_equal(table_text(grid, 0, 0), "RoPE");
  assert_string_equal(table_text(grid, 14, 0), "ALiBi, head 1");
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
  assert_string_equal(job.result.title[0], "ALiBi, head 0");
  assert_string_equal(job.result.panel[0]->value_label, "difference from None");
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
  assert_int_equal(job.result.panels, 1);
  static const double none[LENGTH * LENGTH]; /* so that the analyser sees cells */
  const double *cells = job.result.panel ? job.result.panel[0]->cells : none;
  double locality = 0;
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const double a = cosine_sum_of(job.spectrum, m - n) / (DIM / 2.0 * LENGTH);
      assert_near(cells[m * LENGTH + n], a, 1e-15);
      locality += a * exp2(-abs(m - n)) / LENGTH;
    }
  assert_near(value_of(&job, "rope", METRIC_LOCALITY), locality, 1e-14);
  assert_near(value_of(&job, "rope", METRIC_TRANSLATION_INVARIANCE), 1, 1e-12);
  release(&job);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_add_up),
      cmocka_unit_test(terms_behind_norms_add_up),
      cmocka_unit_test(projections_of_another_width),
      cmocka_unit_test(edge_of_a_table),
      cmocka_unit_test(grid_of_metrics),
      cmocka_unit_test(untrained_terms),
      cmocka_unit_test(differences_to_a_reference),
      cmocka_unit_test(linear_attention),
      cmocka_unit_test(linear_attention_of_ones),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
