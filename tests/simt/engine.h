/* What the parts of the simulator know of one another. */
#ifndef ROPETOOL_SIMT_ENGINE_H
#define ROPETOOL_SIMT_ENGINE_H

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tests/simt/simt.h"

namespace simt {

/* ---- threads.cc: one block
 * ------------------------------------------------------------------------- */

enum class Order { forward, reverse, seeded };
extern Order order;
uint32_t random_number(); /* of the seeded order */
void random_seed(uint64_t seed);

/* Runs the block `blockIdx` of the kernel to its end. */
void run_block(const Launch &launch, const Call &call);

/* The thread that runs: its number in the block, -1 outside kernels. */
extern int current;
uint3 thread_index(int thread);
bool on_own_stack(uintptr_t address);

/* ---- launch.cc
 * ------------------------------------------------------------------------------------- */

/* The kernel that runs, or ran last, for reports. */
const char *kernel_name();

/* Runs a grid whose shape has been checked. */
void run_grid(const Launch &launch, const Call &call);

/* ---- host_api.cc
 * ----------------------------------------------------------------------------------- */

/* Says what is wrong, and makes the program fail in the end. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What every call does first: counts it, and says whether it is to fail. */
cudaError_t enter(const char *call);
cudaError_t fail(cudaError_t error);     /* remembers it for cudaGetLastError() */
void break_context(cudaError_t error);   /* a kernel failed: every call fails from now on */
cudaError_t outcome();                   /* of the kernels that have run */
void check_launches(const char *waiter); /* whose errors must have been looked at by now */
extern int devices;

/* ---- memory.cc
 * ------------------------------------------------------------------------------------- */

extern size_t device_memory, allocated; /* bytes of the device, of them in use */
void forget_memory();

/* ---- stream.cc
 * ------------------------------------------------------------------------------------- */

void enqueue(cudaStream_t stream, std::function<void()> work);
void drain(cudaStream_t stream);
void drain_blocking(); /* the default stream and those that wait for it */
void drain_all();
void forget_work();
bool work_pending();

/* ---- race.cc, linked into one of the builds only
 * --------------------------------------------------- */

#define SIMT_WEAK __attribute__((weak))
SIMT_WEAK void race_grid(const Launch &launch, const Call &call);
SIMT_WEAK void race_block(char *fixed, size_t fixed_size, char *dynamic, size_t dynamic_size);
SIMT_WEAK void race_barrier();
SIMT_WEAK void race_collective(int warp, unsigned lanes);
SIMT_WEAK void race_allocate(char *begin, size_t size);
SIMT_WEAK void race_free(char *begin);
SIMT_WEAK void race_written(const char *begin, size_t size); /* by the host */
SIMT_WEAK bool race_is_written(const char *begin, size_t size);
SIMT_WEAK void race_forget(); /* what has been reported */

} // namespace simt

#endif
