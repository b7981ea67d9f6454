/* Maps: scores, softmax weights, angles, cosines, rotation matrices and tables, reduced to cells.
 */
#ifndef ROPETOOL_ANALYSIS_MAP_H
#define ROPETOOL_ANALYSIS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/analysis/content.h"
#include "lib/analysis/map_vectors.h"
#include "lib/base/error.h"
#include "lib/encoding/encoding.h"
#include "lib/io/matrix.h"
#include "lib/rope/mixed.h"
#include "lib/rope/spectrum.h"

/* What a map shows. One struct each; a registry lists them:
   - scores: q_m · k_n with positions applied and biases added, without 1/sqrt(d);
   - softmax: over the keys, of score · softmax_factor / sqrt(d), or what the encoding scales by;
     biases by distance are added behind that;
   - angles, cosines: (position, pair), m·θ_i modulo 2π in radians, and its cosine;
   - rotation: (output dimension, input dimension) of the rotation at `position`, in the spectrum's
     layout;
   - table: (position, dimension), what an additive encoding adds;
   - norms: (head, pair) or (layer, pair), the mean over what else there is, batch, positions and
     heads, of sqrt(x_a² + x_b²) of the pairs (x_a, x_b) of one's own queries or keys, in the
     spectrum's layout;
   - axes: (height, width), of a query in the middle of a grid of keys, Σ_i cos(Δ·θ_i) with Δ the
     distance along the axis that pair i takes its position from (M-RoPE, axial), or Σ_i cos(Δx·θx_i
     + Δy·θy_i) of mixed frequencies;
   - matrix: a map of one's own, which map_kind_find() does not know.
   The attention factor is in scores and softmax, and in none of the others. */
struct map_kind;

/* One map of a tensor of rank 2 to 4, whose last two axes are rows and columns: an index for each
   axis before them, or the mean over that axis. */
enum { MAP_SLICE_AXES = 2, MAP_SLICE_MEAN = -1 };
struct map_slice {
  const struct tensor *tensor;
  int64_t index[MAP_SLICE_AXES];
};

/* Keys at height x width places, the query at (⌊height/2⌋, ⌊width/2⌋), `frame` frames from them. */
struct map_grid {
  size_t height, width;
  int64_t frame;
};

/* The rows of norms. */
enum map_rows {
  MAP_ROWS_HEADS,          /* the heads of layer `layer` */
  MAP_ROWS_LAYERS,         /* layers: the mean over their heads */
  MAP_ROWS_LAYERS_OF_HEAD, /* layers: their head `head` */
};

struct map_request {
  const struct map_kind *kind;
  const struct encoding *encoding;
  const struct spectrum *spectrum;
  const struct encoding_values *values; /* parameters of encodings; NULL: none was given */
  const struct position_table *learned; /* of the encoding "learned"; NULL: none was given */
  bool beyond;                          /* it may have fewer positions than `length` */
  size_t heads, head;                   /* of the model, 0: ENCODING_HEADS; and which of them */
  size_t length;                        /* positions; not of the rotation */
  size_t trained;                       /* of angles and cosines, below length; 0: not looked at */
  /* One's own vectors, before positions are applied. Scores and softmax: both, in place of
     `content`, `batch` and `seed`; all the batch of head `head` in layer `layer`, the first
     `length` positions. Where the queries have an axis of heads `heads` is that. Norms: one of the
     two. NULL: none. */
  const struct map_vectors *query, *key;
  size_t layer;
  enum map_rows rows;        /* of norms */
  struct map_slice slice;    /* of the kind "matrix" */
  struct map_grid grid;      /* of the kind "axes" */
  const struct mixed *mixed; /* of the kind "axes", in place of the spectrum; NULL: none */
  struct content content;    /* this, batch, seed and causal are of scores and softmax alone */
  size_t batch;              /* draws averaged over */
  uint64_t seed;
  bool causal;      /* keys after the query are masked */
  bool single;      /* scores that are computed one by one are computed in float */
  int64_t position; /* of the rotation */
  size_t cells;     /* at most so many cells along an axis */
  int reduction;    /* enum reduction, or −1: the kind's own (mean; max for softmax) */
};

const struct map_kind *map_kind_at(size_t index); /* NULL past the end */
const char *map_kind_name(const struct map_kind *kind);
/* Whether it shows queries against keys. */
bool map_kind_is_attention(const struct map_kind *kind);
/* Whether its rows are positions, `length` of them. */
bool map_kind_has_positions(const struct map_kind *kind);
/* Whether it shows the angles of positions and pairs, which training may have shown or not. */
bool map_kind_has_phases(const struct map_kind *kind);
/* Whether it shows what an encoding does. */
bool map_kind_has_encoding(const struct map_kind *kind);
/* Whether its cells are means of scores, which come from means of vectors. */
bool map_is_linear(const struct map_request *request);
/* A map of one's own. */
const struct map_kind *map_kind_of_matrix(void);
int map_kind_find(const char *name, const struct map_kind **kind, struct error *error);
const char *map_reduction_name(enum reduction reduction); /* "mean", "max", "absmax" */
int map_reduction_parse(const char *name, int *reduction, struct error *error);

/* Computes the map, to be released with matrix_destroy(). Its meta gets every resolved parameter;
   "reduced" says "8192 -> 1024 by max" when cells were reduced, "statistic" what a cell holds,
   "method" how scores were found, "arithmetic" whether in "fp64" or "fp32".

   Scores that depend on the distance alone (RoPE with ones, sinusoidal with zero, ALiBi, T5 and
   KERPLE with either) cost O(length · dim + length · cells). Rounded formats below fp64 break that:
   their scores are computed one by one. The mean of angles is the circular mean, the direction of
   the mean of (cos, sin). absmax keeps the sign.

   "untrained" where parameters were not trained.

   With `trained` N, an angle is unseen where training on positions 0 .. N − 1 without the scaling
   rule did not come by it: where the pair, unscaled, completes no turn within N tokens (N·θ_i < 2π)
   and m·θ'_i modulo 2π, by the spectrum of the map, is N·θ_i or more. (The positions of training
   stand for the angles from 0 up to N·θ_i.) A cell is hatched where more than half of its angles
   are unseen. meta: trained; critical_dim, see spectrum_critical_dim; unseen_pairs, those with an
   unseen angle; first_unseen_pair, null: none; unseen_share, of all angles. Angles are exact here,
   whatever the precision; frequencies are rounded to it. Angles within 2^-49 of m·θ'_i from a whole
   turn or from N·θ_i are there.

   Values of one's own matrix that are NaN or infinite count nowhere; a cell without any other is
   NaN. A NaN in vectors makes NaN of the scores, and of the norms, it takes part in.

   ERROR_INPUT where the request makes no sense (content zero for rope: there is no position term
   alone; the table of an encoding that adds nothing; a parameter that is missing; tensors whose
   shapes do not go together, with the shapes); ERROR_FAILED
   when it would not fit into memory, before anything is computed. */
int map_run(struct backend *backend, const struct map_request *request, struct matrix **result,
            struct error *error);

#endif
