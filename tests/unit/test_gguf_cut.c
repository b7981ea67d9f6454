/* GGUF files that were cut, or changed by a byte: lib/io/gguf.h. Whatever the bytes are, reading
   ends soon, with what can be used or with an error of one line. */
#include <time.h>

#include "tests/unit/gguf_make.h"

#include "lib/base/memory.h"

static const char *const goldens[] = {"llama3-factors",  "phi3-longrope",
                                      "deepseek2-yarn",  "qwen2vl-mrope",
                                      "llama-linear-v2", "llama3-factors-big-endian"};
enum { GOLDENS = sizeof goldens / sizeof *goldens };

static struct bytes golden_bytes(const char *name) {
  char path[96];
  struct bytes bytes;
  snprintf(path, sizeof path, "tests/golden/gguf/%s.gguf", name);
  bytes.data = read_whole(path, &bytes.size);
  return bytes;
}

/* Reads it, and uses what was taken. Whether it was. */
static bool read_and_use(struct bytes bytes) {
  struct error error;
  struct gguf *gguf;
  char *block;
  const int status = parse_exactly(bytes, &block, &gguf, &error);
  if (status) {
    assert_int_equal(status, ERROR_INPUT);
    assert_null(gguf);
    assert_message(&error, "");
  } else {
    use_gguf(gguf);
    gguf_destroy(gguf);
  }
  free(block);
  return !status;
}

/* All of a file is needed, the padding behind its last tensor or value too. */
static void cut_anywhere(void **state) {
  (void)state;
  for (size_t i = 0; i < GOLDENS; i++) {
    struct bytes bytes = golden_bytes(goldens[i]);
    for (size_t size = 0; size <= bytes.size; size++)
      if (read_and_use((struct bytes){bytes.data, size}) != (size == bytes.size))
        fail_msg("%s, cut to %zu of %zu bytes", goldens[i], size, bytes.size);
    bytes_free(&bytes);
  }
}

/* No crash, no wait, no wild read; what is taken can be used. */
static void flipped(void **state) {
  (void)state;
  static const unsigned char values[] = {0x00, 0xff, 0x7f};
  const clock_t start = clock();
  for (size_t i = 0; i < GOLDENS; i++) {
    struct bytes bytes = golden_bytes(goldens[i]);
    const size_t end = bytes.size < 1300 ? bytes.size : 1300;
    for (size_t place = 0; place < end; place++)
      for (size_t v = 0; v < sizeof values; v++) {
        const char before = bytes.data[place];
        bytes.data[place] = (char)values[v];
        read_and_use(bytes);
        bytes.data[place] = before;
      }
    bytes_free(&bytes);
  }
  /* Some 25,000 files, each in well under a millisecond. */
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 40);
}

/* A file that is full of values: all it may cost is a few times its size. */
static void memory(void **state) {
  (void)state;
  enum { VALUES = 100000, BYTES = 8 + 5 + 4 + 1 };
  struct error error;
  struct gguf *gguf;
  const uint64_t limit = memory_limit();
  struct gguf_make head = make_gguf(3, 0, VALUES);
  const size_t size = (head.bytes.size + (size_t)VALUES * BYTES + 31) / 32 * 32;
  unsigned char *data = malloc(size), *next = data;
  assert_non_null(data);
  memcpy(next, head.bytes.data, head.bytes.size);
  next += head.bytes.size;
  for (unsigned i = 0; i < VALUES; i++, next += BYTES) {
    memset(next, 0, BYTES);
    next[0] = 5;
    for (unsigned digit = 0, rest = i; digit < 5; digit++, rest /= 10)
      next[8 + digit] = (unsigned char)('0' + rest % 10);
  }
  assert_int_equal(gguf_parse((struct tensor_bytes){data, size}, &gguf, &error), OK);
  assert_non_null(gguf_find(gguf, "12345"));
  assert_null(gguf_find(gguf, "123456"));
  use_gguf(gguf);
  gguf_destroy(gguf);
  memory_set_limit(1 << 21);
  assert_int_equal(gguf_parse((struct tensor_bytes){data, size}, &gguf, &error), ERROR_FAILED);
  assert_null(gguf);
  assert_message(&error, "the values of a GGUF file");
  memory_set_limit(limit);
  free(data);
  bytes_free(&head.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_anywhere),
      cmocka_unit_test(flipped),
      cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
