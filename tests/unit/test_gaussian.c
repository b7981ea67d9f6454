/* Normal numbers: the generator's known answers, its definition, and what must not change the
 * numbers. */
#include "tests/oracle/cpu_backend.h"

static struct error error;

static void draw(uint64_t seed, uint32_t stream, uint64_t first, size_t count, double *output) {
  const struct gaussian_batch batch = {
      .seed = seed, .stream = stream, .first = first, .count = count, .output = output};
  assert_done(backend_gaussian(backend, &batch, &error));
}

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

/* The oracle itself against the known answers that come with Random123. */
static void known_answers(void **state) {
  (void)state;
  static const struct {
    uint32_t counter[4], key[2], answer[4];
  } cases[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    uint32_t counter[4];
    memcpy(counter, cases[c].counter, sizeof counter);
    philox(counter, cases[c].key[0], cases[c].key[1]);
    assert_memory_equal(counter, cases[c].answer, sizeof counter);
  }
}

static double expected_element(uint64_t seed, uint32_t stream, uint64_t element) {
  const uint64_t index = element / 2;
  uint32_t w[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream, 0};
  philox(w, (uint32_t)seed, (uint32_t)(seed >> 32));
  const uint64_t u = (uint64_t)w[1] << 32 | w[0], v = (uint64_t)w[3] << 32 | w[2];
  const long double uniform = ((u >> 11) + 1) / 9007199254740992.0L;
  const long double angle = (long double)v * (3.14159265358979323846264338327950288L / 0x1p63L);
  return (double)(sqrtl(-2 * logl(uniform)) * (element % 2 ? sinl(angle) : cosl(angle)));
}

static void twin_of_the_definition(void **state) {
  (void)state;
  static const uint64_t firsts[] = {0, 1, 7, (UINT64_C(1) << 33) - 3, UINT64_MAX - 40};
  static const size_t counts[] = {0, 1, 2, 3, 16, 33};
  for (size_t f = 0; f < COUNT_OF(firsts); f++)
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
      const uint64_t seed = UINT64_C(0x0123456789abcdef) * (f + 1);
      double *output = guarded_array(counts[c]);
      draw(seed, (uint32_t)f * 3, firsts[f], counts[c], output);
      for (size_t i = 0; i < counts[c]; i++)
        assert_close(output[i], expected_element(seed, (uint32_t)f * 3, firsts[f] + i), 4e-15);
      guarded_finish(output, counts[c]);
    }
}

static void cuts_and_threads_do_not_matter(void **state) {
  (void)state;
  enum { COUNT = 30001 };
  static double whole[COUNT], other[COUNT];
  thread_use(1);
  draw(42, 1, 5, COUNT, whole);
  for (size_t done = 0, piece = 1; done < COUNT; done += piece, piece = piece * 2 + 1)
    draw(42, 1, 5 + done, COUNT - done < piece ? COUNT - done : piece, other + done);
  assert_memory_equal(whole, other, sizeof whole);
  thread_use(2);
  draw(42, 1, 5, COUNT, other);
  assert_memory_equal(whole, other, sizeof whole);
}

static void streams_and_seeds_differ(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  double a[COUNT], b[COUNT];
  static const uint64_t seeds[][2] = {{1, 0}, {1, 1}, {2, 0}, {UINT64_C(1) << 32, 0}, {0, 1}};
  draw(0, 0, 0, COUNT, a);
  for (size_t s = 0; s < COUNT_OF(seeds); s++) {
    draw(seeds[s][0], (uint32_t)seeds[s][1], 0, COUNT, b);
    double product = 0;
    for (size_t i = 0; i < COUNT; i++) {
      assert_true(a[i] != b[i]);
      product += a[i] * b[i];
    }
    assert_close(product / COUNT, 0, 5 / sqrt(COUNT));
  }
}

/* Moments of N(0,1) within five standard errors, and neighbours that know nothing of each other. */
static void moments(void **state) {
  (void)state;
  enum { COUNT = 400000 };
  double *x = malloc(COUNT * sizeof *x), sum[5] = {0}, neighbours = 0, beyond = 0;
  draw(20240501, 0, 0, COUNT, x);
  for (size_t i = 0; i < COUNT; i++) {
    for (int power = 1; power <= 4; power++)
      sum[power] += pow(x[i], power) / COUNT;
    if (i) neighbours += x[i] * x[i - 1] / COUNT;
    beyond += (fabs(x[i]) > 1.959963984540054) / (double)COUNT;
    assert_true(isfinite(x[i]));
  }
  free(x);
  const double unit = 5 / sqrt(COUNT);
  assert_close(sum[1], 0, unit);
  assert_close(sum[2], 1, unit * sqrt(2));
  assert_close(sum[3], 0, unit * sqrt(15));
  assert_close(sum[4], 3, unit * sqrt(96));
  assert_close(neighbours, 0, unit);
  assert_close(beyond, 0.05, unit * sqrt(0.05 * 0.95));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_answers),
      cmocka_unit_test(twin_of_the_definition),
      cmocka_unit_test(cuts_and_threads_do_not_matter),
      cmocka_unit_test(streams_and_seeds_differ),
      cmocka_unit_test(moments),
  };
  return cmocka_run_group_tests(tests, open_backend, close_backend);
}
