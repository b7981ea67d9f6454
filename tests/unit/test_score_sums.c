/* Sums of scores and of weights where the answer is known exactly. */
#include "tests/oracle/cpu_backend.h"
#include "tests/unit/score_job.h"

static struct error error;

/* Scores that all are the same: bins of no width, and every quantile is right. */
static void constant_map(void **state) {
  (void)state;
  const struct shape shape = {1, 33, 2, 1, 8};
  for (int single = 0; single < 2; single++) {
    struct job job;
    job_open(&job, &shape, false, single);
    outputs_open(&job);
    for (size_t i = 0; i < 66; i++)
      job.query[i] = 3, job.key[i] = 0.5;
    job.batch.rotation = NULL;
    job.batch.query_add = NULL;
    assert_done(backend_scores(backend, &job.batch, &error));
    for (size_t i = 0; i < 65; i++) {
      assert_close(job.mean[i], 3, 0);
      assert_close(job.square[i], 9, 0);
      for (size_t l = 0; l < LEVELS; l++)
        assert_close(job.quantile[l * 65 + i], 3, 0);
    }
    assert_close(job.bin_width, 0, 0);
    assert_close(job.sums->sum, 3 * 33 * 33, 0);
    assert_close(job.sums->square, 9 * 33 * 33, 0);
    assert_close(job.sums->toeplitz, 9 * 33 * 33, 0);
    assert_close(job.sums->symmetric, 9 * 33 * 33, 0);
    assert_close(job.weights->entropy, 33 * log(33), 1e-12);
    outputs_finish(&job);
    job_close(&job);
  }
}

/* Every query sees itself alone: locality 1, distance 0, entropy 0. */
static void identity_weights(void **state) {
  (void)state;
  enum { LENGTH = 24 };
  double content[LENGTH * LENGTH] = {0};
  for (size_t m = 0; m < LENGTH; m++)
    content[m * LENGTH + m] = 100;
  for (int bits = 0; bits < 4; bits++) {
    struct weight_sums weights;
    const struct score_batch batch = {.batch = 1,
                                      .length = LENGTH,
                                      .dim = LENGTH,
                                      .query = content,
                                      .key = content,
                                      .causal = bits & 1,
                                      .single = bits & 2,
                                      .scale = 1,
                                      .weights = &weights};
    assert_done(backend_scores(backend, &batch, &error));
    assert_close(weights.locality, LENGTH, 0);
    assert_close(weights.distance, 0, 0);
    assert_close(weights.entropy, 0, 0);
  }
}

/* Row i of a causal map of equal scores: entropy ln(i + 1), distance i/2, locality
   (2 − 2^−i)/(i + 1). */
static void uniform_causal_rows(void **state) {
  (void)state;
  const size_t length = 1500; /* three parts */
  long double entropy = 0, distance = 0, locality = 0;
  for (size_t i = 0; i < length; i++) {
    entropy += logl((long double)i + 1);
    distance += (long double)i / 2;
    locality += (2 - exp2l(-(long double)i)) / ((long double)i + 1);
  }
  for (int single = 0; single < 2; single++) {
    struct weight_sums weights;
    const struct score_batch batch = {.batch = 1,
                                      .length = length,
                                      .dim = 3,
                                      .causal = true,
                                      .single = single,
                                      .scale = 1,
                                      .weights = &weights};
    assert_done(backend_scores(backend, &batch, &error));
    assert_close(weights.entropy, (double)entropy, 1e-13 * (double)entropy);
    assert_close(weights.distance, (double)distance, 1e-13 * (double)distance);
    assert_close(weights.locality, (double)locality, 1e-13 * (double)locality);
  }
}

/* The largest score rises from part to part, or falls: what was summed is scaled again and again.
 */
static void peaks_that_move(void **state) {
  (void)state;
  enum { LENGTH = 1100 };
  double query[LENGTH], key[LENGTH];
  for (int bits = 0; bits < 8; bits++) {
    struct shape shape = {1, LENGTH, 1, 0, 0};
    struct job job = {.shape = shape};
    for (size_t m = 0; m < LENGTH; m++) {
      query[m] = m % 2 ? 1 : -1;
      key[m] = (bits & 1 ? 0.02 : 0.5) * (double)m;
    }
    job.batch = (struct score_batch){.batch = 1,
                                     .length = LENGTH,
                                     .dim = 1,
                                     .query = query,
                                     .key = key,
                                     .causal = bits & 2,
                                     .single = bits & 4,
                                     .scale = 1,
                                     .weights = job.weights};
    assert_done(backend_scores(backend, &job.batch, &error));
    compare_weights(&job, 0, oracle_weight_error(&job.batch));
  }
}

/* Scores that depend on the distance alone lie in the Toeplitz part as a whole; RoPE of all-ones is
   symmetric besides. */
static void pure_toeplitz(void **state) {
  (void)state;
  const struct shape shape = {1, 700, 16, 8, 0};
  for (int bits = 0; bits < 4; bits++) {
    struct job job;
    job_open(&job, &shape, bits & 1, bits & 2);
    outputs_open(&job);
    for (size_t i = 0; i < shape.length * shape.dim; i++)
      job.query[i] = job.key[i] = 1;
    job.batch.query_add = NULL;
    job.batch.profile = NULL;
    assert_done(backend_scores(backend, &job.batch, &error));
    const double u = bits & 2 ? 0x1p-24 : 0x1p-53;
    const double share = job.sums->toeplitz / job.sums->square;
    assert_close(share, 1, 100 * u);
    if (!(bits & 1)) assert_close(job.sums->symmetric / job.sums->square, 1, 100 * u);
    free(job.mean - GUARDS);
    free(job.square - GUARDS);
    free(job.quantile - GUARDS);
    job_close(&job);
  }
}

/* S(m, n) = a_m b_n − b_m a_n. */
static void antisymmetric_map(void **state) {
  (void)state;
  enum { LENGTH = 300 };
  uint64_t seed = 8;
  double query[2 * LENGTH], key[2 * LENGTH];
  for (size_t m = 0; m < LENGTH; m++) {
    key[2 * m + 1] = -(query[2 * m] = random_unit(&seed));
    key[2 * m] = query[2 * m + 1] = random_unit(&seed);
  }
  struct score_sums sums;
  const struct score_batch batch = {
      .batch = 1, .length = LENGTH, .dim = 2, .query = query, .key = key, .sums = &sums};
  assert_done(backend_scores(backend, &batch, &error));
  assert_close(sums.sum, 0, 1e-12);
  assert_close(sums.symmetric, -sums.square, 1e-12 * sums.square);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_map),        cmocka_unit_test(identity_weights),
      cmocka_unit_test(uniform_causal_rows), cmocka_unit_test(peaks_that_move),
      cmocka_unit_test(pure_toeplitz),       cmocka_unit_test(antisymmetric_map),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
