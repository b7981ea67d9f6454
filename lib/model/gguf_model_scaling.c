/* The scaling rule of a GGUF file. Lists of divisors are tensors, and say by themselves that there
   is one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/gguf_model_parts.h"
#include "lib/rope/scaling.h"

static const char original_key[] = "original_max_position_embeddings";

/* The tensor `name`; where it stands with each layer instead, that of the first that has one. */
static const struct gguf_tensor *find_tensor(const struct gguf *gguf, const char *name) {
  const struct gguf_tensor *tensor = gguf_tensor_find(gguf, name);
  const size_t length = strlen(name);
  for (size_t i = 0; !tensor && (tensor = gguf_tensor_at(gguf, i)); i++) {
    const struct gguf_text text = tensor->name;
    if (text.length > length + 5 && !memcmp(text.text, "blk.", 4) &&
        text.text[text.length - length - 1] == '.' &&
        !memcmp(text.text + text.length - length, name, length))
      return tensor;
    tensor = NULL;
  }
  return tensor;
}

static int explain_list(struct gguf_model *read, const char *name, const double *value,
                        const struct gguf_tensor *tensor, struct error *error) {
  const size_t pairs = read->spec->rotary_dim / 2;
  double least = INFINITY, most = -INFINITY;
  char text[96], number[2][32], source[256];
  for (size_t i = 0; i < pairs; i++) {
    least = fmin(least, value[i]);
    most = fmax(most, value[i]);
  }
  snprintf(text, sizeof text, "%zu numbers from %s to %s", pairs, model_number(least, number[0]),
           model_number(most, number[1]));
  snprintf(source, sizeof source, "tensor '%.*s'", GGUF_SHOWN(tensor->name));
  return model_explain(read->model, read->spec->layer_type, name, text, source, error);
}

/* One number > 0 for each pair, times `factor`. */
static int read_list(struct gguf_model *read, const struct gguf_tensor *tensor, const char *name,
                     double factor, struct error *error) {
  const size_t pairs = read->spec->rotary_dim / 2;
  size_t count = 1;
  for (size_t i = 0; i < tensor->rank; i++)
    if (__builtin_mul_overflow(count, tensor->shape[i], &count)) count = SIZE_MAX;
  if (count != pairs || pairs > SPEC_PAIRS)
    return error_set(error, ERROR_INPUT,
                     "tensor '%.*s' holds %zu numbers: one for each of the %zu pairs of a head is "
                     "needed, and at most %d are read",
                     GGUF_SHOWN(tensor->name), count, pairs, SPEC_PAIRS);
  double *value = gguf_tensor_reals(read->gguf, tensor, error);
  if (!value) return error ? (int)error->code : ERROR_INPUT;
  int failed = OK;
  for (size_t i = 0; !failed && i < count; i++) {
    if (!isfinite(value[i]) || !(value[i] > 0))
      failed = error_set(error, ERROR_INPUT,
                         "number %zu of tensor '%.*s' is %g: finite numbers > 0 are needed", i,
                         GGUF_SHOWN(tensor->name), value[i]);
    value[i] *= factor;
  }
  if (!failed) failed = spec_set_list(read->spec, name, value, count, error);
  if (!failed) failed = explain_list(read, name, value, tensor, error);
  free(value);
  return failed;
}

static int set(struct gguf_model *read, const char *name, double number,
               const struct gguf_value *value, struct error *error) {
  const int failed = spec_set_parameter(read->spec, name, number, error);
  return failed ? failed : gguf_model_explain_number(read, name, number, value, error);
}

/* The number > 0 under `rest`; it is left alone, and *value NULL, when there is none. */
static int positive(const struct gguf_model *read, const char *rest, double *number,
                    const struct gguf_value **value, struct error *error) {
  *value = gguf_model_value(read, rest);
  return *value ? gguf_positive(*value, number, error) : OK;
}

static int set_original(struct gguf_model *read, struct error *error) {
  const struct gguf_value *value;
  double original = (double)read->spec->model_context;
  int failed = positive(read, "rope.scaling.original_context_length", &original, &value, error);
  if (failed) return failed;
  if (!value) value = gguf_model_value(read, "context_length");
  if (!value)
    return error_set(error, ERROR_INPUT,
                     "there is neither '%.*s.rope.scaling.original_context_length' nor "
                     "'.context_length': the scaling needs one",
                     GGUF_SHOWN(read->name));
  return set(read, original_key, original, value, error);
}

