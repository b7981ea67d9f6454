#include "lib/model/gguf_model.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/model/family.h"
#include "lib/model/gguf_model_parts.h"
#include "lib/rope/scaling.h"

enum { MOST_DIMENSIONS = 1 << 20, MOST_HEADS = 1 << 20 };

static const char full[] = "full_attention", sliding[] = "sliding_attention";

const struct gguf_value *gguf_model_value(const struct gguf_model *read, const char *rest) {
  char key[GGUF_KEY];
  const int length =
      snprintf(key, sizeof key, "%.*s.%s", (int)read->name.length, read->name.text, rest);
  return length < (int)sizeof key ? gguf_find(read->gguf, key) : NULL;
}

int gguf_model_count(const struct gguf_model *read, const char *rest, int64_t most, int64_t *number,
                     const struct gguf_value **value, struct error *error) {
  *value = gguf_model_value(read, rest);
  if (!*value) return OK;
  if (!(*value)->is_array) return gguf_whole(*value, 1, most, number, error);
  for (size_t i = 0; i < (*value)->count; i++) {
    const struct gguf_value element = gguf_element(*value, i);
    int64_t one = 0;
    const int failed = gguf_whole(&element, 0, most, &one, error);
    if (failed) return failed;
    if (one) {
      *number = one;
      return OK;
    }
  }
  return error_set(error, ERROR_INPUT, "'%.*s' holds no number > 0", GGUF_SHOWN((*value)->key));
}

int gguf_model_explain(struct gguf_model *read, const char *name, const char *text,
                       const struct gguf_value *value, struct error *error) {
  char source[GGUF_KEY + 16] = "default of llama.cpp";
  if (value) snprintf(source, sizeof source, "'%.*s'", GGUF_SHOWN(value->key));
  return model_explain(read->model, read->spec ? read->spec->layer_type : "", name, text, source,
                       error);
}

int gguf_model_explain_number(struct gguf_model *read, const char *name, double number,
                              const struct gguf_value *value, struct error *error) {
  char text[32];
  return gguf_model_explain(read, name, model_number(number, text), value, error);
}

/* The architecture is the beginning of keys: it must be short, and it is printed. */
static int find_arch(struct gguf_model *read, bool *known, struct error *error) {
  const struct gguf_value *value = gguf_find(read->gguf, "general.architecture");
  if (!value)
    return error_set(error, ERROR_INPUT,
                     "there is no 'general.architecture': which model it is "
                     "is not said");
  const int failed = gguf_text(value, &read->name, error);
  if (failed) return failed;
  if (!read->name.length || read->name.length > 64)
    return error_set(error, ERROR_INPUT,
                     "'general.architecture' has %zu bytes: a name of 1 to 64 is needed",
                     read->name.length);
  *known = gguf_arch_find(read->name, &read->arch);
  return OK;
}

static int check_rope_there(const struct gguf_model *read, struct error *error) {
  static const char table[] = "position_embd.weight";
  const struct gguf_value *layers = gguf_model_value(read, "block_count");
  int64_t count = 0;
  char alibi[64];
  const char *instead = read->arch.instead;
  /* llama.cpp too tells Baichuan's 13B by its layers. */
  struct model_family family;
  model_family_find("baichuan", &family);
  if (!instead && read->name.length == 8 && !memcmp(read->name.text, "baichuan", 8) && layers &&
      !gguf_whole(layers, family.alibi_layers, family.alibi_layers, &count, NULL)) {
    snprintf(alibi, sizeof alibi, "ALiBi where it has %lld layers", (long long)count);
    instead = alibi;
  }
  if (instead)
    return error_set(error, ERROR_INPUT, "the model has no RoPE: architecture '%.*s' has %s",
                     GGUF_SHOWN(read->name), instead);
  if (gguf_tensor_find(read->gguf, table))
    return error_set(error, ERROR_INPUT,
                     "the model has no RoPE: it has a learned table of positions, the tensor '%s'",
                     table);
  return OK;
}

