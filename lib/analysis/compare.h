/* Position encodings side by side: the same tokens under each of them, and what is then in the
   scores and weights. */
#ifndef ROPETOOL_ANALYSIS_COMPARE_H
#define ROPETOOL_ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/analysis/content.h"
#include "lib/base/error.h"
#include "lib/encoding/encoding.h"
#include "lib/io/matrix.h"
#include "lib/io/table.h"
#include "lib/model/checkpoint.h"
#include "lib/model/position_table.h"
#include "lib/rope/spectrum.h"

enum compare_attention {
  COMPARE_SOFTMAX,
  COMPARE_LINEAR_ELU,   /* linear_attention.h */
  COMPARE_LINEAR_FAVOR, /* the positive random features of Performers */
};

/* What the scores of a draw are computed in. Auto: double up to COMPARE_DOUBLE_LENGTH positions,
   float beyond. Linear attention is always in double. */
enum compare_arithmetic { COMPARE_AUTO, COMPARE_DOUBLE, COMPARE_SINGLE };
enum { COMPARE_DOUBLE_LENGTH = 4096 };

/* What is wanted beside the metrics. */
enum compare_view {
  COMPARE_METRICS, /* nothing */
  COMPARE_PANELS,  /* a map for each encoding */
  COMPARE_PROFILE, /* scores over distance, with quantiles */
  COMPARE_EDGE,    /* scores of near tokens across the end of the learned table */
};

struct compare_request {
  const struct encoding *const *encoding; /* (encoding), each once */
  size_t encodings;
  /* Of the dimensions of a head; where vectors of another width need waves, they get the same base
     and rule. */
  const struct spectrum *spectrum;
  const struct encoding_values *values; /* NULL: none was given */
  const struct position_table *learned; /* NULL: none was given */
  bool beyond;                          /* the learned table may be shorter than the length */
  const struct projection *projection;  /* (projection), one for each head wanted; 0: identity */
  size_t projections;
  bool untrained; /* the projections are random */
  /* Of the model, 0: that of the projections, else ENCODING_HEADS; and which of them, for biases
     that differ by head. With `all_heads` each has rows of its own. */
  size_t heads, head;
  bool all_heads;
  size_t length;
  size_t width; /* of the token vectors; with identity projections that of queries and keys */
  size_t batch; /* draws */
  struct content content;
  uint64_t seed;
  bool causal;
  enum compare_arithmetic arithmetic;
  enum compare_attention attention;
  size_t features;   /* of FAVOR+; 0: feature_map_default() */
  bool rotate_first; /* linear attention: before the feature map; else after it, in the numerator */
  bool terms;        /* also the four terms of the encodings that have them */
  const struct encoding *reference; /* panels are differences to its; NULL: none */
  enum compare_view view;
  bool maps;    /* panels come as a table, too */
  bool weights; /* panels show the weights, not the scores */
  size_t cells; /* of a panel, at most so many along an axis */
};

struct compare_result {
  /* "encoding,head,length,metric,value,stderr,detail": all of enum metric for each encoding and
     head, terms behind their whole ("learned:content-position"). `head` is empty where all heads
     are the same. */
  struct table *metrics;
  /* COMPARE_PROFILE: "series,encoding,head,distance,mean,q05,q25,q75,q95" at distances
     query − key >= 0. COMPARE_EDGE: "series,encoding,head,position,change,stderr,relative": of
     queries round the end of the learned table, how much positions change the scores of the 16
     keys before them (root mean square of scores less those of contents alone), and that relative
     to the mean before the end. Else NULL. */
  struct table *curves;
  /* With `maps`: "encoding,head,query,key,value", a row for each cell of each panel with its first
     positions; a masked value is empty. Else NULL. */
  struct table *maps;
  struct matrix **panel; /* (panel) */
  char **title;
  size_t panels;
};

/* Draws are computed one after another, so that memory is that of one. Meta data goes to the
   metrics' table, and to that of curves or maps. Translation invariance and its like: metrics.h;
   drifts: token_geometry.h, each token at its own position.

   Query tokens and key tokens are vectors of `width` by `content`. An additive encoding adds its
   table to them; projections then make queries and keys (norm, weights, bias); other encodings act
   on those. Terms behind a norm are divided by what it divides the whole by, so that they add up;
   what depends on neither content nor position (token type, shift, bias) counts as content. Without
   projections tokens are queries and keys. Equal contents (ones, zero) are one
   draw, whose standard errors are 0.

   ERROR_INPUT: what encoding_make() refuses; an encoding without a term of positions alone for
   every one of them, and content zero; projections of another width; linear attention with an
   encoding that adds to scores or multiplies vectors, or with terms; a reference that is not
   compared. */
int compare_run(struct backend *backend, const struct compare_request *request,
                struct compare_result *result, struct error *error);
/* The metrics to be drawn as a grid, "encoding,metric,value,stderr": under short names, those that
   some encoding has and that are finite; the first column tells heads apart and says which
   encodings are untrained. */
int compare_grid(const struct table *metrics, struct table **grid, struct error *error);
void compare_result_release(struct compare_result *result);

#endif
