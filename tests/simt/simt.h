/* The simulator's side of kernels/cuda_port.h: CUDA C++ for a host compiler. Every CUDA thread runs
   as a fiber of one host thread, one block at a time: the same order of threads gives the same
   result. README.md in this folder says what is checked and how to use it. */
#ifndef ROPETOOL_SIMT_SIMT_H
#define ROPETOOL_SIMT_SIMT_H

#include <memory>
#include <tuple>
#include <type_traits>

#include "tests/simt/device_math.h"
#include "tests/simt/host_api.h"
#include "tests/simt/vector_types.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ADDRESS_SANITIZER 1
#endif
#endif

/* ---- Qualifiers ----------------------------------------------------------------------------- */

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__  inline __attribute__((always_inline))

/* AddressSanitizer puts red zones round statics only. In the other builds shared variables are
   thread-local, so that all of them lie in one place that can be poisoned before every block, and
   constants are in a section of their own, so that the race check knows them. */
#ifdef SIMT_ADDRESS_SANITIZER
#define __shared__ static
#define __constant__
#else
#define __shared__   thread_local
#define __constant__ __attribute__((section("simt_constant")))
#endif

/* ---- Who am I ------------------------------------------------------------------------------- */

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace simt {

/* ---- Launches ------------------------------------------------------------------------------- */

/* A kernel with its arguments, copied when it is launched. */
struct Call {
  const size_t size; /* of the object, which a kernel may read */
  explicit Call(size_t bytes) : size(bytes) {}
  virtual ~Call() = default;
  virtual void run() const = 0; /* as one thread */
};
template <class... P> struct KernelCall final : Call {
  void (*kernel)(P...);
  std::tuple<P...> arguments;
  KernelCall(void (*function)(P...), P... argument)
      : Call(sizeof(KernelCall)), kernel(function), arguments(argument...) {}
  void run() const override {
    std::apply(kernel, arguments);
  }
};
struct Launch {
  const char *name;
  const void *kernel;
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
};
void launch(const Launch &launch, std::unique_ptr<const Call> call);

/* launcher(name, kernel, grid, block, ...)(argument, ...) is kernel<<<grid, block, ...>>>(...). */
template <class... P>
auto launcher(const char *name, void (*kernel)(P...), dim3 grid, dim3 block,
              size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return [=](P... argument) {
    launch({name, (const void *)kernel, grid, block, shared_bytes, stream},
           std::make_unique<const KernelCall<P...>>(kernel, argument...));
  };
}

/* ---- What the functions below call ----------------------------------------------------------- */

enum class Vote { any, all, count };
enum class Collective { sync, shuffle, ballot };
struct Site {
  const char *file;
  int line;
};
int barrier(Vote vote, bool predicate, Site site);
uint64_t collective(Collective kind, unsigned mask, uint64_t value, int source, Site site);
int lane();
void *dynamic_shared();
void atomic_access(const volatile void *address, unsigned size);

template <class T> inline uint64_t to_word(T value) {
  static_assert(std::is_arithmetic_v<T>, "shuffles take numbers");
  uint64_t word = 0;
  memcpy(&word, &value, sizeof value);
  return word;
}
template <class T> inline T from_word(uint64_t word) {
  T value;
  memcpy(&value, &word, sizeof value);
  return value;
}
template <class T> struct Same { typedef T type; };
template <class T, class... Options> constexpr bool is_one_of = (std::is_same_v<T, Options> || ...);

} // namespace simt

/* The caller's own line, as a default argument. */
#define SIMT_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define SIMT_SITE                                                                                  \
  simt::Site {                                                                                     \
    file, line                                                                                     \
  }

/* ---- Barriers and fences --------------------------------------------------------------------- */

inline void __syncthreads(SIMT_HERE) {
  simt::barrier(simt::Vote::any, false, SIMT_SITE);
}
inline int __syncthreads_or(int predicate, SIMT_HERE) {
  return simt::barrier(simt::Vote::any, predicate != 0, SIMT_SITE);
}
inline int __syncthreads_and(int predicate, SIMT_HERE) {
  return simt::barrier(simt::Vote::all, predicate != 0, SIMT_SITE);
}
inline int __syncthreads_count(int predicate, SIMT_HERE) {
  return simt::barrier(simt::Vote::count, predicate != 0, SIMT_SITE);
}
/* All is done in program order here; the compiler still must not move accesses. */
inline void __threadfence() {
  __asm__ volatile("" ::: "memory");
}
inline void __threadfence_block() {
  __threadfence();
}

