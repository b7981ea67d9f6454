/* No position encoding: the order shows in a causal mask alone. */
#include "lib/encoding/list.h"

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  (void)backend;
  (void)setting;
  (void)scorer;
  (void)error;
  return OK;
}

const struct encoding encoding_none = {
    .name = "none",
    .title = "None",
    .formula = "q^T k",
    .source = "Kazemnejad et al., The Impact of Positional Encoding on Length Generalization in "
              "Transformers, arXiv:2305.19466",
    .beyond = "extrapolated",
    .kind = ENCODING_NOTHING,
    .make = make,
};
