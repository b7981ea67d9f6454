/* The table of operations behind the door: one for the CPU, one exported by each GPU plug-in.

   A table serves one device per process and keeps that device's state itself. Batches arrive
   checked (kernels/check.h), with host pointers. */
#ifndef ROPETOOL_KERNELS_OPERATIONS_H
#define ROPETOOL_KERNELS_OPERATIONS_H

#include <stdint.h>

#include "kernels/backend.h"

/* Goes up whenever this table or a batch struct of backend.h changes. */
#define OPERATIONS_ABI 9u

/* What an operation of a plug-in returns for a batch that it leaves to the CPU, untouched; likewise
   an operation may be NULL. */
#define OPERATION_DECLINED (-1)

struct backend_operations {
  uint32_t abi;  /* OPERATIONS_ABI of the header it was compiled with */
  uint32_t size; /* sizeof(struct backend_operations) there */
  int (*open)(int index, struct error *error); /* of several devices; −1: the one in use */
  void (*close)(void);
  const char *(*name)(void); /* "cpu", or the GPU's name; valid while open */
  /* Looks from the driver on: versions, devices, cuBLAS, and the state; may be NULL. */
  int (*survey)(struct cuda_survey *survey, struct error *error);
  int (*decay_bound)(const struct decay_batch *batch, struct error *error);
  int (*cosine_sum)(const struct cosine_sum_batch *batch, struct error *error);
  int (*cosine_range)(const struct cosine_range_batch *batch, struct error *error);
  int (*phase_map)(const struct phase_map_batch *batch, struct error *error);
  int (*rotate)(const struct rotate_batch *batch, struct error *error);
  int (*gaussian)(const struct gaussian_batch *batch, struct error *error);
  int (*scores)(const struct score_batch *batch, struct error *error);
  int (*profile_tiles)(const struct profile_batch *batch, struct error *error);
  int (*quantiles)(const struct quantile_batch *batch, struct error *error);
  int (*limit)(const struct limit_batch *batch, struct error *error);
};

extern const struct backend_operations cpu_operations;

#endif
