/* What config.json or a GGUF say of a checkpoint, and what a head is by that. */
#include <stdio.h>
#include <string.h>

#include "lib/model/checkpoint_parts.h"

/* The GGUF's ARCHITECTURE.NAME; NULL: none. */
static const struct gguf_value *gguf_own(const struct checkpoint *checkpoint, const char *name) {
  const struct gguf_value *architecture = gguf_find(checkpoint->gguf, "general.architecture");
  struct gguf_text text;
  char key[200];
  if (!architecture || gguf_text(architecture, &text, NULL) || text.length > 100) return NULL;
  snprintf(key, sizeof key, "%.*s.%s", (int)text.length, text.text, name);
  return gguf_find(checkpoint->gguf, key);
}

/* The first object of config.json that has one of the names, which is *name then; NULL: none. */
static const struct fields *config_having(const struct checkpoint *checkpoint,
                                          const char *const *names, const char **name) {
  for (size_t i = 0; i < 2; i++)
    for (const char *const *at = names; checkpoint->config[i] && *at; at++)
      if (fields_kind(checkpoint->config[i], *at) != FIELD_NONE) {
        *name = *at;
        return checkpoint->config[i];
      }
  return NULL;
}

static int blame_config(const struct checkpoint *checkpoint, struct error *error) {
  return error_prefix(error, "the config.json beside '%s'", weights_path(checkpoint->weights));
}

int checkpoint_count(const struct checkpoint *checkpoint, const struct checkpoint_key *key,
                     size_t layer, int64_t *value, struct error *error) {
  if (checkpoint->gguf) {
    const struct gguf_value *own = gguf_own(checkpoint, key->gguf);
    if (!own || layer >= (own->is_array ? own->count : SIZE_MAX)) return OK;
    const struct gguf_value element = own->is_array ? gguf_element(own, layer) : *own;
    const int failed = gguf_whole(&element, 1, INT32_MAX, value, error);
    return failed ? error_prefix(error, "'%s'", weights_path(checkpoint->weights)) : OK;
  }
  const char *name;
  const struct fields *fields = config_having(checkpoint, key->config, &name);
  if (!fields || !fields_count(fields, name, value, error)) return OK;
  return blame_config(checkpoint, error);
}

int checkpoint_positive(const struct checkpoint *checkpoint, const struct checkpoint_key *key,
                        double *value, struct error *error) {
  if (checkpoint->gguf) {
    const struct gguf_value *own = gguf_own(checkpoint, key->gguf);
    if (!own || !gguf_positive(own, value, error)) return OK;
    return error_prefix(error, "'%s'", weights_path(checkpoint->weights));
  }
  const char *name;
  const struct fields *fields = config_having(checkpoint, key->config, &name);
  if (!fields || !fields_positive(fields, name, value, error)) return OK;
  return blame_config(checkpoint, error);
}

int checkpoint_type(const struct checkpoint *checkpoint, const char **type, struct error *error) {
  static const char *const names[] = {"model_type", NULL};
  const char *name;
  const struct fields *fields = config_having(checkpoint, names, &name);
  *type = "";
  if (!fields || !fields_text(fields, name, type, error)) return OK;
  return blame_config(checkpoint, error);
}

/* Heads of queries and of keys, and their dimension, as far as they are said; 0: not said. */
struct stated {
  int64_t heads, key_heads, dim;
};

static int read_stated(const struct checkpoint *checkpoint, size_t layer, struct stated *stated,
                       struct error *error) {
  static const char *const encoder[] = {
      "encoder_attention_heads", "num_attention_heads", "n_head", "n_heads", "num_heads", NULL};
  static const char *const decoder[] = {
      "decoder_attention_heads", "num_attention_heads", "n_head", "n_heads", "num_heads", NULL};
  static const char *const key_heads[] = {"num_key_value_heads", NULL};
  static const char *const dim[] = {"head_dim", NULL};
  const struct checkpoint_key heads = {strstr(checkpoint->prefix, "encoder") ? encoder : decoder,
                                       "attention.head_count"};
  int status = checkpoint_count(checkpoint, &heads, layer, &stated->heads, error);
  if (!status)
    status =
        checkpoint_count(checkpoint, &(struct checkpoint_key){key_heads, "attention.head_count_kv"},
                         layer, &stated->key_heads, error);
  if (!status)
    status = checkpoint_count(checkpoint, &(struct checkpoint_key){dim, "attention.key_length"},
                              layer, &stated->dim, error);
  return status;
}

