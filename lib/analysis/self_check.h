/* Whether a device computes right: a tiny batch of each operation of kernels/backend.h, held
   against its definition in long double, one number after another. It takes milliseconds. */
#ifndef ROPETOOL_ANALYSIS_SELF_CHECK_H
#define ROPETOOL_ANALYSIS_SELF_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/backend.h"

struct self_check_result {
  double error;     /* the largest; infinite where a number was expected and NaN came */
  double tolerance; /* what kernels/backend.h allows, with the definition's own roundings */
};

/* The names of the checks, NULL past the end: "decay_bound", "cosine_sum", ... */
const char *self_check_name(size_t index);

/* Whether the CUDA plug-in has that operation; it leaves the others to the CPU. */
bool self_check_on_gpu(size_t index);

/* Runs one. ERROR_FAILED when the device could not; a wrong result is an error beyond the
 * tolerance.
 */
int self_check_run(size_t index, struct backend *backend, struct self_check_result *result,
                   struct error *error);

#endif