/* The dimensions of a head, *value being what said so; NULL: a quotient. */
static int read_head_dim(struct gguf_model *read, int64_t *dim, const struct gguf_value **value,
                         struct error *error) {
  const struct gguf_value *hidden_value, *heads_value;
  int64_t hidden = 0, heads = 0;
  *value = NULL;
  int failed = OK;
  if (read->arch.separate)
    failed = gguf_model_count(read, "rope.dimension_count", MOST_DIMENSIONS, dim, value, error);
  else if (read->sliding)
    failed = gguf_model_count(read, "attention.key_length_swa", MOST_DIMENSIONS, dim, value, error);
  if (failed || *value) return failed;
  failed = gguf_model_count(read, "attention.key_length", MOST_DIMENSIONS, dim, value, error);
  if (failed || *value) return failed;
  failed = gguf_model_count(read, "embedding_length", INT64_MAX, &hidden, &hidden_value, error);
  if (!failed)
    failed =
        gguf_model_count(read, "attention.head_count", MOST_HEADS, &heads, &heads_value, error);
  if (failed) return failed;
  if (!hidden_value || !heads_value)
    return error_set(
        error, ERROR_INPUT,
        "the head dimension is not clear: there is neither '%.*s.attention.key_length' "
        "nor '.embedding_length' and '.attention.head_count'",
        GGUF_SHOWN(read->name));
  if (hidden % heads || hidden / heads > MOST_DIMENSIONS)
    return error_set(error, ERROR_INPUT,
                     "the head dimension is not clear: '%.*s' %lld is not a multiple of '%.*s' "
                     "%lld with a quotient up to %d",
                     GGUF_SHOWN(hidden_value->key), (long long)hidden, GGUF_SHOWN(heads_value->key),
                     (long long)heads, MOST_DIMENSIONS);
  *dim = hidden / heads;
  return OK;
}

static int explain_head(struct gguf_model *read, const struct gguf_value *head,
                        const struct gguf_value *rotary, struct error *error) {
  const struct rope_spec *spec = read->spec;
  char number[32];
  const char *quotient = "'embedding_length' / 'attention.head_count'";
  int failed =
      head ? gguf_model_explain_number(read, "head_dim", (double)spec->head_dim, head, error)
           : model_explain(read->model, spec->layer_type, "head_dim",
                           model_number((double)spec->head_dim, number), quotient, error);
  if (failed) return failed;
  if (rotary)
    return gguf_model_explain_number(read, "rotary_dim", (double)spec->rotary_dim, rotary, error);
  return model_explain(read->model, spec->layer_type, "rotary_dim",
                       model_number((double)spec->rotary_dim, number), "head_dim", error);
}

static int read_head(struct gguf_model *read, struct error *error) {
  const struct gguf_value *head, *rotary = NULL;
  int64_t dim = 0, count;
  int failed = read_head_dim(read, &dim, &head, error);
  if (failed) return failed;
  count = dim;
  if (read->sliding)
    failed =
        gguf_model_count(read, "rope.dimension_count_swa", MOST_DIMENSIONS, &count, &rotary, error);
  if (!failed && !rotary)
    failed =
        gguf_model_count(read, "rope.dimension_count", MOST_DIMENSIONS, &count, &rotary, error);
  if (failed) return failed;
  if (count % 2 || count > dim)
    return error_set(error, ERROR_INPUT,
                     "'%.*s.rope.dimension_count'%s is %lld: an even number up to the head's %lld "
                     "is needed",
                     GGUF_SHOWN(read->name), rotary ? "" : ", the whole head,", (long long)count,
                     (long long)dim);
  read->spec->head_dim = (size_t)dim;
  read->spec->rotary_dim = (size_t)count;
  return explain_head(read, head, rotary, error);
}

static int read_base(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value = NULL;
  read->spec->base = 10000;
  if (read->sliding) {
    value = gguf_model_value(read, "rope.freq_base_swa");
    if (!value && read->arch.sliding_base > 0) {
      read->spec->base = read->arch.sliding_base;
      return gguf_model_explain_number(read, "base", read->spec->base, NULL, error);
    }
  }
  if (!value) value = gguf_model_value(read, "rope.freq_base");
  const int failed = value ? gguf_positive(value, &read->spec->base, error) : OK;
  if (failed) return failed;
  if (!value)
    spec_warn(read->spec, read->meta,
              "there is no '%.*s.rope.freq_base': 10000, llama.cpp's default, is used",
              GGUF_SHOWN(read->name));
  return gguf_model_explain_number(read, "base", read->spec->base, value, error);
}

/* How many pairs each axis has; trailing empty sections are none. */
static int read_section_list(struct gguf_model *read, const struct gguf_value *value,
                             struct error *error) {
  struct rope_spec *spec = read->spec;
  size_t sum = 0;
  if (!value->is_array || value->count > SPEC_AXES)
    return error_set(error, ERROR_INPUT, "'%.*s' is no array of up to %d numbers",
                     GGUF_SHOWN(value->key), SPEC_AXES);
  for (size_t i = 0; i < value->count; i++) {
    const struct gguf_value element = gguf_element(value, i);
    int64_t pairs = 0;
    const int failed = gguf_whole(&element, 0, MOST_DIMENSIONS, &pairs, error);
    if (failed) return failed;
    spec->section[i] = (size_t)pairs;
    sum += (size_t)pairs;
    if (pairs) spec->axes = i + 1;
  }
  if (!sum || sum == spec->rotary_dim / 2) return OK;
  return error_set(error, ERROR_INPUT, "'%.*s' sums to %zu: the %zu pairs of a head are needed",
                   GGUF_SHOWN(value->key), sum, spec->rotary_dim / 2);
}

