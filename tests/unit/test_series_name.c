/* lib/analysis/series_name.h; the names of decay tables are in test_decay.c. */
#include "lib/analysis/series_name.h"

#include "tests/unit/spectra.h"

static struct spectrum *labelled(const char *label, const char *layer_type, double base) {
  struct rope_spec spec;
  spec_default(&spec);
  spec.head_dim = spec.rotary_dim = 4;
  spec.base = base;
  snprintf(spec.label, sizeof spec.label, "%s", label);
  snprintf(spec.layer_type, sizeof spec.layer_type, "%s", layer_type);
  return spectrum_of(&spec);
}

/* Frequencies that were given: no base. */
static struct spectrum *given(const char *label, double second) {
  const double inv_freq[] = {1, second};
  struct spectrum *spectrum = labelled(label, "", 10000);
  spectrum->spec.base = NAN;
  strcpy(spectrum->spec.scaling.type, "given");
  assert_int_equal(spec_set_list(&spectrum->spec, "inv_freq", inv_freq, 2, NULL), OK);
  return spectrum;
}

/* Checks the names of up to four series, and releases them. */
static void assert_names(struct spectrum *series[4], const char *const names[4]) {
  char name[SERIES_NAME];
  size_t count = 0;
  while (count < 4 && series[count])
    count++;
  for (size_t i = 0; i < count; i++) {
    series_name(series, count, i, name);
    assert_string_equal(name, names[i]);
  }
  for (size_t i = 0; i < count; i++)
    spectrum_destroy(series[i]);
}

static void labels_alone(void **state) {
  (void)state;
  assert_names((struct spectrum *[4]){labelled("Mine", "sliding", 500), labelled("Other", "", 5)},
               (const char *const[4]){"Mine", "Other"});
}

static void layer_types_where_they_differ(void **state) {
  (void)state;
  /* The base tells nothing apart that the layer type does not, until two have the same type. */
  assert_names(
      (struct spectrum *[4]){labelled("Mine", "full", 1e6), labelled("Mine", "sliding", 500)},
      (const char *const[4]){"Mine full", "Mine sliding"});
  assert_names(
      (struct spectrum *[4]){labelled("Mine", "full", 1e6), labelled("Mine", "sliding", 500),
                             labelled("Mine", "sliding", 700), labelled("Mine", "", 5)},
      (const char *const[4]){"Mine full", "Mine sliding b=500", "Mine sliding b=700", "Mine"});
  assert_names((struct spectrum *[4]){labelled("", "full", 500), labelled("", "sliding", 500)},
               (const char *const[4]){"full d=4 b=500", "sliding d=4 b=500"});
  assert_names((struct spectrum *[4]){labelled("Mine", "full", 500), labelled("Mine", "full", 500)},
               (const char *const[4]){"Mine", "Mine (2)"});
}

static void frequencies_without_a_base(void **state) {
  (void)state;
  assert_names((struct spectrum *[4]){given("Mine", 0.5), given("Mine", 0.5)},
               (const char *const[4]){"Mine", "Mine (2)"});
  assert_names((struct spectrum *[4]){given("Mine", 0.5), given("Mine", 0.25)},
               (const char *const[4]){"Mine given", "Mine given (2)"});
  assert_names((struct spectrum *[4]){given("", 0.5), labelled("", "", 500)},
               (const char *const[4]){"d=4 given", "d=4 b=500"});
  assert_names((struct spectrum *[4]){given("Mine", 0.5), labelled("Mine", "", 500)},
               (const char *const[4]){"Mine given", "Mine b=500 none"});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_alone),
      cmocka_unit_test(layer_types_where_they_differ),
      cmocka_unit_test(frequencies_without_a_base),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
