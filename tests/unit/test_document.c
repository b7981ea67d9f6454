/* JSON of results: what is written is known again, and every change of it shows. */
#include "lib/io/document.h"

#include "lib/base/hash.h"
#include "tests/unit/ground.h"

static void write_rest(const void *data, FILE *out) {
  fprintf(out, ",\n\"table\": [%s]", (const char *)data);
}

static char *written(const struct meta *meta, const char *rest, size_t *size) {
  char *text;
  FILE *out = open_memstream(&text, size);
  assert_non_null(out);
  document_write(meta, rest ? write_rest : NULL, rest, out);
  assert_false(ferror(out));
  assert_int_equal(fclose(out), 0);
  return text;
}

static struct meta *some_meta(void) {
  struct meta *meta = meta_create();
  meta_set_text(meta, "command", "ropetool decay --title '}\"\\{'");
  meta_set_real(meta, "minimum", -0.125);
  meta_set_text(meta_object(meta, "inner"), "name", "");
  return meta;
}

static bool is_intact(const char *text, size_t size) {
  struct meta *meta;
  struct error error;
  bool intact = true;
  if (document_read(text, size, &meta, &intact, &error)) {
    assert_null(meta);
    assert_false(intact);
  }
  meta_destroy(meta);
  return intact;
}

static void reads_what_was_written(void **state) {
  (void)state;
  struct meta *meta = some_meta(), *back;
  const char *rests[] = {NULL, "", "{\"a\": \"json_sha256\"}"};
  for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
    size_t size;
    bool intact;
    struct error error;
    char *text = written(meta, rests[i], &size);
    assert_int_equal(document_read(text, size, &back, &intact, &error), OK);
    assert_true(intact);
    assert_string_equal(meta_text(back, "command"), meta_text(meta, "command"));
    assert_true(meta_real(back, "minimum", 0) == -0.125);
    meta_destroy(back);
    free(text);
  }
  meta_destroy(meta);
}

/* The hash can be computed by other means: that of the text with zeros for it. */
static void hash_is_of_the_text(void **state) {
  (void)state;
  size_t size;
  char *text = written(NULL, NULL, &size), hex[HASH_TEXT];
  static const char expected[] = "{\"meta\": {\n  \"json_sha256\": \"";
  assert_memory_equal(text, expected, strlen(expected));
  char *digits = text + strlen(expected), stated[HASH_TEXT] = "";
  memcpy(stated, digits, 64);
  assert_string_equal(digits + 64, "\"\n}}\n");
  memset(digits, '0', 64);
  hash_bytes(text, size, hex);
  assert_string_equal(hex, stated);
  free(text);
}

static void every_change_shows(void **state) {
  (void)state;
  struct meta *meta = some_meta();
  size_t size;
  char *text = written(meta, "{\"a\": 1.5}", &size);
  char *changed = malloc(size + 1);
  assert_non_null(changed);
  for (size_t i = 0; i < size; i++) {
    memcpy(changed, text, size);
    changed[i] ^= 1;
    assert_false(is_intact(changed, size));
    memcpy(changed, text, i);
    memcpy(changed + i, text + i + 1, size - i - 1);
    assert_false(is_intact(changed, size - 1));
    assert_false(is_intact(text, i));
  }
  memcpy(changed, text, size);
  changed[size] = '\n';
  assert_false(is_intact(changed, size + 1));
  assert_true(is_intact(changed, size));
  free(changed);
  free(text);
  meta_destroy(meta);
}

static void refuses_what_it_is_not(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "{\"meta\": ",
                                      "{\"meta\": [1]}",
                                      "{\"meta\": {}",
                                      "{\"meta\": {\"json_sha256\": 1}}\n",
                                      "x",
                                      "{\"meta\": {\"json_sha256\": \"12\"}}\n",
                                      "{\"meta\": {\"a\": \"\\"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_false(is_intact(texts[i], strlen(texts[i])));
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_what_was_written),
      cmocka_unit_test(hash_is_of_the_text),
      cmocka_unit_test(every_change_shows),
      cmocka_unit_test(refuses_what_it_is_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
