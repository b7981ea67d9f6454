/* Self-check: angles, rotations and normal numbers. Sources of the formulas: kernels/backend.h. */
#include "lib/analysis/self_check_parts.h"

static const int64_t positions[] = {0, 1, 2, 77, 4095, 131071, INT64_C(1) << 31};
enum { POSITIONS = sizeof positions / sizeof *positions };

static int run_phase_map(struct backend *backend, struct self_check_result *result,
                         struct error *error) {
  struct self_check_angles angles;
  double output[POSITIONS * SELF_CHECK_PAIRS];
  self_check_angles_set(&angles);
  for (int sine = 0; sine < 2; sine++) {
    const struct phase_map_batch batch = {.phases = angles.phases,
                                          .quantity = sine ? PHASE_SINE : PHASE_COSINE,
                                          .rows = POSITIONS,
                                          .position = positions,
                                          .output = output};
    if (backend_phase_map(backend, &batch, error)) return ERROR_FAILED;
    for (size_t r = 0; r < POSITIONS; r++)
      for (size_t i = 0; i < SELF_CHECK_PAIRS; i++) {
        const long double angle = self_check_angle(&angles, i, positions[r]);
        self_check_compare(result, output[r * SELF_CHECK_PAIRS + i],
                           sine ? sinl(angle) : cosl(angle), 1);
      }
  }
  result->tolerance = 2.5 * 0x1p-52; /* an argument rounded once, a sine within two units */
  return OK;
}

/* Compares one rotated vector, pair by pair, each by its own length. */
static void compare_rotated(const struct self_check_angles *angles,
                            const struct rotate_batch *batch, size_t row,
                            struct self_check_result *result) {
  const double *input = (const double *)batch->input + row * SELF_CHECK_DIM;
  const double *output = (const double *)batch->output + row * SELF_CHECK_DIM;
  for (size_t i = 0; i < SELF_CHECK_PAIRS; i++) {
    const bool halves = batch->layout == LAYOUT_HALVES;
    const size_t a = halves ? i : 2 * i, b = halves ? SELF_CHECK_PAIRS + i : 2 * i + 1;
    const long double angle = self_check_angle(angles, i, positions[row]);
    const long double c = batch->amplitude * cosl(angle), s = batch->amplitude * sinl(angle);
    const long double length = batch->amplitude * hypotl(input[a], input[b]);
    self_check_compare(result, output[a], c * input[a] - s * input[b], length);
    self_check_compare(result, output[b], s * input[a] + c * input[b], length);
  }
}

static int run_rotate(struct backend *backend, struct self_check_result *result,
                      struct error *error) {
  struct self_check_angles angles;
  double input[POSITIONS * SELF_CHECK_DIM], output[POSITIONS * SELF_CHECK_DIM];
  self_check_angles_set(&angles);
  for (size_t i = 0; i < POSITIONS * SELF_CHECK_DIM; i++)
    input[i] = self_check_number(i);
  for (int halves = 0; halves < 2; halves++) {
    const struct rotate_batch batch = {.phases = angles.phases,
                                       .layout = halves ? LAYOUT_HALVES : LAYOUT_INTERLEAVED,
                                       .amplitude = 1.25,
                                       .storage = STORAGE_F64,
                                       .batch = 1,
                                       .length = POSITIONS,
                                       .heads = 1,
                                       .dim = SELF_CHECK_DIM,
                                       .position = positions,
                                       .input = input,
                                       .output = output};
    if (backend_rotate(backend, &batch, error)) return ERROR_FAILED;
    for (size_t row = 0; row < POSITIONS; row++)
      compare_rotated(&angles, &batch, row, result);
  }
  result->tolerance = 7 * 0x1p-53; /* e, and half a unit of the element's own rounding */
  return OK;
}

/* Philox4x32-10 (Salmon et al. 2011) of a counter, in place. */
static void philox(uint32_t counter[4], uint32_t key_low, uint32_t key_high) {
  for (int round = 0; round < 10; round++) {
    const uint64_t even = (uint64_t)0xd2511f53u * counter[0],
                   odd = (uint64_t)0xcd9e8d57u * counter[2];
    counter[0] = (uint32_t)(odd >> 32) ^ counter[1] ^ key_low;
    counter[1] = (uint32_t)odd;
    counter[2] = (uint32_t)(even >> 32) ^ counter[3] ^ key_high;
    counter[3] = (uint32_t)even;
    key_low += 0x9e3779b9u;
    key_high += 0xbb67ae85u;
  }
}

/* The size of an error is that of the pair's length: its angle is off by some units, too. */
static int run_gaussian(struct backend *backend, struct self_check_result *result,
                        struct error *error) {
  enum { COUNT = 64, STREAM = 3 };
  const uint64_t seed = UINT64_C(0x123456789abcdef);
  double number[COUNT];
  const struct gaussian_batch batch = {
      .seed = seed, .stream = STREAM, .count = COUNT, .output = number};
  if (backend_gaussian(backend, &batch, error)) return ERROR_FAILED;
  for (uint32_t pair = 0; pair < COUNT / 2; pair++) {
    uint32_t word[4] = {pair, 0, STREAM, 0};
    philox(word, (uint32_t)seed, (uint32_t)(seed >> 32));
    const uint64_t u = (uint64_t)word[1] << 32 | word[0], v = (uint64_t)word[3] << 32 | word[2];
    const long double length = sqrtl(-2 * logl(ldexpl((long double)(u >> 11) + 1, -53)));
    const long double angle = ldexpl((long double)v, -63) * 3.14159265358979323846264338327950288L;
    self_check_compare(result, number[2 * pair], length * cosl(angle), length);
    self_check_compare(result, number[2 * pair + 1], length * sinl(angle), length);
  }
  result->tolerance = 4 * 0x1p-52; /* logarithm, root, argument, sine, product */
  return OK;
}

const struct self_check self_check_phase_map = {"phase_map", true, run_phase_map},
                        self_check_rotate = {"rotate", true, run_rotate},
                        self_check_gaussian = {"gaussian", true, run_gaussian};
