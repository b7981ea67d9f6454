/* Scores reduced to tiles, against the full map of the oracle. */
#include "kernels/scores.h"
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

/* What a case varies; the bits of `what` say which terms are there. */
enum { ROTATED = 1, CONTENT = 2, ADDED = 4 };

struct variant {
  int what;
  bool causal, softmax, single;
  enum reduction reduction;
  enum layout layout;
};

struct shape {
  size_t batch, length, dim, pairs, rows, columns;
};

struct arrays {
  double *query, *key, *query_add, *key_add;
};

static struct arrays arrays_of(const struct shape *shape, uint64_t seed) {
  const size_t rows = shape->length * shape->dim;
  return (struct arrays){random_array(shape->batch * rows, seed),
                         random_array(shape->batch * rows, seed + 1), random_array(rows, seed + 2),
                         random_array(rows, seed + 3)};
}

static void arrays_free(struct arrays *arrays) {
  free(arrays->query);
  free(arrays->key);
  free(arrays->query_add);
  free(arrays->key_add);
}

static struct score_batch batch_of(const struct shape *shape, const struct variant *variant,
                                   const struct arrays *arrays, const struct phases *phases,
                                   double *cells) {
  const bool content = variant->what & CONTENT, added = variant->what & ADDED;
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
      .causal = variant->causal,
      .single = variant->single,
      .softmax = variant->softmax,
      .scale = 2.5,
      .tiles = {shape->rows, shape->columns, variant->reduction, cells},
  };
}

/* Every cell within the bounds that kernels/backend.h states. */
static void compare_cells(const struct score_batch *batch, const double *cells,
                          const double *expected, const char *what) {
  const bool in_double = batch->tiles.reduction == REDUCE_MEAN && !batch->softmax;
  struct score_batch stated = *batch;
  stated.single = batch->single && !in_double;
  const double score_error = oracle_score_error(&stated),
               weight_error = oracle_weight_error(&stated);
  for (size_t i = 0; i < batch->tiles.rows * batch->tiles.columns; i++) {
    const double tolerance =
        batch->softmax ? weight_error * fabs(expected[i]) + 0x1p-126 : score_error;
    assert_all_close(cells + i, expected + i, 1, tolerance, what);
  }
}

/* Runs one case with 1 and 2 threads, on arrays that start one number off, and compares both with
   the oracle's map. */
static void compare(const struct shape *shape, const struct variant *variant,
                    const long double *map) {
  struct arrays arrays = arrays_of(shape, 17 + shape->length);
  struct phases phases = phases_of(shape->pairs, 10000, PRECISION_FP64);
  const size_t count = shape->rows * shape->columns;
  double *cells = guarded_array(count), *again = guarded_array(count + 1),
         *expected = guarded_array(count);
  struct score_batch batch = batch_of(shape, variant, &arrays, &phases, cells);
  thread_use(1);
  assert_done(backend_scores(backend, &batch, &error));
  const size_t elements = shape->batch * shape->length * shape->dim;
  double *query = malloc((elements + 1) * sizeof *query),
         *key = malloc((elements + 1) * sizeof *key);
  memcpy(query + 1, arrays.query, elements * sizeof *query);
  memcpy(key + 1, arrays.key, elements * sizeof *key);
  batch.query = batch.query ? query + 1 : NULL;
  batch.key = batch.key ? key + 1 : NULL;
  batch.tiles.cells = again + 1;
  again[0] = 0;
  thread_use(2);
  assert_done(backend_scores(backend, &batch, &error));
  assert_memory_equal(cells, again + 1, count * sizeof *cells);
  oracle_reduce(map, shape->length, variant->causal, &batch.tiles, expected);
  char what[160];
  snprintf(what, sizeof what, "%zu×%zu×%zu to %zu×%zu, terms %d%s%s%s, reduction %d, layout %d",
           shape->batch, shape->length, shape->dim, shape->rows, shape->columns, variant->what,
           variant->causal ? ", causal" : "", variant->softmax ? ", softmax" : "",
           variant->single ? ", single" : "", (int)variant->reduction, (int)variant->layout);
  compare_cells(&batch, cells, expected, what);
  guarded_finish(cells, count);
  guarded_finish(again, count + 1);
  guarded_finish(expected, count);
  free(query);
  free(key);
  arrays_free(&arrays);
  phases_free(&phases);
}

static long double *map_of(const struct shape *shape, const struct variant *variant) {
  struct arrays arrays = arrays_of(shape, 17 + shape->length);
  struct phases phases = phases_of(shape->pairs, 10000, PRECISION_FP64);
  const struct score_batch batch = batch_of(shape, variant, &arrays, &phases, NULL);
  long double *map = oracle_score_map(&batch);
  arrays_free(&arrays);
  phases_free(&phases);
  return map;
}

