/* Tiles of scores that depend on the distance alone: against the full map, and against scores. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static struct error error;

struct variant {
  bool causal, softmax;
  enum reduction reduction;
};

static struct variant variant_of(int bits) {
  return (struct variant){bits & 1, bits & 2, (enum reduction)(bits / 4)};
}
enum { VARIANTS = 12 };

static void compare(const struct profile_batch *given, const struct variant *variant,
                    double tolerance) {
  struct profile_batch batch = *given;
  const size_t count = batch.tiles.rows * batch.tiles.columns;
  double *cells = guarded_array(count), *again = guarded_array(count),
         *expected = guarded_array(count);
  batch.causal = variant->causal;
  batch.softmax = variant->softmax;
  batch.tiles.reduction = variant->reduction;
  batch.tiles.cells = cells;
  thread_use(1);
  assert_done(backend_profile_tiles(backend, &batch, &error));
  batch.tiles.cells = again;
  thread_use(2);
  assert_done(backend_profile_tiles(backend, &batch, &error));
  assert_memory_equal(cells, again, count * sizeof *cells);
  long double *map = oracle_profile_map(&batch);
  oracle_reduce(map, batch.length, batch.causal, &batch.tiles, expected);
  char what[160];
  snprintf(what, sizeof what, "%zu to %zu×%zu%s%s, reduction %d", batch.length, batch.tiles.rows,
           batch.tiles.columns, variant->causal ? ", causal" : "",
           variant->softmax ? ", softmax" : "", (int)variant->reduction);
  assert_all_close(cells, expected, count, tolerance, what);
  guarded_finish(cells, count);
  guarded_finish(again, count);
  guarded_finish(expected, count);
  free(map);
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const size_t shapes[][3] = {{1, 1, 1},     {2, 1, 2},     {2, 2, 1},    {5, 5, 5},
                                     {7, 3, 2},     {16, 4, 4},    {33, 10, 10}, {64, 7, 64},
                                     {65, 65, 8},   {100, 1, 1},   {101, 1, 50}, {130, 50, 1},
                                     {150, 97, 97}, {200, 66, 200}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < VARIANTS; bits++) {
      const struct variant variant = variant_of(bits);
      double *profile = random_array(2 * shapes[s][0] - 1, 31 + s);
      const struct profile_batch batch = {.length = shapes[s][0],
                                          .profile = profile,
                                          .scale = 7,
                                          .tiles = {.rows = shapes[s][1], .columns = shapes[s][2]}};
      compare(&batch, &variant, 2e-15);
      free(profile);
    }
}

/* All-ones vectors under RoPE: the same map, once from the distance, once from the vectors. */
static void equals_scores_of_constant_content(void **state) {
  (void)state;
  enum { LENGTH = 75, DIM = 32, TILES = 20 };
  struct phases phases = phases_of(DIM / 2, 10000, PRECISION_FP64);
  double profile[2 * LENGTH - 1], ones[LENGTH * DIM], cells[TILES * TILES], expected[TILES * TILES];
  for (size_t i = 0; i < LENGTH * DIM; i++)
    ones[i] = 1;
  int64_t distance[2 * LENGTH - 1];
  for (int64_t p = 0; p < 2 * LENGTH - 1; p++)
    distance[p] = p - (LENGTH - 1);
  const struct decay_batch decay = {
      .phases = phases, .count = 2 * LENGTH - 1, .distance = distance, .cosine_sum = profile};
  assert_done(backend_decay_bound(backend, &decay, &error));
  for (size_t p = 0; p < 2 * LENGTH - 1; p++)
    profile[p] *= 2; /* q·k = Σ 2 cos tθ */
  for (int bits = 0; bits < VARIANTS; bits++) {
    const struct variant variant = variant_of(bits);
    const struct tiles tiles = {TILES, TILES, variant.reduction, cells};
    struct profile_batch by_distance = {LENGTH,          profile, variant.causal,
                                        variant.softmax, 0.4,     tiles};
    struct score_batch by_vectors = {.batch = 1,
                                     .length = LENGTH,
                                     .dim = DIM,
                                     .query = ones,
                                     .key = ones,
                                     .rotation = &phases,
                                     .amplitude = 1,
                                     .causal = variant.causal,
                                     .softmax = variant.softmax,
                                     .scale = 0.4,
                                     .tiles = tiles};
    by_vectors.tiles.cells = expected;
    assert_done(backend_profile_tiles(backend, &by_distance, &error));
    assert_done(backend_scores(backend, &by_vectors, &error));
    assert_all_close(cells, expected, TILES * TILES, 1e-12, "profile and scores");
  }
  phases_free(&phases);
}

