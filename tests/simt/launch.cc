/* Grids: shared memory, and one block after the other. */
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <link.h>
#include <unistd.h>

#include "tests/simt/engine.h"

namespace simt {

static const char *name = "";

const char *kernel_name() {
  return name;
}

/* ---- Shared memory ----------------------------------------------------------------------------
 */

struct Memory {
  char *begin;
  size_t size;
};
static Memory dynamic;

void *dynamic_shared() {
  if (!dynamic.size) {
    report("kernel %s uses dynamic shared memory, but none was given at its launch", name);
    abort();
  }
  return dynamic.begin;
}

#ifdef SIMT_ADDRESS_SANITIZER

static Memory fixed_shared() {
  return {nullptr, 0};
}

#else

/* The kernels' shared variables are the thread-local variables of this module (program or shared
   object), which this one belongs to as well. */
static thread_local volatile char anchor;

static int find_module(dl_phdr_info *info, size_t, void *result) {
  const char *const inside = (const char *)(uintptr_t)&anchor;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    const Memory block = {(char *)info->dlpi_tls_data, segment.p_memsz};
    if (segment.p_type != PT_TLS || !block.begin) continue;
    if (inside < block.begin || inside >= block.begin + block.size) continue;
    *(Memory *)result = block;
    return 1;
  }
  return 0;
}

static Memory fixed_shared() {
  Memory result = {nullptr, 0};
  anchor = 1; /* a shared object's block is made when it is first used */
  dl_iterate_phdr(find_module, &result);
  if (!result.begin || (size_t)((char *)&errno - result.begin) < result.size) {
    fprintf(stderr, "simt: no place of the kernels' own for shared variables: link dynamically\n");
    abort();
  }
  return result;
}

#endif

/* All bits set: NaN, and an index that is out of every range. */
static void poison(Memory memory) {
  if (memory.size) memset(memory.begin, 0xff, memory.size);
}

/* Without the race check nothing needs to know. */
SIMT_WEAK void atomic_access(const volatile void *, unsigned) {}

/* ---- Crashes ----------------------------------------------------------------------------------
 */

#ifdef SIMT_ADDRESS_SANITIZER

static void watch_crashes() {}

#else

static struct sigaction before;

/* Says which thread it was; the instruction then runs into the former handler. */
static void crashed(int, siginfo_t *info, void *) {
  char text[400];
  const int length = snprintf(
      text, sizeof text, "simt: kernel %s, block (%u,%u,%u), thread (%u,%u,%u): fault at %p%s\n",
      name, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z,
      info->si_addr, info->si_addr ? " (bad pointer, misaligned vector or stack overflow)" : "");
  if (current >= 0 && write(STDERR_FILENO, text, (size_t)length) < 0) _exit(70);
  sigaction(SIGSEGV, &before, nullptr);
}

static void watch_crashes() {
  static char stack[32768];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  struct sigaction action = {}, now;
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, nullptr, &now);
  if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == crashed) return;
  sigaltstack(&alternate, nullptr);
  sigaction(SIGSEGV, &action, &before);
}

#endif

/* ---- Grids ------------------------------------------------------------------------------------
 */

static uint64_t nth_block(uint64_t n, uint64_t blocks, uint64_t offset) {
  switch (order) {
  case Order::forward:
    return n;
  case Order::reverse:
    return blocks - 1 - n;
  /* A prime above every number of blocks that ends in our lifetime: a permutation. */
  default:
    return (n % blocks * 2654435761u + offset) % blocks;
  }
}

void run_grid(const Launch &launch, const Call &call) {
  const dim3 &grid = launch.grid;
  const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
  const uint64_t offset = random_number() % blocks;
  const Memory fixed = fixed_shared();
  void *memory = nullptr;
  if (launch.shared_bytes && posix_memalign(&memory, 16, launch.shared_bytes)) abort();
  dynamic = {(char *)memory, launch.shared_bytes};
  name = launch.name;
  gridDim = grid;
  blockDim = launch.block;
  watch_crashes();
  if (race_grid) race_grid(launch, call);
  for (uint64_t n = 0; n < blocks; n++) {
    const uint64_t block = nth_block(n, blocks, offset);
    blockIdx = {(unsigned)(block % grid.x), (unsigned)(block / grid.x % grid.y),
                (unsigned)(block / grid.x / grid.y)};
    poison(fixed);
    poison(dynamic);
    if (race_block) race_block(fixed.begin, fixed.size, dynamic.begin, dynamic.size);
    run_block(launch, call);
  }
  dynamic = {};
  free(memory);
}

} // namespace simt
