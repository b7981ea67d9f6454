/* Encodings for tests. */
#ifndef ROPETOOL_TESTS_ENCODINGS_H
#define ROPETOOL_TESTS_ENCODINGS_H

#include <unistd.h>

#include "lib/base/memory.h"
#include "lib/encoding/encoding.h"
#include "lib/io/npy.h"
#include "tests/unit/spectra.h"

static inline const struct encoding *encoding_of(const char *name) {
  const struct encoding *encoding = NULL;
  assert_int_equal(encoding_find(name, &encoding, NULL), OK);
  return encoding;
}

/* Vectors of `dim` dimensions without projections, head 0 of the usual number. */
static inline struct encoding_setting setting_of(const struct spectrum *spectrum, size_t length,
                                                 size_t dim) {
  return (struct encoding_setting){
      .spectrum = spectrum, .length = length, .width = dim, .dim = dim, .heads = ENCODING_HEADS};
}

/* "NAME.KEY=VALUE" each, NULL at the end. */
static inline struct encoding_values *values_of(const char *const *texts) {
  struct error error;
  char sha256[HASH_TEXT];
  struct encoding_values *values = encoding_values_create(&error);
  for (; *texts; texts++)
    if (encoding_values_set(values, *texts, sha256, &error)) fail_msg("%s", error.message);
  return values;
}

/* Adds a tensor (rows, columns) as the file of parameter `name`. */
static inline void add_tensor(struct encoding_values *values, const char *name, const double *data,
                              size_t rows, size_t columns) {
  char path[] = "/tmp/test_encoding_XXXXXX.npy", text[128], sha256[HASH_TEXT];
  struct error error;
  const int file = mkstemps(path, 4);
  assert_true(file >= 0);
  FILE *out = fdopen(file, "w");
  npy_write_header(out, "'<f8'", (size_t[]){rows, columns}, 2);
  fwrite(data, sizeof *data, rows * columns, out);
  assert_int_equal(fclose(out), 0);
  snprintf(text, sizeof text, "%s=%s", name, path);
  const int status = encoding_values_set(values, text, sha256, &error);
  unlink(path);
  if (status) fail_msg("%s", error.message);
  assert_int_equal(strlen(sha256), HASH_TEXT - 1);
}

static inline double product_of(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

/* N(0, 1), the same for the same seed. */
static inline void draw(struct backend *backend, uint64_t seed, size_t count, double *number) {
  const struct gaussian_batch batch = {.seed = seed, .count = count, .output = number};
  assert_int_equal(backend_gaussian(backend, &batch, NULL), OK);
}

/* What a scorer makes of one draw of contents (position, dim), which are copied; NULL: zeros. With
   `softmax` weights, else scores: (query, key), NaN where masked. */
struct score_map {
  const double *query, *key;
  bool causal, softmax;
  double *cells;
};
static inline void score_all(struct backend *backend, struct scorer *scorer,
                             const struct score_map *map) {
  const size_t size = scorer->length * scorer->dim * sizeof(double);
  double *query = map->query ? malloc(size) : NULL, *key = map->key ? malloc(size) : NULL;
  if (query) memcpy(query, map->query, size);
  if (key) memcpy(key, map->key, size);
  struct score_batch batch = {
      .causal = map->causal,
      .softmax = map->softmax,
      .tiles = {.rows = scorer->length, .columns = scorer->length, .cells = map->cells}};
  struct error error;
  scorer_batch(scorer, &(struct scorer_vectors){.draws = 1, .query = query, .key = key}, &batch);
  if (backend_scores(backend, &batch, &error)) fail_msg("%s", error.message);
  free(query);
  free(key);
}

static inline int open_backend(void **state) {
  *state = open_cpu();
  memory_set_limit((uint64_t)1 << 30);
  return 0;
}

static inline int close_backend(void **state) {
  backend_close(*state);
  return 0;
}

static inline struct scorer scorer_of(struct backend *backend, const char *name,
                                      const struct encoding_setting *setting) {
  struct scorer scorer;
  struct error error;
  if (encoding_make(encoding_of(name), backend, setting, &scorer, &error))
    fail_msg("%s", error.message);
  return scorer;
}

/* Making it is refused with `part` in the message, and leaves nothing behind. */
static inline void assert_encoding_refused(struct backend *backend, const struct encoding *encoding,
                                           const struct encoding_setting *setting,
                                           const char *part) {
  struct scorer scorer;
  struct error error;
  assert_int_not_equal(encoding_make(encoding, backend, setting, &scorer, &error), OK);
  assert_message(error, part);
  scorer_release(&scorer);
}

#endif
