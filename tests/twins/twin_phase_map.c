/* Angles, cosines and sines of positions, exact and as rounded implementations have them. */
#include "tests/twins/twins.h"

#include "tests/oracle/oracle.h"

static const struct shape {
  size_t rows, pairs;
} shapes[] = {{0, 3}, {1, 1}, {1, 257}, {3, 5}, {31, 64}, {263, 7}};

static int64_t position_at(size_t row) {
  static const int64_t some[] = {0, 1, -1, 2147483648, -2147483648, 1000003, INT64_MAX, INT64_MIN};
  return row < COUNT_OF(some) ? some[row] : (int64_t)row * 7919 - 100000;
}

static double expected_of(const struct phases *phases, enum phase_quantity quantity, size_t pair,
                          int64_t position) {
  long double angle = oracle_angle(phases->step[pair], position);
  if (quantity == PHASE_COSINE) return (double)cosl(angle);
  if (quantity == PHASE_SINE) return (double)sinl(angle);
  if (angle < 0) angle += 6.28318530717958647692528676655900577L;
  return (double)angle;
}

/* A phase becomes a double (half a unit of 2^-52), times a constant (a unit); sincospi() has 2
   units, after an argument rounded once. */
static double bound_of(enum phase_quantity quantity) {
  return quantity == PHASE_ANGLE ? 6.2832 * 1.5 * 0x1p-52 : 2.5 * 0x1p-52;
}

static void map(size_t which, const struct phases *phases, enum phase_quantity quantity,
                size_t rows, double *output) {
  int64_t position[300];
  for (size_t row = 0; row < rows; row++)
    position[row] = position_at(row);
  const struct phase_map_batch batch = {.phases = *phases,
                                        .quantity = quantity,
                                        .rows = rows,
                                        .position = position,
                                        .output = output};
  assert_done(backend_phase_map(twin[which], &batch, &error));
}

static void compare_all(void) {
  static const char *const labels[] = {"phase_map angle", "phase_map cosine", "phase_map sine"};
  for (size_t s = 0; s < COUNT_OF(shapes); s++)
    for (int q = PHASE_ANGLE; q <= PHASE_SINE; q++) {
      const size_t pairs = shapes[s].pairs, count = shapes[s].rows * pairs;
      struct phases phases = phases_of(pairs, 10000, PRECISION_FP64);
      for (size_t t = 0; t < TWINS; t++) {
        double *output = guarded_array(count);
        map(t, &phases, (enum phase_quantity)q, shapes[s].rows, output);
        for (size_t e = 0; e < count; e++)
          twins_compare(
              labels[q], t, output[e],
              expected_of(&phases, (enum phase_quantity)q, e % pairs, position_at(e / pairs)),
              bound_of((enum phase_quantity)q));
        guarded_finish(output, count);
      }
      phases_free(&phases);
    }
}

static void twins_of_the_oracle(void **state) {
  (void)state;
  compare_all();
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(10000, 1);
  compare_all();
  twins_limit(0, 0);
}

/* Rounded formats: the processor's values come from its C library and long double; the device may
   fall on the other side of a tie by its own last places, once in 2^20 values or so. Then it is off
   by one unit of the format, and there may be one such value here. */
static void rounded_formats(void **state) {
  (void)state;
  enum { ROWS = 67, PAIRS = 33, COUNT = ROWS * PAIRS };
  for (int precision = PRECISION_FP32; precision < PRECISION_COUNT; precision++)
    for (int q = PHASE_ANGLE; q <= PHASE_SINE; q++) {
      struct phases phases = phases_of(PAIRS, 500000, (enum precision)precision);
      double *output[TWINS];
      size_t ties = 0;
      for (size_t t = 0; t < TWINS; t++) {
        output[t] = guarded_array(COUNT);
        map(t, &phases, (enum phase_quantity)q, ROWS, output[t]);
      }
      for (size_t e = 0; e < COUNT; e++) {
        const double expected = output[0][e];
        if (q == PHASE_ANGLE) { /* the processor takes the turns off in long double */
          const double angle = phases.inv_freq[e % PAIRS] * fabs((double)position_at(e / PAIRS));
          twins_compare("phase_map rounded angle", 1, output[1][e], expected,
                        bound_of(PHASE_ANGLE) + angle / 6.28 * 0x1p-62);
          continue;
        }
        const double unit = 2 * precision_roundoff((enum precision)precision) * fabs(expected);
        ties += output[1][e] != expected && !isnan(expected);
        twins_compare("phase_map rounded cos, sin", 1, output[1][e], expected, unit);
      }
      assert_true(ties <= 1);
      for (size_t t = 0; t < TWINS; t++)
        guarded_finish(output[t], COUNT);
      phases_free(&phases);
    }
}

static int operation(void) {
  static const uint64_t step[2] = {1, 2};
  static const double inv_freq[2] = {1, 2};
  static const int64_t position[3] = {0, 1, 2};
  double output[6];
  const struct phase_map_batch batch = {.phases = {.series = 1,
                                                   .pairs = 2,
                                                   .step = step,
                                                   .inv_freq = inv_freq,
                                                   .precision = PRECISION_BF16},
                                        .rows = 3,
                                        .position = position,
                                        .output = output};
  return backend_phase_map(twin[1], &batch, &error);
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_oracle),
      cmocka_unit_test(small_devices),
      cmocka_unit_test(rounded_formats),
      cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}
