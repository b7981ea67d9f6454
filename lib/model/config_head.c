/* The dimensions of a head, and how many of them rotate. */
#include <stdio.h>
#include <string.h>

#include "lib/model/config_parts.h"

/* What gave a number of dimensions. */
struct origin {
  const char *key; /* the field at fault when the number cannot be; NULL: no single one */
  char source[CONFIG_PATH];
};

/* Multi-head latent attention: a part of its own rotates, and it does whole. Its attention
   multiplies the softmax scale by mscale², others leave it alone. */
static int read_latent(struct config *config, bool *latent, struct error *error) {
  static const char *const keys[] = {"qk_rope_head_dim", NULL};
  struct rope_spec *spec = config->spec;
  const struct config_place place = config_find(config, keys);
  char source[CONFIG_PATH];
  int64_t dim = (int64_t)config->family.latent_dim;
  *latent = place.fields || dim > 0;
  spec->plain_softmax = config->known ? !config->family.latent : !*latent;
  if (!*latent) return OK;
  int failed = place.fields ? fields_count(place.fields, place.key, &dim, error) : OK;
  if (failed) return failed;
  if (dim % 2)
    return error_set(error, ERROR_INPUT, "'%s' is %lld: an even number is needed", place.key,
                     (long long)dim);
  spec->head_dim = spec->rotary_dim = (size_t)dim;
  if (place.fields)
    config_source(&place, source);
  else
    spec_warn(spec, config->meta,
              "there is no '%s': %lld, the default of model_type '%.63s', is used", keys[0],
              (long long)dim, config->model_type);
  if (!place.fields) config_default(config, source);
  failed = config_explain_number(config, "head_dim", (double)dim, source, error);
  return failed ? failed : config_explain_number(config, "rotary_dim", (double)dim, source, error);
}

/* The hidden size over the number of heads; *key is left NULL. */
static int divide(struct config *config, const struct config_place *hidden_place,
                  const struct config_place *heads_place, struct origin *origin,
                  struct error *error) {
  char names[2][CONFIG_PATH];
  int64_t hidden = 0, heads = 1;
  int failed = fields_count(hidden_place->fields, hidden_place->key, &hidden, error);
  if (!failed) failed = fields_count(heads_place->fields, heads_place->key, &heads, error);
  if (failed) return failed;
  const size_t usual = config->family.head_dim;
  if (usual > 0) {
    if (hidden != heads * (int64_t)usual)
      spec_warn(config->spec, config->meta,
                "there is no 'head_dim': %zu, the default of model_type '%.63s', is used", usual,
                config->model_type);
    config->spec->head_dim = usual;
    config_default(config, origin->source);
    return OK;
  }
  if (hidden % heads)
    return error_set(
        error, ERROR_INPUT,
        "the head dimension is not clear: '%s' %lld is not a multiple of '%s' %lld, and there "
        "is no 'head_dim'",
        hidden_place->key, (long long)hidden, heads_place->key, (long long)heads);
  config->spec->head_dim = (size_t)(hidden / heads);
  snprintf(origin->source, CONFIG_PATH, "%.90s / %.90s", config_source(hidden_place, names[0]),
           config_source(heads_place, names[1]));
  return OK;
}

/* full_attention layers may have larger heads. *found says whether they do. */
static int read_global_head_dim(struct config *config, bool *found, struct origin *origin,
                                struct error *error) {
  static const char *const keys[] = {"global_head_dim", NULL};
  *found = false;
  if (strcmp(config->now->type, "full_attention")) return OK;
  const struct config_place place = config_find(config, keys);
  int64_t dim = (int64_t)config->family.global_head_dim;
  *found = place.fields || dim > 0;
  if (!*found) return OK;
  if (place.fields) {
    const int failed = fields_count(place.fields, place.key, &dim, error);
    if (failed) return failed;
    origin->key = place.key;
    config_source(&place, origin->source);
  } else {
    config_default(config, origin->source);
  }
  config->spec->head_dim = (size_t)dim;
  return OK;
}

static int read_head_dim(struct config *config, struct origin *origin, struct error *error) {
  static const char *const head_keys[] = {"head_dim", "kv_channels", NULL};
  static const char *const hidden_keys[] = {"hidden_size", "n_embd", "d_model", NULL};
  static const char *const heads_keys[] = {"num_attention_heads", "n_head", "n_heads", NULL};
  bool found;
  int failed = read_global_head_dim(config, &found, origin, error);
  if (failed || found) return failed;
  /* Level by level: a head_dim outside the text_config does not overrule what that holds. */
  for (size_t i = 0; i < config->levels; i++) {
    const struct fields *level = config->level[i];
    const char *path = config->holder[i];
    const struct config_place head = {level, config_key(level, head_keys), path, NULL};
    const struct config_place hidden = {level, config_key(level, hidden_keys), path, NULL};
    const struct config_place heads = {level, config_key(level, heads_keys), path, NULL};
    int64_t dim = 0;
    if (head.key) {
      failed = fields_count(level, head.key, &dim, error);
      config->spec->head_dim = (size_t)dim;
      origin->key = head.key;
      config_source(&head, origin->source);
      return failed;
    }
    if (hidden.key && heads.key) return divide(config, &hidden, &heads, origin, error);
  }
  if (config->family.head_dim == 0)
    return error_set(error, ERROR_INPUT,
                     "the head dimension is not given: 'head_dim', or 'hidden_size' and "
                     "'num_attention_heads', is needed");
  config->spec->head_dim = config->family.head_dim;
  config_default(config, origin->source);
  return OK;
}

