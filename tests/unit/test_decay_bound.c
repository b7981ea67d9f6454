/* The decay bound of kernels/backend.h against 50-digit values, an oracle and itself. */
#include "tests/oracle/cpu_backend.h"
#include "tests/oracle/oracle.h"

static bool single; /* what run() asks for */

/* Runs one batch over consecutive or given distances; outputs are between guard words. */
static void run(const struct phases *phases, const int64_t *distance, size_t count, double *bound,
                double *cosine_sum) {
  struct error error;
  const struct decay_batch batch = {.phases = *phases,
                                    .count = count,
                                    .distance = distance,
                                    .single = single,
                                    .bound = bound,
                                    .cosine_sum = cosine_sum};
  assert_done(backend_decay_bound(backend, &batch, &error));
}

static double tolerance_at(int64_t distance) {
  return distance <= 4096 ? 1e-12 : distance <= 1048576 ? 1e-9 : 1e-6;
}

/* Of the bound relative, of the cosine sum divided by pairs, given the steps. */
static double tolerance_of(size_t pairs) {
  return single ? 2e-6 : fmax(1e-14, (double)pairs * 0x1p-53);
}

/* Each row of tests/golden/decay.tsv, by itself and within a run of consecutive distances. */
static void golden_values(void **state) {
  (void)state;
  FILE *file = fopen("tests/golden/decay.tsv", "r");
  assert_non_null(file);
  char line[512];
  size_t rows = 0;
  while (fgets(line, sizeof line, file)) {
    size_t dim;
    double base, expected_bound, expected_sum;
    long long m;
    if (sscanf(line, "%zu %lf %lld %lf %lf", &dim, &base, &m, &expected_bound, &expected_sum) != 5)
      continue;
    struct phases phases = phases_of(dim / 2, base, PRECISION_FP64);
    const size_t pairs = dim / 2;
    int64_t distance[1000];
    double bound[1000], cosine_sum[1000];
    for (int64_t i = 0; i < 1000; i++)
      distance[i] = m - 700 + i; /* in the third tile */
    run(&phases, distance, 1000, bound, cosine_sum);
    const double tolerance = tolerance_at(m) + (single ? tolerance_of(pairs) : 0);
    assert_close(bound[700] / (double)pairs, expected_bound, tolerance * expected_bound);
    assert_close(cosine_sum[700], expected_sum, tolerance * (double)pairs);
    run(&phases, distance + 700, 1, bound, cosine_sum);
    assert_close(bound[0] / (double)pairs, expected_bound, tolerance * expected_bound);
    assert_close(cosine_sum[0], expected_sum, tolerance * (double)pairs);
    phases_free(&phases);
    rows++;
  }
  fclose(file);
  assert_true(rows > 300);
}

/* (Ci(m) − Ci(m/base)) / ln base is the mean of the cosines over ever more pairs; the trapezium
   rule takes half of the two ends. */
static void cosine_limit(void **state) {
  (void)state;
  enum { PAIRS = 1 << 17 };
  FILE *file = fopen("tests/golden/cosine_limit.tsv", "r");
  assert_non_null(file);
  char line[512];
  size_t rows = 0;
  while (fgets(line, sizeof line, file)) {
    double base, expected, sum;
    long long m;
    if (sscanf(line, "%lf %lld %lf", &base, &m, &expected) != 3) continue;
    if (m > 10000 || base < 10000 || base > 1e6) continue; /* would need more pairs */
    struct phases phases = phases_of(PAIRS, base, PRECISION_FP64);
    run(&phases, &(int64_t){m}, 1, NULL, &sum);
    phases_free(&phases);
    const double trapezium = sum - (cos((double)m) - cos((double)m / base)) / 2;
    assert_close(trapezium / PAIRS, expected, 1e-6);
    rows++;
  }
  fclose(file);
  assert_true(rows >= 10);
}

