/* Scores and softmax weights of lib/analysis/map.h. */
#include "tests/unit/maps.h"

#include "lib/base/thread.h"

/* RoPE with all-ones vectors: 2·B_{m−n} at every cell, by distance. */
static void rope_ones_is_twice_the_cosine_sum(void **state) {
  enum { LENGTH = 96 };
  struct spectrum *spectrum = plain_spectrum(128, 10000);
  struct map_request request = request_of("scores", "rope", spectrum, LENGTH);
  for (int causal = 0; causal < 2; causal++) {
    request.causal = causal;
    struct matrix *matrix = run(*state, &request);
    assert_int_equal(matrix->rows, LENGTH);
    assert_int_equal(matrix->columns, LENGTH);
    for (int64_t m = 0; m < LENGTH; m++)
      for (int64_t n = 0; n < LENGTH; n++) {
        const double value = cell(matrix, (size_t)m, (size_t)n);
        if (causal && n > m)
          assert_true(isnan(value));
        else
          assert_near(value, 2 * cosine_sum_of(spectrum, m - n), 1e-12 * 128);
      }
    assert_string_equal(meta_text(matrix->meta, "method"), "by distance");
    assert_int_equal(matrix->range, MATRIX_SEQUENTIAL);
    matrix_destroy(matrix);
  }
  spectrum_destroy(spectrum);
}

static void partial_rotation_and_attention_factor(void **state) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = 80;
  spec.rotary_dim = 32;
  struct spectrum *spectrum = spectrum_of(&spec);
  spectrum->attention_factor = 1.5;
  const struct map_request request = request_of("scores", "rope", spectrum, 20);
  struct matrix *matrix = run(*state, &request);
  for (int64_t m = 0; m < 20; m++)
    for (int64_t n = 0; n < 20; n++)
      assert_near(cell(matrix, (size_t)m, (size_t)n),
                  2 * 2.25 * cosine_sum_of(spectrum, m - n) + 48, 1e-11);
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
}

static void sinusoidal_zero_is_the_cosine_sum(void **state) {
  enum { LENGTH = 70 };
  struct spectrum *spectrum = plain_spectrum(64, 10000);
  struct map_request request = request_of("scores", "sinusoidal", spectrum, LENGTH);
  request.content.kind = CONTENT_ZERO;
  struct matrix *matrix = run(*state, &request);
  for (int64_t m = 0; m < LENGTH; m++)
    for (int64_t n = 0; n < LENGTH; n++)
      assert_near(cell(matrix, (size_t)m, (size_t)n), cosine_sum_of(spectrum, m - n), 1e-12 * 64);
  assert_string_equal(meta_text(matrix->meta, "method"), "by distance");
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
}

enum { BRUTE_LENGTH = 37, BRUTE_DIM = 16 };

/* Scores before the softmax of one draw, from vectors with their positions applied one by one. */
static void brute_scores(const struct map_request *request, const double *query, const double *key,
                         double score[BRUTE_LENGTH][BRUTE_LENGTH]) {
  const struct spectrum *spectrum = request->spectrum;
  double x[2][BRUTE_LENGTH][BRUTE_DIM];
  for (int side = 0; side < 2; side++)
    for (int64_t m = 0; m < BRUTE_LENGTH; m++)
      for (size_t i = 0; i < spectrum->pairs; i++) {
        const double *in = (side ? key : query) + m * BRUTE_DIM;
        double cosine, sine;
        phase_cos_sin_rounded(spectrum->spec.precision, spectrum->step[i],
                              spectrum->inv_freq_double[i], m, &cosine, &sine);
        if (request->encoding->kind == ENCODING_ROTATES) {
          const size_t a = layout_first(spectrum->spec.layout, i);
          const size_t b = layout_second(spectrum->spec.layout, i, spectrum->pairs);
          x[side][m][a] = in[a] * cosine - in[b] * sine;
          x[side][m][b] = in[a] * sine + in[b] * cosine;
        } else {
          x[side][m][2 * i] = in[2 * i] + sine;
          x[side][m][2 * i + 1] = in[2 * i + 1] + cosine;
        }
      }
  for (int m = 0; m < BRUTE_LENGTH; m++)
    for (int n = 0; n < BRUTE_LENGTH; n++) {
      score[m][n] = 0;
      for (int i = 0; i < BRUTE_DIM; i++)
        score[m][n] += x[0][m][i] * x[1][n][i];
    }
}

