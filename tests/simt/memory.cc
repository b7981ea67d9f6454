/* Device memory: host memory that starts as NaN, and of which both ends are known. */
#include <cstdlib>
#include <cstring>
#include <map>

#include "tests/simt/control.h"
#include "tests/simt/engine.h"

namespace simt {

size_t device_memory = (size_t)1 << 30, allocated;

/* Size by address; never destroyed, since programs free late. */
typedef std::map<const char *, size_t> Blocks;
static Blocks &blocks = *new Blocks, &pinned = *new Blocks;

#ifdef SIMT_ADDRESS_SANITIZER
static const size_t gap = 0; /* it has red zones of its own */
#else
static const size_t gap = 256;
#endif

/* The block that holds the address, or the end of them. */
static Blocks::iterator find(Blocks &in, const void *address) {
  auto block = in.upper_bound((const char *)address);
  if (block == in.begin()) return in.end();
  --block;
  return (const char *)address < block->first + block->second ? block : in.end();
}

static bool holds(Blocks &in, const void *address, size_t bytes) {
  const auto block = find(in, address);
  return block != in.end() &&
         bytes <= block->second - (size_t)((const char *)address - block->first);
}

cudaError_t allocate(void **address, size_t bytes) {
  if (const cudaError_t error = enter("cudaMalloc")) return error;
  void *memory = nullptr;
  if (bytes == 0) {
    *address = nullptr;
    return cudaSuccess;
  }
  if (bytes > device_memory - allocated || posix_memalign(&memory, 256, bytes + gap))
    return fail(cudaErrorMemoryAllocation);
  memset(memory, 0xff, bytes + gap);
  blocks[(char *)memory] = bytes;
  allocated += bytes;
  if (race_allocate) race_allocate((char *)memory, bytes);
  *address = memory;
  return cudaSuccess;
}

cudaError_t allocate_pinned(void **address, size_t bytes) {
  if (const cudaError_t error = enter("cudaMallocHost")) return error;
  void *const memory = malloc(bytes ? bytes : 1);
  if (!memory) return fail(cudaErrorMemoryAllocation);
  pinned[(char *)memory] = bytes;
  *address = memory;
  return cudaSuccess;
}

/* Freeing waits for all that may still use the memory. It works on a broken device, too, so that
   what leaks then is the program's fault. */
static cudaError_t give_back(Blocks &to, void *address, const char *call) {
  const cudaError_t error = enter(call);
  if (!address) return error;
  drain_all();
  const auto block = to.find((const char *)address);
  if (block == to.end()) {
    report("%s(%p) of what is not allocated", call, address);
    return fail(cudaErrorInvalidValue);
  }
  if (&to == &blocks) {
    allocated -= block->second;
    if (race_free) race_free((char *)address);
  }
  to.erase(block);
  free(address);
  return error;
}

void forget_memory() {
  for (const auto &block : blocks) {
    if (race_free) race_free((char *)block.first);
    free((void *)block.first);
  }
  blocks.clear();
  allocated = 0;
}

/* ---- Copies -----------------------------------------------------------------------------------
 */

static cudaMemcpyKind kind_of(void *to, const void *from) {
  const bool to_device = find(blocks, to) != blocks.end();
  const bool from_device = find(blocks, from) != blocks.end();
  return to_device ? (from_device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
                   : (from_device ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
}

/* Whether a copy stays within what it may touch, on the sides that it names. */
static cudaError_t check_copy(const char *call, void *to, const void *from, size_t bytes,
                              cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault || bytes == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return fail(cudaErrorInvalidMemcpyDirection);
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device != (find(blocks, to) != blocks.end()) ||
      from_device != (find(blocks, from) != blocks.end())) {
    report("%s: a pointer is not on the side (host, device) that the direction says", call);
    return fail(cudaErrorInvalidValue);
  }
  if ((to_device && !holds(blocks, to, bytes)) || (from_device && !holds(blocks, from, bytes))) {
    report("%s: %zu bytes reach beyond the end of their device memory", call, bytes);
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

static void copy(void *to, const void *from, size_t bytes) {
  if (bytes) memmove(to, from, bytes);
  if (race_written && find(blocks, to) != blocks.end()) race_written((char *)to, bytes);
}

static void fill(void *address, int value, size_t bytes) {
  if (bytes) memset(address, value, bytes);
  if (race_written) race_written((char *)address, bytes);
}

/* Copies between host memory that is not pinned and the device have read or written the host's side
   when they return; all others are left to the stream. */
static cudaError_t copy_async(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (const cudaError_t error = check_copy("cudaMemcpyAsync", to, from, bytes, kind)) return error;
  const cudaMemcpyKind actual = kind_of(to, from);
  const void *const host = actual == cudaMemcpyHostToDevice   ? from
                           : actual == cudaMemcpyDeviceToHost ? to
                                                              : nullptr;
  enqueue(stream, [=] { copy(to, from, bytes); });
  if (actual != cudaMemcpyDeviceToDevice && (!host || find(pinned, host) == pinned.end()))
    drain(stream);
  return cudaSuccess;
}

cudaError_t copy_symbol(void *symbol, size_t size, const void *from, size_t bytes, size_t offset) {
  if (const cudaError_t error = enter("cudaMemcpyToSymbol")) return error;
  if (offset > size || bytes > size - offset) return fail(cudaErrorInvalidValue);
  drain_blocking();
  memcpy((char *)symbol + offset, from, bytes);
  return outcome();
}

} // namespace simt

using namespace simt;

cudaError_t cudaFree(void *address) {
  return give_back(blocks, address, "cudaFree");
}

cudaError_t cudaFreeHost(void *address) {
  return give_back(pinned, address, "cudaFreeHost");
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t error = enter("cudaMemcpy")) return error;
  if (const cudaError_t error = check_copy("cudaMemcpy", to, from, bytes, kind)) return error;
  check_launches("cudaMemcpy");
  drain_blocking();
  if (const cudaError_t error = outcome()) return error;
  copy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaMemcpyAsync")) return error;
  return copy_async(to, from, bytes, kind, stream);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  if (const cudaError_t error = enter("cudaMemcpy2D")) return error;
  if (width > to_pitch || width > from_pitch) return fail(cudaErrorInvalidValue);
  check_launches("cudaMemcpy2D");
  drain_blocking();
  if (const cudaError_t error = outcome()) return error;
  for (size_t row = 0; row < height; row++) {
    char *const out = (char *)to + row * to_pitch;
    const char *const in = (const char *)from + row * from_pitch;
    if (const cudaError_t error = check_copy("cudaMemcpy2D", out, in, width, kind)) return error;
    copy(out, in, width);
  }
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t bytes, cudaStream_t stream) {
  if (const cudaError_t error = enter("cudaMemset")) return error;
  if (bytes && !holds(blocks, address, bytes)) {
    report("cudaMemset: %zu bytes at %p are not all device memory", bytes, address);
    return fail(cudaErrorInvalidValue);
  }
  enqueue(stream, [=] { fill(address, value, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemset(void *address, int value, size_t bytes) {
  return cudaMemsetAsync(address, value, bytes, nullptr);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
  if (const cudaError_t error = enter("cudaMemGetInfo")) return error;
  *free_bytes = device_memory - allocated;
  *total_bytes = device_memory;
  return cudaSuccess;
}

void simt_memory(size_t bytes) {
  device_memory = bytes;
}

size_t simt_allocated(void) {
  return allocated;
}

/* ---- Libraries --------------------------------------------------------------------------------
 */

/* Whether a library may use the memory, once what was launched before is done. */
static bool library_reaches(const void *address, size_t bytes, const char *verb) {
  drain_blocking();
  if (!bytes) return false;
  const bool reaches = holds(blocks, address, bytes);
  if (!reaches) report("a library %s %zu bytes that are not all device memory", verb, bytes);
  return reaches;
}

void simt_library_reads(const void *address, size_t bytes) {
  if (library_reaches(address, bytes, "reads") && race_is_written &&
      !race_is_written((const char *)address, bytes))
    report("a library reads device memory that nothing wrote");
}

void simt_library_writes(const void *address, size_t bytes) {
  if (library_reaches(address, bytes, "writes") && race_written)
    race_written((const char *)address, bytes);
}
