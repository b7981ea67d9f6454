/* How a pass over all scores is made: what its threads share, and what each of them works with. */
#ifndef ROPETOOL_KERNELS_SCORE_PLAN_H
#define ROPETOOL_KERNELS_SCORE_PLAN_H

#include "kernels/score_tiles.h"
#include "kernels/score_weights.h"
#include "kernels/scores.h"

enum { FEW_ROWS = 64 }; /* that are not worth a second thread */

static inline size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* What all threads share. */
struct score_plan {
  const struct score_pass *pass;
  const struct score_batch *batch;
  const struct score_arithmetic *arithmetic;
  const struct reduction_rule *rule;
  struct row_softmax softmax;
  struct score_bias bias;
  struct row_blocks blocks;
  const void *key;             /* (draw, position, dim) as they enter the product */
  void *own_key;               /* the same, or NULL where it is the caller's */
  bool keep_rows;              /* tiles of weights need a row's sum before its first weight */
  bool by_draw;                /* something needs the scores of each draw by itself */
  bool own_exponent;           /* the softmax adds more than the bias: terms after the scale */
  size_t rows, stride, parts;  /* of a block: rows, scores in a row, parts in a row; at most */
  size_t room;                 /* bytes that a thread needs */
  struct weight_sums *weights; /* (block, draw) */
};

int score_plan_open(struct score_plan *plan, const struct score_pass *pass, struct error *error);
void score_plan_close(struct score_plan *plan);

/* What a thread works with. */
struct score_room {
  char *query;             /* (draw, row, dim) */
  char *score;             /* (row, stride) of one draw */
  char *average;           /* (row, stride) over the draws */
  double *vector;          /* (dim) */
  double *value, *folded;  /* (PART_KEYS) */
  double *cells;           /* (column) of a part of a row of tiles */
  double *peak;            /* (row, part) of the exponentials; then what makes them weights */
  struct row_weights *row; /* (draw, row) */
  double *diagonals;       /* of a block */
  double *terms;           /* (row, key) of a part */
  char *exponent;          /* (row, PART_KEYS) of a part: what the softmax adds */
  int status;              /* of filling the terms, and why it failed */
  struct error error;
};

/* Cuts the room of a thread out of `memory`, which starts at a cache line; returns its size, also
   for NULL. */
size_t score_room_place(const struct score_plan *plan, struct score_room *room, char *memory);

enum { CACHE_LINE = 64 }; /* bytes */

#endif
