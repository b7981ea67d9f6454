/* What is said of layers and of the axes of M-RoPE, whatever the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/model/model.h"
#include "lib/rope/axis_of_pair.h"

enum { BARE = -1 };

/* "0-4,6-10" of the layers with RoPE `rope`; "" when there is none. */
static char *ranges(const struct model *model, int rope, struct error *error) {
  char *text = memory_array(model->layers * 6 + 1, 1, "a list of layers", error);
  size_t used = 0;
  for (size_t first = 0; text && first < model->layers; first++) {
    if (model->schedule[first] != rope) continue;
    size_t last = first;
    while (last + 1 < model->layers && model->schedule[last + 1] == rope)
      last++;
    used += (size_t)sprintf(text + used, "%s%zu", used ? "," : "", first);
    if (last > first) used += (size_t)sprintf(text + used, "-%zu", last);
    first = last;
  }
  return text;
}

static bool all_bare(const struct model *model) {
  size_t bare = 0;
  while (bare < model->layers && model->schedule[bare] == BARE)
    bare++;
  return bare == model->layers;
}

int model_explain_schedule(struct model *model, const char *source, struct meta *meta,
                           struct error *error) {
  int failed = OK;
  if (all_bare(model))
    return error_set(error, ERROR_INPUT,
                     "the model has no RoPE: none of its %zu layers has any (%s)", model->layers,
                     source);
  for (int rope = BARE; !failed && rope < (int)model->count; rope++) {
    char *text = ranges(model, rope, error);
    if (!text) return ERROR_FAILED;
    if (rope == BARE && *text)
      spec_warn(model->ropes, meta, "layers without RoPE: %.200s (%s)", text, source);
    if (*text)
      failed =
          model_explain(model, rope == BARE ? "" : model->ropes[rope].layer_type,
                        rope == BARE ? "layers_without_rope" : "schedule", text, source, error);
    free(text);
  }
  return failed;
}

static const char as_text[] = "M-RoPE is read as for text, whose positions are equal on all axes";

bool model_warning_of_text(const char *warning) {
  return strstr(warning, as_text) != NULL;
}

/* By the rule of lib/rope/axis_of_pair.h height and width get at most every third pair. */
void model_warn_turns(const struct rope_spec *spec, struct meta *meta) {
  const size_t pairs = spec->rotary_dim / 2;
  for (size_t axis = 1; spec->sections_interleaved && axis < spec->axes && axis < 3; axis++) {
    const size_t most = (pairs + 2 - axis) / 3;
    if (spec->section[axis] > most)
      spec_warn(spec, meta,
                "dealt out in turn, %zu of the %zu pairs are of the %s, not the %zu of its section",
                most, pairs, spec_axis_name((enum spec_axis)axis), spec->section[axis]);
  }
}

void model_warn_sections(const struct rope_spec *spec, struct meta *meta) {
  model_warn_turns(spec, meta);
  spec_warn(spec, meta, "%s", as_text);
}
