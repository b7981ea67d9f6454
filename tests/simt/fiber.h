/* Fibers: stacks that one host thread leaves and comes back to. */
#ifndef ROPETOOL_SIMT_FIBER_H
#define ROPETOOL_SIMT_FIBER_H

#include <cstdint>

namespace simt {

struct Fiber;

Fiber *fiber_host();               /* the stack that the program came with */
Fiber *fiber_current();            /* the one that runs */
Fiber *fiber_new(void (*entry)()); /* `entry` never returns; a fiber is never freed */
void fiber_switch(Fiber *to);

/* Whether the address lies on its stack. */
bool fiber_owns(const Fiber *fiber, uintptr_t address);

} // namespace simt

#endif
