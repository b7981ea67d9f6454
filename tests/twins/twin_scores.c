/* Scores and weights reduced to cells, against the full map of the oracle. */
#include "tests/twins/twins.h"

#include "kernels/score_mask.h"
#include "tests/oracle/oracle.h"

/* What a case varies; the bits of `what` say which terms are there. */
enum { ROTATED = 1, CONTENT = 2, ADDED = 4 };

/* Nothing, a slope, a window beyond which all is masked, distances that are masked here and there.
 */
enum bias_kind { NO_BIAS, SLOPE, WINDOW, GAPS };

struct variant {
  int what;
  bool causal, softmax, single;
  enum reduction reduction;
  enum layout layout;
  enum bias_kind bias;
};

struct shape {
  size_t batch, length, dim, pairs, rows, columns;
};

struct arrays {
  double *query, *key, *query_add, *key_add;
  double *bias; /* zeros, until a kind is put there */
};

static struct arrays arrays_of(const struct shape *shape, uint64_t seed) {
  const size_t rows = shape->length * shape->dim;
  return (struct arrays){random_array(shape->batch * rows, seed),
                         random_array(shape->batch * rows, seed + 1), random_array(rows, seed + 2),
                         random_array(rows, seed + 3),
                         calloc(2 * shape->length - 1, sizeof(double))};
}

static void arrays_free(struct arrays *arrays) {
  free(arrays->query);
  free(arrays->key);
  free(arrays->query_add);
  free(arrays->key_add);
  free(arrays->bias);
}

static void fill_bias(double *bias, size_t length, enum bias_kind kind) {
  for (size_t i = 0; i < 2 * length - 1; i++) {
    const double t = (double)i - (double)(length - 1);
    bias[i] = t < 0 ? 0.5 * t : -0.25 * t;
    if ((kind == WINDOW && fabs(t) > (double)length / 3) || (kind == GAPS && i % 5 == 1))
      bias[i] = -INFINITY;
  }
}

static struct score_batch batch_of(const struct shape *shape, const struct variant *variant,
                                   const struct arrays *arrays, const struct phases *phases,
                                   double *cells) {
  const bool content = variant->what & CONTENT, added = variant->what & ADDED;
  if (variant->bias) fill_bias(arrays->bias, shape->length, variant->bias);
  return (struct score_batch){
      .batch = shape->batch,
      .length = shape->length,
      .dim = shape->dim,
      .query = content ? arrays->query : NULL,
      .key = content ? arrays->key : NULL,
      .rotation = variant->what & ROTATED ? phases : NULL,
      .layout = variant->layout,
      .amplitude = 1.1,
      .query_add = added ? arrays->query_add : NULL,
      .key_add = added ? arrays->key_add : NULL,
      .bias = variant->bias ? arrays->bias : NULL,
      .causal = variant->causal,
      .single = variant->single,
      .softmax = variant->softmax,
      .scale = 2.5,
      .tiles = {shape->rows, shape->columns, variant->reduction, cells},
  };
}

static void check_cells(size_t which, const struct score_batch *batch, const long double *map,
                        const double *cells) {
  const bool linear = score_tiles_linear(batch);
  struct score_batch accurate = *batch;
  if (linear) accurate.single = false; /* these are in double always */
  const size_t rows = batch->tiles.rows, columns = batch->tiles.columns;
  const double weight = oracle_weight_error(batch);
  double score = oracle_score_error(&accurate);
  if (which == 1 && accurate.single) score += 2 * 0x1p-24 * oracle_largest_bias(batch);
  double *expected = calloc(rows * columns, sizeof *expected);
  oracle_reduce(map, batch->length, batch->causal, &batch->tiles, expected);
  static const char *const labels[2][2] = {{"scores", "scores single"},
                                           {"scores softmax", "scores softmax single"}};
  const char *label = linear ? "scores mean" : labels[batch->softmax][batch->single];
  for (size_t i = 0; i < rows * columns; i++)
    twins_compare(label, which, cells[i], expected[i],
                  batch->softmax ? weight * fabs(expected[i]) + (batch->single ? 0x1p-126 : 0)
                                 : score);
  free(expected);
}

