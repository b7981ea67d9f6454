#include "tests/unit/ground.h"

#include <inttypes.h>
#include <malloc.h>

#include "lib/base/memory.h"

static int default_limit(void **state) {
  (void)state;
  memory_set_limit(0);
  return 0;
}

static void limit_is_at_most_the_machine(void **state) {
  (void)state;
  memory_set_limit(0);
  const uint64_t limit = memory_limit();
  const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  assert_true(limit > 0 && limit <= machine);
  assert_true(memory_limit() == limit);
  memory_set_limit(12345);
  assert_true(memory_limit() == 12345);
}

static void require_stops_at_the_limit(void **state) {
  (void)state;
  struct error error = {0};
  memory_set_limit(4096);
  assert_int_equal(memory_require(512, 8, "the scores", &error), OK);
  assert_int_equal(memory_require(4096, 1, "the scores", &error), OK);
  assert_int_equal(memory_require(0, UINT64_MAX, "nothing", &error), OK);
  assert_int_equal(memory_require(513, 8, "the scores", &error), ERROR_FAILED);
  assert_int_equal(error.code, ERROR_FAILED);
  assert_int_equal(memory_require(513, 8, "the scores", NULL), ERROR_FAILED);
}

static void message_names_gib(void **state) {
  (void)state;
  struct error error;
  memory_set_limit((uint64_t)2 << 30);
  assert_int_equal(memory_require((uint64_t)131072 * 131072, 4, "a map of 131072 x 131072", &error),
                   ERROR_FAILED);
  assert_message(&error, "a map of 131072 x 131072 would need 64 GiB; 2 GiB are allowed");
  assert_int_equal(memory_require((uint64_t)32768 * 32768, 4, "a map", &error), ERROR_FAILED);
  assert_message(&error, "4 GiB");
}

static void message_is_plain(void **state) {
  (void)state;
  static const struct {
    uint64_t bytes;
    const char *text;
  } sizes[] = {{3, "need 3 bytes; 2 bytes"},
               {1000, "need 1000 bytes; "},
               {1536, "need 1.5 KiB; "},
               {UINT64_C(1023) << 10, "need 1023 KiB; "},
               {UINT64_C(100) << 20, "need 100 MiB; "},
               {UINT64_C(3) << 29, "need 1.5 GiB; "},
               {UINT64_C(32000000000000), "need 29802 GiB; "},
               {UINT64_MAX, "need 17179869184 GiB; "}};
  struct error error;
  memory_set_limit(2);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(memory_require(sizes[i].bytes, 1, "it", &error), ERROR_FAILED);
    assert_message(&error, sizes[i].text);
  }
}

/* Under sanitizers nobody says what is in use. */
static void arrays_share_the_limit(void **state) {
  (void)state;
  const size_t size = (size_t)64 << 20, in_use = mallinfo2().uordblks + mallinfo2().hblkhd;
  if (!in_use) skip();
  struct error error;
  void *array[3];
  memory_set_limit(in_use + size);
  for (size_t i = 0; i < 3; i++)
    array[i] = memory_array(size * 4 / 10, 1, "an array", &error);
  assert_non_null(array[0]);
  assert_non_null(array[1]);
  assert_null(array[2]);
  assert_message(&error, "an array would need 25.6 MiB beside ");
  assert_message(&error, " MiB in use; ");
  assert_int_equal(memory_require(size / 10, 1, "less", &error), OK);
  free(array[0]);
  assert_int_equal(memory_require(size * 4 / 10, 1, "an array", &error), OK);
  memory_set_limit(UINT64_MAX);
  assert_int_equal(memory_require(UINT64_MAX, 1, "all", &error), ERROR_FAILED);
  free(array[1]);
}

/* What a product of 64 bits would hide: 2^33 × 2^31 bytes wrap to 0. */
static void products_beyond_64_bits_are_refused(void **state) {
  (void)state;
  struct error error;
  memory_set_limit(UINT64_MAX);
  assert_int_equal(memory_require((uint64_t)1 << 33, (uint64_t)1 << 31, "an array", &error),
                   ERROR_FAILED);
  assert_message(&error, "an array would need 17179869184 GiB");
  assert_int_equal(memory_require(UINT64_MAX, 2, "an array", &error), ERROR_FAILED);
  assert_null(memory_array(SIZE_MAX, 8, "an array", &error));
  assert_message(&error, "an array");
}

static void arrays_are_zero_and_never_null(void **state) {
  (void)state;
  struct error error;
  memory_set_limit(0);
  for (size_t count = 0; count < 1000; count = 2 * count + 1) {
    unsigned char *array = memory_array(count, 3, "an array", &error);
    assert_non_null(array);
    for (size_t i = 0; i < 3 * count; i++)
      assert_int_equal(array[i], 0);
    free(array);
  }
  void *empty = memory_array(5, 0, "an array", &error);
  assert_non_null(empty);
  free(empty);
}

static void arrays_obey_the_limit(void **state) {
  (void)state;
  struct error error = {0};
  memory_set_limit(1000);
  void *array = memory_array(125, 8, "an array", &error);
  assert_non_null(array);
  free(array);
  assert_null(memory_array(126, 8, "the profile", &error));
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "the profile would need");
  assert_null(memory_array(126, 8, "the profile", NULL));
}

/* Within the limit, but more than there is: 2^62 bytes. */
static void system_without_memory_is_an_error(void **state) {
  (void)state;
  struct error error = {0};
  memory_set_limit(UINT64_MAX);
  assert_null(memory_array((size_t)1 << 59, 8, "the sky", &error));
  assert_int_equal(error.code, ERROR_FAILED);
  assert_message(&error, "out of memory: the sky needs 4294967296 GiB");
}

static void texts_are_copied(void **state) {
  (void)state;
  struct error error = {0};
  memory_set_limit(0);
  char text[] = "α = 1";
  char *copy = memory_text(text, &error);
  assert_non_null(copy);
  text[0] = 'x';
  assert_string_equal(copy, "α = 1");
  free(copy);
  copy = memory_text("", &error);
  assert_string_equal(copy, "");
  free(copy);
  memory_set_limit(3);
  assert_null(memory_text("abc", &error));
  assert_int_equal(error.code, ERROR_FAILED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limit_is_at_most_the_machine),
      cmocka_unit_test(require_stops_at_the_limit),
      cmocka_unit_test(message_names_gib),
      cmocka_unit_test(message_is_plain),
      cmocka_unit_test(arrays_share_the_limit),
      cmocka_unit_test(products_beyond_64_bits_are_refused),
      cmocka_unit_test(arrays_are_zero_and_never_null),
      cmocka_unit_test(arrays_obey_the_limit),
      cmocka_unit_test(system_without_memory_is_an_error),
      cmocka_unit_test(texts_are_copied),
  };
  return cmocka_run_group_tests(tests, NULL, default_limit);
}
