/* The door to the heavy loops: arrays in, arrays out, on the CPU or (by a plug-in) on a GPU.

   Every operation takes one batch over host pointers, is checked once here, and fills the caller's
   arrays. Shapes are given slowest index first. Results do not depend on the number of threads. A
   NaN that goes in comes out wherever it takes part. Each operation returns OK, or ERROR_FAILED
   with the error filled when the batch makes no sense or memory is out; the output is of no use
   then. */
#ifndef ROPETOOL_KERNELS_BACKEND_H
#define ROPETOOL_KERNELS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/layout.h"
#include "lib/base/precision.h"
#include "lib/base/storage.h"

struct backend;

/* `device`: "auto" (a GPU when there is one, else the CPU), "cpu", "cuda" (ERROR_FAILED when there
   is none). */
int backend_open(const char *device, struct backend **backend, struct error *error);
void backend_close(struct backend *backend);
const char *backend_name(const struct backend *backend); /* "cpu", or the GPU's name */

/* The same of one GPU among those that the driver shows, counted from 0. */
int backend_open_gpu(int index, struct backend **backend, struct error *error);

/* Why "auto" took no GPU, valid as long as the backend; NULL when it took one or was not asked. */
const char *backend_reason(const struct backend *backend);

/* The angles of one or more series of pairs: at integer position m, pair i has turned m · step[i] /
   2^64 turns. `inv_freq` is the same in radians per token: what a precision below fp64 rounds. */
struct phases {
  size_t series, pairs;
  const uint64_t *step;     /* (series, pair) */
  const double *inv_freq;   /* (series, pair); may be NULL for PRECISION_FP64 */
  enum precision precision; /* of frequencies, angles, cos and sin: lib/base/phase.h */
};

/* RoFormer 3.4.3 (arXiv:2104.09864 eq. 37): S_j(m) = Σ_{i<j} exp(i·m·θ_i).
   bound = Σ_{j=1..pairs} |S_j(m)|, not yet divided; cosine_sum = Σ_i cos(m·θ_i) = Re S_pairs(m).
   Relative error of bound, absolute error of cosine_sum / pairs, given the steps: below 1e-14 or
   pairs · 2^-53, whichever is more. With `single`, below 2e-6: up to 512 pairs, runs of equal step
   are then computed in float, 2.5 times as fast. */
struct decay_batch {
  struct phases phases;
  size_t count;
  const int64_t *distance; /* (distance) tokens, any order; runs of equal step are fastest */
  bool single;             /* float where it is faster; below fp64 it changes nothing */
  double *bound;           /* (series, distance) out, or NULL */
  double *cosine_sum;      /* (series, distance) out, or NULL */
};
int backend_decay_bound(struct backend *backend, const struct decay_batch *batch,
                        struct error *error);

/* Σ_i weight_i · cos(m·θ_i) at the distances m = first + step·n, n = 0 .. count−1, and what a
   search for negative ones asks of them; with `sum` NULL none is stored.
   Absolute error divided by Σ|weight|, given the steps: below 1e-14, with `single` 2e-6. Below fp64
   every angle is rounded by itself: one by one and in double, hundreds of times as slow; `single`
   then changes nothing. */
struct cosine_sum_batch {
  struct phases phases;
  const double *weight; /* (pair), NaN or finite; NULL: 1 each */
  int64_t first, step;  /* tokens: >= 0, >= 1; every distance is below 2^63 */
  size_t count;
  bool single; /* tables and products in float */
  /* Nothing behind a series' first negative sum counts, and most of it is not computed: `sum` is
     NaN there, and the minimum is that of the distances up to it. */
  bool stop_at_negative;
  double *sum; /* (series, distance) out, or NULL */
  /* (series) out, or NULL each. Without a distance: NaN, −1, −1. */
  double *minimum;           /* NaN when a sum is */
  int64_t *minimum_distance; /* the first of those where the sum is that */
  int64_t *first_negative;   /* distance of the first sum below 0; −1: none */
};
int backend_cosine_sum(struct backend *backend, const struct cosine_sum_batch *batch,
                       struct error *error);

/* Bounds of Σ_i cos(mθ_i) over boxes: whole distances first <= m <= last, and of each pair i every
   frequency that is off from θ_i by at most spread_i · θ_i, each pair for itself. θ_i is that of
   the step; of inv_freq only the size counts. No sum of the box is below `low` or above `high`,
   rounding allowed for; a box that is one point has both within pairs · (pairs + 32) · 2^-52 of its
   sum. slope_low and slope_high bound Σ_i rate_i · mθ_i · sin(mθ_i) in the same way.

   On one thread, without memory of its own: searches call it from many threads at once. */
