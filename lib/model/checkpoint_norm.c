/* What stands between token + position and the projections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/model/checkpoint_parts.h"

/* Which norm it is: `name` less ".weight"; "": none. */
struct chosen {
  char name[CHECKPOINT_NAME];
  bool centred, embeddings;
  double epsilon;
};

/* BERTs of 2019 have "gamma" and "beta". */
static const char *const gains[] = {".weight", ".gamma"}, *const shifts[] = {".bias", ".beta"};

/* Whether there is a tensor name + one of the ends, which is `full` then. */
static bool has_part(const struct checkpoint *checkpoint, const char *name,
                     const char *const ends[2], char full[CHECKPOINT_NAME]) {
  for (size_t i = 0; i < 2; i++) {
    if (snprintf(full, CHECKPOINT_NAME, "%s%s", name, ends[i]) < CHECKPOINT_NAME &&
        weights_has(checkpoint->weights, full))
      return true;
  }
  return false;
}

/* Whether there is a norm PREFIX + name, PREFIX being shorter by `up` parts. */
static bool has_norm(const struct checkpoint *checkpoint, int up, const char *name,
                     char found[CHECKPOINT_NAME]) {
  char full[CHECKPOINT_NAME];
  size_t length = strlen(checkpoint->prefix);
  for (; up && length; up--) {
    length--;
    while (length && checkpoint->prefix[length - 1] != '.')
      length--;
  }
  snprintf(found, CHECKPOINT_NAME, "%.*s%s", (int)length, checkpoint->prefix, name);
  return has_part(checkpoint, found, gains, full);
}

/* The layer's own norm; NULL: none that is known. */
static const struct checkpoint_norm *find_own(const struct checkpoint *checkpoint,
                                              char found[CHECKPOINT_NAME]) {
  char full[CHECKPOINT_NAME];
  for (const struct checkpoint_norm *norm = checkpoint->family->norm; norm->name; norm++)
    if (has_part(checkpoint, checkpoint_name(checkpoint, norm->name, "", found), gains, full))
      return norm;
  return NULL;
}

/* OPT, BART, Whisper and others call a norm alike that stands before the attention in some, behind
   it in others. Those that normalise first have one more at their end; OPT's config.json says it.
 */
enum order { ORDER_UNKNOWN, ORDER_FIRST, ORDER_LAST };
static int find_order(const struct checkpoint *checkpoint, enum order *order, struct error *error) {
  char found[CHECKPOINT_NAME];
  static const char before[] = "do_layer_norm_before";
  const struct fields *config = checkpoint->config[1];
  *order = has_norm(checkpoint, 0, "layer_norm", found) ||
                   has_norm(checkpoint, 0, "final_layer_norm", found)
               ? ORDER_FIRST
               : ORDER_UNKNOWN;
  if (!config || fields_kind(config, before) == FIELD_NONE) return OK;
  bool first;
  const int status = fields_flag(config, before, &first, error);
  *order = first ? ORDER_FIRST : ORDER_LAST;
  return status
             ? error_prefix(error, "the config.json beside '%s'", weights_path(checkpoint->weights))
             : OK;
}

static int refuse_two(const struct checkpoint *checkpoint, const char *one, const char *other,
                      struct error *error) {
  return error_set(error, ERROR_INPUT,
                   "'%s' normalises twice before its projections, by '%s' and '%s': models that "
                   "do so once can be read",
                   weights_path(checkpoint->weights), one, other);
}

static void take_own(struct chosen *chosen, const struct checkpoint_norm *own, const char *name) {
  snprintf(chosen->name, sizeof chosen->name, "%s", name);
  chosen->centred = own->centred;
  chosen->epsilon = own->epsilon;
}

/* RoBERTa has other defaults than BERT. */
static void take_embeddings(const struct checkpoint *checkpoint, struct chosen *chosen,
                            const char *name) {
  snprintf(chosen->name, sizeof chosen->name, "%s", name);
  chosen->centred = chosen->embeddings = true;
  chosen->epsilon =
      strstr(checkpoint->prefix, "roberta.") ? 1e-5 : checkpoint->family->embedding_epsilon;
}

