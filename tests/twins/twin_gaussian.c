/* Normal numbers. Philox's integers show in the numbers: a wrong one is off by far more than any
   bound here. */
#include "tests/twins/twins.h"

/* Philox4x32-10 as Salmon et al. 2011 define it, in place. */
static void philox(uint32_t counter[4], uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; round++) {
    const uint64_t a = UINT64_C(0xd2511f53) * counter[0], b = UINT64_C(0xcd9e8d57) * counter[2];
    const uint32_t next[4] = {(uint32_t)(b >> 32) ^ counter[1] ^ key0, (uint32_t)b,
                              (uint32_t)(a >> 32) ^ counter[3] ^ key1, (uint32_t)a};
    memcpy(counter, next, sizeof next);
    key0 += 0x9e3779b9u;
    key1 += 0xbb67ae85u;
  }
}

static double expected_element(uint64_t seed, uint32_t stream, uint64_t element) {
  const uint64_t index = element / 2;
  uint32_t w[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream, 0};
  philox(w, (uint32_t)seed, (uint32_t)(seed >> 32));
  const uint64_t u = (uint64_t)w[1] << 32 | w[0], v = (uint64_t)w[3] << 32 | w[2];
  const long double uniform = ((u >> 11) + 1) / 9007199254740992.0L;
  /* The angle is taken to the nearest quarter turn, exactly: near it sine or cosine is small. */
  const uint64_t quarter = (v + (UINT64_C(1) << 61)) >> 62 & 3;
  const long double rest = (long double)(int64_t)(v - (quarter << 62)) *
                           (3.14159265358979323846264338327950288L / 0x1p63L);
  const bool sine = (element + quarter) % 2;
  const long double value = sine ? sinl(rest) : cosl(rest);
  const bool minus = element % 2 ? quarter >= 2 : quarter == 1 || quarter == 2;
  return (double)(sqrtl(-2 * logl(uniform)) * (minus ? -value : value));
}

/* One unit of 2^-52 each in the logarithm (halved by the root), in the root, in the argument of the
   sine (halved at least) and in the product, two in the sine: below 4 units. */
static const double relative = 4 * 0x1p-52;

static void draw(size_t which, uint64_t first, size_t count, double *output) {
  const struct gaussian_batch batch = {.seed = UINT64_C(0x0123456789abcdef) ^ first,
                                       .stream = 7,
                                       .first = first,
                                       .count = count,
                                       .output = output};
  assert_done(backend_gaussian(twin[which], &batch, &error));
}

static const uint64_t firsts[] = {0, 1, 7, (UINT64_C(1) << 33) - 3, UINT64_MAX - 3000};
static const size_t counts[] = {0, 1, 2, 3, 31, 257, 1025, 2999};

static void compare_all(void) {
  for (size_t f = 0; f < COUNT_OF(firsts); f++)
    for (size_t c = 0; c < COUNT_OF(counts); c++)
      for (size_t t = 0; t < TWINS; t++) {
        double *output = guarded_array(counts[c] + 1) + 1; /* off a 16-byte boundary */
        output[-1] = 0;
        draw(t, firsts[f], counts[c], output);
        for (size_t i = 0; i < counts[c]; i++) {
          const double expected =
              expected_element(UINT64_C(0x0123456789abcdef) ^ firsts[f], 7, firsts[f] + i);
          twins_compare("gaussian", t, output[i], expected, relative * fabs(expected));
        }
        guarded_finish(output - 1, counts[c] + 1);
      }
}

static void twins_of_the_definition(void **state) {
  (void)state;
  compare_all();
}

static void small_devices(void **state) {
  (void)state;
  twins_limit(1000, 0);
  compare_all();
  twins_limit(0, 2);
  compare_all();
  twins_limit(0, 0);
}

/* However it is cut, the device makes the same bits. */
static void cuts_do_not_matter(void **state) {
  (void)state;
  enum { COUNT = 5001 };
  static double whole[COUNT], other[COUNT];
  draw(1, 5, COUNT, whole);
  twins_limit(4099 * sizeof(double), 3);
  draw(1, 5, COUNT, other);
  twins_limit(0, 0);
  assert_memory_equal(whole, other, sizeof whole);
}

static void too_small_a_device(void **state) {
  (void)state;
  double output[4];
  twins_limit(4, 0);
  const struct gaussian_batch batch = {.count = 4, .output = output};
  assert_refused(backend_gaussian(twin[1], &batch, &error), ERROR_FAILED,
                 "cannot draw normal numbers on the GPU: not enough device memory");
  twins_limit(0, 0);
}

static int operation(void) {
  static double output[300];
  const struct gaussian_batch batch = {.count = 300, .output = output};
  return backend_gaussian(twin[1], &batch, &error);
}

static void failing_calls(void **state) {
  (void)state;
  twins_inject(operation);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(twins_of_the_definition), cmocka_unit_test(small_devices),
      cmocka_unit_test(cuts_do_not_matter),      cmocka_unit_test(too_small_a_device),
      cmocka_unit_test(failing_calls),
  };
  return twins_main(tests);
}