static void compare(const struct shape *shape, const struct variant *variant) {
  if (!shape->batch || !shape->length || !shape->dim || shape->length + shape->dim > 1000) {
    fail_msg("a shape of nothing, or of too much");
    return;
  }
  struct arrays arrays = arrays_of(shape, 17 + shape->length);
  struct phases phases = phases_of(shape->pairs, 10000, PRECISION_FP64);
  const size_t count = shape->rows * shape->columns;
  struct score_batch batch = batch_of(shape, variant, &arrays, &phases, NULL);
  long double *map = oracle_score_map(&batch);
  for (size_t t = 0; t < TWINS; t++) {
    batch.tiles.cells = guarded_array(count);
    assert_done(backend_scores(twin[t], &batch, &error));
    check_cells(t, &batch, map, batch.tiles.cells);
    guarded_finish(batch.tiles.cells, count);
  }
  free(map);
  arrays_free(&arrays);
  phases_free(&phases);
}

/* Lengths of one and more tiles of the device, and none that is a multiple; cells of one score, of
   some, of more than a tile, whose edges no tile shares. */
static const struct shape shapes[] = {
    {1, 1, 2, 1, 1, 1},    {1, 2, 3, 1, 2, 2},     {2, 7, 8, 4, 7, 7},
    {3, 33, 6, 2, 33, 33}, {1, 50, 10, 5, 1, 1},   {2, 65, 16, 8, 13, 5},
    {1, 129, 5, 2, 3, 64}, {1, 150, 9, 4, 149, 2}, {1, 210, 8, 4, 11, 7}};

static void compare_all(size_t first, size_t end) {
  for (size_t s = first; s < end; s++)
    for (int bits = 0; bits < 24; bits++) {
      if (twins_brief() && ((size_t)bits + s) % 3) continue;
      const struct variant variant = {.what = ROTATED | CONTENT,
                                      .causal = bits & 1,
                                      .softmax = bits & 2,
                                      .single = bits & 4,
                                      .layout = s % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED,
                                      .reduction = (enum reduction)(bits / 8)};
      compare(&shapes[s], &variant);
    }
}

static void twins_of_the_oracle(void **state) {
  (void)state;
  compare_all(0, COUNT_OF(shapes));
}

static void terms_may_be_absent(void **state) {
  (void)state;
  const struct shape shape = {2, 19, 6, 2, 6, 6};
  for (int what = 0; what < 8; what++)
    for (int bits = 0; bits < 12; bits++) {
      const struct variant variant = {.what = what,
                                      .causal = bits & 1,
                                      .softmax = bits & 2,
                                      .reduction = (enum reduction)(bits / 4)};
      compare(&shape, &variant);
    }
}

static void biases(void **state) {
  (void)state;
  static const size_t tried[] = {1, 2, 5, 6, 7};
  for (size_t s = 0; s < COUNT_OF(tried); s++)
    for (int bits = 0; bits < 72; bits++) {
      if (((size_t)bits + s) % (twins_brief() ? 7 : 2)) continue;
      const struct variant variant = {.what = ROTATED | CONTENT,
                                      .causal = bits / 3 & 1,
                                      .softmax = bits / 3 & 2,
                                      .single = bits / 3 & 4,
                                      .reduction = (enum reduction)(bits / 24),
                                      .bias = (enum bias_kind)(SLOPE + bits % 3)};
      compare(&shapes[tried[s]], &variant);
    }
}

/* A device with room for the vectors and for some rows of tiles, and a grid of some blocks. */
static void small_devices(void **state) {
  (void)state;
  twins_limit(500000, 3);
  compare_all(7, 8);
  twins_limit(0, 0);
}

