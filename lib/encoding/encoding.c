#include "lib/encoding/encoding.h"

#include <stdio.h>
#include <string.h>

#include "lib/encoding/list.h"
#include "lib/rope/phases.h"

static const struct encoding *const encodings[] = {&encoding_rope, &encoding_sinusoidal};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

const struct encoding *encoding_at(size_t index) {
  return index < ENCODINGS ? encodings[index] : NULL;
}

int encoding_find(const char *name, const struct encoding **encoding, struct error *error) {
  char known[512] = "";
  size_t used = 0;
  for (size_t i = 0; i < ENCODINGS; i++) {
    if (!strcmp(name, encodings[i]->name)) {
      *encoding = encodings[i];
      return OK;
    }
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                             encodings[i]->name);
  }
  return error_set(error, ERROR_INPUT, "unknown encoding '%s': one of %s", name, known);
}

int encoding_cosine_sums(struct backend *backend, const struct spectrum *spectrum, size_t count,
                         double *sum, struct error *error) {
  const struct cosine_sum_batch batch = {
      .phases = phases_of(spectrum), .step = 1, .count = count, .sum = sum};
  return backend_cosine_sum(backend, &batch, error);
}
