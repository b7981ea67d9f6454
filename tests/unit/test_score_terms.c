/* Scores with terms that the caller makes, a block at a time, against the full map of the oracle.
 */
#include "tests/oracle/cpu_backend.h"
#include "tests/unit/score_job.h"

static struct error error;

/* Shaw et al.: q_m · a(clip(n − m)), with vectors of 2·REACH + 1 distances; and terms of both
   positions, of no order. */
enum { REACH = 5, CLIPPED = 2 * REACH + 1 };

struct maker {
  const struct job *job;
  double *vector;   /* (CLIPPED, dim) */
  bool mess;        /* writes what nobody may read where the causal mask hides it */
  size_t bad_query; /* from that block on: fails, or writes `bad` there */
  bool fails;
  double bad;
};

static double shaw(const struct maker *maker, size_t draw, size_t m, size_t n) {
  const struct shape *shape = &maker->job->shape;
  const double apart = (double)n - (double)m;
  const size_t clipped = (size_t)(fmax(-REACH, fmin(REACH, apart)) + REACH);
  double sum = 0;
  for (size_t i = 0; i < shape->dim; i++)
    sum += maker->job->query[(draw * shape->length + m) * shape->dim + i] *
           maker->vector[clipped * shape->dim + i];
  return sum + sin(0.37 * (double)m - 0.11 * (double)n * (double)draw);
}

static int fill(void *user, const struct score_block *block, double *terms, struct error *why) {
  const struct maker *maker = user;
  const struct shape *shape = &maker->job->shape;
  const bool hits = block->row <= maker->bad_query && maker->bad_query < block->row + block->rows;
  if (block->draw >= shape->batch || !block->rows || !block->keys ||
      block->row + block->rows > shape->length || block->key + block->keys > shape->length)
    return error_set(why, ERROR_FAILED, "a block outside of the map");
  if (hits && maker->fails)
    return error_set(why, ERROR_INPUT, "no terms of query %zu", maker->bad_query);
  for (size_t r = 0; r < block->rows; r++)
    for (size_t k = 0; k < block->keys; k++) {
      const size_t m = block->row + r, n = block->key + k;
      double *term = terms + r * block->keys + k;
      *term = shaw(maker, block->draw, m, n);
      if (maker->mess && n > m) *term = n % 2 ? INFINITY : NAN;
      if (maker->bad_query == m && maker->bad_query == n) *term = maker->bad;
    }
  return OK;
}

/* A job with terms, and with `biased` a bias that masks some distances. */
struct case_of_terms {
  struct job job;
  struct maker maker;
  struct score_terms terms;
  double *bias;
};

static void case_open(struct case_of_terms *own, const struct shape *shape, int bits, bool biased) {
  job_open(&own->job, shape, bits & 1, bits & 2);
  own->maker = (struct maker){.job = &own->job,
                              .vector = random_array(CLIPPED * shape->dim, 77),
                              .mess = bits & 1,
                              .bad_query = SIZE_MAX};
  own->terms = (struct score_terms){fill, &own->maker, bits & 4};
  own->job.batch.terms = &own->terms;
  own->bias = biased ? random_array(2 * shape->length - 1, 78) : NULL;
  for (size_t i = 0; biased && i < 2 * shape->length - 1; i++)
    if (i % 5 == 1 && i != shape->length - 1) own->bias[i] = -INFINITY;
  own->job.batch.bias = own->bias;
}

static void case_close(struct case_of_terms *own) {
  free(own->maker.vector);
  free(own->bias);
  job_close(&own->job);
}

