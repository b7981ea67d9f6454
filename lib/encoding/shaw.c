/* Relative position representations: a learned vector for each clipped distance, added to the key.
 */
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static const char name[] = "shaw";

static const struct encoding_parameter parameters[] = {
    {.key = "table",
     .shape = "(2k + 1, dim)",
     .learned = true,
     .meaning = "row r is the vector of n - m = r - k, from -k to k"},
    {.key = "k",
     .highest = 1e6,
     .whole = true,
     .meaning = "largest distance; 0: as the table has it, 16 for a random one"},
    {0},
};

struct shaw {
  size_t length, dim;
  int64_t clip;        /* k */
  double *table;       /* (2k + 1, dim) */
  const double *query; /* (draw, position, dim), or NULL */
};

static void release(void *own) {
  struct shaw *shaw = own;
  if (shaw) free(shaw->table);
  free(shaw);
}

static void bind(struct scorer *scorer, const double *query, const double *key) {
  (void)key;
  ((struct shaw *)scorer->own)->query = query;
}

static int64_t clip(int64_t distance, int64_t most) {
  return distance < -most ? -most : distance > most ? most : distance;
}

/* q_m · a_{clip(n − m)}: every row of the table that the block meets, once a query. */
static int fill(void *own, const struct score_block *block, double *terms, struct error *error) {
  const struct shaw *shaw = own;
  const size_t dim = shaw->dim;
  const int64_t most = shaw->clip, key = (int64_t)block->key, end = key + (int64_t)block->keys;
  double *product =
      memory_array(2 * (size_t)most + 1, sizeof *product, "products with a table", error);
  if (!product) return error->code;
  for (size_t r = 0; shaw->query && r < block->rows; r++) {
    const int64_t m = (int64_t)(block->row + r);
    const double *query = shaw->query + (block->draw * shaw->length + block->row + r) * dim;
    for (int64_t t = clip(key - m, most); t <= clip(end - 1 - m, most); t++)
      product[t + most] = encoding_dot(query, shaw->table + (size_t)(t + most) * dim, dim);
    for (int64_t n = key; n < end; n++)
      *terms++ = product[clip(n - m, most) + most];
  }
  for (size_t i = 0; !shaw->query && i < block->rows * block->keys; i++)
    terms[i] = 0;
  free(product);
  return OK;
}

static int read_table(struct backend *backend, const struct encoding_setting *setting,
                      struct shaw *shaw, bool *untrained, struct error *error) {
  double k;
  struct encoding_query query = encoding_query_of(backend, setting, name, "k");
  if (encoding_number(&query, &k, error)) return error->code;
  const size_t random_rows = 2 * 16 + 1;
  query.key = "table";
  query.rows = k > 0 ? 2 * (size_t)k + 1 : 0;
  query.random_rows = random_rows;
  query.columns = setting->dim;
  query.deviation =
      sqrt(2 / (double)((query.rows ? query.rows : random_rows) + query.columns)); /* Glorot's */
  shaw->table = encoding_tensor(&query, error);
  if (!shaw->table) return error->code;
  shaw->clip = (int64_t)(query.rows / 2);
  *untrained = query.untrained;
  if (query.rows % 2) return OK;
  return error_set(error, ERROR_INPUT,
                   "parameter 'shaw.table' has '%zu' rows: an odd number, 2k + 1", query.rows);
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  struct shaw *shaw = memory_array(1, sizeof *shaw, "an encoding", error);
  if (!shaw) return error->code;
  scorer->own = shaw;
  scorer->release_own = release;
  scorer->bind = bind;
  scorer->terms = (struct score_terms){.fill = fill, .user = shaw};
  shaw->length = setting->length;
  shaw->dim = setting->dim;
  return read_table(backend, setting, shaw, &scorer->untrained, error);
}

const struct encoding encoding_shaw = {
    .name = name,
    .title = "Shaw",
    .formula = "q^T (k + a_c), c = n - m clipped to -k .. k",
    .source = "Shaw et al., Self-Attention with Relative Position Representations, "
              "arXiv:1803.02155, eq. 4",
    .beyond = "extrapolated",
    .kind = ENCODING_BIASES,
    .parameters = parameters,
    .make = make,
};
