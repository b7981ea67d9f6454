#include "tests/simt/fiber.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/simt/simt.h"

#if !defined(SIMT_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define SIMT_UCONTEXT 1
#endif
#ifdef SIMT_UCONTEXT
#include <ucontext.h>
#endif

#ifdef SIMT_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace simt {

#ifdef SIMT_ADDRESS_SANITIZER
static const size_t stack_size = 256 << 10; /* red zones round every local */
#else
static const size_t stack_size = 64 << 10;
#endif

struct Fiber {
  void *stack_pointer = nullptr; /* while it does not run */
  char *stack = nullptr;         /* lowest address */
  size_t size = 0;
  void (*entry)() = nullptr;
#ifdef SIMT_UCONTEXT
  ucontext_t context;
#endif
};

/* Saves the registers that a callee must keep on the stack, swaps stacks, restores. */
#if defined(SIMT_UCONTEXT)
#elif defined(__x86_64__)
extern "C" void simt_swap(void **save, void *load);
__asm__(R"(
  .text
  .globl simt_swap
  .hidden simt_swap
  .type simt_swap,@function
simt_swap:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size simt_swap, .-simt_swap
)");
static const size_t saved_words = 7, return_word = 6, outer_words = 1;
#else
extern "C" void simt_swap(void **save, void *load);
__asm__(R"(
  .text
  .globl simt_swap
  .hidden simt_swap
  .type simt_swap,%function
simt_swap:
  stp d8, d9, [sp, #-160]!
  stp d10, d11, [sp, #16]
  stp d12, d13, [sp, #32]
  stp d14, d15, [sp, #48]
  stp x19, x20, [sp, #64]
  stp x21, x22, [sp, #80]
  stp x23, x24, [sp, #96]
  stp x25, x26, [sp, #112]
  stp x27, x28, [sp, #128]
  stp x29, x30, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp d10, d11, [sp, #16]
  ldp d12, d13, [sp, #32]
  ldp d14, d15, [sp, #48]
  ldp x19, x20, [sp, #64]
  ldp x21, x22, [sp, #80]
  ldp x23, x24, [sp, #96]
  ldp x25, x26, [sp, #112]
  ldp x27, x28, [sp, #128]
  ldp x29, x30, [sp, #144]
  ldp d8, d9, [sp], #160
  ret
  .size simt_swap, .-simt_swap
)");
static const size_t saved_words = 20, return_word = 19, outer_words = 0;
#endif

static Fiber *running = nullptr; /* nullptr: the host's */

static void start() {
#ifdef SIMT_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  running->entry();
  abort();
}

Fiber *fiber_host() {
  static Fiber *const host = new Fiber;
#ifdef SIMT_ADDRESS_SANITIZER
  pthread_attr_t attributes;
  void *lowest;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &lowest, &host->size);
  pthread_attr_destroy(&attributes);
  host->stack = (char *)lowest;
#endif
  return host;
}

Fiber *fiber_new(void (*entry)()) {
  const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = (char *)mmap(nullptr, guard + stack_size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE)) {
    perror("simt: stack of a thread");
    abort();
  }
  Fiber *fiber = new Fiber;
  fiber->stack = memory + guard;
  fiber->size = stack_size;
  fiber->entry = entry;
#ifdef SIMT_UCONTEXT
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = stack_size;
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, start, 0);
#else
  /* The frame that simt_swap() leaves; above it what a caller would have pushed, so that start()
     finds the stack aligned as after a call. */
  void **frame = (void **)(fiber->stack + stack_size) - outer_words - saved_words;
  frame[return_word] = (void *)start;
  fiber->stack_pointer = frame;
#endif
  return fiber;
}

Fiber *fiber_current() {
  return running ? running : fiber_host();
}

void fiber_switch(Fiber *to) {
  Fiber *const from = fiber_current();
  running = to;
#ifdef SIMT_ADDRESS_SANITIZER
  void *fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, to->stack, to->size);
#endif
#ifdef SIMT_UCONTEXT
  swapcontext(&from->context, &to->context);
#else
  simt_swap(&from->stack_pointer, to->stack_pointer);
#endif
#ifdef SIMT_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

bool fiber_owns(const Fiber *fiber, uintptr_t address) {
  return address - (uintptr_t)fiber->stack < fiber->size;
}

} // namespace simt
