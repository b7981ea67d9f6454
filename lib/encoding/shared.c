/* What several encodings are made of. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"
#include "lib/rope/phases.h"

int encoding_switch(const struct encoding_setting *setting, const char *name, const char *key,
                    bool *on, struct error *error) {
  struct encoding_query query = encoding_query_of(NULL, setting, name, key);
  double number;
  if (encoding_number(&query, &number, error)) return error->code;
  *on = number != 0;
  return OK;
}

int encoding_describe(const struct encoding *encoding, struct backend *backend,
                      const struct encoding_setting *setting, struct meta *meta,
                      struct error *error) {
  const struct encoding_parameter *parameter = encoding->parameters;
  for (; parameter && parameter->key; parameter++) {
    struct encoding_query query =
        encoding_query_of(backend, setting, encoding->name, parameter->key);
    double number;
    if (parameter->shape) continue;
    if (encoding_number(&query, &number, error)) return error->code;
    meta_set_real(meta_object(meta, "parameters"), parameter->key, number);
  }
  if (encoding->takes_table && setting->learned)
    meta_set_text(meta_object(meta, "parameters"), "table", setting->learned->name);
  return OK;
}

double *encoding_bias(const struct encoding_setting *setting, struct error *error) {
  char what[80];
  snprintf(what, sizeof what, "the biases at the distances of %zu positions", setting->length);
  if (memory_require(setting->length, 2 * sizeof(double), what, error)) return NULL;
  return memory_array(2 * setting->length - 1, sizeof(double), what, error);
}

void encoding_split_product(const struct encoding_setting *setting, struct scorer *scorer) {
  const enum term_choice terms = setting->terms;
  const bool all = terms == TERMS_ALL;
  scorer->query_content = all || terms == TERMS_CONTENT_CONTENT || terms == TERMS_CONTENT_POSITION;
  scorer->key_content = all || terms == TERMS_CONTENT_CONTENT || terms == TERMS_POSITION_CONTENT;
  scorer->query_table = all || !scorer->query_content;
  scorer->key_table = all || !scorer->key_content;
}

int encoding_waves(struct backend *backend, const struct spectrum *spectrum, size_t rows,
                   struct wave_columns columns, double *table, struct error *error) {
  const size_t pairs = spectrum->pairs;
  int status = memory_require(rows, pairs * sizeof(double), "a table of waves", error);
  if (status) return status;
  int64_t *position = memory_array(rows, sizeof *position, "the positions of a table", error);
  double *wave = memory_array(rows * pairs, sizeof *wave, "a table of waves", error);
  if (!position || !wave) status = ERROR_FAILED;
  struct phase_map_batch batch = {
      .phases = phases_of(spectrum), .rows = rows, .position = position, .output = wave};
  for (size_t r = 0; !status && r < rows; r++)
    position[r] = (int64_t)r;
  for (size_t second = 0; !status && second < 2; second++) {
    batch.quantity = second ? PHASE_COSINE : PHASE_SINE;
    status = backend_phase_map(backend, &batch, error);
    double *target = table + second * columns.cosine;
    for (size_t r = 0; !status && r < rows; r++)
      for (size_t i = 0; i < pairs; i++)
        target[r * 2 * pairs + columns.stride * i] = wave[r * pairs + i];
  }
  free(wave);
  free(position);
  return status;
}

double encoding_dot(const double *a, const double *b, size_t count) {
  double sum[8] = {0};
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
#pragma omp simd
    for (size_t lane = 0; lane < 8; lane++)
      sum[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < count; i++)
    sum[i % 8] += a[i] * b[i];
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}
