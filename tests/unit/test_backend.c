/* The door of kernels/backend.h: devices, and what is refused before any device sees it. */
#include "tests/oracle/cpu_backend.h"

static struct error error;

static const uint64_t steps[2] = {1, 2};
static const double frequencies[2] = {1, 0.5}, vectors[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int64_t positions[2] = {0, 1};
static double output[8];

static const struct phases good_phases = {
    .series = 1, .pairs = 2, .step = steps, .inv_freq = frequencies};
static const struct tiles good_tiles = {
    .rows = 2, .columns = 2, .reduction = REDUCE_MEAN, .cells = output};

static void devices(void **state) {
  (void)state;
  struct backend *opened;
  assert_done(backend_open("cpu", &opened, &error));
  assert_string_equal(backend_name(opened), "cpu");
  backend_close(opened);
  assert_done(backend_open("auto", &opened, &error));
  assert_non_null(backend_name(opened));
  backend_close(opened);
  backend_close(NULL);
  assert_refused(backend_open("gpu\n", &opened, &error), ERROR_INPUT, "unknown device 'gpu\\x0a'");
  assert_null(opened);
  assert_refused(backend_open("", &opened, &error), ERROR_INPUT, "auto, cpu or cuda");
  assert_refused(backend_open("cuda", &opened, &error), ERROR_FAILED, "no CUDA device");
  assert_null(opened);
}

static void two_handles(void **state) {
  (void)state;
  struct backend *second;
  assert_done(backend_open("cpu", &second, &error));
  backend_close(second);
  const struct gaussian_batch batch = {.count = 8, .output = output};
  assert_done(backend_gaussian(backend, &batch, &error));
}

static void bad_phases(void **state) {
  (void)state;
  struct decay_batch batch = {
      .phases = good_phases, .count = 2, .distance = positions, .bound = output};
  assert_done(backend_decay_bound(backend, &batch, &error));
  batch.phases.series = 0;
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED, "'series' is 0");
  batch.phases = good_phases;
  batch.phases.pairs = 0;
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED, "'pairs' is 0");
  batch.phases = good_phases;
  batch.phases.precision = (enum precision)PRECISION_COUNT;
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED, "'precision' is 5");
  batch.phases = good_phases;
  batch.phases.step = NULL;
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED, "'step' is missing");
  batch.phases = good_phases;
  batch.phases.inv_freq = NULL; /* only rounding needs it */
  assert_done(backend_decay_bound(backend, &batch, &error));
  batch.phases.precision = PRECISION_BF16;
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED,
                 "'inv_freq' is missing");
}

static void bad_decay(void **state) {
  (void)state;
  struct decay_batch batch = {.phases = good_phases, .count = 2, .bound = output};
  assert_refused(backend_decay_bound(backend, &batch, &error), ERROR_FAILED,
                 "'distance' is missing");
  batch.count = 0;
  assert_done(backend_decay_bound(backend, &batch, &error));
  batch = (struct decay_batch){.phases = good_phases, .count = 2, .distance = positions};
  assert_done(backend_decay_bound(backend, &batch, &error)); /* nothing wanted */
}

static void bad_phase_map(void **state) {
  (void)state;
  const struct phase_map_batch good = {.phases = good_phases,
                                       .quantity = PHASE_SINE,
                                       .rows = 2,
                                       .position = positions,
                                       .output = output};
  struct phase_map_batch batch = good;
  assert_done(backend_phase_map(backend, &batch, &error));
  batch.phases.series = 2;
  assert_refused(backend_phase_map(backend, &batch, &error), ERROR_FAILED, "'series' is 2");
  batch = good;
  batch.quantity = (enum phase_quantity)3;
  assert_refused(backend_phase_map(backend, &batch, &error), ERROR_FAILED, "'quantity' is 3");
  batch = good;
  batch.position = NULL;
  assert_refused(backend_phase_map(backend, &batch, &error), ERROR_FAILED, "'position' is missing");
  batch = good;
  batch.output = NULL;
  assert_refused(backend_phase_map(backend, &batch, &error), ERROR_FAILED, "'output' is missing");
  batch.rows = 0;
  assert_done(backend_phase_map(backend, &batch, &error));
}

