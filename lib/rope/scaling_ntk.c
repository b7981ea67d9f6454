/* NTK-aware scaling: a larger base, so that the lowest frequency alone is divided by factor. */
#include "lib/rope/scaling.h"

/* b' = b · factor^(d/(d−2)). */
static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  return scaling_grow(spec, spec_parameter(spec, "factor"), result, error);
}

const struct scaling_rule scaling_ntk = {
    .name = "ntk",
    .summary = "NTK-aware: base multiplied by factor^(d/(d-2))",
    .source = "Peng et al. 2023 (YaRN), arXiv:2309.00071, eq. 16",
    .keys = {{.name = "factor", .required = true, .kind = SCALING_POSITIVE}},
    .hides_original = true,
    .foreign = true,
    .apply = apply,
};