/* A steep profile: rows whose largest scores are thousands apart, where one common maximum would
   leave nothing but zeros and 0/0. */
static void steep_profiles(void **state) {
  (void)state;
  enum { LENGTH = 60 };
  double profile[2 * LENGTH - 1];
  for (int bits = 0; bits < VARIANTS; bits++)
    for (int kind = 0; kind < 3; kind++) {
      const struct variant variant = variant_of(bits);
      for (int p = 0; p < 2 * LENGTH - 1; p++) {
        const int t = p - (LENGTH - 1);
        profile[p] = kind == 0 ? -40.0 * abs(t) : kind == 1 ? 40.0 * t : 40.0 * abs(t % 17);
      }
      const struct profile_batch batch = {
          .length = LENGTH, .profile = profile, .scale = 1, .tiles = {.rows = 13, .columns = 9}};
      compare(&batch, &variant, variant.softmax ? 1e-13 : 1e-11);
    }
}

/* A huge value at one distance must not cost the digits of the others, as a difference of prefix
   sums would. */
static void nothing_cancels(void **state) {
  (void)state;
  enum { LENGTH = 64, TILES = 16 };
  double profile[2 * LENGTH - 1], cells[TILES * TILES];
  for (size_t p = 0; p < 2 * LENGTH - 1; p++)
    profile[p] = 1;
  profile[10] = 1e18; /* distance −53 */
  const struct profile_batch batch = {
      .length = LENGTH, .profile = profile, .tiles = {TILES, TILES, REDUCE_MEAN, cells}};
  assert_done(backend_profile_tiles(backend, &batch, &error));
  for (size_t r = 0; r < TILES; r++)
    for (size_t c = 0; c < TILES;
         c++) /* which tiles hold distance −53: 4(c − r) − 3 .. 4(c − r) + 3 */
      if (4 * c + 3 < 4 * r + 53 || 4 * c > 4 * r + 3 + 53) assert_true(cells[r * TILES + c] == 1);
}

static void not_a_number_is_never_lost(void **state) {
  (void)state;
  enum { LENGTH = 20, TILES = 10 };
  static const int distances[] = {-19, -7, -1, 0, 1, 8, 19};
  for (size_t d = 0; d < COUNT_OF(distances); d++)
    for (int bits = 0; bits < VARIANTS; bits++) {
      const struct variant variant = variant_of(bits);
      double *profile = random_array(2 * LENGTH - 1, 3);
      profile[distances[d] + LENGTH - 1] = NAN;
      const struct profile_batch batch = {.length = LENGTH,
                                          .profile = profile,
                                          .scale = 1,
                                          .tiles = {.rows = TILES, .columns = TILES}};
      compare(&batch, &variant, 1e-14);
      free(profile);
    }
}

/* Distances that a profile excludes by −∞ weigh nothing. */
static void minus_infinity_weighs_nothing(void **state) {
  (void)state;
  enum { LENGTH = 12 };
  double profile[2 * LENGTH - 1], cells[LENGTH * LENGTH];
  for (int p = 0; p < 2 * LENGTH - 1; p++) {
    const int t = p - (LENGTH - 1);
    profile[p] = t < 0 || t > 3 ? -INFINITY : 1;
  }
  const struct profile_batch batch = {.length = LENGTH,
                                      .profile = profile,
                                      .softmax = true,
                                      .scale = 1,
                                      .tiles = {LENGTH, LENGTH, 0, cells}};
  assert_done(backend_profile_tiles(backend, &batch, &error));
  for (int m = 0; m < LENGTH; m++)
    for (int n = 0; n < LENGTH; n++) {
      const int seen = m < 3 ? m + 1 : 4;
      assert_close(cells[m * LENGTH + n], n > m || m - n > 3 ? 0 : 1.0 / seen, 1e-15);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twin_of_the_oracle),
      cmocka_unit_test(equals_scores_of_constant_content),
      cmocka_unit_test(steep_profiles),
      cmocka_unit_test(nothing_cancels),
      cmocka_unit_test(not_a_number_is_never_lost),
      cmocka_unit_test(minus_infinity_weighs_nothing),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