/* ---- Warps ----------------------------------------------------------------------------------- */

inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_HERE) {
  simt::collective(simt::Collective::sync, mask, 0, 0, SIMT_SITE);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE) {
  return (unsigned)simt::collective(simt::Collective::ballot, mask, predicate != 0, 0, SIMT_SITE);
}
inline int __any_sync(unsigned mask, int predicate, SIMT_HERE) {
  return __ballot_sync(mask, predicate, file, line) != 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_HERE) {
  return __ballot_sync(mask, !predicate, file, line) == 0;
}

namespace simt {
template <class T> inline T shuffle(unsigned mask, T value, int source, Site site) {
  return from_word<T>(collective(Collective::shuffle, mask, to_word(value), source, site));
}
} // namespace simt

/* A lane whose source would lie outside its segment of `width` lanes keeps its own value. */
template <class T>
inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_HERE) {
  const int first = simt::lane() & ~(width - 1);
  return simt::shuffle(mask, value, first | (source & (width - 1)), SIMT_SITE);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const int lane = simt::lane(), source = lane - (int)delta;
  return simt::shuffle(mask, value, source < (lane & ~(width - 1)) ? lane : source, SIMT_SITE);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_HERE) {
  const int lane = simt::lane(), source = lane + (int)delta;
  return simt::shuffle(mask, value, source > (lane | (width - 1)) ? lane : source, SIMT_SITE);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, SIMT_HERE) {
  const int lane = simt::lane(), source = lane ^ lanes;
  return simt::shuffle(mask, value, source > (lane | (width - 1)) ? lane : source, SIMT_SITE);
}

/* ---- Atomics: on the types that compute capability 7.5 has them for ----------------------------
 */

#define SIMT_ATOMIC(name, new_value, ...)                                                          \
  template <class T>                                                                               \
  __attribute__((no_sanitize("thread"))) inline T name(T *address,                                 \
                                                       typename simt::Same<T>::type value) {       \
    static_assert(simt::is_one_of<T, __VA_ARGS__>, #name " has no such type");                     \
    simt::atomic_access(address, sizeof *address);                                                 \
    const T old = *address;                                                                        \
    *address = (new_value);                                                                        \
    return old;                                                                                    \
  }
SIMT_ATOMIC(atomicAdd, (T)(old + value), int, unsigned, unsigned long long, float, double)
SIMT_ATOMIC(atomicSub, (T)(old - value), int, unsigned)
SIMT_ATOMIC(atomicMin, value < old ? value : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicMax, value > old ? value : old, int, unsigned, unsigned long long, long long)
SIMT_ATOMIC(atomicExch, value, int, unsigned, unsigned long long, float)
SIMT_ATOMIC(atomicAnd, old &value, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicOr, old | value, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicXor, old ^ value, int, unsigned, unsigned long long)
SIMT_ATOMIC(atomicInc, old >= value ? 0 : old + 1, unsigned)
SIMT_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1, unsigned)
#undef SIMT_ATOMIC

template <class T>
__attribute__((no_sanitize("thread"))) inline T atomicCAS(T *address,
                                                          typename simt::Same<T>::type expected,
                                                          typename simt::Same<T>::type value) {
  static_assert(simt::is_one_of<T, int, unsigned, unsigned short, unsigned long long>,
                "atomicCAS has no such type");
  simt::atomic_access(address, sizeof *address);
  const T old = *address;
  if (old == expected) *address = value;
  return old;
}

/* ---- Loads and stores with a hint -------------------------------------------------------------
 */

#define SIMT_LOAD(name)                                                                            \
  template <class T> __forceinline__ T name(const T *address) {                                    \
    return *address;                                                                               \
  }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
#undef SIMT_LOAD
#define SIMT_STORE(name)                                                                           \
  template <class T> __forceinline__ void name(T *address, typename simt::Same<T>::type value) {   \
    *address = value;                                                                              \
  }
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
#undef SIMT_STORE

#endif