/* `tensor`, else `value`, said so; both NULL: it is llama.cpp's default. */
static int set_type(struct gguf_model *read, const char *type, const struct gguf_tensor *tensor,
                    const struct gguf_value *value, struct error *error) {
  char source[256];
  snprintf(read->spec->scaling.type, SPEC_KEY, "%s", type);
  if (!tensor) return gguf_model_explain(read, "scaling", type, value, error);
  snprintf(source, sizeof source, "tensor '%.*s'", GGUF_SHOWN(tensor->name));
  return model_explain(read->model, read->spec->layer_type, "scaling", type, source, error);
}

static const struct gguf_value *type_value(const struct gguf_model *read) {
  return gguf_model_value(read, "rope.scaling.type");
}

static int read_longrope(struct gguf_model *read, const struct gguf_tensor *of_short,
                         const struct gguf_tensor *of_long, struct error *error) {
  const struct gguf_value *value;
  double attention = 1, factor = 1;
  if (!of_short || !of_long)
    return error_set(
        error, ERROR_INPUT,
        "the scaling type 'longrope' needs the tensors 'rope_factors_short.weight' and "
        "'rope_factors_long.weight': there is %s of them",
        of_short || of_long ? "one" : "none");
  int failed = set_type(read, "longrope", of_long, NULL, error);
  if (!failed) failed = read_list(read, of_short, "short_factor", 1, error);
  if (!failed) failed = read_list(read, of_long, "long_factor", 1, error);
  if (!failed) failed = set_original(read, error);
  if (!failed) failed = positive(read, "rope.scaling.factor", &factor, &value, error);
  if (failed) return failed;
  if (factor != 1)
    spec_warn(read->spec, read->meta,
              "'%.*s' %.10g is not read beside lists of factors; llama.cpp divides by it as well",
              GGUF_SHOWN(value->key), factor);
  failed = positive(read, "rope.scaling.attn_factor", &attention, &value, error);
  return failed ? failed : set(read, "attention_factor", attention, value, error);
}

/* llama.cpp: the attention factor is that of YaRN, over the same with the log multiplier where
   there is one, times attn_factor. */
static int read_attention(struct gguf_model *read, double factor, struct error *error) {
  const struct gguf_value *multiplier_value, *attention_value;
  double multiplier = 0, attention = 1;
  multiplier_value = gguf_model_value(read, "rope.scaling.yarn_log_multiplier");
  int failed = multiplier_value ? gguf_real(multiplier_value, &multiplier, error) : OK;
  if (!failed)
    failed = positive(read, "rope.scaling.attn_factor", &attention, &attention_value, error);
  if (failed) return failed;
  if (multiplier_value && multiplier < 0)
    return error_set(error, ERROR_INPUT, "'%.*s' is %.10g: a number >= 0 is needed",
                     GGUF_SHOWN(multiplier_value->key), multiplier);
  if (read->arch.mscale) multiplier /= 0.1;
  double all = 1;
  if (multiplier > 0) {
    const double mscale = read->arch.mscale ? multiplier : 1;
    failed = set(read, "mscale", mscale, multiplier_value, error);
    if (!failed) failed = set(read, "mscale_all_dim", multiplier, multiplier_value, error);
    all = scaling_mscale(factor, mscale) / scaling_mscale(factor, multiplier);
  } else {
    all = scaling_mscale(factor, 1);
  }
  if (failed || attention == 1) return failed;
  return set(read, "attention_factor", all * attention, attention_value, error);
}

static int read_yarn(struct gguf_model *read, double factor, const struct gguf_value *factor_value,
                     struct error *error) {
  static const struct {
    const char *rest, *name;
    double usual;
  } betas[] = {{"rope.scaling.yarn_beta_fast", "beta_fast", 32},
               {"rope.scaling.yarn_beta_slow", "beta_slow", 1}};
  int failed = set_type(read, "yarn", NULL, type_value(read), error);
  if (!failed) failed = set(read, "factor", factor, factor_value, error);
  if (!failed) failed = set_original(read, error);
  for (size_t i = 0; !failed && i < sizeof betas / sizeof *betas; i++) {
    const struct gguf_value *value;
    double beta = betas[i].usual;
    failed = positive(read, betas[i].rest, &beta, &value, error);
    if (!failed) failed = set(read, betas[i].name, beta, value, error);
  }
  return failed ? failed : read_attention(read, factor, error);
}

