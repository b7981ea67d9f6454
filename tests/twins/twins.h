/* What the twin tests share. A twin test runs each operation on two backends, the CPU and the CUDA
   plug-in that ROPETOOL_CUDA_PLUGIN names (a real device's, or the simulator's), and compares both
   with the oracle. Each comparison is recorded under a label; the end of the program prints, for
   every label and backend, the largest error and the share of its bound that it takes. */
#ifndef ROPETOOL_TESTS_TWINS_TWINS_H
#define ROPETOOL_TESTS_TWINS_TWINS_H

#include "tests/oracle/harness.h"

enum { TWINS = 2 };
extern struct backend *twin[TWINS];
extern const char *const twin_name[TWINS]; /* "cpu", "cuda" */
extern struct error error;

/* Opens both backends, runs the tests and prints the record; a program's exit status. */
int twins_run(const struct CMUnitTest *tests, size_t count);
#define twins_main(tests) twins_run((tests), COUNT_OF(tests))

/* |value − expected| <= bound, both NaN, or both the same infinity; else the test fails. */
void twins_compare(const char *label, size_t which, double value, double expected, double bound);

/* Whether a part of the cases will do: under checks that are slow, and do not look at the numbers.
 */
bool twins_brief(void);

/* Makes the device smaller than it is; 0: as it is. */
void twins_limit(size_t memory_bytes, size_t blocks);

/* Runs the operation on the plug-in once for every call of the CUDA runtime that it makes, and lets
   that call fail: every time it must fail with a message of its own and leave no device memory
   behind. Skips the test where the plug-in is not the simulator's. */
void twins_inject(int (*operation)(void));

#endif
