/* Products of matrices by cuBLAS where it is found. It is opened by dlopen() the first time one is
   wanted, so that nothing needs it to build or to start; it comes with a toolkit, not with a
   driver.

   The environment variable ROPETOOL_CUBLAS says where: a path names the library, "no" does without;
   unset, the loader looks for CUDA 13's, then 12's, then any. The simulator of CUDA, whose memory
   is none of a device, opens only a library that is named. */
#ifndef ROPETOOL_KERNELS_CUDA_BLAS_H
#define ROPETOOL_KERNELS_CUDA_BLAS_H

#include <stddef.h>

/* Of a product, each at most INT_MAX. */
struct cuda_blas_shape {
  size_t rows, columns, depth;
};

/* Whether there is a cuBLAS that works here; asked once, until cuda_blas_close(). */
bool cuda_blas_available(void);

/* The version of that cuBLAS, in its own words: 120802; 0 where it does not say. */
int cuda_blas_version(void);

/* c(row, column) = Σ_k a(k, row) · b(k, column) on the device, all three in row-major order, behind
   what was launched before; single precision has no TF32 in it. The same shapes give the same bits
   with the same cuBLAS and device; other shapes, or another cuBLAS, may round otherwise. Returns
   0, or cuBLAS's status, which is for device_work's check_blas(). Only where
   cuda_blas_available(). */
int cuda_blas_product(const cuda_blas_shape &shape, const double *a, const double *b, double *c);
int cuda_blas_product(const cuda_blas_shape &shape, const float *a, const float *b, float *c);

/* Gives cuBLAS's memory back. */
void cuda_blas_close(void);

#endif
