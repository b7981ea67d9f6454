/* RoFormer eq. 34: pair (x_a, x_b) at position m becomes (x_a cos mθ − x_b sin mθ, x_a sin mθ + x_b
   cos mθ).

   The tables of a block of positions are made first; every batch and head then shares them. All
   types are computed in double: memory is the limit even so. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"

enum {
  TABLE_ENTRIES = 1 << 14, /* of a block: cos and sin in 256 KiB, for the second-level cache */
  FEW = 1 << 14,           /* elements that are not worth a second thread */
  AHEAD = 4096,            /* bytes from what is read and written to what is fetched meanwhile */
  LINE = 64,               /* bytes of a line of the cache: where tables begin */
};

/* Rotates `count` vectors of `dim` elements by one position. */
struct vectors {
  struct rotation rotation;
  const void *cosine, *sine; /* (pair) of the type that is computed in */
  size_t count, dim;
  const void *input; /* (vector, dim) */
  void *output;
};

/* Asks for the memory of a vector that is read and written soon. The halves of vectors look like
   two streams with gaps, which processors do not foresee: without this, half of the speed is lost.
 */
static inline void fetch_ahead(const void *input, const void *output, size_t bytes) {
  for (size_t line = 0; line < bytes; line += LINE) {
    __builtin_prefetch((const char *)input + AHEAD + line);
    __builtin_prefetch((const char *)output + AHEAD + line, 1);
  }
}

/* One function for each element type `type`, read by `load` and written by `store`, computed in
   `real`. */