static int choose(const struct checkpoint *checkpoint, struct chosen *chosen, struct error *error) {
  char own_name[CHECKPOINT_NAME], name[CHECKPOINT_NAME];
  const struct checkpoint_family *family = checkpoint->family;
  const struct checkpoint_norm *own = find_own(checkpoint, own_name);
  const bool embeddings =
      family->embedding_norm && has_norm(checkpoint, 0, family->embedding_norm, name);
  enum order order = own ? ORDER_FIRST : ORDER_LAST;
  if (own && !strcmp(own->name, "self_attn_layer_norm")) {
    const int status = find_order(checkpoint, &order, error);
    if (status) return status;
    if (order == ORDER_UNKNOWN && embeddings) order = ORDER_LAST;
    if (order == ORDER_UNKNOWN)
      return error_set(error, ERROR_INPUT,
                       "'%s' does not tell whether '%s' stands before or behind the attention: a "
                       "'layer_norm' at its end does, or 'do_layer_norm_before' in the config.json "
                       "beside it",
                       weights_path(checkpoint->weights), own_name);
  }
  if (embeddings && order == ORDER_FIRST) return refuse_two(checkpoint, name, own_name, error);
  if (embeddings) {
    take_embeddings(checkpoint, chosen, name);
  } else if (order == ORDER_FIRST) {
    if (!strcmp(own->name, "layer_norm1") && (has_norm(checkpoint, 0, "pre_layrnorm", name) ||
                                              has_norm(checkpoint, 1, "pre_layrnorm", name)))
      return refuse_two(checkpoint, name, own_name, error);
    take_own(chosen, own, own_name);
  } else if (!own) {
    const char *first = family->norm[0].name;
    return error_set(error, ERROR_INPUT, "no norm before the projections in '%s': '%s%s' is needed",
                     weights_path(checkpoint->weights),
                     family->embedding_norm && !first ? checkpoint->prefix : checkpoint->stem,
                     first ? first : family->embedding_norm);
  } else {
    chosen->embeddings = true; /* OPT-350m: none before layer 0 */
  }
  return OK;
}

/* A vector of the width, or the first row of a matrix. */
static int read_vector(const struct checkpoint *checkpoint, const char *name, size_t width,
                       double **value, struct error *error) {
  struct weights_array array;
  const int status = weights_reals(checkpoint->weights, name, 2, &array, error);
  if (status) return status;
  if (array.rank && array.shape[0] && array.shape[array.rank - 1] == width) {
    *value = array.value;
    return OK;
  }
  free(array.value);
  return error_set(error, ERROR_INPUT,
                   "'%s' of '%s' has %zu elements in a row: %zu are needed, as many as the "
                   "projections take in",
                   name, weights_path(checkpoint->weights),
                   array.rank ? array.shape[array.rank - 1] : 1, width);
}

/* Models whose gains are stored less 1. */
static bool stores_less_one(const char *type) {
  static const char *const types[] = {"gemma", "gemma2", "gemma3", "gemma3_text", "nemotron"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(types[i], type)) return true;
  return false;
}

/* Reads a gain, whole. */
static int read_gain(const struct checkpoint *checkpoint, const char *name, size_t width,
                     double **gain, struct error *error) {
  const char *type;
  int status = checkpoint_type(checkpoint, &type, error);
  if (!status) status = read_vector(checkpoint, name, width, gain, error);
  if (status || !stores_less_one(type)) return status;
  for (size_t i = 0; i < width; i++)
    (*gain)[i] += 1;
  return OK;
}

