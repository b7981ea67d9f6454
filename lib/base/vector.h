/* Loops that are compiled for more than one kind of processor. */
#ifndef ROPETOOL_BASE_VECTOR_H
#define ROPETOOL_BASE_VECTOR_H

/* One copy of a hot loop for each generation of x86-64 vectors; the right one is chosen at
   start-up. Products and sums are not fused (-ffp-contract=off), so every copy computes the same
   bits. */
#if defined(__x86_64__) && !defined(__clang__)
#define VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTOR_CLONES
#endif

#endif