/* Runs a shape in every way: mask, softmax, arithmetic, reduction. */
static void compare_all(const struct shape *shape, int what, enum layout layout) {
  for (int bits = 0; bits < 4; bits++) {
    struct variant variant = {
        .what = what, .causal = bits & 1, .softmax = bits & 2, .layout = layout};
    long double *map = map_of(shape, &variant);
    for (int way = 0; way < 6; way++) {
      variant.single = way & 1;
      variant.reduction = (enum reduction)(way / 2);
      compare(shape, &variant, map);
    }
    free(map);
  }
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const struct shape shapes[] = {
      {1, 1, 2, 1, 1, 1},    {1, 2, 3, 1, 2, 2},     {1, 7, 8, 4, 7, 7},     {2, 16, 4, 2, 5, 5},
      {3, 33, 6, 2, 33, 33}, {1, 50, 10, 5, 1, 1},   {2, 65, 16, 8, 13, 13}, {1, 70, 5, 2, 3, 11},
      {2, 97, 8, 4, 20, 7},  {1, 130, 4, 2, 130, 65}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    compare_all(&shapes[s], ROTATED | CONTENT, s % 2 ? LAYOUT_HALVES : LAYOUT_INTERLEAVED);
}

static void terms_may_be_absent(void **state) {
  (void)state;
  const struct shape shape = {2, 19, 6, 2, 6, 6};
  for (int what = 0; what < 8; what++)
    compare_all(&shape, what, LAYOUT_INTERLEAVED);
}

/* Lengths that no block divides, with more and with fewer rows of tiles than a block has rows. */
static void blocks_do_not_show(void **state) {
  (void)state;
  static const struct shape shapes[] = {{1, 300, 4, 2, 2, 3},    {1, 257, 4, 2, 257, 1},
                                        {2, 193, 4, 2, 150, 40}, {2, 521, 3, 1, 7, 521},
                                        {1, 1031, 2, 1, 1, 5},   {3, 1031, 2, 1, 3, 2}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    compare_all(&shapes[s], ROTATED | CONTENT, LAYOUT_INTERLEAVED);
}

/* Tiles as tall or as wide as the map, where the mask cuts every one of them. */
static void tall_and_wide_tiles(void **state) {
  (void)state;
  static const struct shape shapes[] = {
      {2, 61, 4, 2, 1, 61}, {2, 61, 4, 2, 61, 1}, {1, 64, 4, 2, 3, 40}, {1, 64, 4, 2, 40, 3}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    compare_all(&shapes[s], ROTATED | CONTENT, LAYOUT_HALVES);
}

/* Means of tiles are products of means; here every score is summed instead. */
static void means_the_full_way(void **state) {
  (void)state;
  const struct shape shape = {2, 530, 8, 4, 9, 7};
  for (int causal = 0; causal < 2; causal++) {
    const struct variant variant = {.what = ROTATED | CONTENT | ADDED, .causal = causal};
    struct arrays arrays = arrays_of(&shape, 3);
    struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
    double linear[63], full[63];
    struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, linear);
    assert_done(backend_scores(backend, &batch, &error));
    batch.tiles.cells = full;
    struct score_rows rows;
    struct grid grid;
    assert_done(grid_open(&grid, &batch.tiles, batch.length, &error));
    assert_done(score_rows_open(&rows, &batch, &error));
    const struct score_pass pass = {.rows = &rows, .grid = &grid, .tiles = true};
    assert_done(scores_pass(&pass, &error));
    assert_all_close(full, linear, 63, oracle_score_error(&batch), "means");
    score_rows_close(&rows);
    grid_close(&grid);
    arrays_free(&arrays);
    phases_free(&phases);
  }
}

/* Weights of very different size: those that float cannot hold are 0, the others are right. */
static void small_weights_in_single(void **state) {
  (void)state;
  double query[2] = {1, -1}, key[2] = {0, 100}, cells[4];
  const struct score_batch batch = {.batch = 1,
                                    .length = 2,
                                    .dim = 1,
                                    .query = query,
                                    .key = key,
                                    .single = true,
                                    .softmax = true,
                                    .scale = 0.5,
                                    .tiles = {2, 2, REDUCE_MAX, cells}};
  assert_done(backend_scores(backend, &batch, &error));
  const double small = exp(-50), relative = oracle_weight_error(&batch);
  assert_close(cells[0], small, relative * small);
  assert_close(cells[3], small, relative * small);
  assert_close(cells[1], 1, 0x1p-23);
  assert_close(cells[2], 1, 0x1p-23);
  key[1] = 200;
  assert_done(backend_scores(backend, &batch, &error));
  assert_close(cells[0], 0, 0);
}

/* Rows of softmax weights sum to 1 over what is not masked. */
static void weights_sum_to_one(void **state) {
  (void)state;
  const struct shape shape = {3, 40, 8, 4, 40, 40};
  for (int causal = 0; causal < 2; causal++) {
    const struct variant variant = {
        .what = ROTATED | CONTENT, .causal = causal, .softmax = true, .layout = LAYOUT_HALVES};
    struct arrays arrays = arrays_of(&shape, 4);
    struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
    double cells[1600];
    const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
    assert_done(backend_scores(backend, &batch, &error));
    for (size_t m = 0; m < 40; m++) {
      double sum = 0;
      for (size_t n = 0; n < 40; n++) {
        assert_int_equal(isnan(cells[m * 40 + n]) != 0, causal && n > m);
        if (!isnan(cells[m * 40 + n])) sum += cells[m * 40 + n];
      }
      assert_close(sum, 1, 1e-14);
    }
    arrays_free(&arrays);
    phases_free(&phases);
  }
}

/* Scores far beyond what exp() holds. */
static void large_scores_do_not_overflow(void **state) {
  (void)state;
  double query[3] = {1e4, -1e4, 1}, key[3] = {0, 1, 2}, cells[9];
  const struct score_batch batch = {.batch = 1,
                                    .length = 3,
                                    .dim = 1,
                                    .query = query,
                                    .key = key,
                                    .softmax = true,
                                    .scale = 1,
                                    .tiles = {3, 3, REDUCE_MAX, cells}};
  assert_done(backend_scores(backend, &batch, &error));
  const double e = exp(1), total = 1 + e + e * e;
  const double expected[9] = {0, 0, 1, 1, 0, 0, 1 / total, e / total, e * e / total};
  assert_all_close(cells, expected, 9, 1e-15, "weights");
}

static void signs_of_absmax(void **state) {
  (void)state;
  double query[4] = {1, -1, 1, 1}, key[4] = {3, -3, -5, 2}, cells[4];
  const struct score_batch batch = {.batch = 1,
                                    .length = 4,
                                    .dim = 1,
                                    .query = query,
                                    .key = key,
                                    .tiles = {2, 2, REDUCE_ABSMAX, cells}};
  assert_done(backend_scores(backend, &batch, &error));
  /* Tile (0,0): 3, −3, −3, 3; of equal magnitudes the positive one. (1,1): −5, 2, −5, 2. */
  const double expected[4] = {3, 5, 3, -5};
  assert_all_close(cells, expected, 4, 0, "absmax");
}

/* A NaN in one query or key reaches every cell that it is part of, and no other. */
static void not_a_number_is_never_lost(void **state) {
  (void)state;
  const struct shape shape = {2, 12, 4, 2, 4, 4};
  for (int bits = 0; bits < 48; bits++) {
    const struct variant variant = {.what = ROTATED | CONTENT,
                                    .causal = bits & 1,
                                    .softmax = bits & 2,
                                    .single = bits & 8,
                                    .reduction = (enum reduction)(bits / 16)};
    const bool in_key = bits & 4;
    struct arrays arrays = arrays_of(&shape, 9);
    struct phases phases = phases_of(shape.pairs, 10000, PRECISION_FP64);
    double cells[16];
    (in_key ? arrays.key : arrays.query)[(12 + 7) * 4 + 1] =
        NAN; /* second draw, position 7, tile 2 */
    const struct score_batch batch = batch_of(&shape, &variant, &arrays, &phases, cells);
    assert_done(backend_scores(backend, &batch, &error));
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

/* Both layouts are the same map once the content is permuted. */
static void layouts_agree(void **state) {
  (void)state;
  const struct shape shape = {1, 20, 8, 4, 20, 20};
  struct arrays halves = arrays_of(&shape, 5), interleaved = arrays_of(&shape, 5);
  for (size_t m = 0; m < 20; m++)
    for (size_t i = 0; i < 4; i++) {
      interleaved.query[m * 8 + 2 * i] = halves.query[m * 8 + i];
      interleaved.query[m * 8 + 2 * i + 1] = halves.query[m * 8 + i + 4];
      interleaved.key[m * 8 + 2 * i] = halves.key[m * 8 + i];
      interleaved.key[m * 8 + 2 * i + 1] = halves.key[m * 8 + i + 4];
    }
  struct phases phases = phases_of(4, 10000, PRECISION_FP64);
  double a[400], b[400];
  struct variant variant = {
      .what = ROTATED | CONTENT, .reduction = REDUCE_MAX, .layout = LAYOUT_HALVES};
  struct score_batch batch = batch_of(&shape, &variant, &halves, &phases, a);
  assert_done(backend_scores(backend, &batch, &error));
  variant.layout = LAYOUT_INTERLEAVED;
  batch = batch_of(&shape, &variant, &interleaved, &phases, b);
  assert_done(backend_scores(backend, &batch, &error));
  assert_all_close(a, b, 400, 1e-14, "layouts");
  arrays_free(&halves);
  arrays_free(&interleaved);
  phases_free(&phases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twin_of_the_oracle),           cmocka_unit_test(terms_may_be_absent),
      cmocka_unit_test(blocks_do_not_show),           cmocka_unit_test(weights_sum_to_one),
      cmocka_unit_test(large_scores_do_not_overflow), cmocka_unit_test(signs_of_absmax),
      cmocka_unit_test(not_a_number_is_never_lost),   cmocka_unit_test(layouts_agree),
      cmocka_unit_test(tall_and_wide_tiles),          cmocka_unit_test(means_the_full_way),
      cmocka_unit_test(small_weights_in_single),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