/* Epsilons: those of an RMSNorm and of a LayerNorm have names of their own. */
static int read_epsilon(const struct checkpoint *checkpoint, struct chosen *chosen,
                        struct error *error) {
  static const char *const centred[] = {"layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon",
                                        "norm_epsilon", NULL};
  static const char *const rms[] = {"rms_norm_eps", NULL};
  double layer_norm = 0, rms_norm = 0;
  int status = checkpoint_positive(
      checkpoint, &(struct checkpoint_key){centred, "attention.layer_norm_epsilon"}, &layer_norm,
      error);
  if (!status)
    status = checkpoint_positive(checkpoint,
                                 &(struct checkpoint_key){rms, "attention.layer_norm_rms_epsilon"},
                                 &rms_norm, error);
  if (status) return status;
  if (!rms_norm && layer_norm) chosen->centred = true;
  if (rms_norm || layer_norm)
    chosen->epsilon = (chosen->centred && layer_norm) || !rms_norm ? layer_norm : rms_norm;
  return OK;
}

static int read_norm(const struct checkpoint *checkpoint, struct chosen *chosen,
                     struct projection *projection, struct error *error) {
  char name[CHECKPOINT_NAME];
  const size_t width = projection->width;
  has_part(checkpoint, chosen->name, gains, name);
  int status = read_gain(checkpoint, name, width, &projection->gain, error);
  if (!status && has_part(checkpoint, chosen->name, shifts, name)) {
    chosen->centred = true;
    status = read_vector(checkpoint, name, width, &projection->shift, error);
  }
  if (!status) status = read_epsilon(checkpoint, chosen, error);
  projection->centred = chosen->centred;
  projection->epsilon = chosen->epsilon;
  return status;
}

static int read_offset(const struct checkpoint *checkpoint, struct projection *projection,
                       struct error *error) {
  char name[CHECKPOINT_NAME];
  const char *type = checkpoint->family->token_type;
  if (!type) return OK;
  snprintf(name, sizeof name, "%s%s", checkpoint->prefix, type);
  if (!weights_has(checkpoint->weights, name)) return OK;
  return read_vector(checkpoint, name, projection->width, &projection->offset, error);
}

/* The norm of a head's vectors. */
static int read_head_norm(const struct checkpoint *checkpoint, const char *part,
                          const struct projection *projection, double **gain, struct error *error) {
  char name[CHECKPOINT_NAME];
  if (weights_has(checkpoint->weights, checkpoint_name(checkpoint, part, ".bias", name)))
    return error_set(error, ERROR_INPUT,
                     "'%s' of '%s' makes a LayerNorm of heads: only RMSNorm "
                     "can be read",
                     name, weights_path(checkpoint->weights));
  if (!weights_has(checkpoint->weights, checkpoint_name(checkpoint, part, ".weight", name)))
    return OK;
  struct tensor *tensor;
  int status = weights_read(checkpoint->weights, name, &tensor, error);
  if (status) return status;
  if (tensor->rank != 1 || tensor->shape[0] != projection->dim)
    status = error_set(error, ERROR_INPUT,
                       "'%s' has the shape %s: a norm of single heads, (%zu,), can be read, one of "
                       "all at once cannot",
                       tensor->name, tensor_shape(tensor).text, projection->dim);
  tensor_destroy(tensor);
  return status ? status : read_gain(checkpoint, name, projection->dim, gain, error);
}

int checkpoint_read_norms(const struct checkpoint *checkpoint, struct projection *projection,
                          struct error *error) {
  const struct checkpoint_family *family = checkpoint->family;
  struct chosen chosen = {0};
  int status = choose(checkpoint, &chosen, error);
  if (status) return status;
  if (chosen.embeddings && projection->layer)
    return error_set(error, ERROR_INPUT,
                     "layer %zu of '%s' takes in what the layer before it normalised, not token + "
                     "position: layer 0 of such a model can be read",
                     projection->layer, weights_path(checkpoint->weights));
  if (*chosen.name) status = read_norm(checkpoint, &chosen, projection, error);
  if (!status && chosen.embeddings) status = read_offset(checkpoint, projection, error);
  if (!status && family->query_norm)
    status =
        read_head_norm(checkpoint, family->query_norm, projection, &projection->query_gain, error);
  if (!status && family->key_norm)
    status = read_head_norm(checkpoint, family->key_norm, projection, &projection->key_gain, error);
  return status;
}