/* Distances of many kinds: what a run is must not show in the numbers. */
static int64_t *distances_of(int kind, size_t count) {
  int64_t *distance = malloc((count + 1) * sizeof *distance);
  assert_non_null(distance);
  for (size_t i = 0; i < count; i++) {
    const int64_t n = (int64_t)i;
    switch (kind) {
    case 0:
      distance[i] = n;
      break;
    case 1:
      distance[i] = 131072 - 3 * n;
      break; /* downwards, past 0 */
    case 2:
      distance[i] = 77;
      break; /* step 0 */
    case 3:
      distance[i] = (int64_t)exp(12.0 * (double)i / (double)count);
      break; /* logarithmic */
    case 4:
      distance[i] = i < count / 3 ? n : i < count / 2 ? 1000 + 17 * n : -n * n;
      break;
    default:
      distance[i] = (int64_t)((uint64_t)INT64_MIN + i * (UINT64_MAX / 8192));
      break; /* the ends of int64 */
    }
  }
  return distance;
}

static void twin_of_the_oracle(void **state) {
  (void)state;
  static const size_t pairs_of[] = {1, 2, 5, 16, 64, 97},
                      counts[] = {0, 1, 2, 7, 8, 9, 255, 256, 257, 513};
  for (size_t p = 0; p < COUNT_OF(pairs_of); p++)
    for (size_t c = 0; c < COUNT_OF(counts); c++)
      for (int kind = 0; kind < 6; kind++) {
        const size_t pairs = pairs_of[p], count = counts[c];
        struct phases phases = phases_of(pairs, 10000, PRECISION_FP64);
        int64_t *distance = distances_of(kind, count);
        double *bound = guarded_array(count), *cosine_sum = guarded_array(count);
        run(&phases, distance, count, bound, cosine_sum);
        for (size_t d = 0; d<count; d += count> 64 ? 7 : 1) {
          double expected_bound, expected_sum;
          oracle_decay(phases.step, pairs, distance[d], &expected_bound, &expected_sum);
          assert_close(bound[d], expected_bound, tolerance_of(pairs) * expected_bound);
          assert_close(cosine_sum[d], expected_sum, tolerance_of(pairs) * (double)pairs);
        }
        guarded_finish(bound, count);
        guarded_finish(cosine_sum, count);
        free(distance);
        phases_free(&phases);
      }
}

/* More distances than a block, and pairs enough that tiles have fewer lanes. */
static void long_runs_and_many_pairs(void **state) {
  (void)state;
  static const size_t shapes[][2] = {{64, 5000},  {300, 3000}, {512, 2500},
                                     {513, 2500}, {4096, 300}, {20000, 20}};
  for (size_t s = 0; s < COUNT_OF(shapes); s++) {
    const size_t pairs = shapes[s][0], count = shapes[s][1];
    struct phases phases = phases_of(pairs, 500000, PRECISION_FP64);
    int64_t *distance = distances_of(0, count);
    double *bound = guarded_array(count), *cosine_sum = guarded_array(count);
    run(&phases, distance, count, bound, cosine_sum);
    for (size_t d = count - 1; d < count; d -= 1 + count / 13) {
      double expected_bound, expected_sum;
      oracle_decay(phases.step, pairs, distance[d], &expected_bound, &expected_sum);
      assert_close(bound[d], expected_bound, tolerance_of(pairs) * expected_bound);
      assert_close(cosine_sum[d], expected_sum, tolerance_of(pairs) * (double)pairs);
    }
    guarded_finish(bound, count);
    guarded_finish(cosine_sum, count);
    free(distance);
    phases_free(&phases);
  }
}

/* All terms equal, where rounding goes the same way each time; and bases where the sums stay small
   beside their terms. */
