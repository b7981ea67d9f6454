/* What the CUDA operations share on the host's side: memory of the device that frees itself,
   checked calls and launches, and batches cut to what the device has free.

   Every operation makes one `device_work` with its name. The first call that fails is kept there as
   the operation's error, with what it was about; everything after that does nothing and says
   nothing, so that an operation reads straight down and returns work.status at its end:

     device_work work("draw normal numbers", error);
     double *numbers = work.array<double>(count, "numbers");
     WORK_LAUNCH(work, draw, work.blocks(count))(numbers, count);
     work.launched("draw");
     work.fetch(output, numbers, count);
     return work.status;

   Two environment variables make a device smaller than it is, for tests and for guests on a shared
   one: ROPETOOL_CUDA_MEMORY (bytes an operation may use) and ROPETOOL_CUDA_BLOCKS (of a launch). */
#ifndef ROPETOOL_KERNELS_CUDA_DEVICE_H
#define ROPETOOL_KERNELS_CUDA_DEVICE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda_port.h"

extern "C" {
#include "kernels/operations.h"
#include "lib/base/memory.h"
}

enum { THREADS = 256 }; /* of a block, unless a kernel says otherwise */

/* A number in an environment variable; `otherwise` when there is none. */
static inline unsigned long long device_setting(const char *name, unsigned long long otherwise) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, nullptr, 10) : otherwise;
}

__host__ __device__ static inline size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* a / b, rounded up. */
__host__ __device__ static inline size_t device_ceil(size_t a, size_t b) {
  return a / b + (a % b != 0);
}

/* Launches a kernel with THREADS threads a block, unless something has failed. */
#define WORK_LAUNCH(work, kernel, grid)                                                            \
  if (!(work).ok()) {                                                                              \
  } else                                                                                           \
    CUDA_LAUNCH(kernel, grid, THREADS, 0, nullptr)

struct device_work {
  int status; /* OK, or the code of the first error */

  /* `purpose` completes "cannot ... on the GPU". */
  device_work(const char *purpose, struct error *error)
      : status(OK), purpose(purpose), error(error), arrays(0), host_arrays(0), held(0) {}
  ~device_work() {
    while (arrays)
      free_array(arrays - 1);
    for (size_t i = host_arrays; i--;)
      free(host_array_of[i]);
  }
  device_work(const device_work &) = delete;
  device_work &operator=(const device_work &) = delete;

  bool ok() const {
    return status == OK;
  }

  /* Keeps a call's failure; `what` is the call and what it was for. */
  void check(cudaError_t result, const char *what) {
    if (result == cudaSuccess || !ok()) return;
    (void)cudaGetLastError(); /* what can be forgotten is; a broken context stays broken */
    status = error_set(error, ERROR_FAILED, "cannot %s on the GPU: %s: %s (CUDA error %d)", purpose,
                       what, cudaGetErrorString(result), (int)result);
  }

  /* The same for a status of cuBLAS. */
  void check_blas(int result, const char *what) {
    if (result == 0 || !ok()) return;
    (void)cudaGetLastError();
    status = error_set(error, ERROR_FAILED, "cannot %s on the GPU: %s failed (cuBLAS status %d)",
                       purpose, what, result);
  }

  /* After a launch: whether it could start. What goes wrong in the kernel shows at the next copy.
   */
  void launched(const char *kernel) {
    if (ok()) check(cudaGetLastError(), kernel);
  }

  /* Bytes that the operation may still ask for; 0 after a failure. */
  size_t room() {
    size_t free_bytes = 0, total = 0;
    check(cudaMemGetInfo(&free_bytes, &total), "asking for the free memory");
    if (!ok()) return 0;
    const size_t most = free_bytes - free_bytes / 16; /* the allocator rounds up */
    const unsigned long long allowed = device_setting("ROPETOOL_CUDA_MEMORY", UINT64_MAX);
    const size_t left = allowed > held ? (size_t)(allowed - held) : 0;
    return left < most ? left : most;
  }

  /* Fails for want of memory: `what` need so many bytes. */
  void refuse(size_t bytes, const char *what) {
    const size_t space = room();
    if (ok())
      status = error_set(error, ERROR_FAILED,
                         "cannot %s on the GPU: not enough device memory: %s need %.4g MiB; %.4g "
                         "MiB are free",
                         purpose, what, (double)bytes / 1048576, (double)space / 1048576);
  }

  /* How many of `wanted` pieces of `bytes` each fit at a time: 1 to wanted; an error, and 0, when
     not even one does. */
  size_t fit(size_t wanted, size_t bytes, const char *what) {
    const size_t fitting = least(wanted, room() / bytes);
    if (wanted && !fitting) refuse(bytes, what);
    return fitting;
  }

  /* An array on the device, its content undefined; freed at the end of the operation. */
  template <class T> T *array(size_t count, const char *what) {
    if (!ok()) return nullptr;
    T *address = nullptr;
    if (arrays == MOST_ARRAYS || count > SIZE_MAX / sizeof(T)) {
      check(cudaErrorMemoryAllocation, what);
      return nullptr;
    }
    check(cudaMalloc(&address, (count ? count : 1) * sizeof(T)), what);
    if (!ok()) return nullptr;
    array_of[arrays] = address;
    bytes_of[arrays++] = count * sizeof(T);
    held += count * sizeof(T);
    return address;
  }

  /* Frees an array before its time. */
  template <class T> void release(T *array) {
    for (size_t i = 0; array && i < arrays; i++)
      if (array_of[i] == array) {
        free_array(i);
        return;
      }
  }

  template <class T> void clear(T *array, size_t count) {
    if (ok() && count) check(cudaMemset(array, 0, count * sizeof(T)), "clearing memory");
  }

  /* The same on the host, zeroed. */
  template <class T> T *host(size_t count, const char *what) {
    if (!ok()) return nullptr;
    T *address = nullptr;
    if (host_arrays < MOST_ARRAYS) address = (T *)memory_array(count, sizeof(T), what, error);
    if (!address)
      status = ERROR_FAILED;
    else
      host_array_of[host_arrays++] = address;
    return address;
  }

  template <class T> void send(T *device, const T *host, size_t count) {
    if (ok() && count)
      check(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice),
            "copying to the device");
  }

  template <class T> T *upload(const T *host, size_t count, const char *what) {
    T *device = array<T>(count, what);
    send(device, host, count);
    return device;
  }

  /* Waits for the kernels before it. */
  template <class T> void fetch(T *host, const T *device, size_t count) {
    if (ok() && count)
      check(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost),
            "copying from the device");
  }

  /* Blocks that a launch may have. */
  static size_t most_blocks() {
    return (size_t)device_setting("ROPETOOL_CUDA_BLOCKS", 0x7fffffff);
  }

  /* Blocks of a launch that gives each of `count` elements a thread, or, where that would be too
     many, goes round: such a kernel steps by gridDim.x · blockDim.x. */
  static unsigned blocks(size_t count) {
    return (unsigned)least(device_ceil(count, THREADS), most_blocks());
  }

private:
  enum { MOST_ARRAYS = 24 };

  void free_array(size_t i) {
    if (cudaFree(array_of[i]) != cudaSuccess) (void)cudaGetLastError();
    held -= bytes_of[i];
    arrays--;
    array_of[i] = array_of[arrays];
    bytes_of[i] = bytes_of[arrays];
  }

  const char *purpose;
  struct error *error;
  void *array_of[MOST_ARRAYS], *host_array_of[MOST_ARRAYS];
  size_t bytes_of[MOST_ARRAYS], arrays, host_arrays, held;
};

#endif
