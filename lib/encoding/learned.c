/* A learned vector for each position, added to query and key. */
#include <stdio.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"

static int check(const struct encoding_setting *setting, struct error *error) {
  const struct position_table *table = setting->learned;
  if (!table || !table->row)
    return error_set(error, ERROR_INPUT,
                     "encoding 'learned' needs a table: --learned FILE[:TENSOR], --learned minilm "
                     "or --learned random:SEED");
  if (table->width != setting->width)
    return error_set(error, ERROR_INPUT,
                     "the learned table '%s' has '%zu' dimensions for vectors of %zu: as many",
                     table->name, table->width, setting->width);
  if (table->positions >= setting->length || setting->beyond) return OK;
  return error_set(error, ERROR_INPUT,
                   "the learned table '%s' has %zu positions, and the length is '%zu': at most as "
                   "many, or --beyond",
                   table->name, table->positions, setting->length);
}

static int make(struct backend *backend, const struct encoding_setting *setting,
                struct scorer *scorer, struct error *error) {
  (void)backend;
  if (check(setting, error)) return error->code;
  const struct position_table *table = setting->learned;
  const size_t length = setting->length, width = setting->width;
  const size_t rows = table->positions < length ? table->positions : length;
  char what[80];
  snprintf(what, sizeof what, "the table of %zu positions and %zu dimensions", length, width);
  if (memory_require(length, width * sizeof(double), what, error)) return error->code;
  encoding_split_product(setting, scorer);
  scorer->positions = (double)table->positions;
  scorer->untrained = table->untrained;
  /* Zeros behind the last row: a model has no vector there, so none is added. */
  scorer->table = memory_array(length * width, sizeof(double), what, error);
  if (!scorer->table) return error->code;
  memcpy(scorer->table, table->row, rows * width * sizeof(double));
  return OK;
}

const struct encoding encoding_learned = {
    .name = "learned",
    .title = "Learned",
    .formula = "(q + p_m)^T (k + p_n), p_k the row of a trained table; none past its end",
    .source = "Gehring et al., Convolutional Sequence to Sequence Learning, arXiv:1705.03122; "
              "Devlin et al., BERT, arXiv:1810.04805",
    .beyond = "refused",
    .kind = ENCODING_ADDS,
    .alone = true,
    .has_terms = true,
    .takes_table = true,
    .make = make,
};
