/* The race check: what comes before what is CUDA's rule. Within a block, what was before a
   __syncthreads() is before what follows it; within a warp the same holds of a collective and the
   lanes it names; between blocks of a launch nothing is ordered, and between launches everything
   is.

   Time is a number that grows with every barrier and collective of the block. A thread's clock is
   the time of the last one it took part in. What thread t did at clock c is before what the
   running thread does now if a barrier came after c, or if the running thread has heard of t, by
   collectives, later than c.

   Two accesses race that nothing orders, unless both are reads or both are strong: atomics, and
   what is volatile. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/simt/engine.h"
#include "tests/simt/race.h"

extern "C" __attribute__((visibility("hidden"))) char __start_simt_constant[],
    __stop_simt_constant[];

namespace simt {

/* ---- Time -------------------------------------------------------------------------------------
 */

static uint32_t block_number, first_block; /* of all blocks ever run; the launch's first */
static uint32_t now, last_barrier;
static uint32_t heard[32][32][32]; /* (warp, lane, of lane): time */

void race_barrier() {
  last_barrier = ++now;
}

void race_collective(int warp, unsigned lanes) {
  uint32_t latest[32] = {0};
  now++;
  for (int lane = 0; lane < 32; lane++)
    for (int of = 0; of < 32 && lanes >> lane & 1; of++)
      if (heard[warp][lane][of] > latest[of]) latest[of] = heard[warp][lane][of];
  for (int lane = 0; lane < 32; lane++)
    if (lanes >> lane & 1) latest[lane] = now;
  for (int lane = 0; lane < 32; lane++)
    if (lanes >> lane & 1) memcpy(heard[warp][lane], latest, sizeof latest);
}

static uint32_t clock_of(int thread) {
  const uint32_t own = heard[thread / 32][thread % 32][thread % 32];
  return own > last_barrier ? own : last_barrier;
}

/* ---- What is known of memory ------------------------------------------------------------------
 */

struct Access {
  uint32_t block, clock, place; /* place: offset of the instruction in the module */
  uint16_t thread;
  bool valid, write : 1, strong : 1;
};

/* The last plain write since which there was no other plain write; and of the other accesses since
   two that nothing orders, of different warps if there were such. What races with any other races
   with one of these: a later access that is ordered after an earlier one stands for both. */
struct Cell {
  Access write, other[2];
};

/* A cell covers 2^shift bytes: 4, until somebody accesses less at once. */
struct Region {
  uintptr_t begin, end;
  const char *kind;
  bool shared;
  unsigned shift;
  Cell *cells;
  uint8_t *written; /* (byte) */
};

static std::map<uintptr_t, Region> &regions = *new std::map<uintptr_t, Region>;
static Region *fixed, *dynamic, *recent;
static const Call *running;

/* Zeros that cost nothing until they are touched. */
static void *zeros(size_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    perror("simt: memory of the race check");
    abort();
  }
  return memory;
}

static size_t cell_bytes(const Region &region) {
  return (((region.end - region.begin - 1) >> region.shift) + 1) * sizeof(Cell);
}

static Region *add_region(char *begin, size_t size, const char *kind, bool shared) {
  Region region = {(uintptr_t)begin, (uintptr_t)begin + size, kind, shared, 2, nullptr, nullptr};
  region.cells = (Cell *)zeros(cell_bytes(region));
  region.written = (uint8_t *)zeros(size);
  return &(regions[region.begin] = region);
}

static void remove_region(Region *region) {
  munmap(region->cells, cell_bytes(*region));
  munmap(region->written, region->end - region->begin);
  if (recent == region) recent = nullptr;
  regions.erase(region->begin);
}

static void refine(Region &region, unsigned shift) {
  Region finer = region;
  finer.shift = shift;
  finer.cells = (Cell *)zeros(cell_bytes(finer));
  const size_t count = cell_bytes(finer) / sizeof(Cell), parts = region.shift - shift;
  for (size_t i = 0; i < count; i++)
    if (region.cells[i >> parts].write.valid || region.cells[i >> parts].other[0].valid)
      finer.cells[i] = region.cells[i >> parts];
  munmap(region.cells, cell_bytes(region));
  region = finer;
}

static Region *find_region(uintptr_t address) {
  if (recent && address - recent->begin < recent->end - recent->begin) return recent;
  auto region = regions.upper_bound(address);
  if (region == regions.begin()) return nullptr;
  --region;
  return address < region->second.end ? recent = &region->second : nullptr;
}

void race_allocate(char *begin, size_t size) {
  add_region(begin, size, "device", false);
}

void race_free(char *begin) {
  remove_region(&regions.at((uintptr_t)begin));
}