static void brute_softmax(double row[BRUTE_LENGTH], int keys, double scale) {
  double sum = 0;
  for (int n = 0; n < keys; n++)
    sum += row[n] = exp(scale * row[n]);
  for (int n = 0; n < keys; n++)
    row[n] /= sum;
}

/* Reduces to request->cells tiles an axis as the header says. */
static void check_tiles(const struct matrix *matrix, const struct map_request *request,
                        enum reduction reduction, double map[BRUTE_LENGTH][BRUTE_LENGTH]) {
  const size_t cells = request->cells < BRUTE_LENGTH ? request->cells : BRUTE_LENGTH;
  assert_int_equal(matrix->rows, cells);
  assert_int_equal(matrix->columns, cells);
  for (size_t r = 0; r < cells; r++)
    for (size_t c = 0; c < cells; c++) {
      double sum = 0, max = -INFINITY, absmax = 0;
      size_t count = 0;
      for (size_t m = r * BRUTE_LENGTH / cells; m < (r + 1) * BRUTE_LENGTH / cells; m++)
        for (size_t n = c * BRUTE_LENGTH / cells; n < (c + 1) * BRUTE_LENGTH / cells; n++) {
          if (request->causal && n > m) continue;
          sum += map[m][n];
          max = fmax(max, map[m][n]);
          if (fabs(map[m][n]) > fabs(absmax)) absmax = map[m][n];
          count++;
        }
      const double value = cell(matrix, r, c);
      if (!count)
        assert_true(isnan(value));
      else
        assert_near(value,
                    reduction == REDUCE_MEAN  ? sum / (double)count
                    : reduction == REDUCE_MAX ? max
                                              : absmax,
                    1e-12 * BRUTE_DIM);
    }
}

/* One request against loops written out. */
static void check_attention(struct backend *backend, const struct map_request *request,
                            bool softmax) {
  enum { ROOM = 4 * BRUTE_LENGTH * BRUTE_DIM };
  static double query[ROOM], key[ROOM];
  double map[BRUTE_LENGTH][BRUTE_LENGTH] = {{0}}, score[BRUTE_LENGTH][BRUTE_LENGTH];
  const size_t draws = request->batch;
  assert_true(draws <= 4);
  const struct content_batch batch = {.content = request->content,
                                      .seed = request->seed,
                                      .rows = draws * BRUTE_LENGTH,
                                      .dim = BRUTE_DIM,
                                      .query = query,
                                      .key = key};
  assert_int_equal(content_fill(backend, &batch, NULL), OK);
  for (size_t b = 0; b < draws; b++) {
    const size_t first = b * BRUTE_LENGTH * BRUTE_DIM;
    brute_scores(request, query + first, key + first, score);
    for (int m = 0; m < BRUTE_LENGTH; m++) {
      const int keys = request->causal ? m + 1 : BRUTE_LENGTH;
      if (softmax)
        brute_softmax(score[m], keys, request->spectrum->softmax_factor / sqrt(BRUTE_DIM));
      for (int n = 0; n < keys; n++)
        map[m][n] += score[m][n] / (double)draws;
    }
  }
  struct matrix *matrix = run(backend, request);
  const enum reduction reduction = request->reduction >= 0 ? (enum reduction)request->reduction
                                   : softmax               ? REDUCE_MAX
                                                           : REDUCE_MEAN;
  check_tiles(matrix, request, reduction, map);
  matrix_destroy(matrix);
}

/* Every encoding × content × softmax × mask × reduction × number of cells, both layouts and two
   formats: the way by distance and the way one by one give what plain loops give. */
static void attention_equals_plain_loops(void **state) {
  static const size_t cells[] = {1024, BRUTE_LENGTH, 10, 1};
  for (int variant = 0; variant < 4; variant++) {
    struct rope_spec spec;
    spec_default(&spec);
    spec.head_dim = spec.rotary_dim = BRUTE_DIM;
    spec.layout = variant & 1 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED;
    spec.precision = variant & 2 ? PRECISION_BF16 : PRECISION_FP64;
    struct spectrum *spectrum = spectrum_of(&spec);
    spectrum->softmax_factor = 1.3;
    for (unsigned choice = 0; choice < 2 * 4 * 2 * 2 * 4 * 4; choice++) {
      const bool rope = choice & 1, softmax = choice & 8;
      struct map_request request = request_of(softmax ? "softmax" : "scores",
                                              rope ? "rope" : "sinusoidal", spectrum, BRUTE_LENGTH);
      request.content = contents[choice >> 1 & 3];
      if (rope && request.content.kind == CONTENT_ZERO) continue;
      request.causal = choice & 16;
      request.reduction = (int)(choice >> 5 & 3) - 1;
      request.cells = cells[choice >> 7 & 3];
      request.batch = 3;
      check_attention(*state, &request, softmax);
    }
    spectrum_destroy(spectrum);
  }
}

