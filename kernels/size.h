/* Products of array extents. */
#ifndef ROPETOOL_KERNELS_SIZE_H
#define ROPETOOL_KERNELS_SIZE_H

#include <stddef.h>
#include <stdint.h>

/* a · b, or SIZE_MAX when that does not fit: memory_array() then refuses it. */
static inline size_t size_product(size_t a, size_t b) {
  size_t product;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

#endif