/* The part of a head in the rows of the queries, or of the fused tensor. */
static size_t derive_dim(const struct checkpoint *checkpoint, const struct stated *stated,
                         size_t rows, size_t width) {
  const size_t heads = (size_t)stated->heads;
  if (stated->dim) return (size_t)stated->dim;
  if (!heads) return 0;
  switch (checkpoint->family->layout) {
  case CHECKPOINT_APART:
    return rows / heads;
  case CHECKPOINT_FUSED:
    return width / heads;
  default:
    return rows / 3 / heads;
  }
}

/* The queries' rows of a fused tensor; 0: they cannot be told. */
static size_t fused_queries(const struct stated *stated, size_t rows, size_t width, size_t dim) {
  if (stated->heads > 0 && (uint64_t)stated->heads <= rows / dim)
    return (size_t)stated->heads * dim;
  return rows % 3 == 0 && rows / 3 == width ? width : 0;
}

static int refuse_shape(const struct checkpoint *checkpoint, size_t rows, size_t dim,
                        struct error *error) {
  return error_set(error, ERROR_INPUT,
                   "the projections of '%s' have %zu rows: they are no whole number of heads of "
                   "%zu dimensions",
                   weights_path(checkpoint->weights), rows, dim);
}

/* Rows of queries and keys, of fused tensors too. */
static int split_rows(const struct checkpoint *checkpoint, const struct stated *stated,
                      const struct projection *projection, size_t *queries, size_t *keys,
                      struct error *error) {
  const enum checkpoint_layout layout = checkpoint->family->layout;
  const size_t rows = *queries;
  if (layout == CHECKPOINT_APART) return OK;
  if (layout != CHECKPOINT_FUSED) {
    *queries = *keys = rows / 3;
    return rows % 3 ? refuse_shape(checkpoint, rows, projection->dim, error) : OK;
  }
  *queries = fused_queries(stated, rows, projection->width, projection->dim);
  if (!*queries)
    return error_set(error, ERROR_INPUT,
                     "'%s' does not tell how many of its %zu fused rows are queries: put the "
                     "model's config.json (with 'num_attention_heads') beside it",
                     weights_path(checkpoint->weights), rows);
  *keys = (rows - *queries) / 2;
  return *queries + 2 * *keys == rows ? OK : refuse_shape(checkpoint, rows, projection->dim, error);
}

int checkpoint_measure(const struct checkpoint *checkpoint, size_t query_rows, size_t key_rows,
                       size_t dim, struct projection *projection, struct error *error) {
  struct stated stated = {0};
  const bool given = dim;
  const char *path = weights_path(checkpoint->weights);
  int status = read_stated(checkpoint, projection->layer, &stated, error);
  if (status) return status;
  if (!given) dim = derive_dim(checkpoint, &stated, query_rows, projection->width);
  if (!dim)
    return error_set(error, ERROR_INPUT,
                     "'%s' does not tell a head's dimension: give it, or put the model's "
                     "config.json (with 'num_attention_heads' or 'head_dim') beside it",
                     path);
  projection->dim = dim;
  size_t queries = query_rows, keys = key_rows;
  if (dim > query_rows) return refuse_shape(checkpoint, query_rows, dim, error);
  status = split_rows(checkpoint, &stated, projection, &queries, &keys, error);
  if (status) return status;
  if (!queries || queries % dim) return refuse_shape(checkpoint, queries, dim, error);
  if (!keys || keys % dim) return refuse_shape(checkpoint, keys, dim, error);
  projection->heads = queries / dim;
  projection->key_heads = keys / dim;
  if (!given && stated.heads && (uint64_t)stated.heads != projection->heads)
    return error_set(error, ERROR_INPUT,
                     "'%s' has %zu rows of queries: %lld heads of %zu dimensions, as it or its "
                     "config.json says, do not make that up",
                     path, queries, (long long)stated.heads, dim);
  if (projection->heads % projection->key_heads == 0) return OK;
  return error_set(error, ERROR_INPUT,
                   "'%s' has %zu heads of queries, and of keys %zu: a divisor of that is needed",
                   path, projection->heads, projection->key_heads);
}