/* q and k independent: score of variance d at every cell. Over the map of one draw cells of a row
   share their query, so the mean of products q_m k_n is the product of two means: variance d/L². */
static void gaussian_scores_have_their_moments(void **state) {
  enum { LENGTH = 64, DIM = 32, BATCH = 4 };
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct map_request request = request_of("scores", "rope", spectrum, LENGTH);
  request.content.kind = CONTENT_GAUSSIAN;
  struct matrix *one = run(*state, &request);
  request.batch = BATCH;
  struct matrix *many = run(*state, &request);
  double square[2] = {0, 0};
  for (size_t i = 0; i < LENGTH * LENGTH; i++) {
    square[0] += one->cells[i] * one->cells[i] / (LENGTH * LENGTH);
    square[1] += many->cells[i] * many->cells[i] / (LENGTH * LENGTH);
  }
  assert_near(square[0] / DIM, 1, 0.25);
  assert_near(square[1] / DIM * BATCH, 1, 0.25);
  assert_int_equal(one->range, MATRIX_DIVERGING);
  assert_near(meta_real(many->meta, "seed", NAN), 1, 0);
  assert_near(meta_real(many->meta, "batch", NAN), BATCH, 0);
  assert_string_equal(meta_text(many->meta, "statistic"), "score, mean of 4 draws");
  request.batch = 1;
  request.seed = 2;
  struct matrix *other = run(*state, &request);
  assert_memory_not_equal(other->cells, one->cells, LENGTH * LENGTH * sizeof(double));
  matrix_destroy(one);
  matrix_destroy(many);
  matrix_destroy(other);
  spectrum_destroy(spectrum);
}

/* In bf16 the same distance has other scores at other positions. */
static void rounding_breaks_the_relative_property(void **state) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.precision = PRECISION_BF16;
  struct spectrum *spectrum = spectrum_of(&spec);
  const struct map_request request = request_of("scores", "rope", spectrum, 300);
  struct matrix *matrix = run(*state, &request);
  assert_string_equal(meta_text(matrix->meta, "method"), "one by one");
  assert_true(fabs(cell(matrix, 257, 250) - cell(matrix, 7, 0)) > 0.01);
  matrix_destroy(matrix);
  spectrum_destroy(spectrum);
}

/* Equal vectors under biases: by distance, and the bias is not scaled. ALiBi's head 1 of 8 has
   slope 1/4. */
static void biases_by_distance(void **state) {
  enum { LENGTH = 40, DIM = 16 };
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  for (int variant = 0; variant < 8; variant++) {
    const bool softmax = variant & 1, causal = variant & 2, zero = variant & 4;
    struct map_request request =
        request_of(softmax ? "softmax" : "scores", "alibi", spectrum, LENGTH);
    request.causal = causal;
    request.content.kind = zero ? CONTENT_ZERO : CONTENT_ONES;
    request.head = 1;
    struct matrix *matrix = run(*state, &request);
    assert_string_equal(meta_text(matrix->meta, "method"), "by distance");
    assert_near(meta_real(matrix->meta, "heads", NAN), 8, 0);
    assert_near(meta_real(matrix->meta, "head", NAN), 1, 0);
    for (size_t m = 0; m < LENGTH; m++) {
      const size_t keys = causal ? m + 1 : LENGTH;
      double row[LENGTH], sum = 0;
      for (size_t n = 0; n < keys; n++) {
        row[n] = -0.25 * fabs((double)m - (double)n);
        sum += exp(row[n]); /* the products are all the same */
      }
      for (size_t n = 0; n < LENGTH; n++)
        if (n >= keys)
          assert_true(isnan(cell(matrix, m, n)));
        else
          assert_near(cell(matrix, m, n), softmax ? exp(row[n]) / sum : row[n] + (zero ? 0 : DIM),
                      1e-14 * DIM);
    }
    matrix_destroy(matrix);
  }
  spectrum_destroy(spectrum);
}