static void hard_bases(void **state) {
  (void)state;
  static const double bases[] = {1, 1.001, 1.5, 2, 10};
  static const size_t pairs_of[] = {30, 64, 256, 512, 1000};
  enum { COUNT = 3000 };
  int64_t *distance = distances_of(0, COUNT);
  double bound[COUNT], cosine_sum[COUNT];
  for (size_t b = 0; b < COUNT_OF(bases); b++)
    for (size_t p = 0; p < COUNT_OF(pairs_of); p++) {
      const size_t pairs = pairs_of[p];
      struct phases phases = phases_of(pairs, bases[b], PRECISION_FP64);
      run(&phases, distance, COUNT, bound, cosine_sum);
      for (size_t d = 0; d < COUNT; d += 97) {
        double expected_bound, expected_sum;
        oracle_decay(phases.step, pairs, distance[d], &expected_bound, &expected_sum);
        assert_close(bound[d], expected_bound, tolerance_of(pairs) * expected_bound);
        assert_close(cosine_sum[d], expected_sum, tolerance_of(pairs) * (double)pairs);
      }
      phases_free(&phases);
    }
  free(distance);
}

/* Every bound of 32768 distances in float against that in double; what float would not do well is
   computed in double. */
static void single_beside_double(void **state) {
  (void)state;
  enum { COUNT = 32768 };
  static const struct {
    size_t pairs;
    double base;
    int64_t first;
  } cases[] = {{64, 10000, 0}, {64, 1.5, 0}, {128, 500000, 1 << 20}, {512, 1.5, 0}, {513, 1.5, 0}};
  int64_t *distance = distances_of(0, COUNT);
  double *out[4];
  for (int i = 0; i < 4; i++)
    out[i] = guarded_array(COUNT);
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    struct phases phases = phases_of(cases[c].pairs, cases[c].base, PRECISION_FP64);
    for (size_t d = 0; d < COUNT; d++)
      distance[d] = cases[c].first + (int64_t)d;
    single = false;
    run(&phases, distance, COUNT, out[0], out[1]);
    single = true;
    run(&phases, distance, COUNT, out[2], out[3]);
    for (size_t d = 0; d < COUNT; d++) {
      assert_close(out[2][d], out[0][d], 2e-6 * out[0][d]);
      assert_close(out[3][d], out[1][d], 2e-6 * (double)cases[c].pairs);
    }
    if (cases[c].pairs > 512)
      assert_memory_equal(out[2], out[0], COUNT * sizeof *out[0]);
    else
      assert_memory_not_equal(out[2], out[0], COUNT * sizeof *out[0]);
    phases_free(&phases);
  }
  for (int i = 0; i < 4; i++)
    guarded_finish(out[i], COUNT);
  free(distance);
}

static void exact_facts(void **state) {
  (void)state;
  enum { PAIRS = 24, COUNT = 300 };
  int64_t *distance = distances_of(0, COUNT);
  double bound[COUNT];
  struct phases phases = phases_of(PAIRS, 1, PRECISION_FP64); /* base 1: all pairs turn as one */
  run(&phases, distance, COUNT, bound, NULL);
  for (size_t d = 0; d < COUNT; d++)
    assert_close(bound[d], PAIRS * (PAIRS + 1) / 2.0, 1e-11);
  phases_free(&phases);
  phases = phases_of(1, 10000, PRECISION_FP64); /* one pair: |S_1| = 1 */
  run(&phases, distance, COUNT, bound, NULL);
  for (size_t d = 0; d < COUNT; d++)
    assert_close(bound[d], 1, 1e-15);
  phases_free(&phases);
  free(distance);
}

/* RoFormer's figure: dim 128, base 10000; the bound is not monotone. */
static void rises(void **state) {
  (void)state;
  int64_t *distance = distances_of(0, 257);
  double bound[257];
  struct phases phases = phases_of(64, 10000, PRECISION_FP64);
  run(&phases, distance, 257, bound, NULL);
  int count = 0, lowest = 0;
  for (int m = 1; m <= 256; m++) {
    count += bound[m] > bound[m - 1];
    if (bound[m] < bound[lowest]) lowest = m;
  }
  assert_int_equal(count, 115);
  assert_int_equal(lowest, 236);
  assert_close(bound[236] / 64, 6.414997, 5e-7);
  phases_free(&phases);
  free(distance);
}

