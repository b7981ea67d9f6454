/* Names of series. */
#include <stdio.h>
#include <string.h>

#include "lib/analysis/decay_parts.h"

/* What tells a spectrum without a label from others: "d=128 b=10000 linear factor=8 bf16". */
static void describe(const struct rope_spec *spec, char name[DECAY_NAME]) {
  if (*spec->label) {
    snprintf(name, DECAY_NAME, "%s", spec->label);
    return;
  }
  size_t used = (size_t)snprintf(name, DECAY_NAME, "d=%zu b=%.15g", spec->rotary_dim, spec->base);
  const struct spec_scaling *scaling = &spec->scaling;
  if (strcmp(scaling->type, "none"))
    used += (size_t)snprintf(name + used, DECAY_NAME - used, " %s", scaling->type);
  for (size_t i = 0; i < scaling->count && used < SPEC_LABEL; i++)
    used += (size_t)snprintf(name + used, DECAY_NAME - used, " %s=%.15g",
                             scaling->parameters[i].key, scaling->parameters[i].value);
  if (spec->precision != PRECISION_FP64)
    snprintf(name + used, DECAY_NAME - used, " %s", precision_name(spec->precision));
}

void decay_name(struct spectrum *const *series, size_t index, char name[DECAY_NAME]) {
  char other[DECAY_NAME];
  size_t equal = 1;
  describe(&series[index]->spec, name);
  for (size_t i = 0; i < index; i++) {
    describe(&series[i]->spec, other);
    equal += !strcmp(name, other);
  }
  const size_t used = strlen(name);
  if (equal > 1) snprintf(name + used, DECAY_NAME - used, " (%zu)", equal);
}
