/* The threads of one block: fibers that take turns. A thread runs until it must wait for others, or
   to its end; on a stack whose thread has ended the next one starts, so that a kernel without
   barriers never switches stacks. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/simt/engine.h"
#include "tests/simt/fiber.h"

uint3 threadIdx __attribute__((section("simt_constant")));
uint3 blockIdx __attribute__((section("simt_constant")));
dim3 blockDim __attribute__((section("simt_constant")));
dim3 gridDim __attribute__((section("simt_constant")));

namespace simt {

enum class State { unstarted, ready, running, at_barrier, in_collective, exited };

struct Thread {
  uint3 index;
  State state;
  Fiber *fiber;
  Site site;     /* where it waits */
  unsigned mask; /* of the collective */
  uint64_t value, result;
  int source; /* lane of a shuffle */
};

/* Lanes that have come to one collective, of those it waits for. */
struct Group {
  Collective kind;
  unsigned mask, here;
  Site site;
};
struct Warp {
  int groups;
  Group group[32];
};

Order order = Order::forward;
int current = -1;

static const int most_threads = 1024;
static const Call *kernel;
static int count; /* of threads in the block */
static Thread threads[most_threads];
static Warp warps[most_threads / 32];
static int start_order[most_threads];
static int started, exited;
static int ready[most_threads]; /* a ring */
static unsigned ready_head, ready_tail;
static std::vector<Fiber *> &idle = *new std::vector<Fiber *>; /* lives as long as its stacks */

static struct {
  int waiting;
  Site site;
  Vote vote;
  int votes, result;
} block_barrier;

/* ---- Order ------------------------------------------------------------------------------------
 */

static uint64_t random_state = 1;

void random_seed(uint64_t seed) {
  random_state = seed * 0x9e3779b97f4a7c15u | 1;
}

uint32_t random_number() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (uint32_t)(random_state >> 16);
}

static void shuffle_start() {
  for (int i = 0; i < count; i++)
    start_order[i] = order == Order::reverse ? count - 1 - i : i;
  for (int i = count - 1; order == Order::seeded && i > 0; i--)
    std::swap(start_order[i], start_order[random_number() % (unsigned)(i + 1)]);
}

static void make_ready(int thread) {
  threads[thread].state = State::ready;
  ready[ready_tail++ % most_threads] = thread;
}

/* The thread to go on with, or -1 to start another. */
static int next_ready() {
  const unsigned waiting = ready_tail - ready_head, unstarted = (unsigned)(count - started);
  if (waiting == 0) return -1;
  if (order == Order::seeded) {
    if (random_number() % (waiting + unstarted) >= waiting) return -1;
    std::swap(ready[ready_head % most_threads],
              ready[(ready_head + random_number() % waiting) % most_threads]);
  }
  return ready[ready_head++ % most_threads];
}

/* ---- Faults after which the block cannot go on ------------------------------------------------
 */

static const char *verb(State state) {
  return state == State::at_barrier ? "__syncthreads()" : "a warp collective";
}

static bool waits(const Thread &thread) {
  return thread.state == State::at_barrier || thread.state == State::in_collective;
}

static bool same_place(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || !strcmp(a.file, b.file));
}