/* Random contents under ALiBi and FIRE: a product that is scaled, and what is added behind that. */
static void biases_one_by_one(void **state) {
  enum { LENGTH = 30, DIM = 16 };
  double query[LENGTH * DIM], key[LENGTH * DIM], bias[2][LENGTH * LENGTH];
  struct spectrum *spectrum = plain_spectrum(DIM, 10000);
  struct encoding_values *values = values_of((const char *[]){"fire=random:1", NULL});
  for (int e = 0; e < 2; e++) {
    struct map_request request = request_of("scores", e ? "fire" : "alibi", spectrum, LENGTH);
    request.values = values;
    request.content.kind = CONTENT_ZERO;
    struct matrix *matrix = run(*state, &request);
    memcpy(bias[e], matrix->cells, sizeof bias[e]);
    assert_string_equal(matrix->value_label, e ? "score (untrained)" : "score");
    matrix_destroy(matrix);
    request.content.kind = CONTENT_GAUSSIAN;
    request.kind = kind_of("softmax");
    matrix = run(*state, &request);
    const struct content_batch batch = {.content = request.content,
                                        .seed = request.seed,
                                        .rows = LENGTH,
                                        .dim = DIM,
                                        .query = query,
                                        .key = key};
    assert_int_equal(content_fill(*state, &batch, NULL), OK);
    for (int m = 0; m < LENGTH; m++) {
      double row[LENGTH], sum = 0;
      for (int n = 0; n < LENGTH; n++)
        sum += row[n] =
            exp(product_of(query + m * DIM, key + n * DIM, DIM) / 4 + bias[e][m * LENGTH + n]);
      for (int n = 0; n < LENGTH; n++)
        assert_near(cell(matrix, (size_t)m, (size_t)n), row[n] / sum, 1e-13);
    }
    matrix_destroy(matrix);
  }
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

/* Content zero is refused where it would leave nothing, and there alone. */
static void zero_where_positions_stand_alone(void **state) {
  double row[64 * 16] = {0};
  struct position_table table = {.row = row, .positions = 64, .width = 16, .name = "wpe"};
  struct spectrum *spectrum = plain_spectrum(16, 10000);
  struct encoding_values *values = values_of(
      (const char *[]){"t5=random:1", "kerple=random:1", "shaw=random:1", "transformer-xl=random:1",
                       "deberta=random:1", "fire=random:1", NULL});
  const struct encoding *encoding;
  for (size_t i = 0; (encoding = encoding_at(i)); i++) {
    static const char *const nothing[] = {"rope", "none", "shaw", "deberta", "xpos"};
    bool alone = true;
    for (size_t n = 0; n < 5; n++)
      alone &= strcmp(encoding->name, nothing[n]) != 0;
    struct map_request request = request_of("softmax", encoding->name, spectrum, 20);
    request.values = values;
    request.learned = &table;
    struct matrix *matrix = run(*state, &request);
    matrix_destroy(matrix);
    request.content.kind = CONTENT_ZERO;
    struct error error;
    assert_int_equal(map_run(*state, &request, &matrix, &error), alone ? OK : ERROR_INPUT);
    if (!alone) assert_message(error, "which has no term of positions alone");
    matrix_destroy(matrix);
  }
  encoding_values_destroy(values);
  spectrum_destroy(spectrum);
}

static int open_maps(void **state) {
  *state = open_cpu();
  thread_use(1); /* hundreds of small maps: threads would only wait for each other */
  return 0;
}

static int close_maps(void **state) {
  backend_close(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rope_ones_is_twice_the_cosine_sum),
      cmocka_unit_test(partial_rotation_and_attention_factor),
      cmocka_unit_test(sinusoidal_zero_is_the_cosine_sum),
      cmocka_unit_test(attention_equals_plain_loops),
      cmocka_unit_test(gaussian_scores_have_their_moments),
      cmocka_unit_test(rounding_breaks_the_relative_property),
      cmocka_unit_test(biases_by_distance),
      cmocka_unit_test(biases_one_by_one),
      cmocka_unit_test(zero_where_positions_stand_alone),
  };
  return cmocka_run_group_tests(tests, open_maps, close_maps);
}
