#include "lib/rope/spec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/rope/scaling.h"

void spec_default(struct rope_spec *spec) {
  *spec = (struct rope_spec){.head_dim = 128,
                             .rotary_dim = 128,
                             .base = 10000,
                             .scaling = {.type = "none"},
                             .layout = LAYOUT_INTERLEAVED,
                             .precision = PRECISION_FP64};
}

static struct spec_parameter *parameter_find(struct spec_scaling *scaling, const char *key) {
  for (size_t i = 0; i < scaling->count; i++)
    if (!strcmp(scaling->parameters[i].key, key)) return &scaling->parameters[i];
  return NULL;
}

static int parameter_add(struct spec_scaling *scaling, const char *key, double value,
                         struct error *error) {
  if (strlen(key) >= SPEC_KEY)
    return error_set(error, ERROR_INPUT, "the scaling parameter '%s' is unknown", key);
  if (scaling->count == SPEC_PARAMETERS)
    return error_set(error, ERROR_INPUT, "too many scaling parameters at '%s': at most %d are read",
                     key, SPEC_PARAMETERS);
  struct spec_parameter *parameter = &scaling->parameters[scaling->count++];
  snprintf(parameter->key, sizeof parameter->key, "%s", key);
  parameter->value = value;
  return OK;
}

double spec_parameter(const struct rope_spec *spec, const char *key) {
  for (size_t i = 0; i < spec->scaling.count; i++)
    if (!strcmp(spec->scaling.parameters[i].key, key)) return spec->scaling.parameters[i].value;
  return NAN;
}

int spec_set_parameter(struct rope_spec *spec, const char *key, double value, struct error *error) {
  struct spec_parameter *parameter = parameter_find(&spec->scaling, key);
  if (!parameter) return parameter_add(&spec->scaling, key, value, error);
  parameter->value = value;
  return OK;
}

const struct spec_list *spec_list(const struct rope_spec *spec, const char *key) {
  for (size_t i = 0; i < spec->scaling.list_count; i++)
    if (!strcmp(spec->scaling.lists[i].key, key)) return &spec->scaling.lists[i];
  return NULL;
}

int spec_set_list(struct rope_spec *spec, const char *key, const double *value, size_t count,
                  struct error *error) {
  struct spec_scaling *scaling = &spec->scaling;
  size_t index = 0;
  while (index < scaling->list_count && strcmp(scaling->lists[index].key, key))
    index++;
  if (index == SPEC_LISTS || strlen(key) >= SPEC_KEY)
    return error_set(error, ERROR_INPUT, "the list '%s' is one too many: at most %d are read", key,
                     SPEC_LISTS);
  if (count > SPEC_PAIRS)
    return error_set(error, ERROR_INPUT, "'%s' holds %zu numbers: at most %d are read", key, count,
                     SPEC_PAIRS);
  struct spec_list *list = &scaling->lists[index];
  snprintf(list->key, sizeof list->key, "%s", key);
  list->count = count;
  memcpy(list->value, value, count * sizeof *value);
  if (index == scaling->list_count) scaling->list_count++;
  return OK;
}

/* Copies the text up to the first of `stops` into `word` and moves *text to that stop (or the end).
 */
static int copy_word(const char **text, const char *stops, char word[SPEC_KEY], const char *what,
                     struct error *error) {
  const size_t length = strcspn(*text, stops);
  if (!length) return error_set(error, ERROR_INPUT, "%s is missing before '%s'", what, *text);
  if (length >= SPEC_KEY)
    return error_set(error, ERROR_INPUT, "%s '%.*s' is unknown", what, (int)length, *text);
  memcpy(word, *text, length);
  word[length] = '\0';
  *text += length;
  return OK;
}

/* The "=value" behind `key`; *text is moved behind it. */
static int parse_value(const char **text, const char *key, double *real, struct error *error) {
  char number[64];
  if (**text != '=' || !(*text)[1] || (*text)[1] == ',')
    return error_set(error, ERROR_INPUT,
                     "the scaling parameter '%s' has no value: '%s=NUMBER' is "
                     "needed",
                     key, key);
  const char *value = *text + 1;
  const size_t length = strcspn(value, ",");
  if (length >= sizeof number)
    return error_set(error, ERROR_INPUT, "the scaling parameter '%s' is not a number: '%.*s'", key,
                     (int)length, value);
  memcpy(number, value, length);
  number[length] = '\0';
  *text = value + length;
  if (strcmp(key, "original_max_position_embeddings") && strcmp(key, "max_position_embeddings"))
    return number_real(number, key, real, error);
  int64_t tokens;
  const int failed = number_tokens(number, key, 1, INT64_MAX, &tokens, error);
  *real = (double)tokens;
  return failed;
}

