/* Kernels to try the simulator on: right ones, of which nothing must be reported, and wrong ones,
   each of which must be caught. They are plain CUDA: nvcc compiles them, too. */
#ifndef ROPETOOL_SIMT_CASES_H
#define ROPETOOL_SIMT_CASES_H

#include "kernels/cuda_port.h"

/* Sets *right when the results are those of a plain loop; `digest` is made of every byte of them.
 */
struct right_case {
  const char *name;
  cudaError_t (*run)(bool *right, unsigned long long *digest);
};
extern const right_case right_cases[];
extern const int right_count;

/* Leaves wrong_results results. What is said of it by each build (a part of the words); nullptr
   where that build cannot see it. "NaN" and "differ" are said of the results, by thread order. */
constexpr int wrong_results = 256;
struct wrong_case {
  const char *name;
  cudaError_t (*run)(float *result);
  const char *plain, *address, *race;
};
extern const wrong_case wrong_cases[];
extern const int wrong_count;

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const cudaError_t error_ = (call);                                                             \
    if (error_ != cudaSuccess) return error_;                                                      \
  } while (0)

/* Device memory that is freed with its scope. */
template <class T> struct Array {
  T *at = nullptr;
  ~Array() {
    (void)cudaFree(at);
  }
  cudaError_t make(size_t count) {
    return cudaMalloc(&at, count * sizeof(T));
  }
  cudaError_t make(size_t count, const T *from) {
    TRY(make(count));
    return cudaMemcpy(at, from, count * sizeof(T), cudaMemcpyHostToDevice);
  }
  cudaError_t read(T *to, size_t count) const {
    return cudaMemcpy(to, at, count * sizeof(T), cudaMemcpyDeviceToHost);
  }
};

#endif
