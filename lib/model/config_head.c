/* The dimensions of a head, and how many of them rotate. */
#include "lib/model/config.h"

/* Multi-head latent attention: a part of its own rotates, and it does whole. */
static int read_latent(struct config *config, bool *latent, struct error *error) {
  static const char *const keys[] = {"qk_rope_head_dim", NULL};
  const char *key;
  int64_t dim;
  const struct fields *place = config_find(config, keys, &key);
  *latent = place != NULL;
  if (!place) return OK;
  const int failed = fields_count(place, key, &dim, error);
  if (failed) return failed;
  if (dim % 2)
    return error_set(error, ERROR_INPUT, "'%s' is %lld: an even number is needed", key,
                     (long long)dim);
  config->spec->head_dim = config->spec->rotary_dim = (size_t)dim;
  return OK;
}

static int divide(struct config *config, const struct fields *place, const char *hidden_key,
                  const char *heads_key, struct error *error) {
  int64_t hidden = 0, heads = 1;
  int failed = fields_count(place, hidden_key, &hidden, error);
  if (!failed) failed = fields_count(place, heads_key, &heads, error);
  if (failed) return failed;
  if (hidden % heads)
    return error_set(
        error, ERROR_INPUT,
        "the head dimension is not clear: '%s' %lld is not a multiple of '%s' %lld, and there "
        "is no 'head_dim'",
        hidden_key, (long long)hidden, heads_key, (long long)heads);
  config->spec->head_dim = (size_t)(hidden / heads);
  return OK;
}

static int read_head_dim(struct config *config, struct error *error) {
  static const char *const head_keys[] = {"head_dim", "kv_channels", NULL};
  static const char *const hidden_keys[] = {"hidden_size", "n_embd", "d_model", NULL};
  static const char *const heads_keys[] = {"num_attention_heads", "n_head", "n_heads", NULL};
  /* Level by level: a head_dim outside the text_config does not overrule what that holds. */
  for (size_t i = 0; i < config->levels; i++) {
    const struct fields *level = config->level[i];
    const char *head = config_key(level, head_keys);
    const char *hidden = config_key(level, hidden_keys), *heads = config_key(level, heads_keys);
    int64_t dim = 0;
    if (head) {
      const int failed = fields_count(level, head, &dim, error);
      config->spec->head_dim = (size_t)dim;
      config->head_key = head;
      return failed;
    }
    if (hidden && heads) return divide(config, level, hidden, heads, error);
  }
  return error_set(error, ERROR_INPUT,
                   "the head dimension is not given: 'head_dim', or 'hidden_size' and "
                   "'num_attention_heads', is needed");
}

/* The rotated share of a head; 0 when the config does not give it. *key says which field gave it.
 */
static int read_share(const struct config *config, double *share, const char **key,
                      struct error *error) {
  static const char *const keys[] = {"partial_rotary_factor", "rotary_pct", "rotary_emb_fraction",
                                     NULL};
  double inside = 0, outside = 0;
  *key = keys[0];
  int failed = config->rope ? fields_positive(config->rope, keys[0], &inside, error) : OK;
  if (!failed) failed = config_positive(config, keys, &outside, key, error);
  if (failed) return failed;
  if (inside > 0 && outside > 0 && inside != outside)
    spec_warn(config->spec, config->meta,
              "'partial_rotary_factor' %.10g of '%s' is used, not '%s' %.10g", inside,
              config->rope_name, *key, outside);
  if (inside > 0) *key = keys[0];
  *share = inside > 0 ? inside : outside;
  if (*share > 1)
    return error_set(error, ERROR_INPUT, "'%s' is %.10g: a number in (0, 1] is needed", *key,
                     *share);
  return OK;
}

/* GPT-J's way: the number of rotated dimensions itself. 0 when it is not given. */
static int read_count(const struct config *config, int64_t *count, struct error *error) {
  static const char *const keys[] = {"rotary_dim", NULL};
  const char *key;
  const struct fields *place = config_find(config, keys, &key);
  *count = 0;
  return place ? fields_count(place, key, count, error) : OK;
}

/* A count of rotated dimensions that cannot be: `key` gave it, NULL a default. Of whole heads the
   heads are at fault. */
static int refuse_rotary_dim(const struct config *config, int64_t dim, const char *key,
                             struct error *error) {
  const size_t head = config->spec->head_dim;
  if (dim == (int64_t)head && config->head_key)
    return error_set(error, ERROR_INPUT,
                     "'%s' is %zu: an even number is needed, as dimensions rotate in pairs",
                     config->head_key, head);
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

static int read_rotary_dim(struct config *config, struct error *error) {
  struct rope_spec *spec = config->spec;
  double share;
  const char *key;
  int64_t count;
  int failed = read_share(config, &share, &key, error);
  if (!failed) failed = read_count(config, &count, error);
  if (failed) return failed;
  const bool given = share > 0 || count > 0;
  if (!given) {
    share = config->family.share;
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
                     (long long)count, key, share, (long long)product, spec->head_dim);
  if (product < 2 || product % 2 || (uint64_t)product > spec->head_dim)
    return refuse_rotary_dim(config, product, count > 0 ? "rotary_dim" : given ? key : NULL, error);
  spec->rotary_dim = (size_t)product;
  return OK;
}

int config_read_head(struct config *config, struct error *error) {
  bool latent;
  int failed = read_latent(config, &latent, error);
  if (failed || latent) return failed;
  failed = read_head_dim(config, error);
  return failed ? failed : read_rotary_dim(config, error);
}
