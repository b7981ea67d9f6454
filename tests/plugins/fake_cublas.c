/* A stand-in for cuBLAS on the simulator, whose device memory is the host's: as much of it as
   kernels/blas_cuda.cu uses, in the plainest way. A test finds the knobs and the counts by dlsym().
   The simulator, in the plug-in that ROPETOOL_CUDA_PLUGIN names, is told what is read and written.
   */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

enum { SUCCESS = 0, INVALID_VALUE = 7 };

int fake_cublas_create_status, fake_cublas_product_status; /* what the calls return */
unsigned long fake_cublas_handles;                         /* created and not destroyed */
unsigned long fake_cublas_products[2];                     /* made: in double, in single */

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetMathMode(void *handle, int mode);
int cublasDgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const double *alpha, const double *a, int a_stride, const double *b,
                   int b_stride, const double *beta, double *c, int c_stride);
int cublasSgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const float *alpha, const float *a, int a_stride, const float *b, int b_stride,
                   const float *beta, float *c, int c_stride);

static int the_handle, the_mode;

typedef void touch(const void *address, size_t bytes);
static touch *reads, *writes;

static int find_simulator(void) {
  const char *path = getenv("ROPETOOL_CUDA_PLUGIN");
  void *plugin = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  if (!plugin) return INVALID_VALUE;
  *(void **)&reads = dlsym(plugin, "simt_library_reads");
  *(void **)&writes = dlsym(plugin, "simt_library_writes");
  dlclose(plugin);
  return reads && writes ? SUCCESS : INVALID_VALUE;
}

/* Says of every column of a matrix that it is read, or written. */
static void columns(touch *tell, const void *matrix, size_t stride, size_t count, size_t bytes) {
  for (size_t i = 0; i < count; i++)
    tell((const char *)matrix + i * stride, bytes);
}

int cublasCreate_v2(void **handle) {
  *handle = NULL;
  if (fake_cublas_create_status) return fake_cublas_create_status;
  if (find_simulator()) return INVALID_VALUE;
  *handle = &the_handle;
  fake_cublas_handles++;
  return SUCCESS;
}

int cublasDestroy_v2(void *handle) {
  if (handle != &the_handle || !fake_cublas_handles) return INVALID_VALUE;
  fake_cublas_handles--;
  return SUCCESS;
}

int cublasSetMathMode(void *handle, int mode) {
  the_mode = mode;
  return handle == &the_handle ? SUCCESS : INVALID_VALUE;
}

/* C(m, n) = alpha · A · B + beta · C, all with columns first; operation 1 takes the transpose. */
#define MULTIPLY(real)                                                                             \
  if (handle != &the_handle || a_stride < (a_operation ? k : m) ||                                 \
      b_stride < (b_operation ? n : k) || c_stride < m)                                            \
    return INVALID_VALUE;                                                                          \
  if (fake_cublas_product_status) return fake_cublas_product_status;                               \
  columns(reads, a, (size_t)a_stride * sizeof *a, (size_t)(a_operation ? m : k),                   \
          (size_t)(a_operation ? k : m) * sizeof *a);                                              \
  columns(reads, b, (size_t)b_stride * sizeof *b, (size_t)(b_operation ? k : n),                   \
          (size_t)(b_operation ? n : k) * sizeof *b);                                              \
  columns(writes, c, (size_t)c_stride * sizeof *c, (size_t)n, (size_t)m * sizeof *c);              \
  const size_t a_down = a_operation ? (size_t)a_stride : 1;                                        \
  const size_t a_across = a_operation ? 1 : (size_t)a_stride;                                      \
  const size_t b_down = b_operation ? (size_t)b_stride : 1;                                        \
  const size_t b_across = b_operation ? 1 : (size_t)b_stride;                                      \
  for (size_t j = 0; j < (size_t)n; j++)                                                           \
    for (size_t i = 0; i < (size_t)m; i++) {                                                       \
      const size_t at = i + j * (size_t)c_stride;                                                  \
      real sum = 0;                                                                                \
      for (size_t l = 0; l < (size_t)k; l++)                                                       \
        sum += a[i * a_down + l * a_across] * b[l * b_down + j * b_across];                        \
      c[at] = *alpha * sum + (*beta == 0 ? 0 : *beta * c[at]);                                     \
    }                                                                                              \
  return SUCCESS

/* The parameters are cuBLAS's: NOLINTBEGIN(readability-function-size) */
int cublasDgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const double *alpha, const double *a, int a_stride, const double *b,
                   int b_stride, const double *beta, double *c, int c_stride) {
  fake_cublas_products[0]++;
  MULTIPLY(double);
}

/* TF32 (mode 3) would lose digits: only the pedantic mode (2) is certain to do without. */
int cublasSgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const float *alpha, const float *a, int a_stride, const float *b, int b_stride,
                   const float *beta, float *c, int c_stride) {
  fake_cublas_products[1]++;
  if (the_mode != 2) return INVALID_VALUE;
  MULTIPLY(float);
}
/* NOLINTEND(readability-function-size) */
