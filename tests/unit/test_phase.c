/* lib/base/phase.h */
#include "tests/oracle/harness.h"
#include "tests/oracle/oracle.h"

static const double two_pi = 6.28318530717958648;

static void steps_are_turns(void **state) {
  (void)state;
  const long double pi = 3.14159265358979323846264338327950288L;
  assert_int_equal(phase_step(0), 0);
  assert_int_equal(phase_step(2 * pi), 0); /* a whole turn */
  assert_int_equal(phase_step(pi), UINT64_C(1) << 63);
  assert_int_equal(phase_step(pi / 2), UINT64_C(1) << 62);
  assert_int_equal(phase_step(2.5L * pi), UINT64_C(1) << 62);
  /* 2^64 / 2π = …226.496: half a unit, and what long double adds. */
  assert_in_range(phase_step(1), UINT64_C(2935890503282001226), UINT64_C(2935890503282001227));
}

static void quarters_are_exact(void **state) {
  (void)state;
  static const double expected[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  for (uint64_t q = 0; q < 4; q++) {
    double c, s;
    phase_cos_sin(q << 62, &c, &s);
    assert_true(c == expected[q][0] && s == expected[q][1]);
  }
}

static void cos_and_sin_are_within_their_bound(void **state) {
  (void)state;
  uint64_t seed = 7;
  for (int i = 0; i < 200000; i++) {
    /* Every other phase close to an eighth of a turn, where the quarters meet. */
    const uint64_t word = random_word(&seed);
    const uint64_t phase = i % 2 ? word : (word << 61) + (word >> 40);
    double c, s;
    phase_cos_sin(phase, &c, &s);
    const long double angle = oracle_angle(phase, 1);
    assert_close(c, (double)cosl(angle), 2 * 0x1p-53); /* 1.5 of ours, 0.5 of the rounding here */
    assert_close(s, (double)sinl(angle), 2 * 0x1p-53);
  }
}

static void signs_of_positions(void **state) {
  (void)state;
  uint64_t seed = 8;
  for (int i = 0; i < 1000; i++) {
    const uint64_t step = random_word(&seed);
    const int64_t position = (int64_t)(random_word(&seed) >> 20);
    double c, s, back_c, back_s;
    phase_cos_sin(phase_at(step, position), &c, &s);
    phase_cos_sin(phase_at(step, -position), &back_c, &back_s);
    assert_true(c == back_c && s == -back_s);
  }
}

static void angles_stay_in_one_turn(void **state) {
  (void)state;
  assert_true(phase_angle(0) == 0);
  assert_close(phase_angle(UINT64_C(1) << 63), two_pi / 2, 1e-15);
  uint64_t seed = 9;
  for (int i = 0; i < 100000; i++) {
    const uint64_t phase = i % 2 ? random_word(&seed) : UINT64_MAX - (random_word(&seed) >> 50);
    const double angle = phase_angle(phase);
    assert_true(angle >= 0 && angle < two_pi);
    if (phase < UINT64_MAX - 4096)
      assert_close(angle, (double)((long double)phase * (3.14159265358979323846L / 0x1p63L)),
                   2e-15);
  }
}

static void far_positions_keep_their_digits(void **state) {
  (void)state;
  double c, s; /* a public report: a GPU kernel off by 1e-2 at this position */
  phase_cos_sin_rounded(PRECISION_FP64, phase_step(1), 1, 131071, &c, &s);
  assert_close(c, -0.817983499388, 1e-12);
  assert_close(s, -0.575241683755, 1e-12);
}

/* A public report: a table whose frequencies, positions and angles are fp16 is off by 0.78. */
static void fp16_table_is_wildly_off(void **state) {
  (void)state;
  struct phases phases = phases_of(16, 10000, PRECISION_FP16);
  double worst = 0;
  int64_t worst_position = -1;
  size_t worst_pair = 0;
  for (int64_t m = 0; m < 2048; m++)
    for (size_t i = 0; i < 16; i++) {
      double c, s, exact_c, exact_s;
      phase_cos_sin_rounded(PRECISION_FP16, phases.step[i], phases.inv_freq[i], m, &c, &s);
      phase_cos_sin(phase_at(phases.step[i], m), &exact_c, &exact_s);
      if (fabs(c - exact_c) > worst) {
        worst = fabs(c - exact_c);
        worst_position = m;
        worst_pair = i;
      }
    }
  phases_free(&phases);
  assert_close(worst, 0.7819, 0.00005);
  assert_int_equal(worst_position, 2008);
  assert_int_equal(worst_pair, 1);
}

/* Largest |fl(m fl(θ)) − mθ| in fp32 over all pairs (dim 128, base 10000) and positions 0..M. */
static void fp32_angles_drift(void **state) {
  (void)state;
  static const struct {
    int64_t position;
    double error;
  } expected[] = {{1024, 5.93e-5}, {2048, 1.21e-4}, {4096, 2.42e-4}, {8192, 4.85e-4}};
  struct phases phases = phases_of(64, 10000, PRECISION_FP32);
  double worst = 0;
  size_t reached = 0;
  for (int64_t m = 0; m <= 8192; m++) {
    for (size_t i = 0; i < 64; i++) {
      const double rounded =
          phase_angle_rounded(PRECISION_FP32, phases.step[i], phases.inv_freq[i], m);
      double off = fabs(rounded - phase_angle(phase_at(phases.step[i], m)));
      if (off > two_pi / 2) off = two_pi - off;
      if (off > worst) worst = off;
    }
    if (m == expected[reached].position) {
      assert_close(worst, expected[reached].error, 0.005 * expected[reached].error);
      reached++;
    }
  }
  assert_int_equal(reached, COUNT_OF(expected));
  phases_free(&phases);
}

static void rounded_angles_stay_in_one_turn(void **state) {
  (void)state;
  uint64_t seed = 10;
  for (int i = 0; i < 100000; i++) {
    const double inv_freq = exp(30 * random_unit(&seed) - 30);
    const int64_t position = (int64_t)random_word(&seed) >> (i % 63);
    for (int p = PRECISION_FP32; p <= PRECISION_BF16; p++) {
      const double angle = phase_angle_rounded((enum precision)p, 0, inv_freq, position);
      assert_true(angle >= 0 && angle < two_pi);
    }
  }
  assert_true(phase_angle_rounded(PRECISION_FP32, 0, 1e-30, -1) == 0);
  assert_close(phase_angle_rounded(PRECISION_FP32, 0, 1, -1), two_pi - 1, 1e-15);
  /* 2^30 radians are 170891318 turns and this: 60-digit arithmetic. */
  assert_close(phase_angle_rounded(PRECISION_FP32, 0, 1, INT64_C(1) << 30), 5.6178456042632612,
               1e-10);
}

static void overflow_of_the_format_is_not_quiet(void **state) {
  (void)state;
  double c, s; /* 70000 is over the largest fp16 number */
  phase_cos_sin_rounded(PRECISION_FP16, phase_step(1), 1, 70000, &c, &s);
  assert_true(isnan(c) && isnan(s));
  assert_true(isnan(phase_angle_rounded(PRECISION_FP16, phase_step(1), 1, 70000)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_turns),
      cmocka_unit_test(quarters_are_exact),
      cmocka_unit_test(cos_and_sin_are_within_their_bound),
      cmocka_unit_test(signs_of_positions),
      cmocka_unit_test(angles_stay_in_one_turn),
      cmocka_unit_test(far_positions_keep_their_digits),
      cmocka_unit_test(fp16_table_is_wildly_off),
      cmocka_unit_test(fp32_angles_drift),
      cmocka_unit_test(rounded_angles_stay_in_one_turn),
      cmocka_unit_test(overflow_of_the_format_is_not_quiet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
