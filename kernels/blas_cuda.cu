/* cuBLAS, found at run time. Its few functions are declared here as its reference describes them:
   the header is not needed to build. */
#include "kernels/cuda_blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda_port.h"

/* Values of cublasOperation_t and cublasMath_t. */
enum { AS_IT_IS = 0, TRANSPOSED = 1 };
enum { DEFAULT_MATH = 0, PEDANTIC_MATH = 2 };

template <class real>
using multiplication = int (*)(void *handle, int a_operation, int b_operation, int m, int n, int k,
                               const real *alpha, const real *a, int a_stride, const real *b,
                               int b_stride, const real *beta, real *c, int c_stride);

static struct {
  bool asked;
  void *handle; /* NULL: there is none */
  int (*create)(void **handle);
  int (*destroy)(void *handle);
  int (*set_math_mode)(void *handle, int mode);
  int (*get_version)(void *handle, int *version); /* NULL: it has none */
  multiplication<double> dgemm;
  multiplication<float> sgemm;
} blas;

static void *open_library(void) {
  const char *wanted = getenv("ROPETOOL_CUBLAS");
  if (wanted && !strcmp(wanted, "no")) return nullptr;
  if (wanted && *wanted) return dlopen(wanted, RTLD_LAZY | RTLD_LOCAL);
#ifdef __CUDACC__
  for (const char *name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
    if (void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) return library;
#endif
  return nullptr;
}

static bool find_functions(void *library) {
  const struct {
    const char *name;
    void *place;
  } functions[] = {
      {"cublasCreate_v2", &blas.create},
      {"cublasDestroy_v2", &blas.destroy},
      {"cublasSetMathMode", &blas.set_math_mode},
      {"cublasDgemm_v2", &blas.dgemm},
      {"cublasSgemm_v2", &blas.sgemm},
  };
  for (const auto &function : functions) {
    void *address = dlsym(library, function.name);
    if (!address) return false;
    memcpy(function.place, &address, sizeof address);
  }
  void *version = dlsym(library, "cublasGetVersion_v2");
  memcpy(&blas.get_version, &version, sizeof version);
  return true;
}

/* The library stays open: unloading what has called the driver is not safe. */
bool cuda_blas_available(void) {
  if (blas.asked) return blas.handle;
  blas.asked = true;
  void *library = open_library();
  if (library && find_functions(library) && blas.create(&blas.handle)) {
    blas.handle = nullptr;
    (void)cudaGetLastError(); /* of the runtime, where that had a part in it */
  }
  return blas.handle;
}

int cuda_blas_version(void) {
  int version = 0;
  const bool known = blas.handle && blas.get_version && !blas.get_version(blas.handle, &version);
  return known ? version : 0;
}

void cuda_blas_close(void) {
  if (blas.handle) blas.destroy(blas.handle);
  blas.handle = nullptr;
  blas.asked = false;
}

/* cuBLAS has columns first: to it, the matrices are a(row, k), b(column, k) and c(column, row). */
template <class real>
static int product(multiplication<real> multiply, int mode, const cuda_blas_shape &shape,
                   const real *a, const real *b, real *c) {
  const real one = 1, zero = 0;
  const int rows = (int)shape.rows, columns = (int)shape.columns;
  const int status = blas.set_math_mode(blas.handle, mode);
  if (status) return status;
  return multiply(blas.handle, AS_IT_IS, TRANSPOSED, columns, rows, (int)shape.depth, &one, b,
                  columns, a, rows, &zero, c, columns);
}

/* Matrix units multiply doubles as doubles, so that they may be used. */
int cuda_blas_product(const cuda_blas_shape &shape, const double *a, const double *b, double *c) {
  return product(blas.dgemm, DEFAULT_MATH, shape, a, b, c);
}

int cuda_blas_product(const cuda_blas_shape &shape, const float *a, const float *b, float *c) {
  return product(blas.sgemm, PEDANTIC_MATH, shape, a, b, c);
}