/* Says who waits where, one line for each place, and ends the program. */
[[noreturn]] static void die(const char *fault) {
  fprintf(stderr, "simt: %s: kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n", fault,
          kernel_name(), blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  for (int i = 0; i < count; i++) {
    const Thread &first = threads[i];
    if (!waits(first)) continue;
    int alike = 0;
    bool told = false;
    for (int j = 0; j < count; j++) {
      const Thread &other = threads[j];
      if (other.state != first.state || !same_place(other.site, first.site) ||
          (first.state == State::in_collective && other.mask != first.mask))
        continue;
      if (j < i) told = true;
      alike++;
    }
    if (told) continue;
    fprintf(stderr, "simt:   %d waiting in %s at %s:%d, the first is thread (%u,%u,%u)", alike,
            verb(first.state), first.site.file, first.site.line, first.index.x, first.index.y,
            first.index.z);
    if (first.state == State::in_collective) fprintf(stderr, ", mask %08x", first.mask);
    fputc('\n', stderr);
  }
  fprintf(stderr, "simt:   %d of %d have ended\n", exited, count);
  abort();
}

/* ---- Switching --------------------------------------------------------------------------------
 */

static void become(int thread) {
  current = thread;
  threads[thread].state = State::running;
  threadIdx = threads[thread].index;
}

static void run_threads();

/* Leaves this stack for whoever can run; comes back when this one is wanted again. */
static void leave() {
  const int next = next_ready();
  Fiber *to;
  if (next >= 0) {
    become(next);
    to = threads[next].fiber;
  } else if (started < count) {
    if (idle.empty()) idle.push_back(fiber_new(run_threads));
    to = idle.back();
    idle.pop_back();
  } else if (exited == count) {
    current = -1;
    to = fiber_host();
  } else {
    die("threads wait for others that never come");
  }
  if (to != fiber_current()) fiber_switch(to);
}

/* What a fiber does: one thread after the other, from start to end. */
static void run_threads() {
  for (;;) {
    const int thread = start_order[started++];
    threads[thread].fiber = fiber_current();
    become(thread);
    kernel->run();
    threads[thread].state = State::exited;
    exited++;
    idle.push_back(fiber_current());
    leave();
  }
}

void run_block(const Launch &launch, const Call &call) {
  const dim3 &block = launch.block;
  kernel = &call;
  count = (int)(block.x * block.y * block.z);
  for (int i = 0; i < count; i++) {
    const unsigned at = (unsigned)i;
    threads[i].index = {at % block.x, at / block.x % block.y, at / block.x / block.y};
    threads[i].state = State::unstarted;
  }
  for (int i = 0; i < (count + 31) / 32; i++)
    warps[i].groups = 0;
  shuffle_start();
  started = exited = 0;
  ready_head = ready_tail = 0;
  block_barrier.waiting = 0;
  leave();
}

uint3 thread_index(int thread) {
  return threads[thread].index;
}

bool on_own_stack(uintptr_t address) {
  return fiber_owns(threads[current].fiber, address);
}

/* ---- Barriers ---------------------------------------------------------------------------------
 */

int barrier(Vote vote, bool predicate, Site site) {
  Thread &self = threads[current];
  self.state = State::at_barrier;
  self.site = site;
  if (block_barrier.waiting == 0) {
    block_barrier.site = site;
    block_barrier.vote = vote;
    block_barrier.votes = 0;
  } else if (!same_place(site, block_barrier.site)) {
    die("threads of a block at different barriers");
  }
  block_barrier.votes += predicate;
  if (++block_barrier.waiting < count) {
    leave();
    return block_barrier.result;
  }
  block_barrier.waiting = 0;
  block_barrier.result = vote == Vote::count ? block_barrier.votes
                         : vote == Vote::any ? block_barrier.votes > 0
                                             : block_barrier.votes == count;
  if (race_barrier) race_barrier();
  for (int i = 0; i < count; i++)
    if (start_order[i] != current) make_ready(start_order[i]);
  self.state = State::running;
  return block_barrier.result;
}

/* ---- Warps ------------------------------------------------------------------------------------
 */

int lane() {
  return current & 31;
}

/* The group that waits for these lanes; a new one if there is none. */
static Group &join(Warp &warp, Collective kind, unsigned mask, Site site) {
  for (int i = 0; i < warp.groups; i++) {
    Group &group = warp.group[i];
    if (group.mask != mask) continue;
    if (group.kind != kind || (kind != Collective::sync && !same_place(group.site, site)))
      die("lanes of a warp in different collectives");
    return group;
  }
  Group &group = warp.group[warp.groups++];
  group = {kind, mask, 0, site};
  return group;
}

/* What a shuffle from a lane that does not take part gives: undefined on the device. */
static const uint64_t poison = 0xffffffffffffffffu;

static void finish(Warp &warp, Group &group) {
  const int first = current & ~31, self = current;
  const unsigned mask = group.mask;
  uint64_t ballot = 0;
  for (int lane = 0; lane < 32; lane++)
    if (mask >> lane & 1 && threads[first + lane].value) ballot |= (uint64_t)1 << lane;
  for (int lane = 0; lane < 32; lane++) {
    if (!(mask >> lane & 1)) continue;
    Thread &thread = threads[first + lane];
    thread.result = group.kind != Collective::shuffle ? ballot
                    : mask >> thread.source & 1       ? threads[first + thread.source].value
                                                      : poison;
    if (first + lane != self) make_ready(first + lane);
  }
  group = warp.group[--warp.groups];
  if (race_collective) race_collective(first / 32, mask);
}

uint64_t collective(Collective kind, unsigned mask, uint64_t value, int source, Site site) {
  Thread &self = threads[current];
  Warp &warp = warps[current / 32];
  const int lanes = count - (current & ~31);
  if (lanes < 32) mask &= (1u << lanes) - 1; /* a last warp that is not full */
  self.state = State::in_collective;
  self.site = site;
  self.mask = mask;
  self.value = value;
  self.source = source & 31;
  if (!(mask >> lane() & 1)) die("a thread's own lane is not in the mask of its collective");
  Group &group = join(warp, kind, mask, site);
  group.here |= 1u << lane();
  if (group.here == mask) {
    finish(warp, group);
    self.state = State::running;
  } else {
    leave();
  }
  return self.result;
}

} // namespace simt