/* One "key=value"; *text is moved behind it. A name that no rule takes is a worse fault than its
   value. */
static int parse_parameter(const char **text, struct spec_scaling *scaling, struct error *error) {
  char key[SPEC_KEY];
  double real = 0;
  if (copy_word(text, "=,", key, "the name of a scaling parameter", error)) return error->code;
  if (parse_value(text, key, &real, error)) {
    scaling_key_check(scaling->type, key, error);
    return error->code;
  }
  if (parameter_find(scaling, key))
    return error_set(error, ERROR_INPUT, "the scaling parameter '%s' is given twice", key);
  return parameter_add(scaling, key, real, error);
}

int spec_parse_scaling(const char *text, struct spec_scaling *scaling, struct error *error) {
  struct error local;
  if (!error) error = &local;
  memset(scaling, 0, sizeof *scaling);
  const char *rest = text;
  if (!*text)
    return error_set(error, ERROR_INPUT, "the scaling type is missing: 'TYPE[:key=value,...]'");
  if (copy_word(&rest, ":", scaling->type, "the scaling type", error)) return error->code;
  const char *name = scaling_rule_name(scaling->type);
  if (name != scaling->type) snprintf(scaling->type, sizeof scaling->type, "%s", name);
  while (*rest) {
    rest++; /* the ':' or ',' before a parameter */
    if (!*rest)
      return error_set(error, ERROR_INPUT, "the scaling '%s' ends where 'key=value' is expected",
                       text);
    if (parse_parameter(&rest, scaling, error)) return error->code;
  }
  return OK;
}

void spec_warn(const struct rope_spec *spec, struct meta *meta, const char *format, ...) {
  char text[512], line[SPEC_LABEL + 2 + sizeof text];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  snprintf(line, sizeof line, "%s%s%s", spec->label, *spec->label ? ": " : "", text);
  for (char *c = line; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
  meta_append_text_once(meta, "warnings", line);
}

void spec_describe(const struct rope_spec *spec, struct meta *meta) {
  if (*spec->label) meta_set_text(meta, "label", spec->label);
  if (*spec->layer_type) meta_set_text(meta, "layer_type", spec->layer_type);
  meta_set_integer(meta, "head_dim", (int64_t)spec->head_dim);
  meta_set_integer(meta, "rotary_dim", (int64_t)spec->rotary_dim);
  meta_set_text(meta, "layout", layout_name(spec->layout));
  meta_set_text(meta, "precision", precision_name(spec->precision));
  meta_set_real(meta, "base", spec->base);
  struct meta *scaling = meta_object(meta, "scaling");
  meta_set_text(scaling, "type", spec->scaling.type);
  for (size_t i = 0; i < spec->scaling.count; i++)
    meta_set_real(scaling, spec->scaling.parameters[i].key, spec->scaling.parameters[i].value);
  for (size_t i = 0; i < spec->scaling.list_count; i++)
    meta_set_reals(scaling, spec->scaling.lists[i].key, spec->scaling.lists[i].value,
                   spec->scaling.lists[i].count);
  if (spec->context > 0)
    meta_set_integer(meta, "context", spec->context);
  else
    meta_set_text(meta, "context", NULL);
  if (spec->model_context > 0 && spec->model_context != spec->context)
    meta_set_integer(meta, "max_position_embeddings", spec->model_context);
  if (spec->axial) meta_set_text(meta, "sections", "axial");
  if (!spec->axes) return;
  double section[SPEC_AXES];
  for (size_t i = 0; i < spec->axes; i++)
    section[i] = (double)spec->section[i];
  meta_set_reals(meta, "mrope_section", section, spec->axes);
  meta_set_flag(meta, "mrope_interleaved", spec->sections_interleaved);
}
