#include "lib/analysis/series_name.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What a name has to say. */
struct parts {
  bool layer_type, dim, base, scaling, precision;
};

/* Given frequencies have no base: NaN is the same as NaN here. */
static bool same_base(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static bool same_list(const struct spec_list *a, const struct spec_list *b) {
  if (strcmp(a->key, b->key) || a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (a->value[i] != b->value[i]) return false;
  return true;
}

static bool same_scaling(const struct spec_scaling *a, const struct spec_scaling *b) {
  if (strcmp(a->type, b->type) || a->count != b->count || a->list_count != b->list_count)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (strcmp(a->parameters[i].key, b->parameters[i].key) ||
        a->parameters[i].value != b->parameters[i].value)
      return false;
  for (size_t i = 0; i < a->list_count; i++)
    if (!same_list(&a->lists[i], &b->lists[i])) return false;
  return true;
}

/* A series without a label is named by its numbers; one with a label, by those in which it differs
   from others of the same label and layer type. */
static struct parts parts_needed(struct spectrum *const *series, size_t count, size_t index) {
  const struct rope_spec *own = &series[index]->spec;
  struct parts parts = {0};
  for (size_t i = 0; i < count; i++) {
    const struct rope_spec *other = &series[i]->spec;
    if (strcmp(own->label, other->label)) continue;
    if (strcmp(own->layer_type, other->layer_type)) {
      parts.layer_type = *own->layer_type;
      continue;
    }
    parts.dim |= own->rotary_dim != other->rotary_dim;
    parts.base |= !same_base(own->base, other->base);
    parts.scaling |= !same_scaling(&own->scaling, &other->scaling);
    parts.precision |= own->precision != other->precision;
  }
  if (!*own->label) {
    parts.dim = parts.base = true;
    parts.scaling = strcmp(own->scaling.type, "none") != 0;
    parts.precision = own->precision != PRECISION_FP64;
  }
  parts.base &= !isnan(own->base);
  return parts;
}

/* Appends a word; what does not fit is left out. */
static void append(char name[SERIES_NAME], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append(char name[SERIES_NAME], const char *format, ...) {
  const size_t used = strlen(name), gap = used > 0;
  if (used + gap + 1 >= SERIES_NAME) return;
  if (gap) strcpy(name + used, " ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(name + used + gap, SERIES_NAME - used - gap, format, arguments);
  va_end(arguments);
}

/* "d=128 b=10000 linear factor=8 bf16", "Llama-3-8B b=1000000". */
static void describe(struct spectrum *const *series, size_t count, size_t index,
                     char name[SERIES_NAME]) {
  const struct rope_spec *spec = &series[index]->spec;
  const struct parts parts = parts_needed(series, count, index);
  snprintf(name, SERIES_NAME, "%s", spec->label);
  if (parts.layer_type) append(name, "%s", spec->layer_type);
  if (parts.dim) append(name, "d=%zu", spec->rotary_dim);
  if (parts.base) append(name, "b=%.15g", spec->base);
  if (parts.scaling) append(name, "%s", spec->scaling.type);
  for (size_t i = 0; parts.scaling && i < spec->scaling.count; i++)
    append(name, "%s=%.15g", spec->scaling.parameters[i].key, spec->scaling.parameters[i].value);
  if (parts.precision) append(name, "%s", precision_name(spec->precision));
}

void series_name(struct spectrum *const *series, size_t count, size_t index,
                 char name[SERIES_NAME]) {
  char other[SERIES_NAME];
  size_t equal = 1;
  describe(series, count, index, name);
  for (size_t i = 0; i < index; i++) {
    describe(series, count, i, other);
    equal += !strcmp(name, other);
  }
  if (equal > 1) append(name, "(%zu)", equal);
}