static void bad_rotate(void **state) {
  (void)state;
  const struct rotate_batch good = {.phases = good_phases,
                                    .amplitude = 1,
                                    .batch = 1,
                                    .length = 2,
                                    .heads = 1,
                                    .dim = 4,
                                    .position = positions,
                                    .input = vectors,
                                    .output = output};
  struct rotate_batch batch = good;
  assert_done(backend_rotate(backend, &batch, &error));
  batch.dim = 3;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED,
                 "into 3 dimensions, at most 1");
  batch = good;
  batch.layout = (enum layout)2;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "'layout' is 2");
  batch = good;
  batch.storage = STORAGE_I32;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "'storage' is 5");
  batch = good;
  batch.batch = batch.length = (size_t)1 << 31;
  batch.heads = 1 << 4;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "over 2^64 bytes");
  batch = good;
  batch.position = NULL;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "'position' is missing");
  batch = good;
  batch.input = NULL;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "'input' is missing");
  batch = good;
  batch.output = NULL;
  assert_refused(backend_rotate(backend, &batch, &error), ERROR_FAILED, "'output' is missing");
  batch.length = 0;
  assert_done(backend_rotate(backend, &batch, &error));
}

static void bad_gaussian(void **state) {
  (void)state;
  struct gaussian_batch batch = {.first = UINT64_MAX - 3, .count = 4, .output = output};
  assert_refused(backend_gaussian(backend, &batch, &error), ERROR_FAILED, "over 2^64");
  batch = (struct gaussian_batch){.count = 4};
  assert_refused(backend_gaussian(backend, &batch, &error), ERROR_FAILED, "'output' is missing");
  batch.count = 0;
  assert_done(backend_gaussian(backend, &batch, &error));
}

static void bad_scores(void **state) {
  (void)state;
  const struct score_batch good = {.batch = 1,
                                   .length = 2,
                                   .dim = 4,
                                   .query = vectors,
                                   .key = vectors,
                                   .rotation = &good_phases,
                                   .amplitude = 1,
                                   .scale = 1,
                                   .tiles = good_tiles};
  struct score_batch batch = good;
  assert_done(backend_scores(backend, &batch, &error));
  batch.batch = 0;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'batch' is 0");
  batch = good;
  batch.dim = 0;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'dim' is 0");
  batch = good;
  batch.dim = 3;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "into 3 dimensions");
  batch = good;
  batch.length = 0;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'length' is 0");
  batch.length = (size_t)1 << 31;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'length' is 2147483648");
  batch = good;
  batch.layout = (enum layout)7;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'layout' is 7");
  const struct phases two = {.series = 2, .pairs = 1, .step = steps};
  batch = good;
  batch.rotation = &two;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'series' is 2");
  batch = good;
  batch.softmax = true;
  batch.scale = NAN;
  assert_refused(backend_scores(backend, &batch, &error), ERROR_FAILED, "'scale' is nan");
}

static void bad_tiles(void **state) {
  (void)state;
  const struct profile_batch good = {.length = 2, .profile = vectors, .tiles = good_tiles};
  struct profile_batch batch = good;
  assert_done(backend_profile_tiles(backend, &batch, &error));
  batch.length = 0;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "'length' is 0");
  batch = good;
  batch.tiles.rows = 0;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "0 x 2 'tiles'");
  batch.tiles.rows = 3;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "3 x 2 'tiles'");
  batch = good;
  batch.tiles.columns = 3;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "2 x 3 'tiles'");
  batch = good;
  batch.tiles.reduction = (enum reduction)3;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "'reduction' is 3");
  batch = good;
  batch.tiles.cells = NULL;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED,
                 "'cells' is missing");
  batch = good;
  batch.profile = NULL;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED,
                 "'profile' is missing");
  batch = good;
  batch.softmax = true;
  batch.scale = INFINITY;
  assert_refused(backend_profile_tiles(backend, &batch, &error), ERROR_FAILED, "'scale' is inf");
}

