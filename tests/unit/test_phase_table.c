/* kernels/phase_table.h against long double, and against exact facts. */
#include "tests/oracle/harness.h"
#include "tests/oracle/oracle.h"

#include "kernels/phase_table.h"

static const double tolerance = 1.6 * 0x1p-53;

static void assert_wave(uint64_t phase, double cosine, double sine) {
  const long double angle = oracle_angle(phase, 1);
  if (!(fabsl(cosine - cosl(angle)) <= tolerance && fabsl(sine - sinl(angle)) <= tolerance))
    fail_msg("phase %#llx: cos %.17g, sin %.17g, off by %.3Lg and %.3Lg units of 2^-53",
             (unsigned long long)phase, cosine, sine, (cosine - cosl(angle)) * 0x1p53L,
             (sine - sinl(angle)) * 0x1p53L);
}

/* Random runs, dense ones across every eighth of a turn, and runs of neighbouring phases. */
static void runs(void **state) {
  (void)state;
  enum { COUNT = 1001 };
  uint64_t random = 20240229;
  double cosine[COUNT], sine[COUNT];
  for (unsigned r = 0; r < 300; r++) {
    const uint64_t step = r < 200 ? random_word(&random) >> r % 64 : r < 280 ? UINT64_MAX / 971 : 1;
    const uint64_t first = r % 2 ? random_word(&random) : ((uint64_t)r << 61) - COUNT / 2 * step;
    phase_table_run(first, step, COUNT, cosine, sine);
    for (uint64_t n = 0; n < COUNT; n++)
      assert_wave(first + n * step, cosine[n], sine[n]);
  }
}

static void pairs(void **state) {
  (void)state;
  static const size_t counts[] = {1, 2, 3, 7, 8, 9, 64, 97, 1000};
  static const int64_t positions[] = {0, 1, -1, 4097, INT64_C(1) << 31, INT64_MAX, INT64_MIN};
  for (size_t c = 0; c < COUNT_OF(counts); c++)
    for (size_t p = 0; p < COUNT_OF(positions); p++) {
      const size_t count = counts[c];
      struct phases phases = phases_of(count, 10000, PRECISION_FP64);
      double *cosine = guarded_array(count), *sine = guarded_array(count);
      phase_table_pairs(phases.step, count, positions[p], cosine, sine);
      for (size_t i = 0; i < count; i++)
        assert_wave(phase_at(phases.step[i], positions[p]), cosine[i], sine[i]);
      guarded_finish(cosine, count);
      guarded_finish(sine, count);
      phases_free(&phases);
    }
}

/* An element has the same bits whatever vector it is in, from whichever function. */
static void bits(void **state) {
  (void)state;
  enum { COUNT = 67 };
  const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
  double cosine[COUNT], sine[COUNT];
  phase_table_run(5, step, COUNT, cosine, sine);
  for (size_t first = 0; first < COUNT; first++) {
    const size_t count = COUNT - first;
    double *c = guarded_array(count), *s = guarded_array(count);
    phase_table_run(5 + first * step, step, count, c, s);
    assert_memory_equal(c, cosine + first, count * sizeof *c);
    assert_memory_equal(s, sine + first, count * sizeof *s);
    guarded_finish(c, count);
    guarded_finish(s, count);
    const uint64_t phase = 5 + first * step;
    double one_cosine, one_sine;
    phase_table_pairs(&phase, 1, 1, &one_cosine, &one_sine);
    assert_memory_equal(&one_cosine, cosine + first, sizeof one_cosine);
    assert_memory_equal(&one_sine, sine + first, sizeof one_sine);
  }
}

/* Whole quarters are exact; cos is even and sin is odd to the last bit. */
static void exact_facts(void **state) {
  (void)state;
  static const double quarter_cosine[] = {1, 0, -1, 0}, quarter_sine[] = {0, 1, 0, -1};
  double cosine[4], sine[4];
  phase_table_run(0, UINT64_C(1) << 62, 4, cosine, sine);
  for (size_t q = 0; q < 4; q++) {
    assert_true(cosine[q] == quarter_cosine[q]);
    assert_true(sine[q] == quarter_sine[q]);
  }
  for (uint64_t random = 7, n = 0; n < 1000; n++) {
    const uint64_t phase = random_word(&random);
    phase_table_run(phase, -2 * phase, 2, cosine, sine);
    assert_true(cosine[0] == cosine[1]);
    assert_true(sine[0] == -sine[1]);
  }
}

static void nothing(void **state) {
  (void)state;
  phase_table_run(1, 2, 0, NULL, NULL);
  phase_table_pairs(NULL, 0, 3, NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs),        cmocka_unit_test(pairs),   cmocka_unit_test(bits),
      cmocka_unit_test(exact_facts), cmocka_unit_test(nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