#define DEFINE_ROTATE(name, type, real, load, store)                                               \
  VECTOR_CLONES                                                                                    \
  static void rotate_##name(const struct vectors *vectors) {                                       \
    const size_t pairs = vectors->rotation.pairs, dim = vectors->dim, count = vectors->count;      \
    const real *restrict cosine = vectors->cosine, *restrict sine = vectors->sine;                 \
    const type *input = vectors->input;                                                            \
    typedef type element;                                                                          \
    element *output = vectors->output;                                                             \
    if (vectors->rotation.layout == LAYOUT_INTERLEAVED) {                                          \
      for (size_t v = 0; v < count; v++, input += dim, output += dim) {                            \
        fetch_ahead(input, output, dim * sizeof *input);                                           \
        _Pragma("omp simd") for (size_t i = 0; i < pairs; i++) {                                   \
          const real a = load(input[2 * i]), b = load(input[2 * i + 1]);                           \
          output[2 * i] = store(a * cosine[i] - b * sine[i]);                                      \
          output[2 * i + 1] = store(a * sine[i] + b * cosine[i]);                                  \
        }                                                                                          \
      }                                                                                            \
    } else {                                                                                       \
      for (size_t v = 0; v < count; v++, input += dim, output += dim) {                            \
        fetch_ahead(input, output, dim * sizeof *input);                                           \
        _Pragma("omp simd") for (size_t i = 0; i < pairs; i++) {                                   \
          const real a = load(input[i]), b = load(input[i + pairs]);                               \
          output[i] = store(a * cosine[i] - b * sine[i]);                                          \
          output[i + pairs] = store(a * sine[i] + b * cosine[i]);                                  \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }
DEFINE_ROTATE(f64, double, double, (double), (double))
DEFINE_ROTATE(f32, float, double, (double), (float))
DEFINE_ROTATE(bf16, uint16_t, float, storage_from_bf16, storage_to_bf16)
DEFINE_ROTATE(f16, uint16_t, float, storage_from_f16, storage_to_f16)

static const struct {
  void (*rotate)(const struct vectors *vectors);
  bool narrow; /* takes tables of floats */
} types[STORAGE_REALS] = {
    [STORAGE_F64] = {rotate_f64, false},
    [STORAGE_F32] = {rotate_f32, false},
    [STORAGE_BF16] = {rotate_bf16, true},
    [STORAGE_F16] = {rotate_f16, true},
};

void rotate_vector(struct rotation rotation, const double *cosine, const double *sine,
                   const double *input, double *output) {
  rotate_f64(&(struct vectors){rotation, cosine, sine, 1, 2 * rotation.pairs, input, output});
}

/* Copies the dimensions that are not rotated. */
static void copy_rest(const struct vectors *vectors, size_t size) {
  const size_t rotated = 2 * vectors->rotation.pairs * size, width = vectors->dim * size;
  if (rotated == width || vectors->input == vectors->output) return;
  const char *input = vectors->input;
  char *output = vectors->output;
  for (size_t v = 0; v < vectors->count; v++, input += width, output += width)
    memcpy(output + rotated, input + rotated, width - rotated);
}

/* Positions first .. first + count − 1 and the cos and sin of each. */
struct block {
  const int64_t *position;
  size_t first, count;
  double *cosine, *sine;              /* (position, pair) */
  float *narrow_cosine, *narrow_sine; /* the same, rounded */
};

static void fill_row(const struct rotate_batch *batch, const struct block *block, size_t row) {
  const size_t pairs = batch->phases.pairs, first = row * pairs;
  double *cosine = block->cosine + first, *sine = block->sine + first;
  phase_row(&batch->phases, block->position[row], batch->amplitude, cosine, sine);
  for (size_t i = 0; batch->inverse && i < pairs; i++)
    sine[i] = -sine[i];
  for (size_t i = 0; types[batch->storage].narrow && i < pairs; i++) {
    block->narrow_cosine[first + i] = (float)cosine[i];
    block->narrow_sine[first + i] = (float)sine[i];
  }
}

static void rotate_row(const struct rotate_batch *batch, const struct block *block, size_t outer,
                       size_t row) {
  const size_t pairs = batch->phases.pairs, size = storage_size(batch->storage);
  const size_t at = (outer * batch->length + block->first + row) * batch->heads * batch->dim * size;
  const bool narrow = types[batch->storage].narrow;
  const struct vectors vectors = {
      .rotation = {batch->layout, pairs},
      .cosine =
          narrow ? (const void *)(block->narrow_cosine + row * pairs) : block->cosine + row * pairs,
      .sine = narrow ? (const void *)(block->narrow_sine + row * pairs) : block->sine + row * pairs,
      .count = batch->heads,
      .dim = batch->dim,
      .input = (const char *)batch->input + at,
      .output = (char *)batch->output + at,
  };
  types[batch->storage].rotate(&vectors);
  copy_rest(&vectors, size);
}

static size_t block_length(const struct rotate_batch *batch) {
  const size_t most = TABLE_ENTRIES / batch->phases.pairs;
  return most < 1 ? 1 : most < batch->length ? most : batch->length;
}

/* The same elements where every batch has positions of its own: one batch of them all. */
static struct rotate_batch flattened(const struct rotate_batch *batch) {
  struct rotate_batch flat = *batch;
  if (batch->position_per_batch) {
    flat.length *= flat.batch;
    flat.batch = 1;
  }
  return flat;
}

int rotate_cpu(const struct rotate_batch *batch, struct error *error) {
  const struct rotate_batch flat = flattened(batch);
  const size_t elements = size_product(flat.batch * flat.length * flat.heads, flat.dim);
  if (!elements) return OK;
  const size_t length = block_length(&flat), entries = size_product(length, flat.phases.pairs);
  const size_t doubles = size_product(entries, 3) + LINE / sizeof(double);
  double *memory = memory_array(doubles, sizeof *memory, "the tables of the rotation", error);
  if (!memory) return error->code;
  /* Vectors of tables that straddle lines cost a third of the speed. */
  double *table = (double *)(((uintptr_t)memory + LINE - 1) / LINE * LINE);
#pragma omp parallel if (elements > FEW)
  for (size_t first = 0; first < flat.length; first += length) {
    const size_t left = flat.length - first, count = left < length ? left : length;
    float *narrow = (float *)(table + 2 * entries);
    const struct block block = {
        .position = flat.position + first,
        .first = first,
        .count = count,
        .cosine = table,
        .sine = table + entries,
        .narrow_cosine = narrow,
        .narrow_sine = narrow + entries,
    };
#pragma omp for schedule(static)
    for (size_t row = 0; row < count; row++)
      fill_row(&flat, &block, row);
#pragma omp for collapse(2) schedule(static)
    for (size_t outer = 0; outer < flat.batch; outer++)
      for (size_t row = 0; row < count; row++)
        rotate_row(&flat, &block, outer, row);
  }
  free(memory);
  return OK;
}
