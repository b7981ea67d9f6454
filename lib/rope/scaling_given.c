/* The inverse frequencies themselves; there need be no base. */
#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  const double *inv_freq;
  const int failed = scaling_list(spec, "inv_freq", result, &inv_freq, error);
  if (failed) return failed;
  for (size_t i = 0; i < result->pairs; i++)
    result->inv_freq[i] = scaling_round(result, inv_freq[i]);
  return OK;
}

const struct scaling_rule scaling_given = {
    .name = "given",
    .summary = "the frequencies themselves, from a file",
    .source = "the file",
    .lists = {"inv_freq"},
    .zeros = true,
    .unnamed = true,
    .foreign = true,
    .hides_original = true,
    .alike = true,
    .apply = apply,
};
