/* What the tests of the engine share: comparisons, seeded numbers, outputs between guard words. */
#ifndef ROPETOOL_TESTS_ORACLE_HARNESS_H
#define ROPETOOL_TESTS_ORACLE_HARNESS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/backend.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* |value − expected| <= tolerance, or both NaN; a NaN that was not expected never passes. */
#define assert_close(value, expected, tolerance)                                                   \
  assert_close_at((value), (expected), (tolerance), #value, __FILE__, __LINE__)

static inline void assert_close_at(double value, double expected, double tolerance,
                                   const char *what, const char *file, int line) {
  if (isnan(value) && isnan(expected)) return;
  if (value == expected || fabs(value - expected) <= tolerance) return;
  print_error("%s is %.17g, expected %.17g within %g (off by %g)\n", what, value, expected,
              tolerance, fabs(value - expected));
  _fail(file, line);
}

/* All of `count` values at once, so that the message says which. */
static inline void assert_all_close(const double *value, const double *expected, size_t count,
                                    double tolerance, const char *what) {
  for (size_t i = 0; i < count; i++) {
    if (isnan(value[i]) && isnan(expected[i])) continue;
    if (value[i] == expected[i] || fabs(value[i] - expected[i]) <= tolerance) continue;
    fail_msg("%s: element %zu is %.17g, expected %.17g within %g", what, i, value[i], expected[i],
             tolerance);
  }
}

#define assert_done(call)                                                                          \
  do {                                                                                             \
    if (call) fail_msg("%s", error.message);                                                       \
  } while (0)

#define assert_refused(call, code_expected, part)                                                  \
  do {                                                                                             \
    assert_int_equal(call, code_expected);                                                         \
    if (!strstr(error.message, part)) fail_msg("no '%s' in: %s", part, error.message);             \
  } while (0)

/* xorshift64*: Vigna 2016; the seed is any number but 0. */
static inline uint64_t random_word(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

/* In [−1, 1). */
static inline double random_unit(uint64_t *state) {
  return (double)(int64_t)random_word(state) * 0x1p-63;
}

static inline double *random_array(size_t count, uint64_t seed) {
  double *array = malloc((count ? count : 1) * sizeof *array);
  assert_non_null(array);
  for (size_t i = 0; i < count; i++)
    array[i] = random_unit(&seed);
  return array;
}

/* An output array of `count` numbers, all a NaN that no computation makes, between guard words. */
enum { GUARDS = 16 };

static inline double guard_word(void) {
  const uint64_t bits = UINT64_C(0x7ff4dead00000000);
  double word;
  memcpy(&word, &bits, sizeof word);
  return word;
}

static inline bool is_guard(const double *value) {
  const double word = guard_word();
  return !memcmp(value, &word, sizeof word);
}

static inline double *guarded_array(size_t count) {
  double *memory = malloc((count + 2 * GUARDS) * sizeof *memory);
  assert_non_null(memory);
  for (size_t i = 0; i < count + 2 * GUARDS; i++)
    memory[i] = guard_word();
  return memory + GUARDS;
}

/* Fails when a guard word was overwritten or an element was not; releases the array. */
static inline void guarded_finish(double *array, size_t count) {
  for (size_t i = 0; i < GUARDS; i++)
    if (!is_guard(array - 1 - i) || !is_guard(array + count + i))
      fail_msg("written outside of an output of %zu", count);
  for (size_t i = 0; i < count; i++)
    if (is_guard(array + i)) fail_msg("element %zu of %zu was never written", i, count);
  free(array - GUARDS);
}

/* θ_i = base^(−2i/dim) in steps and in double, from powl. */

static inline struct phases phases_of(size_t pairs, double base, enum precision precision) {
  uint64_t *step = malloc(pairs * sizeof *step);
  double *inv_freq = malloc(pairs * sizeof *inv_freq);
  assert_true(step && inv_freq);
  for (size_t i = 0; i < pairs; i++) {
    const long double theta = powl((long double)base, -(long double)i / (long double)pairs);
    step[i] = phase_step(theta);
    inv_freq[i] = (double)theta;
  }
  return (struct phases){
      .series = 1, .pairs = pairs, .step = step, .inv_freq = inv_freq, .precision = precision};
}

static inline void phases_free(struct phases *phases) {
  free((void *)phases->step);
  free((void *)phases->inv_freq);
}

static inline struct backend *open_cpu(void) {
  struct error error;
  struct backend *backend;
  assert_done(backend_open("cpu", &backend, &error));
  return backend;
}

#endif
