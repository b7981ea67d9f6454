/* Tiles of products of matrices, C(row, column) = Σ_k A(k, row) · B(k, column), on the CUDA cores:
   the part of the cosine sums and of the scores that does nearly all their work.

   A block of THREADS threads makes ROWS × COLUMNS elements, a thread EACH_ROW × EACH_COLUMN of them
   in registers; DEPTH rows of A and B at a time pass through shared memory, in two buffers, so that
   the next rows arrive while these are multiplied. Both matrices lie with k slowest, and are
   padded: rows and columns to a multiple of ROWS and COLUMNS, k to one of DEPTH (with zeros), and
   the start of every row to 16 bytes. COLUMN_GROUPS 1 makes tiles half as wide, where registers are
   needed for more.

   For each k a thread does EACH_ROW · EACH_COLUMN fused products and reads as many numbers as the
   sum of the two: in float 64 products for 4 loads of 16 bytes (32 for 3), so the FP32 units of an
   H200 (16 896 products a clock, 66.9 TFLOP/s at 1.98 GHz) are the limit; in double 16 products for
   4 loads, the FP64 units (33.5 TFLOP/s). */
#ifndef ROPETOOL_KERNELS_CUDA_PRODUCT_H
#define ROPETOOL_KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda_device.h"

__device__ static inline float multiply_add(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ static inline double multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}

template <class real, int COLUMN_GROUPS = 2> struct product_tile {
  static constexpr int VECTOR = 16 / sizeof(real); /* numbers in 16 bytes */
  static constexpr int ROW_GROUPS = 2;             /* of VECTOR rows of a thread */
  static constexpr int EACH_ROW = ROW_GROUPS * VECTOR, EACH_COLUMN = COLUMN_GROUPS * VECTOR;
  static constexpr int ROWS = 16 * EACH_ROW,
                       COLUMNS = 16 * EACH_COLUMN; /* 128 or 64, or half of it */
  static constexpr int DEPTH = 8;

  struct alignas(16) pack {
    real of[VECTOR];
  };
  struct buffers {
    pack a[2][DEPTH][ROWS / VECTOR], b[2][DEPTH][COLUMNS / VECTOR];
  };

  /* The threads of a warp form 4 rows of 8, the warps 4 rows of 2: each quarter of a warp then
     reads one pack of A and 128 neighbouring bytes of B. */
  __device__ static int thread_row() {
    return (int)(threadIdx.x / 64 * 4 + threadIdx.x % 32 / 8);
  }
  __device__ static int thread_column() {
    return (int)(threadIdx.x / 32 % 2 * 8 + threadIdx.x % 8);
  }

  /* Where element (i, j) of a thread lies in the tile: row(i), column(j). */
  __device__ static int row(int i) {
    return i / VECTOR * (16 * VECTOR) + thread_row() * VECTOR + i % VECTOR;
  }
  __device__ static int column(int j) {
    return j / VECTOR * (16 * VECTOR) + thread_column() * VECTOR + j % VECTOR;
  }

  /* Adds the product over `depth` (a multiple of DEPTH, above 0) to the thread's elements. `a` and
     `b` are the first row and column of the tile at k = 0; the strides are from one k to the next.
     All threads of the block take part; when they leave, the buffers may be used again. */
  __device__ static void add(buffers &shared, const real *a, size_t a_stride, const real *b,
                             size_t b_stride, size_t depth,
                             real (&element)[EACH_ROW][EACH_COLUMN]) {
    constexpr int A_PACKS = ROWS / VECTOR, B_PACKS = COLUMNS / VECTOR;
    static_assert(DEPTH * A_PACKS == THREADS, "each thread brings one pack of A");
    static_assert(DEPTH * B_PACKS <= THREADS, "and at most one of B");
    const int a_k = (int)threadIdx.x / A_PACKS, a_place = (int)threadIdx.x % A_PACKS;
    const int b_k = (int)threadIdx.x / B_PACKS, b_place = (int)threadIdx.x % B_PACKS;
    const bool brings_b = b_k < DEPTH;
    a += a_k * a_stride + a_place * VECTOR;
    b += b_k * b_stride + b_place * VECTOR;
    shared.a[0][a_k][a_place] = *(const pack *)a;
    if (brings_b) shared.b[0][b_k][b_place] = *(const pack *)b;
    __syncthreads();
    for (size_t done = DEPTH, buffer = 0;; done += DEPTH, buffer ^= 1) {
      const bool more = done < depth;
      pack next_a, next_b;
      if (more) {
        next_a = *(const pack *)(a += DEPTH * a_stride);
        if (brings_b) next_b = *(const pack *)(b += DEPTH * b_stride);
      }
      multiply(shared, buffer, element);
      if (!more) break;
      shared.a[buffer ^ 1][a_k][a_place] = next_a;
      if (brings_b) shared.b[buffer ^ 1][b_k][b_place] = next_b;
      __syncthreads();
    }
    __syncthreads();
  }

private:
  __device__ static void multiply(const buffers &shared, size_t buffer,
                                  real (&element)[EACH_ROW][EACH_COLUMN]) {
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      pack x[ROW_GROUPS], y[COLUMN_GROUPS];
#pragma unroll
      for (int g = 0; g < ROW_GROUPS; g++)
        x[g] = shared.a[buffer][k][g * 16 + thread_row()];
#pragma unroll
      for (int g = 0; g < COLUMN_GROUPS; g++)
        y[g] = shared.b[buffer][k][g * 16 + thread_column()];
#pragma unroll
      for (int i = 0; i < EACH_ROW; i++)
#pragma unroll
        for (int j = 0; j < EACH_COLUMN; j++)
          element[i][j] = multiply_add(x[i / VECTOR].of[i % VECTOR], y[j / VECTOR].of[j % VECTOR],
                                       element[i][j]);
    }
  }
};

#endif
