/* Tiles of products of matrices, C(row, column) = Σ_k A(k, row) · B(k, column), on the CUDA cores:
   the part of the cosine sums and of the scores that does nearly all their work.

   A block of THREADS threads makes SIDE × SIDE elements, a thread EACH × EACH of them in registers;
   DEPTH rows of A and B at a time pass through shared memory, in two buffers, so that the next rows
   arrive while these are multiplied. Both matrices lie with k slowest, and are padded: rows and
   columns to a multiple of SIDE, k to one of DEPTH (with zeros), and the start of every row to 16
   bytes.

   For each k a thread does EACH² fused products and reads 2 · EACH numbers in 4 loads of 16 bytes:
   in float 64 products for 4 loads, so the FP32 units of an H200 (16 896 products a clock, 66.9
   TFLOP/s at 1.98 GHz) are the limit; in double 16 products for 4 loads, the FP64 units (33.5
   TFLOP/s). */
#ifndef ROPETOOL_KERNELS_CUDA_PRODUCT_H
#define ROPETOOL_KERNELS_CUDA_PRODUCT_H

#include "kernels/cuda_device.h"

__device__ static inline float multiply_add(float a, float b, float c) {
  return fmaf(a, b, c);
}
__device__ static inline double multiply_add(double a, double b, double c) {
  return fma(a, b, c);
}

template <class real> struct product_tile {
  static constexpr int VECTOR = 16 / sizeof(real); /* numbers in 16 bytes */
  static constexpr int GROUPS = 2;                 /* of VECTOR rows, and of columns, of a thread */
  static constexpr int EACH = GROUPS * VECTOR;     /* 8 in float, 4 in double */
  static constexpr int SIDE = 16 * EACH;           /* 128, 64 */
  static constexpr int DEPTH = 8;

  struct alignas(16) pack {
    real of[VECTOR];
  };
  struct buffers {
    pack a[2][DEPTH][SIDE / VECTOR], b[2][DEPTH][SIDE / VECTOR];
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
                             size_t b_stride, size_t depth, real (&element)[EACH][EACH]) {
    constexpr int PACKS = SIDE / VECTOR;
    static_assert(DEPTH * PACKS == THREADS, "each thread brings one pack of each matrix");
    const int k = (int)threadIdx.x / PACKS, place = (int)threadIdx.x % PACKS;
    a += k * a_stride + place * VECTOR;
    b += k * b_stride + place * VECTOR;
    shared.a[0][k][place] = *(const pack *)a;
    shared.b[0][k][place] = *(const pack *)b;
    __syncthreads();
    for (size_t done = DEPTH, buffer = 0;; done += DEPTH, buffer ^= 1) {
      const bool more = done < depth;
      pack next_a, next_b;
      if (more) {
        next_a = *(const pack *)(a += DEPTH * a_stride);
        next_b = *(const pack *)(b += DEPTH * b_stride);
      }
      multiply(shared, buffer, element);
      if (!more) break;
      shared.a[buffer ^ 1][k][place] = next_a;
      shared.b[buffer ^ 1][k][place] = next_b;
      __syncthreads();
    }
    __syncthreads();
  }

private:
  __device__ static void multiply(const buffers &shared, size_t buffer,
                                  real (&element)[EACH][EACH]) {
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
      pack x[GROUPS], y[GROUPS];
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        x[g] = shared.a[buffer][k][g * 16 + thread_row()];
        y[g] = shared.b[buffer][k][g * 16 + thread_column()];
      }
#pragma unroll
      for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
          element[i][j] = multiply_add(x[i / VECTOR].of[i % VECTOR], y[j / VECTOR].of[j % VECTOR],
                                       element[i][j]);
    }
  }
};

#endif