struct cosine_range_batch {
  struct phases phases; /* one series in fp64, with inv_freq */
  const double *spread; /* (pair) >= 0 */
  const double *rate;   /* (pair) >= 0; may be NULL without slopes */
  size_t count;
  const int64_t *first, *last;    /* (box) tokens, 0 <= first <= last < 2^53 */
  double *low, *high;             /* (box) out, or NULL each */
  double *slope_low, *slope_high; /* (box) out, or NULL both */
};
int backend_cosine_range(struct backend *backend, const struct cosine_range_batch *batch,
                         struct error *error);

/* Angles, cosines or sines of positions. */
enum phase_quantity { PHASE_ANGLE, PHASE_COSINE, PHASE_SINE };
struct phase_map_batch {
  struct phases phases; /* one series */
  enum phase_quantity quantity;
  size_t rows;
  const int64_t *position; /* (row) */
  double *output;          /* (row, pair) out: radians in [0, 2π), or cos, or sin */
};
int backend_phase_map(struct backend *backend, const struct phase_map_batch *batch,
                      struct error *error);

/* Rotates vectors by their positions: (x_a, x_b) of pair i becomes amplitude · (x_a cos − x_b sin,
   x_a sin + x_b cos). Dimensions from 2·pairs on are copied. output == input is allowed; nothing
   else may overlap.

   Every real type is rounded once on its way out: an element is off by half a unit of its type in
   the last place, and by e · amplitude · |(x_a, x_b)| with e = 6 · 2^-53 where double is computed
   in, 4 · 2^-24 where float is (bf16, f16; f32 too on a device without fast doubles); beside that
   comes what the step's own rounding makes at the position. */
struct rotate_batch {
  struct phases phases; /* one series */
  enum layout layout;
  double amplitude;
  bool inverse;         /* by −position */
  enum storage storage; /* of input and output: a real type */
  size_t batch, length, heads, dim;
  const int64_t *position; /* (position), or (batch, position) with `position_per_batch` */
  bool position_per_batch; /* as padding on the left needs it */
  const void *input;       /* (batch, position, head, dim) */
  void *output;            /* (batch, position, head, dim) out */
};
int backend_rotate(struct backend *backend, const struct rotate_batch *batch, struct error *error);

/* Independent N(0,1) numbers: element i of stream `stream` of `seed` is the same for every thread
   count, batch cut and device (Random123's Philox4x32-10, Box-Muller in double). */
struct gaussian_batch {
  uint64_t seed;
  uint32_t stream;
  uint64_t first; /* index of the first element wanted */
  size_t count;
  double *output; /* (element) out */
};
int backend_gaussian(struct backend *backend, const struct gaussian_batch *batch,
                     struct error *error);

/* How the scores of a tile become one cell of the picture. Masked scores do not count; a tile
   without any other is NaN. absmax keeps the sign of the value that is largest in magnitude; of two
   as large it takes the positive one. */
enum reduction { REDUCE_MEAN, REDUCE_MAX, REDUCE_ABSMAX };

/* Tile r of n over length L covers ⌊rL/n⌋ .. ⌊(r+1)L/n⌋ − 1; n <= L. */
struct tiles {
  size_t rows, columns;
  enum reduction reduction;
  double *cells; /* (row, column) out */
};

/* Scores by distance, each draw for itself: the distance is query − key, −(length − 1) first,
   2·length − 1 of them; NaN where every score is masked. Arrays that are NULL are not wanted. */
struct score_profile {
  double *mean, *square; /* (draw, distance) out: the mean of the scores, and of their squares */
  /* Quantiles over the scores of all draws, from a histogram of each distance: no quantile is off
     by more than the width of a bin. 2·length · bins · 4 bytes; half of it under a causal mask. */
  size_t bins;      /* 0: none */
  double low, high; /* what the bins cover; scores beyond count in the first and the last. Equal:
                       from the smallest score to the largest, found in a pass of its own */
  size_t levels;
  const double *level; /* (level) in [0, 1] */
  double *quantile;    /* (level, distance) out, interpolated as in struct quantile_batch */
  double *bin_width;   /* out, one number */
};

/* Sums over the scores S(m, n) of one draw that are not masked. */
struct score_sums {
  double sum, square; /* Σ S, Σ S² */
  double toeplitz; /* Σ over distances of (Σ S at that distance)² / count: what of Σ S² lies in
                      the diagonal means */
  double symmetric; /* Σ S(m, n)·S(n, m); NaN where anything is masked */
};

