#include "lib/encoding/encoding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/encoding/list.h"
#include "lib/rope/phases.h"

static const struct encoding *const encodings[] = {
    &encoding_rope,           &encoding_sinusoidal, &encoding_learned, &encoding_none,
    &encoding_alibi,          &encoding_t5,         &encoding_kerple,  &encoding_shaw,
    &encoding_transformer_xl, &encoding_deberta,    &encoding_xpos,    &encoding_fire,
};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

const struct encoding *encoding_at(size_t index) {
  return index < ENCODINGS ? encodings[index] : NULL;
}

/* The names of those with terms, or of all, as a list in a message. */
static const char *list_names(bool with_terms, char text[512]) {
  size_t used = 0;
  *text = 0;
  for (size_t i = 0; i < ENCODINGS; i++)
    if (!with_terms || encodings[i]->has_terms)
      used +=
          (size_t)snprintf(text + used, 512 - used, "%s%s", used ? ", " : "", encodings[i]->name);
  return text;
}

int encoding_find(const char *name, const struct encoding **encoding, struct error *error) {
  char known[512];
  for (size_t i = 0; i < ENCODINGS; i++)
    if (!strcmp(name, encodings[i]->name)) {
      *encoding = encodings[i];
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown encoding '%s': one of %s", name,
                   list_names(false, known));
}

const char *encoding_kind_name(enum encoding_kind kind) {
  static const char *const names[] = {[ENCODING_NOTHING] = "nothing",
                                      [ENCODING_ROTATES] = "rotates",
                                      [ENCODING_ADDS] = "adds",
                                      [ENCODING_BIASES] = "biases"};
  return names[kind];
}

double encoding_scale(const struct encoding *encoding, const struct encoding_setting *setting) {
  const double factor =
      encoding->frequencies == FREQUENCIES_NONE ? 1 : setting->spectrum->softmax_factor;
  return factor / sqrt((double)setting->dim);
}

size_t encoding_width(const struct encoding *encoding, const struct spectrum *spectrum,
                      const struct position_table *learned) {
  if (encoding->takes_table && learned && learned->width) return learned->width;
  return encoding->frequencies == FREQUENCIES_OF_WIDTH ? 2 * spectrum->pairs
                                                       : spectrum->spec.head_dim;
}

static int check_frequencies(const struct encoding *encoding,
                             const struct encoding_setting *setting, struct error *error) {
  if (encoding->frequencies == FREQUENCIES_NONE) return OK;
  const size_t waves = 2 * setting->spectrum->pairs;
  if (encoding->frequencies == FREQUENCIES_OF_DIM) {
    if (waves <= setting->dim) return OK;
    return error_set(error, ERROR_INPUT,
                     "encoding '%s' rotates %zu dimensions of vectors that have '%zu': %zu or more",
                     encoding->name, waves, setting->dim, waves);
  }
  if (setting->width % 2)
    return error_set(error, ERROR_INPUT,
                     "encoding '%s' has sine and cosine in pairs: a width of '%zu' is odd; an even "
                     "one",
                     encoding->name, setting->width);
  if (waves == setting->width) return OK;
  return error_set(
      error, ERROR_INPUT,
      "encoding '%s' makes %zu dimensions for vectors that have '%zu': the same number",
      encoding->name, waves, setting->width);
}

static int check_setting(const struct encoding *encoding, const struct encoding_setting *setting,
                         struct error *error) {
  const char *empty = !setting->length  ? "length"
                      : !setting->width ? "width"
                      : !setting->dim   ? "dimension"
                      : !setting->heads ? "number of heads"
                                        : NULL;
  if (empty)
    return error_set(error, ERROR_INPUT, "the %s of encoding '%s' is '0': 1 or more", empty,
                     encoding->name);
  if (setting->head >= setting->heads)
    return error_set(error, ERROR_INPUT, "the head is '%zu', and the model has %zu: 0 to %zu",
                     setting->head, setting->heads, setting->heads - 1);
  char known[512];
  if (setting->terms != TERMS_ALL && !encoding->has_terms)
    return error_set(error, ERROR_INPUT,
                     "encoding '%s' has no terms of content and position apart: %s have",
                     encoding->name, list_names(true, known));
  return check_frequencies(encoding, setting, error);
}

int encoding_make(const struct encoding *encoding, struct backend *backend,
                  const struct encoding_setting *setting, struct scorer *scorer,
                  struct error *error) {
  *scorer = (struct scorer){0};
  if (check_setting(encoding, setting, error)) return error->code;
  *scorer = (struct scorer){.length = setting->length,
                            .width = setting->width,
                            .dim = setting->dim,
                            .query_content = true,
                            .key_content = true,
                            .scale = encoding_scale(encoding, setting),
                            .positions = INFINITY};
  return encoding->make(backend, setting, scorer, error);
}

int encoding_cosine_sums(struct backend *backend, const struct spectrum *spectrum, size_t count,
                         double *sum, struct error *error) {
  const struct cosine_sum_batch batch = {
      .phases = phases_of(spectrum), .step = 1, .count = count, .sum = sum};
  return backend_cosine_sum(backend, &batch, error);
}
