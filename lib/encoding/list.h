/* The encodings, one file each: to add one, write its file and put it here and in encoding.c. For
   lib/encoding alone. */
#ifndef ROPETOOL_ENCODING_LIST_H
#define ROPETOOL_ENCODING_LIST_H

#include "lib/encoding/encoding.h"

extern const struct encoding encoding_rope, encoding_sinusoidal, encoding_learned, encoding_none,
    encoding_alibi, encoding_t5, encoding_kerple, encoding_shaw, encoding_transformer_xl,
    encoding_deberta, encoding_xpos, encoding_fire;

/* A question for parameter `key` of encoding `name`. */
static inline struct encoding_query encoding_query_of(struct backend *backend,
                                                      const struct encoding_setting *setting,
                                                      const char *name, const char *key) {
  return (struct encoding_query){.backend = backend,
                                 .values = setting->values,
                                 .name = name,
                                 .key = key,
                                 .head = setting->head};
}

/* Whether parameter `key`, 0 or 1, is 1. */
int encoding_switch(const struct encoding_setting *setting, const char *name, const char *key,
                    bool *on, struct error *error);

/* An array for the bias of all distances, as struct scorer has it; NULL with the error. */
double *encoding_bias(const struct encoding_setting *setting, struct error *error);

/* Which terms are asked for. */
static inline bool encoding_scores(const struct encoding_setting *setting, enum term_choice term) {
  return setting->terms == TERMS_ALL || setting->terms == term;
}

/* Takes content and table into the product as the terms say: of encodings that add a table. */
void encoding_split_product(const struct encoding_setting *setting, struct scorer *scorer);

/* Sines and cosines of positions 0 .. rows − 1: the sine of pair i goes to column
   stride·i of a row of 2·pairs, the cosine `cosine` columns behind it. */
struct wave_columns {
  size_t stride, cosine;
};
int encoding_waves(struct backend *backend, const struct spectrum *spectrum, size_t rows,
                   struct wave_columns columns, double *table, struct error *error);

/* Σ_i a_i·b_i, always in the same order. */
double encoding_dot(const double *a, const double *b, size_t count);

#endif