/* Sums over the rows of one draw of P, the softmax over the keys; NaN when a row sees no key. */
struct weight_sums {
  double locality; /* Σ P(m, n)·2^−|m − n| */
  double distance; /* Σ P(m, n)·|m − n|, tokens */
  double entropy;  /* −Σ P ln P, nats */
};

/* A rectangle of the scores of one draw: queries row .. row + rows − 1, keys key .. key + keys − 1.
 */
struct score_block {
  size_t draw, row, rows, key, keys;
};

/* What is added to scores beside the product and the bias, and depends on more than the distance:
   products with vectors of a distance (Shaw et al., arXiv:1803.02155; Transformer-XL,
   arXiv:1901.02860; DeBERTa, arXiv:2006.03654), or a function of both positions (FIRE,
   arXiv:2310.04418). The caller computes it, on the CPU.

   `fill` writes the terms (rows, keys) of a block into `terms`: numbers or NaN; what the causal
   mask hides need not be written. Blocks come in any order, from several threads at once, and more
   than once; at most 256 rows and 512 keys. What is written may depend on the block's scores alone,
   not on how the map is cut. `fill` returns OK, or an error code with the error filled, which ends
   the operation with that. */
struct score_terms {
  int (*fill)(void *user, const struct score_block *block, double *terms, struct error *error);
  void *user;
  bool after_scale; /* in the softmax they are not scaled */
};

/* Scores of query and key sets, reduced in one pass to whatever is asked for: tiles of the map
   averaged over the batch, profiles by distance, sums. The full map is never stored.
   score(m, n) = query_m · key_n + terms(m, n) + bias(m − n), where both vectors have `query_add`,
   `key_add` added first and are rotated then, as far as given. With softmax the tiles hold weights
   over the keys, averaged over the batch after the softmax; it is that of

     scale · (query_m · key_n + terms(m, n)) + bias(m − n),   or with terms->after_scale
     scale · query_m · key_n + terms(m, n) + bias(m − n):

   ALiBi and T5 add what depends on the distance behind the scaling (arXiv:2108.12409,
   arXiv:1910.10683). A bias of −∞ masks its distance, as a causal mask does those below 0: such
   scores count nowhere, their weights are 0, whatever the vectors hold.

   Mean tiles without softmax cost O(length · (dim + rows + columns)), not O(length² · dim), unless
   the bias masks or there are terms.

   Vectors are rotated in double. The rest is done in double, u = 2^-53, or with `single` in float,
   u = 2^-24 (but mean tiles without softmax, what is added to scores that come from the product,
   and every sum of many terms, which are in double always; so is `symmetric`, unless there is a
   bias and no terms). To first order in u, with B the largest |bias| that is not masked, T the
   largest |terms|,
   - a score is off by at most E = (dim + batch + 24)·u·(|query|·|key| + T), after the rotation, and
     by (dim + batch + 24)·2^-53·B besides, in the tiles of a GPU by 2u·B;
   - a weight by at most the factor 2·|scale|·max E + 8u·X + (batch + 12)·u of itself, X the largest
     |scale|·(|q·k| + T) of its row, and with a bias by 2u·X + 10u·B more; terms after the scale
     are |1 − scale|·T more bias. Weights below 2^-126 (single) or 2^-1022 of the row's largest are
     0. */
struct score_batch {
  size_t batch, length, dim;         /* positions 0 .. length−1 of queries and of keys; < 2^31 */
  const double *query, *key;         /* (batch, position, dim) content; NULL: zeros */
  const struct phases *rotation;     /* one series: rotate both by their positions; NULL: do not */
  enum layout layout;                /* of the rotation */
  double amplitude;                  /* of cos and sin of the rotation */
  const double *query_add, *key_add; /* (position, dim) added to the content; NULL: nothing */
  const double *bias; /* (2·length − 1), distance query − key, −(length − 1) first: numbers, −∞ or
                         NaN; NULL: nothing */
  const struct score_terms *terms;     /* NULL: none */
  bool causal;                         /* keys after the query are masked */
  bool single;                         /* compute in float */
  bool softmax;                        /* what the tiles hold: weights, not scores */
  double scale;                        /* of the scores inside the softmax */
  struct tiles tiles;                  /* cells NULL: none, if anything below is wanted */
  const struct score_profile *profile; /* NULL: none */
  struct score_sums *sums;             /* (draw) out, or NULL */
  struct weight_sums *weights;         /* (draw) out, or NULL */
};
int backend_scores(struct backend *backend, const struct score_batch *batch, struct error *error);

