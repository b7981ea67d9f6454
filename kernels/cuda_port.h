/* The one header of CUDA that a kernel file includes: CUDA's own under nvcc, the simulator's under
   any other C++17 compiler (tests/simt/README.md; its folder is on the include path then).

   A kernel file is plain CUDA C++ but for two things that only nvcc can parse, which it writes as

     CUDA_LAUNCH(kernel, grid, block, shared_bytes, stream)(argument, ...);
     CUDA_DYNAMIC_SHARED(type, name);      name: type *, aligned to 16 bytes, of the block

   A template with more than one argument goes into brackets: CUDA_LAUNCH((kernel<float, 2>), ...).
   What the simulator lacks (PTX, matrix units, asynchronous copies) stands between
   #ifdef __CUDACC__ and a portable #else. */
#ifndef ROPETOOL_KERNELS_CUDA_PORT_H
#define ROPETOOL_KERNELS_CUDA_PORT_H

#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define CUDA_LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>
#define CUDA_DYNAMIC_SHARED(type, name)                                                            \
  extern __shared__ __align__(16) unsigned char cuda_dynamic_shared[];                             \
  type *const name = reinterpret_cast<type *>(cuda_dynamic_shared)

#else

#include <simt.h>

#define CUDA_LAUNCH(kernel, ...) simt::launcher(#kernel, kernel, __VA_ARGS__)
#define CUDA_DYNAMIC_SHARED(type, name)                                                            \
  type *const name = static_cast<type *>(simt::dynamic_shared())

#endif

#endif