static int read_linear(struct gguf_model *read, double factor, const struct gguf_value *value,
                       struct error *error) {
  const struct gguf_value *type = type_value(read);
  if (factor == 1) return set_type(read, "none", NULL, type ? type : value, error);
  const int failed = set_type(read, "linear", NULL, type ? type : value, error);
  return failed ? failed : set(read, "factor", factor, value, error);
}

/* Divisors go with what the type says: llama.cpp divides by both. */
static int read_divisors(struct gguf_model *read, const struct gguf_tensor *tensor,
                         struct gguf_text type, double factor, struct error *error) {
  if (type.length == 4 && !memcmp(type.text, "yarn", 4))
    return error_set(error, ERROR_INPUT,
                     "tensor '%.*s' beside the scaling type 'yarn': one of them is read",
                     GGUF_SHOWN(tensor->name));
  if (factor != 1)
    spec_warn(read->spec, read->meta,
              "the numbers of tensor '%.*s' are multiplied by the factor %.10g",
              GGUF_SHOWN(tensor->name), factor);
  const int failed = set_type(read, "factors", tensor, NULL, error);
  return failed ? failed : read_list(read, tensor, "freq_factors", factor, error);
}

static int read_type(const struct gguf_model *read, struct gguf_text *type, struct error *error) {
  static const char *const known[] = {"none", "linear", "yarn", "longrope"};
  const struct gguf_value *value = type_value(read);
  *type = (struct gguf_text){"linear", 6};
  const int failed = value ? gguf_text(value, type, error) : OK;
  if (failed) return failed;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (type->length == strlen(known[i]) && !memcmp(type->text, known[i], type->length)) return OK;
  return error_set(error, ERROR_INPUT,
                   "'%.*s' is '%.*s': none, linear, yarn and longrope are known",
                   GGUF_SHOWN(value->key), GGUF_SHOWN(*type));
}

/* Of two factors the newer key's counts, as in llama.cpp. 1 where there is none. */
static int read_factor(const struct gguf_model *read, double *factor,
                       const struct gguf_value **value, struct error *error) {
  const struct gguf_value *older_value;
  double older = 1;
  *factor = 1;
  int failed = positive(read, "rope.scaling.factor", factor, value, error);
  if (!failed) failed = positive(read, "rope.scale_linear", &older, &older_value, error);
  if (failed || !older_value) return failed;
  if (*value && older != *factor)
    spec_warn(read->spec, read->meta, "'%.*s' %.10g is used, not '%.*s' %.10g",
              GGUF_SHOWN((*value)->key), *factor, GGUF_SHOWN(older_value->key), older);
  if (*value) return OK;
  *factor = older;
  *value = older_value;
  return OK;
}

static int read_rule(struct gguf_model *read, struct error *error) {
  const struct gguf_tensor *divisors = find_tensor(read->gguf, "rope_freqs.weight");
  const struct gguf_tensor *of_short = find_tensor(read->gguf, "rope_factors_short.weight");
  const struct gguf_tensor *of_long = find_tensor(read->gguf, "rope_factors_long.weight");
  const struct gguf_value *value;
  struct gguf_text type;
  double factor;
  int failed = read_type(read, &type, error);
  if (!failed) failed = read_factor(read, &factor, &value, error);
  if (failed) return failed;
  if (*type.text == 'n' && factor != 1) {
    spec_warn(read->spec, read->meta, "'%.*s' %.10g is ignored: the scaling type is none",
              GGUF_SHOWN(value->key), factor);
    factor = 1;
  }
  if (divisors) return read_divisors(read, divisors, type, factor, error);
  if (of_short || of_long || type.length == 8) return read_longrope(read, of_short, of_long, error);
  if (*type.text == 'y') return read_yarn(read, factor, value, error);
  return read_linear(read, factor, value, error);
}

int gguf_model_read_scaling(struct gguf_model *read, struct error *error) {
  /* Layers whose base is a default of their own have no scaling either. */
  if (read->sliding && read->arch.sliding_base > 0)
    return set_type(read, "none", NULL, NULL, error);
  return read_rule(read, error);
}
