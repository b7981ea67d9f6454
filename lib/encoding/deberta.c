/* DeBERTa: disentangled attention, content with content, content with position and position with
   content. */
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static const char name[] = "deberta";

static const struct encoding_parameter parameters[] = {
    {.key = "query_table",
     .shape = "(2k, dim)",
     .learned = true,
     .meaning = "Q^r: the relative embeddings, projected by the head's query weights"},
    {.key = "key_table",
     .shape = "(2k, dim)",
     .learned = true,
     .meaning = "K^r: the relative embeddings, projected by the head's key weights"},
    {.key = "k",
     .otherwise = 512,
     .lowest = 1,
     .highest = 1e6,
     .whole = true,
     .meaning = "largest distance: delta(m, n) = m - n + k, kept in 0 .. 2k - 1"},
    {0},
};

struct deberta {
  size_t length, dim;
  int64_t k;
  bool causal;
  double *query_table, *key_table; /* (2k, dim), NULL: its term is left out */
  const double *query, *key;       /* (draw, position, dim), or NULL */
};

static void release(void *own) {
  struct deberta *deberta = own;
  if (deberta) {
    free(deberta->query_table);
    free(deberta->key_table);
  }
  free(deberta);
}

static void bind(struct scorer *scorer, const double *query, const double *key) {
  struct deberta *deberta = scorer->own;
  deberta->query = query;
  deberta->key = key;
}

/* δ(i, j): 0 from i − j = −k down, 2k − 1 from k up. */
static int64_t delta(int64_t distance, int64_t k) {
  return distance <= -k ? 0 : distance >= k ? 2 * k - 1 : distance + k;
}

/* q_m · K^r_δ(m,n): every row of the table that the block meets, once. `product` has room for 2k.
 */
static void add_content_position(const struct deberta *deberta, const struct score_block *block,
                                 size_t row, double *product, double *terms) {
  const size_t dim = deberta->dim;
  const int64_t k = deberta->k, m = (int64_t)row, key = (int64_t)block->key,
                end = key + (int64_t)block->keys;
  const double *query = deberta->query + (block->draw * deberta->length + row) * dim;
  for (int64_t t = delta(m - end + 1, k); t <= delta(m - key, k); t++)
    product[t] = encoding_dot(query, deberta->key_table + (size_t)t * dim, dim);
  for (int64_t n = key; n < end; n++)
    terms[n - key] += product[delta(m - n, k)];
}

/* k_n · Q^r_δ(n,m) */
static void add_position_content(const struct deberta *deberta, const struct score_block *block,
                                 size_t row, double *terms) {
  const size_t dim = deberta->dim;
  const int64_t m = (int64_t)row;
  const double *keys = deberta->key + (block->draw * deberta->length + block->key) * dim;
  for (size_t c = 0; c < block->keys; c++) {
    const int64_t distance = (int64_t)(block->key + c) - m;
    if (distance > 0 && deberta->causal) break;
    terms[c] += encoding_dot(keys + c * dim,
                             deberta->query_table + (size_t)delta(distance, deberta->k) * dim, dim);
  }
}

static int fill(void *own, const struct score_block *block, double *terms, struct error *error) {
  const struct deberta *deberta = own;
  double *product =
      memory_array(2 * (size_t)deberta->k, sizeof *product, "products with a table", error);
  if (!product) return error->code;
  for (size_t i = 0; i < block->rows * block->keys; i++)
    terms[i] = 0;
  for (size_t r = 0; r < block->rows; r++) {
    double *row = terms + r * block->keys;
    if (deberta->key_table && deberta->query)
      add_content_position(deberta, block, block->row + r, product, row);
    if (deberta->query_table && deberta->key)
      add_position_content(deberta, block, block->row + r, row);
  }
  free(product);
  return OK;
}

/* Random tables weigh as the content does: N(0, 1). */
static int read_tables(struct backend *backend, const struct encoding_setting *setting,
                       struct scorer *scorer, struct error *error) {
  struct deberta *deberta = scorer->own;
  double k;
  struct encoding_query query = encoding_query_of(backend, setting, name, "k");
  if (encoding_number(&query, &k, error)) return error->code;
  deberta->k = (int64_t)k;
  query.rows = 2 * (size_t)k;
  query.columns = setting->dim;
  query.deviation = 1;
  query.key = "query_table";
  if (encoding_scores(setting, TERMS_POSITION_CONTENT)) {
    deberta->query_table = encoding_tensor(&query, error);
    if (!deberta->query_table) return error->code;
  }
  query.key = "key_table";
  if (encoding_scores(setting, TERMS_CONTENT_POSITION)) {
    deberta->key_table = encoding_tensor(&query, error);
    if (!deberta->key_table) return error->code;
  }
  scorer->untrained = query.untrained;
  return OK;
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  struct deberta *deberta = memory_array(1, sizeof *deberta, "an encoding", error);
  if (!deberta) return error->code;
  scorer->own = deberta;
  scorer->release_own = release;
  deberta->length = setting->length;
  deberta->dim = setting->dim;
  deberta->causal = setting->causal;
  scorer->scale = 1 / sqrt(3 * (double)setting->dim);
  scorer->query_content = scorer->key_content = encoding_scores(setting, TERMS_CONTENT_CONTENT);
  if (read_tables(backend, setting, scorer, error)) return error->code;
  if (deberta->query_table || deberta->key_table) {
    scorer->bind = bind;
    scorer->terms = (struct score_terms){.fill = fill, .user = deberta};
  }
  return OK;
}

const struct encoding encoding_deberta = {
    .name = name,
    .title = "DeBERTa",
    .formula = "q^T k + q^T K^r_delta(m,n) + k^T Q^r_delta(n,m), divided by sqrt(3d) in the "
               "softmax; no term of positions alone",
    .source = "He et al., DeBERTa, arXiv:2006.03654, eq. 3 and 4",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .has_terms = true,
    .parameters = parameters,
    .make = make,
};
