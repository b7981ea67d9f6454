/* The vectors of a score batch as they enter the product: the twin of score_rows.c. Content, plus
   additions, rotated in double from exact phases, rounded once.

   A thread makes a pair of one position: a sine and a cosine, 4 products; about 60 double and other
   instructions for 4 numbers of 8 bytes moved. That is bound by the double units of an H200 (64 a
   clock and multiprocessor), and 60/length of what the product of the scores does with them. */
#include <math.h>

#include "kernels/cuda_scores.h"

struct score_rotation {
  device_phases phases; /* no pairs: none */
  enum layout layout;
  double amplitude;
};

/* Rows first .. first + rows − 1 of one draw. `content` and `add` hold these rows, (row, dim), or
   are NULL. `output` is the draw's (depth, stride). */
template <class real>
__global__ void score_prepare(score_rotation rotation, size_t first, size_t rows, size_t dim,
                              const double *content, const double *add, size_t stride,
                              real *output) {
  const size_t pairs = rotation.phases.pairs, units = dim - pairs, count = rows * units;
  const bool halves = rotation.layout == LAYOUT_HALVES;
  for (size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x; e < count;
       e += (size_t)gridDim.x * blockDim.x) {
    const size_t row = e % rows, unit = e / rows, position = first + row;
    const size_t a = unit >= pairs ? unit + pairs : halves ? unit : 2 * unit;
    double x = (content ? content[row * dim + a] : 0) + (add ? add[row * dim + a] : 0);
    if (unit < pairs) {
      const size_t b = halves ? unit + pairs : 2 * unit + 1;
      const double y = (content ? content[row * dim + b] : 0) + (add ? add[row * dim + b] : 0);
      double cosine, sine;
      rotation.phases.cos_sin(unit, (long long)position, &cosine, &sine);
      cosine *= rotation.amplitude;
      sine *= rotation.amplitude;
      output[b * stride + position] = (real)(x * sine + y * cosine);
      x = x * cosine - y * sine;
    }
    output[a * stride + position] = (real)x;
  }
}

/* All draws of the queries, or of the keys, a piece at a time through `room` for `piece` rows. */
template <class real>
static void prepare(device_work &work, const score_vectors<real> &vectors,
                    const score_rotation &rotation, const double *content, const double *add,
                    real *output, double *room, size_t piece) {
  const size_t dim = vectors.dim, elements = vectors.draws * vectors.depth * vectors.stride;
  work.clear(output, elements);
  if (!content && !add) return;
  double *add_room = add ? room + (content ? piece * dim : 0) : nullptr;
  for (size_t draw = 0; draw < vectors.draws; draw++)
    for (size_t first = 0; work.ok() && first < vectors.length; first += piece) {
      const size_t rows = least(vectors.length - first, piece);
      if (content) work.send(room, content + (draw * vectors.length + first) * dim, rows * dim);
      if (add) work.send(add_room, add + first * dim, rows * dim);
      WORK_LAUNCH(work, score_prepare<real>, work.blocks(rows * (dim - rotation.phases.pairs)))
      (rotation, first, rows, dim, content ? room : nullptr, add_room, vectors.stride,
       output + draw * vectors.depth * vectors.stride);
      work.launched("score_prepare");
    }
}

template <class real>
score_vectors<real> score_vectors_make(device_work &work, const struct score_batch *batch) {
  constexpr size_t SIDE = product_tile<real>::ROWS, DEPTH = product_tile<real>::DEPTH;
  score_vectors<real> vectors = {};
  vectors.draws = batch->batch;
  vectors.length = batch->length;
  vectors.dim = batch->dim;
  vectors.depth = device_ceil(batch->dim, DEPTH) * DEPTH;
  vectors.stride = device_ceil(batch->length, SIDE) * SIDE;
  const size_t elements = vectors.draws * vectors.depth * vectors.stride;
  vectors.query = work.array<real>(elements, "the queries");
  vectors.key = work.array<real>(elements, "the keys");
  score_rotation rotation = {{}, batch->layout, batch->amplitude};
  if (batch->rotation) rotation.phases = device_phases(work, *batch->rotation, 0, 1);
  const size_t both = 2 * vectors.dim * sizeof(double);
  const size_t piece = work.fit(vectors.length, both, "a query and a key");
  double *room = work.array<double>(piece * 2 * vectors.dim, "queries and keys");
  prepare(work, vectors, rotation, batch->query, batch->query_add, vectors.query, room, piece);
  prepare(work, vectors, rotation, batch->key, batch->key_add, vectors.key, room, piece);
  work.release(room);
  return vectors;
}

template score_vectors<double> score_vectors_make(device_work &, const struct score_batch *);
template score_vectors<float> score_vectors_make(device_work &, const struct score_batch *);

template <class real>
score_bias<real> score_bias_make(device_work &work, const struct score_batch *batch,
                                 size_t stride) {
  const char *what = "the bias of all distances";
  score_bias<real> bias = {stride - 1, nullptr, nullptr};
  if (!batch->bias) return bias;
  const size_t distances = 2 * batch->length - 1, padded = 2 * stride - 1;
  double *add = work.host<double>(padded, what);
  real *exponent = work.host<real>(padded, what);
  for (size_t t = 0; work.ok() && t < distances; t++) {
    add[t + stride - batch->length] = batch->bias[t];
    exponent[t + stride - batch->length] = (real)(batch->bias[t] * 1.44269504088896340736);
  }
  bias.add = work.upload(add, padded, what);
  bias.exponent = work.upload(exponent, padded, what);
  return bias;
}

template score_bias<double> score_bias_make(device_work &, const struct score_batch *, size_t);
template score_bias<float> score_bias_make(device_work &, const struct score_batch *, size_t);