/* Tables of one series must not serve the next: on one thread both use the same ones. */
static void several_series(void **state) {
  (void)state;
  enum { PAIRS = 12, COUNT = 600 };
  struct phases a = phases_of(PAIRS, 10000, PRECISION_FP64),
                b = phases_of(PAIRS, 500000, PRECISION_FP64);
  uint64_t step[2 * PAIRS];
  memcpy(step, a.step, sizeof step / 2);
  memcpy(step + PAIRS, b.step, sizeof step / 2);
  const struct phases both = {.series = 2, .pairs = PAIRS, .step = step};
  for (int kind = 0; kind < 6; kind++) {
    int64_t *distance = distances_of(kind, COUNT);
    double *bound = guarded_array(2 * COUNT), alone[2 * COUNT];
    thread_use(1 + kind % 2);
    run(&both, distance, COUNT, bound, NULL);
    run(&a, distance, COUNT, alone, NULL);
    run(&b, distance, COUNT, alone + COUNT, NULL);
    assert_memory_equal(bound, alone, sizeof alone);
    guarded_finish(bound, 2 * COUNT);
    free(distance);
  }
  phases_free(&a);
  phases_free(&b);
}

/* Below fp64 every angle is rounded by itself: no run may change that. */
static void rounded_phases(void **state) {
  (void)state;
  enum { PAIRS = 16, COUNT = 40 };
  static const enum precision formats[] = {PRECISION_FP32, PRECISION_TF32, PRECISION_BF16,
                                           PRECISION_FP16};
  for (size_t f = 0; f < COUNT_OF(formats); f++) {
    struct phases phases = phases_of(PAIRS, 10000, formats[f]);
    int64_t *distance = distances_of(0, COUNT);
    double bound[COUNT], cosine_sum[COUNT];
    run(&phases, distance, COUNT, bound, cosine_sum);
    for (size_t d = 0; d < COUNT; d++) {
      long double real = 0, imaginary = 0, sum = 0;
      for (size_t i = 0; i < PAIRS; i++) {
        double c, s;
        phase_cos_sin_rounded(formats[f], phases.step[i], phases.inv_freq[i], distance[d], &c, &s);
        sum += hypotl(real += c, imaginary += s);
      }
      assert_close(bound[d], (double)sum, 1e-12);
      assert_close(cosine_sum[d], (double)real, 1e-13);
    }
    free(distance);
    phases_free(&phases);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  enum { COUNT = 20000 };
  struct phases phases = phases_of(32, 10000, PRECISION_FP64);
  for (int kind = 0; kind < 6; kind++) {
    int64_t *distance = distances_of(kind, COUNT);
    double *out[4];
    for (int i = 0; i < 4; i++)
      out[i] = malloc(COUNT * sizeof *out[i]);
    for (int threads = 1; threads <= 2; threads++) {
      thread_use(threads);
      run(&phases, distance, COUNT, out[2 * threads - 2], out[2 * threads - 1]);
    }
    assert_memory_equal(out[0], out[2], COUNT * sizeof *out[0]);
    assert_memory_equal(out[1], out[3], COUNT * sizeof *out[1]);
    for (int i = 0; i < 4; i++)
      free(out[i]);
    free(distance);
  }
  phases_free(&phases);
}

static int in_double(void **state) {
  (void)state;
  single = false;
  return 0;
}

static int in_single(void **state) {
  (void)state;
  single = true;
  return 0;
}

#define DOUBLE(test) cmocka_unit_test_setup(test, in_double)
#define SINGLE(test)                                                                               \
  { #test " in single", test, in_single, NULL, NULL }

int main(void) {
  const struct CMUnitTest tests[] = {
      DOUBLE(golden_values),
      DOUBLE(cosine_limit),
      DOUBLE(twin_of_the_oracle),
      DOUBLE(long_runs_and_many_pairs),
      DOUBLE(hard_bases),
      DOUBLE(exact_facts),
      DOUBLE(rises),
      DOUBLE(several_series),
      DOUBLE(rounded_phases),
      DOUBLE(threads_do_not_matter),
      SINGLE(golden_values),
      SINGLE(twin_of_the_oracle),
      SINGLE(long_runs_and_many_pairs),
      SINGLE(hard_bases),
      SINGLE(single_beside_double),
      SINGLE(several_series),
      SINGLE(rounded_phases),
      SINGLE(threads_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
