/* Plain RoPE: the spectrum stays as it is. */
#include "lib/rope/scaling.h"

static int apply(const struct rope_spec *spec, struct scaling_result *result, struct error *error) {
  (void)spec, (void)result, (void)error;
  return OK;
}

const struct scaling_rule scaling_none = {
    .name = "none",
    .summary = "plain RoPE",
    .source = "Su et al. 2021, arXiv:2104.09864, section 3.2",
    .alike = true,
    .apply = apply,
};