/* The same for scores that depend on the distance alone, in O(length · tile columns):
   score(m, n) = profile[m − n + length − 1]. */
struct profile_batch {
  size_t length;
  const double *profile; /* (2·length − 1), distance −(length − 1) first */
  bool causal, softmax;
  double scale;
  struct tiles tiles;
};
int backend_profile_tiles(struct backend *backend, const struct profile_batch *batch,
                          struct error *error);

/* Quantiles over samples of the scores of query and key vectors at given distances:
   score(s, m) = Σ_i Re[ q_i · conj(k_i) · exp(i·m·θ_i) ], q_i = query[2i] + i·query[2i+1].
   A quantile interpolates linearly between the sorted scores (as NumPy does by default); one NaN
   among the scores makes it NaN. Fewer than 2^31 samples and dimensions. */
struct quantile_batch {
  struct phases phases; /* one series */
  size_t samples;
  const double *query, *key; /* (sample, 2·pairs), pairs interleaved */
  size_t count;
  const int64_t *distance; /* (distance) */
  size_t levels;
  const double *level; /* (level) in [0, 1] */
  double *quantile;    /* (level, distance) out */
};
int backend_quantiles(struct backend *backend, const struct quantile_batch *batch,
                      struct error *error);

/* What a device can do at most: loops of one thing and nothing else, on all threads, that
   operations are measured against. */
enum limit {
  LIMIT_MULTIPLY_ADD, /* `count` fused multiply-adds of numbers in registers */
  LIMIT_ROOT,         /* `count` square roots of numbers in the cache */
  LIMIT_COPY,         /* `count` bytes from `left` to `output` */
  LIMIT_PRODUCT,      /* `count` products of matrices: left · rightᵀ, each over the one before */
};
struct limit_batch {
  enum limit limit;
  bool single;                 /* float; else double. Bytes have no type */
  size_t count;                /* arithmetic is done in blocks of some thousand */
  size_t rows, columns, inner; /* of a product, < 2^31 */
  const void *left;            /* (product, row, inner) */
  const void *right;           /* (product, column, inner) */
  void *output;                /* (row, column) out */
  double *result;              /* out: the mean of the roots of 1.5, 2.5, ... 1024.5; 2 after many
                                  multiply-adds. So no work is left out. NULL for the others */
  double *seconds;             /* out, or NULL: what a GPU took by its own clock, without its start
                                  and the way of arrays to it and back. The CPU leaves it alone: the
                                  caller's clock is right there */
};
int backend_limit(struct backend *backend, const struct limit_batch *batch, struct error *error);

/* Whether the device can say what its limits are; those of the CPU would mislead. */
bool backend_has_limits(const struct backend *backend);

/* How far one gets on the way to a GPU, for reports of what works. */
enum cuda_state {
  CUDA_NO_PLUGIN,  /* a build without CUDA */
  CUDA_BAD_PLUGIN, /* it is there, or named, and cannot be used */
  CUDA_NO_DRIVER,
  CUDA_NO_DEVICE, /* the driver shows none */
  CUDA_BROKEN,    /* the driver cannot be used */
  CUDA_WORKS,
};
struct cuda_device {
  char name[256];
  int major, minor; /* compute capability */
  uint64_t memory;  /* bytes */
};
enum { CUDA_DEVICES = 32, CUDA_PLUGIN_PATH = 4096 };
struct cuda_survey {
  enum cuda_state state;
  char plugin[CUDA_PLUGIN_PATH]; /* its file; "": there is none */
  int driver, runtime;           /* CUDA's versions, 1000 · major + 10 · minor; 0: not known */
  size_t devices;
  struct cuda_device device[CUDA_DEVICES]; /* the first of them */
  bool blas;                               /* cuBLAS was found and works on the first device */
  int blas_version;                        /* in its own words; 0: not known */
};

/* Looks at all of it. `error` says why the state is not CUDA_WORKS. */
void backend_survey_cuda(struct cuda_survey *survey, struct error *error);

/* What multiplies matrices on the CPU: "OpenBLAS 0.3.21 ... Cooperlake ...", with the processor's
   name in its own words. */
const char *backend_blas(void);

/* The processor whose kernels it has chosen: "Cooperlake". */
const char *backend_blas_kernels(void);

/* The one whose kernels it should have chosen, a name for OPENBLAS_CORETYPE: processors newer than
   itself it takes for very old ones. NULL: it has done well. */
const char *backend_blas_better(void);

/* The vectors for which the loops of our own were compiled that run here: "x86-64-v3"; "default"
   where there is one copy of them. */
const char *backend_vectors(void);

#endif