/* However it is cut, the device makes the same bits. */
static void cuts_do_not_matter(void **state) {
  (void)state;
  const struct shape shape = {1, 170, 8, 4, 23, 9};
  struct arrays arrays = arrays_of(&shape, 5);
  struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
  double whole[23 * 9], cut[23 * 9];
  for (int bits = 0; bits < 12; bits++) {
    const struct variant variant = {.what = ROTATED | CONTENT,
                                    .causal = bits & 1,
                                    .softmax = bits & 2,
                                    .single = bits & 1,
                                    .reduction = (enum reduction)(bits / 4)};
    struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, whole);
    assert_done(backend_scores(twin[1], &batch, &error));
    twins_limit(0, 1);
    batch.tiles.cells = cut;
    assert_done(backend_scores(twin[1], &batch, &error));
    twins_limit(0, 0);
    assert_memory_equal(whole, cut, sizeof whole);
  }
  arrays_free(&arrays);
  phases_free(&phases);
}

/* One NaN shows in every cell that it takes part in, and in no other. */
static void not_a_number_is_never_lost(void **state) {
  (void)state;
  const struct shape shape = {2, 40, 6, 3, 4, 4};
  for (int bits = 0; bits < 48; bits++) {
    const bool in_key = bits & 8;
    const struct variant variant = {.what = ROTATED | CONTENT,
                                    .causal = bits & 1,
                                    .softmax = bits & 2,
                                    .single = bits & 4,
                                    .reduction = (enum reduction)(bits / 16)};
    struct arrays arrays = arrays_of(&shape, 6);
    struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
    double cells[16];
    (in_key ? arrays.key : arrays.query)[(shape.length + 25) * shape.dim + 1] = NAN;
    const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
    assert_done(backend_scores(twin[1], &batch, &error));
    for (size_t r = 0; r < 4; r++)
      for (size_t c = 0; c < 4; c++) {
        const bool masked = variant.causal && c > r;
        /* With softmax a key spoils all rows that see it. */
        const bool hit = !in_key                              ? r == 2
                         : variant.softmax && !variant.causal ? true
                         : variant.softmax                    ? r >= 2
                                                              : c == 2;
        assert_int_equal(isnan(cells[r * 4 + c]) != 0, masked || hit);
      }
    arrays_free(&arrays);
    phases_free(&phases);
  }
}

/* Scores whose exponentials would overflow any type, and rows that one key takes whole. */
static void large_scores_do_not_overflow(void **state) {
  (void)state;
  const struct shape shape = {1, 70, 4, 2, 70, 70};
  struct arrays arrays = arrays_of(&shape, 8);
  struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
  for (size_t i = 0; i < shape.length * shape.dim; i++)
    arrays.query[i] *= 4000;
  for (int single = 0; single < 2; single++) {
    const struct variant variant = {
        .what = CONTENT, .softmax = true, .single = single, .reduction = REDUCE_MEAN};
    double cells[70 * 70];
    const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
    assert_done(backend_scores(twin[1], &batch, &error));
    for (size_t m = 0; m < 70; m++) {
      double sum = 0;
      for (size_t n = 0; n < 70; n++)
        sum += cells[m * 70 + n];
      twins_compare("scores rows sum to 1", 1, sum, 1, single ? 200 * 0x1p-24 : 200 * 0x1p-53);
    }
  }
  arrays_free(&arrays);
  phases_free(&phases);
}