static void compare_tiles(struct score_batch *batch, const long double *map) {
  const size_t count = batch->tiles.rows * batch->tiles.columns;
  double *cells = guarded_array(count), *again = guarded_array(count),
         *expected = guarded_array(count);
  batch->tiles.cells = cells;
  thread_use(1);
  assert_done(backend_scores(backend, batch, &error));
  batch->tiles.cells = again;
  thread_use(2);
  assert_done(backend_scores(backend, batch, &error));
  assert_memory_equal(cells, again, count * sizeof *cells);
  oracle_reduce(map, batch->length, batch->causal, &batch->tiles, expected);
  const double weight = oracle_weight_error(batch), score = oracle_score_error(batch);
  for (size_t i = 0; i < count; i++)
    assert_all_close(cells + i, expected + i, 1,
                     batch->softmax ? weight * fabs(expected[i]) + 0x1p-126 : score, "tiles");
  guarded_finish(cells, count);
  guarded_finish(again, count);
  guarded_finish(expected, count);
}

static void tiles_of_every_kind(void **state) {
  (void)state;
  static const struct {
    struct shape shape;
    size_t rows, columns;
  } cases[] = {{{1, 1, 2, 1, 0}, 1, 1},
               {{3, 33, 6, 3, 0}, 33, 5},
               {{2, 193, 4, 2, 0}, 150, 3},
               {{1, 571, 3, 1, 0}, 7, 571}};
  for (size_t c = 0; c < COUNT_OF(cases); c++)
    for (int bits = 0; bits < 32; bits++) {
      if (cases[c].shape.length > 500 && bits % 11) continue; /* the oracle takes its time */
      struct case_of_terms own;
      case_open(&own, &cases[c].shape, bits, bits & 8);
      struct score_batch *batch = &own.job.batch;
      batch->softmax = bits & 16;
      long double *map = oracle_score_map(batch);
      for (int reduction = 0; reduction < 3; reduction++) {
        batch->tiles =
            (struct tiles){cases[c].rows, cases[c].columns, (enum reduction)reduction, NULL};
        compare_tiles(batch, map);
      }
      free(map);
      case_close(&own);
    }
}

/* Profiles and sums of scores and weights, alone and beside tiles. */
static void profiles_and_sums(void **state) {
  (void)state;
  static const struct shape shapes[] = {{1, 1, 2, 1, 4}, {3, 40, 6, 3, 20}, {2, 300, 4, 2, 20}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int bits = 0; bits < 32; bits++) {
      if (shapes[s].length > 200 && bits % 5) continue;
      struct case_of_terms own;
      case_open(&own, &shapes[s], bits, bits & 8);
      struct job *job = &own.job;
      double cells[1];
      job->batch.tiles = (struct tiles){1, 1, REDUCE_MAX, bits & 16 ? cells : NULL};
      job->batch.softmax = bits & 4;
      thread_use(1 + bits % 2);
      outputs_open(job);
      assert_done(backend_scores(backend, &job->batch, &error));
      long double *maps[MOST_DRAWS] = {0};
      for (size_t draw = 0; draw < shapes[s].batch; draw++) {
        maps[draw] = oracle_draw_map(&job->batch, draw, false);
        compare_sums(job, draw, maps[draw], oracle_score_error(&job->batch));
        compare_weights(job, draw, oracle_weight_error(&job->batch));
      }
      compare_profile(job, maps, oracle_score_error(&job->batch));
      for (size_t draw = 0; draw < shapes[s].batch; draw++)
        free(maps[draw]);
      outputs_finish(job);
      case_close(&own);
    }
}

/* The same bits from 1, 2 and 3 threads. */
static void threads_do_not_show(void **state) {
  (void)state;
  const struct shape shape = {2, 700, 4, 2, 9};
  for (int bits = 0; bits < 8; bits++) {
    struct case_of_terms own;
    case_open(&own, &shape, bits, false);
    struct score_sums sums[3][2];
    struct weight_sums weights[3][2];
    for (size_t t = 0; t < 3; t++) {
      own.job.batch.sums = sums[t];
      own.job.batch.weights = weights[t];
      thread_use(t + 1);
      assert_done(backend_scores(backend, &own.job.batch, &error));
    }
    for (size_t t = 1; t < 3; t++) {
      assert_memory_equal(sums[0], sums[t], sizeof sums[0]);
      assert_memory_equal(weights[0], weights[t], sizeof weights[0]);
    }
    case_close(&own);
  }
}