/* The rotated share of a head; 0 when the config does not give it. */
static int read_share(const struct config *config, double *share, struct origin *origin,
                      struct error *error) {
  static const char *const keys[] = {"partial_rotary_factor", "rotary_pct", "rotary_emb_fraction",
                                     NULL};
  const struct config_place inner = config_inside(config, keys[0]);
  struct config_place outer;
  double inside = 0, outside = 0;
  int failed = inner.fields ? fields_positive(inner.fields, inner.key, &inside, error) : OK;
  if (!failed) failed = config_positive(config, keys, &outside, &outer, error);
  if (failed) return failed;
  if (inside > 0 && outside > 0 && inside != outside)
    spec_warn(config->spec, config->meta,
              "'partial_rotary_factor' %.10g of '%s' is used, not '%s' %.10g", inside,
              config->now->rope_name, outer.key, outside);
  const struct config_place *place = inside > 0 ? &inner : &outer;
  *share = inside > 0 ? inside : outside;
  origin->key = place->key;
  config_source(place, origin->source);
  if (*share > 1)
    return error_set(error, ERROR_INPUT, "'%s' is %.10g: a number in (0, 1] is needed", place->key,
                     *share);
  return OK;
}

/* GPT-J's way: the number of rotated dimensions itself. 0 when it is not given. */
static int read_count(const struct config *config, int64_t *count, struct origin *origin,
                      struct error *error) {
  static const char *const keys[] = {"rotary_dim", NULL};
  const struct config_place place = config_find(config, keys);
  *count = 0;
  if (!place.fields) return OK;
  origin->key = place.key;
  config_source(&place, origin->source);
  return fields_count(place.fields, place.key, count, error);
}

/* A count of rotated dimensions that cannot be: `key` gave it, NULL a default. Of whole heads the
   heads are at fault. */
static int refuse_rotary_dim(const struct config *config, int64_t dim, const char *head_key,
                             const char *key, struct error *error) {
  const size_t head = config->spec->head_dim;
  if (dim == (int64_t)head && head_key)
    return error_set(error, ERROR_INPUT,
                     "'%s' is %zu: an even number is needed, as dimensions rotate in pairs",
                     head_key, head);
  if (dim == (int64_t)head)
    return error_set(
        error, ERROR_INPUT,
        "the head dimension, 'hidden_size' over 'num_attention_heads', is %zu: an even "
        "number is needed, as dimensions rotate in pairs",
        head);
  if (key)
    return error_set(error, ERROR_INPUT,
                     "%lld of %zu dimensions of a head would rotate: '%s' must give an "
                     "even number from 2 to the head dimension",
                     (long long)dim, head, key);
  return error_set(error, ERROR_INPUT,
                   "%lld of %zu dimensions of a head would rotate, by the default %.10g of "
                   "model_type '%.63s': 'partial_rotary_factor' must give an even number from 2 to "
                   "the head dimension",
                   (long long)dim, head, config->family.share, config->model_type);
}

/* Whether whole heads rotate, whatever the config says: plain RoPE of most families, and rules that
   take the share themselves and set the other frequencies to 0. */
static bool turns_whole(const struct config *config, double share, int64_t count, const char *key) {
  const struct scaling_key *own = scaling_key_find(config->rule, "partial_rotary_factor");
  if (own && !own->ignored) return true;
  if (!config->family.whole || strcmp(config->rule->name, "none")) return false;
  if ((share > 0 && share < 1) || (count > 0 && (uint64_t)count != config->spec->head_dim))
    spec_warn(config->spec, config->meta,
              "'%s' is ignored, as by the code of model_type '%.63s': whole heads rotate", key,
              config->model_type);
  return true;
}

static int read_rotary_dim(struct config *config, const char *head_key, struct error *error) {
  struct rope_spec *spec = config->spec;
  struct origin of_share = {0}, of_count = {0};
  double share;
  int64_t count;
  int failed = read_share(config, &share, &of_share, error);
  if (!failed) failed = read_count(config, &count, &of_count, error);
  if (failed) return failed;
  const bool given = share > 0 || count > 0;
  const struct origin *origin = count > 0 ? &of_count : &of_share;
  if (turns_whole(config, share, count, origin->key)) {
    share = 1;
    count = 0;
    snprintf(of_share.source, CONFIG_PATH, "all of the head");
    origin = &of_share;
  } else if (!given) {
    share = config->family.share;
    if (share < 1)
      config_default(config, of_share.source);
    else
      snprintf(of_share.source, CONFIG_PATH, "all of the head");
    if (share < 1 && !config->family.silent)
      spec_warn(spec, config->meta,
                "there is no 'partial_rotary_factor': %.10g, the default of "
                "model_type '%s', is used",
                share, config->model_type);
  }
  /* Truncated, as Python's int() does. */
  const int64_t product = share > 0 ? (int64_t)((double)spec->head_dim * share) : count;
  if (count > 0 && product != count)
    return error_set(error, ERROR_INPUT,
                     "'rotary_dim' %lld and '%s' %.10g do not agree: that is %lld of %zu "
                     "dimensions",
                     (long long)count, of_share.key, share, (long long)product, spec->head_dim);
  if (product < 2 || product % 2 || (uint64_t)product > spec->head_dim)
    return refuse_rotary_dim(config, product, head_key, given ? origin->key : NULL, error);
  spec->rotary_dim = (size_t)product;
  return config_explain_number(config, "rotary_dim", (double)product, origin->source, error);
}

int config_read_head(struct config *config, struct error *error) {
  struct origin origin = {0};
  bool latent;
  int failed = read_latent(config, &latent, error);
  if (failed || latent) return failed;
  failed = read_head_dim(config, &origin, error);
  if (failed) return failed;
  failed = config_explain_number(config, "head_dim", (double)config->spec->head_dim, origin.source,
                                 error);
  return failed ? failed : read_rotary_dim(config, origin.key, error);
}