static int read_sections(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value = gguf_model_value(read, "rope.dimension_sections");
  struct rope_spec *spec = read->spec;
  char list[128] = "";
  int failed = value ? read_section_list(read, value, error) : OK;
  if (failed || !spec->axes) return failed;
  spec->sections_interleaved = read->arch.alternating_sections;
  if (read->arch.halves_with_sections) spec->layout = LAYOUT_HALVES;
  for (size_t i = 0, used = 0; i < spec->axes; i++)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, "%s%zu", i ? "," : "", spec->section[i]);
  failed = gguf_model_explain(read, "mrope_section", list, value, error);
  if (!failed)
    failed =
        gguf_model_explain(read, "mrope_interleaved", spec->sections_interleaved ? "true" : "false",
                           gguf_find(read->gguf, "general.architecture"), error);
  model_warn_sections(spec, read->meta);
  return failed;
}

/* What all layers have in common but need the heads for. */
static int read_context(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value;
  const int failed = gguf_model_count(read, "context_length", INT64_C(1) << 53,
                                      &read->spec->model_context, &value, error);
  if (failed || !value) return failed;
  read->spec->context = read->spec->model_context;
  return gguf_model_explain_number(read, "context", (double)read->spec->context, value, error);
}

static int read_rope(struct gguf_model *read, size_t index, struct error *error) {
  read->spec = &read->model->ropes[index];
  read->sliding = index > 0;
  if (read->model->count > 1)
    snprintf(read->spec->layer_type, SPEC_KEY, "%s", read->sliding ? sliding : full);
  read->spec->layout = read->arch.layout;
  read->spec->plain_softmax = !read->arch.mscale;
  int failed = read_context(read, error);
  if (!failed) failed = read_head(read, error);
  if (!failed) failed = read_base(read, error);
  if (!failed) failed = read_sections(read, error);
  if (!failed)
    failed = gguf_model_explain(read, "layout", layout_name(read->spec->layout),
                                gguf_find(read->gguf, "general.architecture"), error);
  if (!failed) failed = gguf_model_read_scaling(read, error);
  if (!failed) scaling_warn(read->spec, read->meta);
  return failed;
}

/* `label`, or what the file calls itself. */
static void choose_label(const struct gguf_model *read, const char *label,
                         char chosen[SPEC_LABEL]) {
  const struct gguf_value *name = gguf_find(read->gguf, "general.name");
  struct gguf_text text = {label, strlen(label)};
  if (!text.length && name) gguf_text(name, &text, NULL);
  if (!text.length) text = read->name;
  snprintf(chosen, SPEC_LABEL, "%.*s", (int)(text.length < SPEC_LABEL ? text.length : SPEC_LABEL),
           text.text);
  text_repair(chosen);
}

static int read_all(struct gguf_model *read, const char *label, struct error *error) {
  char chosen[SPEC_LABEL];
  bool known = false;
  int failed = find_arch(read, &known, error);
  if (!failed) failed = check_rope_there(read, error);
  if (failed) return failed;
  choose_label(read, label, chosen);
  const bool two = read->arch.sliding_base > 0 || gguf_model_value(read, "rope.freq_base_swa") ||
                   gguf_model_value(read, "rope.dimension_count_swa");
  read->model = model_create(chosen, two ? 2 : 1, error);
  if (!read->model) return ERROR_FAILED;
  if (!known)
    spec_warn(&read->model->ropes[0], read->meta,
              "architecture '%.*s' is not known: pairs are taken to be halves apart, as in most",
              GGUF_SHOWN(read->name));
  for (size_t i = 0; !failed && i < read->model->count; i++)
    failed = read_rope(read, i, error);
  read->spec = NULL;
  return failed ? failed : gguf_model_read_layers(read, error);
}

int gguf_model_read(const struct gguf *gguf, const char *label, struct model **model,
                    struct meta *meta, struct error *error) {
  struct gguf_model read = {.gguf = gguf, .meta = meta};
  const int failed = read_all(&read, label, error);
  if (failed) model_destroy(read.model);
  *model = failed ? NULL : read.model;
  return failed;
}