void race_written(const char *begin, size_t size) {
  const Region *const region = size ? find_region((uintptr_t)begin) : nullptr;
  if (region) memset(region->written + ((uintptr_t)begin - region->begin), 1, size);
}

bool race_is_written(const char *begin, size_t size) {
  const Region *const region = size ? find_region((uintptr_t)begin) : nullptr;
  return !region || !memchr(region->written + ((uintptr_t)begin - region->begin), 0, size);
}

void race_grid(const Launch &, const Call &call) {
  first_block = block_number + 1;
  running = &call;
}

/* Shared memory moves only between launches. */
static void renew(Region *&region, char *begin, size_t size) {
  if (region && (region->begin != (uintptr_t)begin || region->end != (uintptr_t)begin + size)) {
    remove_region(region);
    region = nullptr;
  }
  if (!region && size) region = add_region(begin, size, "shared", true);
  if (region) memset(region->written, 0, size);
}

void race_block(char *fixed_begin, size_t fixed_size, char *dynamic_begin, size_t dynamic_size) {
  block_number++;
  now = last_barrier = 0;
  memset(heard, 0, (blockDim.x * blockDim.y * blockDim.z + 31) / 32 * sizeof heard[0]);
  renew(fixed, fixed_begin, fixed_size);
  renew(dynamic, dynamic_begin, dynamic_size);
}

/* ---- Reports ----------------------------------------------------------------------------------
 */

/* Where the module lies that holds the kernels, and its file. */
static const Dl_info &module() {
  static Dl_info info;
  if (!info.dli_fbase) dladdr((void *)race_barrier, &info);
  return info;
}

static uint32_t place_of(const void *address) {
  return (uint32_t)((uintptr_t)address - (uintptr_t)module().dli_fbase);
}

/* "file:line" of an instruction, or its offset where addr2line does not know it. */
static std::string line_of(uint32_t place) {
  static std::map<uint32_t, std::string> &known = *new std::map<uint32_t, std::string>;
  std::string &line = known[place];
  if (!line.empty()) return line;
  char text[512];
  snprintf(text, sizeof text, "addr2line -e '%s' %#x 2>/dev/null", module().dli_fname, place - 1);
  FILE *const pipe = popen(text, "r");
  if (!pipe || !fgets(text, sizeof text, pipe) || text[0] == '?')
    snprintf(text, sizeof text, "%s+%#x", module().dli_fname, place);
  if (pipe) pclose(pipe);
  text[strcspn(text, " \n")] = 0;
  return line = text;
}

static std::string thread_name(int thread, uint32_t block) {
  char text[200];
  const uint3 at = thread_index(thread);
  if (block == block_number)
    snprintf(text, sizeof text, "thread (%u,%u,%u) of block (%u,%u,%u)", at.x, at.y, at.z,
             blockIdx.x, blockIdx.y, blockIdx.z);
  else
    snprintf(text, sizeof text, "thread (%u,%u,%u) of another block", at.x, at.y, at.z);
  return text;
}

struct Event {
  uintptr_t address;
  size_t size;
  bool read, write, strong;
  uint32_t place;
};

static const char *verb(bool write, bool strong) {
  return strong ? write ? "atomic or volatile write" : "volatile read" : write ? "write" : "read";
}

/* Pairs of instructions that have been reported, once each. */
static std::set<std::pair<uint32_t, uint32_t>> &told = *new std::set<std::pair<uint32_t, uint32_t>>;

void race_forget() {
  told.clear();
}

static void complain(const char *fault, const Event &event, cudaError_t error,
                     const Access *other = nullptr) {
  break_context(error);
  if (!told.insert({event.place, other ? other->place : 0}).second || told.size() > 20) return;
  std::string text = fault;
  text += std::string(": ") + verb(event.write, event.strong) + " of " +
          std::to_string(event.size) + " bytes by " + thread_name(current, block_number) + " at " +
          line_of(event.place);
  if (other)
    text += std::string(", after a ") + verb(other->write, other->strong) + " by " +
            thread_name(other->thread, other->block) + " at " + line_of(other->place);
  report("%s, kernel %s", text.c_str(), kernel_name());
}

/* ---- Accesses ---------------------------------------------------------------------------------
 */

static bool ordered(const Access &before, const Region &region) {
  if (!before.valid || before.block < first_block) return true;
  if (before.block != block_number) return region.shared;
  if (before.thread == current || before.clock < last_barrier) return true;
  return before.thread / 32 == current / 32 &&
         heard[current / 32][current % 32][before.thread % 32] > before.clock;
}

static bool races(const Access &before, const Event &event, const Region &region) {
  return (before.write || event.write) && !(before.strong && event.strong) &&
         !ordered(before, region);
}