/* A term that is NaN shows where it takes part, as in a query or a key. */
static void not_a_number(void **state) {
  (void)state;
  const struct shape shape = {1, 20, 4, 2, 4};
  for (int bits = 0; bits < 48; bits++) {
    struct case_of_terms own;
    case_open(&own, &shape, bits, false);
    double cells[400];
    own.maker.bad_query = 7;
    own.maker.bad = NAN;
    own.job.batch.softmax = bits & 8;
    own.job.batch.tiles = (struct tiles){20, 20, (enum reduction)(bits / 16), cells};
    own.job.batch.sums = own.job.sums;
    own.job.batch.weights = own.job.weights;
    assert_done(backend_scores(backend, &own.job.batch, &error));
    for (size_t m = 0; m < 20; m++)
      for (size_t n = 0; n < 20; n++)
        assert_int_equal(isnan(cells[m * 20 + n]) != 0,
                         ((bits & 1) && n > m) || (m == 7 && (n == 7 || (bits & 8))));
    assert_true(isnan(own.job.sums[0].sum) && isnan(own.job.sums[0].symmetric));
    assert_true(isnan(own.job.weights[0].locality) && isnan(own.job.weights[0].entropy));
    case_close(&own);
  }
}

/* What fill says is what the operation says, whichever output it was for. */
static void bad_terms(void **state) {
  (void)state;
  const struct shape shape = {2, 600, 2, 1, 4};
  for (int bits = 0; bits < 24; bits++) {
    struct case_of_terms own;
    case_open(&own, &shape, bits, false);
    double cells[4];
    struct score_batch *batch = &own.job.batch;
    if (bits & 8) batch->tiles = (struct tiles){2, 2, REDUCE_MAX, cells};
    batch->softmax = bits & 4;
    if (bits & 16 || !(bits & 8)) batch->sums = own.job.sums;
    thread_use(1 + bits % 2);
    assert_done(backend_scores(backend, batch, &error));
    own.maker.bad_query = 301;
    own.maker.bad = -INFINITY;
    assert_refused(backend_scores(backend, batch, &error), ERROR_FAILED,
                   "a term of query 301 is infinite");
    own.maker.fails = true;
    assert_refused(backend_scores(backend, batch, &error), ERROR_INPUT, "no terms of query 301");
    own.terms.fill = NULL;
    assert_refused(backend_scores(backend, batch, &error), ERROR_FAILED, "'fill' is missing");
    case_close(&own);
  }
}

/* Whichever array is refused, nothing leaks. */
static void out_of_memory(void **state) {
  (void)state;
  const struct shape shape = {2, 60, 8, 4, 10};
  const uint64_t limit = memory_limit();
  struct case_of_terms own;
  case_open(&own, &shape, 4, true);
  double cells[36];
  own.job.batch.softmax = true;
  own.job.batch.sums = own.job.sums;
  own.job.batch.weights = own.job.weights;
  own.job.batch.tiles = (struct tiles){6, 6, REDUCE_MEAN, cells};
  free(own.bias); /* without one, so that sums take squares */
  own.job.batch.bias = own.bias = NULL;
  size_t refused = 0, done = 0;
  for (uint64_t bytes = 64; bytes < 1 << 24; bytes += bytes / 8) {
    memory_set_limit(bytes);
    if (backend_scores(backend, &own.job.batch, &error)) {
      assert_non_null(strstr(error.message, "not enough memory"));
      refused++;
    } else {
      done++;
    }
  }
  memory_set_limit(limit);
  assert_true(refused > 8 && done > 4);
  case_close(&own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tiles_of_every_kind), cmocka_unit_test(profiles_and_sums),
      cmocka_unit_test(threads_do_not_show), cmocka_unit_test(not_a_number),
      cmocka_unit_test(bad_terms),           cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
