/* A scorer: an encoding made ready for a length, a head and its parameters. What it holds goes
   into struct score_batch of the backend by scorer_batch(). */
#ifndef ROPETOOL_ENCODING_SCORER_H
#define ROPETOOL_ENCODING_SCORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"
#include "lib/encoding/values.h"
#include "lib/model/position_table.h"
#include "lib/rope/spectrum.h"

/* Which of the four terms of (x_m + p_m) · (x_n + p_n) are scored: x content, p position; the
   query's side is named first. */
enum term_choice {
  TERMS_ALL,
  TERMS_CONTENT_CONTENT,
  TERMS_CONTENT_POSITION,
  TERMS_POSITION_CONTENT,
  TERMS_POSITION_POSITION,
};

enum { ENCODING_HEADS = 8 }; /* of a model about which nothing was said */

/* What an encoding is made for. */
struct encoding_setting {
  /* The frequencies of rotations and waves; enum encoding_frequencies says of which dimensions they
     are to be. Whoever makes the scorer keeps it as long. */
  const struct spectrum *spectrum;
  size_t length; /* positions 0 .. length − 1 */
  size_t width;  /* dimensions of the token vectors, which tables are added to */
  size_t dim;    /* of a head's queries and keys; the width without projections */
  size_t heads;  /* of the model: slopes and biases are one a head */
  size_t head;   /* < heads */
  bool causal;   /* keys after the query are masked: T5 has a bucket rule for it */
  enum term_choice terms;
  const struct encoding_values *values; /* parameters; NULL: none was given */
  /* Of the encoding "learned", its rows there; NULL: none was given. `beyond`: it may have fewer
     positions than `length`; nothing is added at those past its end. */
  const struct position_table *learned;
  bool beyond;
};

/* All arrays are the scorer's; what is NULL or false does nothing. */
struct scorer {
  size_t length, width, dim;

  /* The product query · key: content (or none of it), with the table added (or not), both sides
     multiplied, dimension by dimension, and rotated. */
  bool query_content, key_content;
  double *table;                   /* (position, width) */
  bool query_table, key_table;     /* the table is added on this side */
  double *query_scale, *key_scale; /* (position, dim): xPos */
  const struct spectrum *rotation; /* the setting's; with its attention factor */

  /* What is added to it: by distance, behind the scaling in a softmax, (2·length − 1) as in struct
     score_batch; and terms of its own. */
  double *bias;
  struct score_terms terms; /* `fill` NULL: none */
  /* Lets the terms read all queries and keys of a batch, (draw, position, dim), NULL: zeros; the
     content takes part in them whatever query_content says. NULL: they read none. */
  void (*bind)(struct scorer *scorer, const double *query, const double *key);
  struct phases phases; /* of the rotation, for a batch */
  void *own;            /* of the encoding */
  void (*release_own)(void *own);

  double scale;     /* of scores in a softmax: 1/√dim and the spectrum's softmax factor as a rule;
                       T5: 1; DeBERTa: 1/√(3 dim) */
  double positions; /* how many it is defined for; INFINITY: any */
  bool untrained;   /* made from random parameters, or from those that training starts with */
};

/* Whether vectors are multiplied by factors that grow with positions (xPos): they are beyond float
   soon, so that scores are to be in double. */
static inline bool scorer_needs_double(const struct scorer *scorer) {
  return scorer->query_scale || scorer->key_scale;
}

void scorer_release(struct scorer *scorer);

/* Queries and keys to be scored. */
struct scorer_vectors {
  size_t draws;
  /* (draw, position, dim), NULL: zeros. Content alone, which is multiplied in place where the
     encoding multiplies. With `projected` the table is in them already (added to the token vectors
     in front of the projection, by query_table and key_table), or is left out as they say. */
  double *query, *key;
  bool projected;
};

/* Fills in what of `batch` the encoding and the vectors decide: batch, length, dim, query, key,
   query_add, key_add, rotation, layout, amplitude, bias, terms, scale. Scorer and vectors stay
   where they are until the batch is scored. */
void scorer_batch(struct scorer *scorer, const struct scorer_vectors *vectors,
                  struct score_batch *batch);

#endif