static void bad_quantiles(void **state) {
  (void)state;
  static const double levels[2] = {0, 1};
  const struct quantile_batch good = {.phases = good_phases,
                                      .samples = 2,
                                      .query = vectors,
                                      .key = vectors,
                                      .count = 2,
                                      .distance = positions,
                                      .levels = 2,
                                      .level = levels,
                                      .quantile = output};
  struct quantile_batch batch = good;
  assert_done(backend_quantiles(backend, &batch, &error));
  batch.samples = 0;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'samples' is 0");
  batch = good;
  batch.query = NULL;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'query' is missing");
  batch = good;
  batch.key = NULL;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'key' is missing");
  batch = good;
  batch.distance = NULL;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'distance' is missing");
  batch = good;
  batch.level = NULL;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'level' is missing");
  batch = good;
  batch.quantile = NULL;
  assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "'quantile' is missing");
  batch.levels = 0;
  assert_done(backend_quantiles(backend, &batch, &error));
  const double outside[3] = {1.5, -0.5, NAN};
  for (size_t l = 0; l < 3; l++) {
    batch = good;
    batch.levels = 1;
    batch.level = outside + l;
    assert_refused(backend_quantiles(backend, &batch, &error), ERROR_FAILED, "0 to 1 are levels");
  }
}

/* Every operation asks for its tables before it computes, and says so when it cannot have them. */
static void out_of_memory(void **state) {
  (void)state;
  static const double level = 0.5;
  const uint64_t limit = memory_limit();
  memory_set_limit(8);
  const struct decay_batch decay = {
      .phases = good_phases, .count = 2, .distance = positions, .bound = output};
  assert_refused(backend_decay_bound(backend, &decay, &error), ERROR_FAILED, "not enough memory");
  const struct rotate_batch rotate = {.phases = good_phases,
                                      .batch = 1,
                                      .length = 2,
                                      .heads = 1,
                                      .dim = 4,
                                      .position = positions,
                                      .input = vectors,
                                      .output = output};
  assert_refused(backend_rotate(backend, &rotate, &error), ERROR_FAILED, "not enough memory");
  const struct profile_batch profile = {.length = 2, .profile = vectors, .tiles = good_tiles};
  assert_refused(backend_profile_tiles(backend, &profile, &error), ERROR_FAILED,
                 "not enough memory");
  const struct quantile_batch quantiles = {.phases = good_phases,
                                           .samples = 2,
                                           .query = vectors,
                                           .key = vectors,
                                           .count = 2,
                                           .distance = positions,
                                           .levels = 1,
                                           .level = &level,
                                           .quantile = output};
  assert_refused(backend_quantiles(backend, &quantiles, &error), ERROR_FAILED, "not enough memory");
  memory_set_limit(limit);
}

/* Scores ask for one array after another: whichever is refused, nothing leaks and nothing is
 * computed. */
static void scores_out_of_memory(void **state) {
  (void)state;
  enum { LENGTH = 40, DIM = 4 };
  const uint64_t limit = memory_limit();
  double *content = random_array(LENGTH * DIM, 3), cells[LENGTH * LENGTH];
  size_t refused = 0, done = 0;
  for (int variant = 0; variant < 4; variant++)
    for (uint64_t bytes = 64; bytes < 1 << 20; bytes *= 2) {
      const size_t tiles = variant % 2 ? LENGTH : 2;
      const struct score_batch batch = {
          .batch = 1,
          .length = LENGTH,
          .dim = DIM,
          .query = content,
          .key = content,
          .rotation = &good_phases,
          .amplitude = 1,
          .tiles = {tiles, tiles, variant < 2 ? REDUCE_MEAN : REDUCE_MAX, cells}};
      memory_set_limit(bytes);
      if (backend_scores(backend, &batch, &error)) {
        assert_non_null(strstr(error.message, "not enough memory"));
        refused++;
      } else {
        done++;
      }
    }
  memory_set_limit(limit);
  free(content);
  assert_true(refused > 8 && done > 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices),       cmocka_unit_test(two_handles),
      cmocka_unit_test(bad_phases),    cmocka_unit_test(bad_decay),
      cmocka_unit_test(bad_phase_map), cmocka_unit_test(bad_rotate),
      cmocka_unit_test(bad_gaussian),  cmocka_unit_test(bad_scores),
      cmocka_unit_test(bad_tiles),     cmocka_unit_test(bad_quantiles),
      cmocka_unit_test(out_of_memory), cmocka_unit_test(scores_out_of_memory),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
