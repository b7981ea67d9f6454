/* What the race check is told of accesses: by race_hooks.cc, for the compiler. */
#ifndef ROPETOOL_SIMT_RACE_H
#define ROPETOOL_SIMT_RACE_H

#include <cstddef>

namespace simt {

enum {
  access_read = 1,
  access_write = 2,
  access_strong = 4,  /* atomic or volatile */
  access_aligned = 8, /* as the type asks: to its size */
};
void race_access(const void *address, size_t size, unsigned what, const void *caller);

} // namespace simt

#endif
