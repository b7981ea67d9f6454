/* Encodings for tests. */
#ifndef ROPETOOL_TESTS_ENCODINGS_H
#define ROPETOOL_TESTS_ENCODINGS_H

#include "lib/encoding/encoding.h"
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

static inline struct scorer scorer_of(struct backend *backend, const char *name,
                                      const struct encoding_setting *setting) {
  struct scorer scorer;
  struct error error;
  if (encoding_make(encoding_of(name), backend, setting, &scorer, &error))
    fail_msg("%s", error.message);
  return scorer;
}

/* Making it is refused with `part` in the message, and leaves nothing behind. */
static inline void assert_refused(struct backend *backend, const struct encoding *encoding,
                                  const struct encoding_setting *setting, const char *part) {
  struct scorer scorer;
  struct error error;
  assert_int_not_equal(encoding_make(encoding, backend, setting, &scorer, &error), OK);
  assert_message(error, part);
  scorer_release(&scorer);
}

#endif
