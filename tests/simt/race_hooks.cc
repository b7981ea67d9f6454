/* What the compiler calls when it is told -fsanitize=thread: the race check takes the place of the
   sanitizer's own library. An entry point that is missing here fails when the program is linked. */
#include <cstdint>
#include <cstring>

#include "tests/simt/race.h"

using namespace simt;

#define CALLER __builtin_return_address(0)
#define ACCESS(name, size, what)                                                                   \
  void __tsan_##name##size(void *address) {                                                        \
    race_access(address, size, what, CALLER);                                                      \
  }
#define ACCESSES(size)                                                                             \
  ACCESS(read, size, access_read | access_aligned)                                                 \
  ACCESS(write, size, access_write | access_aligned)                                               \
  ACCESS(volatile_read, size, access_read | access_aligned | access_strong)                        \
  ACCESS(volatile_write, size, access_write | access_aligned | access_strong)                      \
  ACCESS(unaligned_read, size, access_read)                                                        \
  ACCESS(unaligned_write, size, access_write)                                                      \
  ACCESS(unaligned_volatile_read, size, access_read | access_strong)                               \
  ACCESS(unaligned_volatile_write, size, access_write | access_strong)

/* Atomics of C++, which the host's side may use: done as they are. */
#define FETCH(bits, operation)                                                                     \
  uint##bits##_t __tsan_atomic##bits##_fetch_##operation(volatile uint##bits##_t *address,         \
                                                         uint##bits##_t value, int) {              \
    return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);                           \
  }
#define EXCHANGE_IF(bits, strength, weak)                                                          \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile uint##bits##_t *address,          \
                                                        uint##bits##_t *expected,                  \
                                                        uint##bits##_t value, int, int) {          \
    return __atomic_compare_exchange_n(address, expected, value, weak, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                          \
  }
#define ATOMICS(bits)                                                                              \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *address, int) {         \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t *address, uint##bits##_t value, int) {  \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *address,                  \
                                                uint##bits##_t value, int) {                       \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                                \
  FETCH(bits, add)                                                                                 \
  FETCH(bits, sub)                                                                                 \
  FETCH(bits, and)                                                                                 \
  FETCH(bits, or)                                                                                  \
  FETCH(bits, xor)                                                                                 \
  EXCHANGE_IF(bits, strong, false)                                                                 \
  EXCHANGE_IF(bits, weak, true)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *address, size_t size) {
  race_access(address, size, access_read, CALLER);
}
void __tsan_write_range(void *address, size_t size) {
  race_access(address, size, access_write, CALLER);
}
void *__tsan_memcpy(void *to, const void *from, size_t size) {
  race_access(from, size, access_read, CALLER);
  race_access(to, size, access_write, CALLER);
  return memcpy(to, from, size);
}
void *__tsan_memmove(void *to, const void *from, size_t size) {
  race_access(from, size, access_read, CALLER);
  race_access(to, size, access_write, CALLER);
  return memmove(to, from, size);
}
void *__tsan_memset(void *to, int value, size_t size) {
  race_access(to, size, access_write, CALLER);
  return memset(to, value, size);
}

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

} // extern "C"