/* Whether all that races with the earlier access, of the same thread or ordered before it, races
   with the later one. */
static bool stands_for(const Access &later, const Access &earlier) {
  return (later.strong == earlier.strong && later.write == earlier.write) ||
         (earlier.strong && !earlier.write);
}

static void remember(Cell &cell, const Access &access, const Region &region) {
  if (access.write && !access.strong) {
    cell = {access, {}};
    return;
  }
  for (Access &other : cell.other)
    if (!other.valid || (ordered(other, region) && stands_for(access, other))) {
      other = access;
      return;
    }
  for (Access &other : cell.other)
    if (ordered(other, region) || cell.other[0].thread / 32 == cell.other[1].thread / 32) {
      other = access;
      return;
    }
}

/* True when something was wrong; one fault of an access is enough. */
static bool check_cell(Cell &cell, const Region &region, const Event &event) {
  const Access access = {block_number, clock_of(current), event.place, (uint16_t)current,
                         true,         event.write,       event.strong};
  const Access *before = nullptr;
  for (const Access *one : {&cell.other[1], &cell.other[0], &cell.write})
    if (races(*one, event, region)) before = one;
  if (before)
    complain(region.shared ? "race in shared memory" : "race in device memory", event,
             cudaErrorLaunchFailure, before);
  remember(cell, access, region);
  return before;
}

static void check_known(Region &region, const Event &event) {
  const uintptr_t offset = event.address - region.begin;
  const size_t size = event.size;
  if (size > region.end - event.address) {
    complain("beyond the end of memory", event, cudaErrorIllegalAddress);
    return;
  }
  if (event.read && memchr(region.written + offset, 0, size)) {
    complain(region.shared ? "shared memory that nothing wrote"
                           : "device memory that nothing wrote",
             event, cudaErrorLaunchFailure);
    memset(region.written + offset, 1, size);
  }
  while ((event.address | size) & (((uintptr_t)1 << region.shift) - 1))
    refine(region, region.shift - 1);
  for (size_t i = offset >> region.shift; i <= (offset + size - 1) >> region.shift; i++)
    if (check_cell(region.cells[i], region, event)) break;
  if (event.write) memset(region.written + offset, 1, size);
}

struct Range {
  uintptr_t begin, end;
};

/* Segments of the module that nobody can write: constants of the code. */
static int find_read_only(dl_phdr_info *info, size_t, void *result) {
  const uintptr_t inside = (uintptr_t)race_barrier - info->dlpi_addr;
  bool ours = false;
  Range range = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    if (inside - segment.p_vaddr < segment.p_memsz) ours = true;
    if (segment.p_flags & PF_W) continue;
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + segment.p_memsz > range.end) range.end = begin + segment.p_memsz;
  }
  if (ours) *(Range *)result = range;
  return ours;
}

static bool within(uintptr_t address, const void *begin, size_t size) {
  return address - (uintptr_t)begin < size;
}

/* Memory outside regions that a kernel may read: arguments, constants, threadIdx and the like. */
static bool readable(uintptr_t address) {
  static Range read_only;
  if (!read_only.end) dl_iterate_phdr(find_read_only, &read_only);
  return within(address, __start_simt_constant,
                (size_t)(__stop_simt_constant - __start_simt_constant)) ||
         within(address, running, running->size) ||
         within(address, (void *)read_only.begin, read_only.end - read_only.begin);
}

static void check(const Event &event) {
  if (current < 0) {
    const Region *const region = find_region(event.address);
    if (!region || region->shared) return;
    report("the host accesses device memory at %s", line_of(event.place).c_str());
    _exit(70);
  }
  if (!event.write && readable(event.address)) return;
  if (Region *const region = find_region(event.address))
    check_known(*region, event);
  else if (!on_own_stack(event.address))
    complain("outside of device memory (out of bounds, freed, or the host's)", event,
             cudaErrorIllegalAddress);
}

/* Vectors and numbers must be aligned to their size. */
void race_access(const void *address, size_t size, unsigned what, const void *caller) {
  const Event event = {(uintptr_t)address,          size,
                       (what & access_read) != 0,   (what & access_write) != 0,
                       (what & access_strong) != 0, place_of(caller)};
  if (size == 0) return;
  if (current >= 0 && what & access_aligned && event.address % size != 0)
    complain("misaligned", event, cudaErrorMisalignedAddress);
  check(event);
}

void atomic_access(const volatile void *address, unsigned size) {
  race_access((const void *)address, size,
              access_read | access_write | access_strong | access_aligned,
              __builtin_return_address(0));
}

} // namespace simt