/* A NaN in the bias, or in a key that the bias masks everywhere but at one query. */
static void not_a_number_in_a_bias(void **state) {
  (void)state;
  const struct shape shape = {2, 40, 6, 3, 40, 40};
  for (int bits = 0; bits < 24; bits++) {
    const struct variant variant = {.what = ROTATED | CONTENT,
                                    .causal = bits & 1,
                                    .softmax = bits & 2,
                                    .single = bits & 4,
                                    .reduction = (enum reduction)(bits / 8),
                                    .bias = SLOPE};
    struct arrays arrays = arrays_of(&shape, 6);
    struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
    double cells[1600];
    const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
    arrays.bias[39 + 3] = NAN;
    assert_done(backend_scores(twin[1], &batch, &error));
    for (size_t m = 0; m < 40; m++)
      for (size_t n = 0; n < 40; n++)
        assert_int_equal(isnan(cells[m * 40 + n]) != 0,
                         (variant.causal && n > m) || (variant.softmax ? m >= 3 : m == n + 3));
    for (size_t i = 0; i < 79; i++)
      arrays.bias[i] = i == 39 ? 0.5 : -INFINITY;
    arrays.key[7 * 6] = NAN;
    assert_done(backend_scores(twin[1], &batch, &error));
    for (size_t m = 0; m < 40; m++)
      for (size_t n = 0; n < 40; n++)
        assert_int_equal(isnan(cells[m * 40 + n]) != 0, m != n || m == 7);
    arrays_free(&arrays);
    phases_free(&phases);
  }
}

static int fill_terms(void *user, const struct score_block *block, double *terms,
                      struct error *why) {
  (void)user;
  (void)why;
  for (size_t r = 0; r < block->rows; r++)
    for (size_t k = 0; k < block->keys; k++)
      terms[r * block->keys + k] = sin((double)(block->row + r) * 0.3 + (double)(block->key + k));
  return OK;
}

/* Terms that the host makes are left to it. */
static void terms_are_left_to_the_host(void **state) {
  (void)state;
  const struct shape shape = {2, 70, 6, 3, 9, 7};
  const struct score_terms terms = {.fill = fill_terms};
  struct arrays arrays = arrays_of(&shape, 6);
  struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
  for (int bits = 0; bits < 6; bits++) {
    const struct variant variant = {
        .what = ROTATED | CONTENT, .softmax = bits & 1, .reduction = (enum reduction)(bits / 2)};
    double cells[TWINS][63];
    struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, NULL);
    batch.terms = &terms;
    for (size_t t = 0; t < TWINS; t++) {
      batch.tiles.cells = cells[t];
      assert_done(backend_scores(twin[t], &batch, &error));
    }
    assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
  }
  arrays_free(&arrays);
  phases_free(&phases);
}

static bool softmax_next, linear_next;
static enum bias_kind bias_next;

static int operation(void) {
  const struct shape shape = {1, 40, 4, 2, 5, 5};
  struct arrays arrays = arrays_of(&shape, 8);
  struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
  const struct variant variant = {.what = ROTATED | CONTENT | ADDED,
                                  .causal = true,
                                  .softmax = softmax_next,
                                  .reduction = linear_next ? REDUCE_MEAN : REDUCE_MAX,
                                  .bias = bias_next};
  double cells[25];
  const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
  const int status = backend_scores(twin[1], &batch, &error);
  arrays_free(&arrays);
  phases_free(&phases);
  return status;
}

static void too_small_a_device(void **state) {
  (void)state;
  twins_limit(4000, 0);
  assert_refused(operation(), ERROR_FAILED, "cannot reduce scores on the GPU: ");
  twins_limit(0, 0);
}

static void failing_calls(void **state) {
  (void)state;
  for (int bits = 0; bits < 6; bits++) {
    softmax_next = bits % 3 == 1;
    linear_next = bits % 3 == 2;
    bias_next = bits < 3 ? NO_BIAS : SLOPE;
    twins_inject(operation);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_oracle),
      cmocka_unit_test(terms_may_be_absent),
      cmocka_unit_test(biases),
      cmocka_unit_test(small_devices),
      cmocka_unit_test(cuts_do_not_matter),
      cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(not_a_number_in_a_bias),
      cmocka_unit_test(terms_are_left_to_the_host),
      cmocka_unit_test(large_scores_do_not_overflow),
      cmocka_unit_test(too_small_a_device),
      cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}
