/* Whole configs, against what Hugging Face's own code computes from them: every layer type and
   length of tests/golden/hf_inv_freq.tsv. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/model/model.h"
#include "lib/rope/spectrum.h"

enum { SPECTRA = 46, VALUES = 2758 };

/* A row of the table, for one of its configs. */
struct row {
  const char *config, *layer_type, *length, *attention_factor, *values;
};

/* How a spectrum differs from a row: floats at a distance of so many units in the last place, the
   last place for all that are further. */
struct tally {
  size_t spectra, at[3];
};

static void read_rope(const struct row *row, struct rope_spec *spec) {
  char path[256];
  struct model *model = NULL;
  struct error error = {OK, ""};
  snprintf(path, sizeof path, "tests/golden/configs/%s.json", row->config);
  if (model_read(path, &model, NULL, &error)) fail_msg("%s: %s", row->config, error.message);
  if (!model) return; /* for the analyser: fail_msg does not come back */
  size_t index = 0;
  while (index < model->count && strcmp(model->ropes[index].layer_type, row->layer_type))
    index++;
  if (index == model->count) fail_msg("%s: no layer type '%s'", row->config, row->layer_type);
  *spec = model->ropes[index];
  spec->context = *row->length ? strtoll(row->length, NULL, 10) : 1;
  model_destroy(model);
}

static struct spectrum *spectrum_of_row(const struct row *row, enum precision precision) {
  struct rope_spec spec = {0};
  struct error error = {OK, ""};
  struct spectrum *spectrum = NULL;
  read_rope(row, &spec);
  spec.precision = precision;
  if (spectrum_create(&spec, &spectrum, &error)) fail_msg("%s: %s", row->config, error.message);
  return spectrum;
}

/* Float32 evaluation itself is off by up to 3.3e-7. */
static void compare_exact(const struct row *row, struct tally *tally) {
  struct spectrum *spectrum = spectrum_of_row(row, PRECISION_FP64);
  const double attention = strtod(row->attention_factor, NULL);
  if (!(fabs(spectrum->attention_factor - attention) <= 1e-9))
    fail_msg("%s: attention factor %.17g", row->config, spectrum->attention_factor);
  size_t pair = 0;
  const char *values = row->values;
  for (char *end; *values; values = end, pair++) {
    const double expected = strtod(values, &end);
    assert_true(pair < spectrum->pairs);
    const double value = spectrum->inv_freq_double[pair];
    if (!(fabs(value - expected) <= 1e-6 * expected))
      fail_msg("%s %s %s: pair %zu is %.17g, not %.17g", row->config, row->layer_type, row->length,
               pair, value, expected);
  }
  assert_int_equal(pair, spectrum->pairs);
  tally->spectra++;
  spectrum_destroy(spectrum);
}

static void compare_floats(const struct row *row, struct tally *tally) {
  struct spectrum *spectrum = spectrum_of_row(row, PRECISION_FP32);
  size_t pair = 0;
  const char *values = row->values;
  for (char *end; *values; values = end, pair++) {
    const float expected = strtof(values, &end), value = (float)spectrum->inv_freq_double[pair];
    int32_t a, b;
    memcpy(&a, &expected, sizeof a);
    memcpy(&b, &value, sizeof b);
    const int32_t apart = abs(a - b); /* both are positive or 0 */
    tally->at[apart < 2 ? apart : 2]++;
  }
  tally->spectra++;
  spectrum_destroy(spectrum);
}

static void each_row(void (*compare)(const struct row *, struct tally *), struct tally *tally) {
  FILE *file = fopen("tests/golden/hf_inv_freq.tsv", "r");
  assert_non_null(file);
  char line[16384];
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#' || !strncmp(line, "configs\t", 8)) continue;
    char *rest = line;
    line[strcspn(line, "\n")] = '\0';
    char *configs = strsep(&rest, "\t");
    struct row row = {.layer_type = strsep(&rest, "\t"),
                      .length = strsep(&rest, "\t"),
                      .attention_factor = strsep(&rest, "\t"),
                      .values = rest};
    assert_non_null(rest);
    while ((row.config = strsep(&configs, ",")))
      compare(&row, tally);
  }
  fclose(file);
}

static void spectra_are_hugging_faces(void **state) {
  (void)state;
  struct tally tally = {0};
  each_row(compare_exact, &tally);
  assert_int_equal(tally.spectra, SPECTRA);
}

/* 2733 are equal; the other 25, at most two a spectrum, differ by the last bit of powf, which C
   libraries and torch round differently. */
static void floats_are_hugging_faces(void **state) {
  (void)state;
  struct tally tally = {0};
  each_row(compare_floats, &tally);
  assert_int_equal(tally.spectra, SPECTRA);
  assert_int_equal(tally.at[0] + tally.at[1] + tally.at[2], VALUES);
  assert_int_equal(tally.at[2], 0);
  assert_true(tally.at[0] >= 2700);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spectra_are_hugging_faces),
      cmocka_unit_test(floats_are_hugging_faces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
