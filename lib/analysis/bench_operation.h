/* One measured operation: what it works on, how to run it, and what limits it. Each is a const
   struct in a file of its own; lib/analysis/bench.c lists them. */
#ifndef ROPETOOL_ANALYSIS_BENCH_OPERATION_H
#define ROPETOOL_ANALYSIS_BENCH_OPERATION_H

#include "kernels/backend.h"

struct bench_work {
  /* Given. */
  struct backend *backend;
  enum precision precision;
  bool quick;

  /* For an operation to fill. */
  char shape[64]; /* "length=4096 dim=128" */
  uint64_t elements;
  bool limited; /* `limit` is set */
  struct limit_batch limit;
  union {
    struct decay_batch decay_bound;
    struct cosine_sum_batch cosine_sum;
    struct cosine_range_batch cosine_range;
    struct phase_map_batch phase_map;
    struct rotate_batch rotate;
    struct gaussian_batch gaussian;
    struct score_batch scores;
    struct profile_batch profile_tiles;
    struct quantile_batch quantiles;
    struct limit_batch limit;
  } batch;
  struct phases phases;         /* what a batch may point to */
  struct score_profile profile; /* the same */

  /* See bench_array(). */
  void *array[16];
  size_t arrays;
  double result; /* of a limit */

  double device_seconds; /* of the last run, where the device times that itself; else NaN */
};

struct bench_operation {
  const char *name;
  unsigned precisions; /* BENCH_... */
  bool is_limit;       /* of a device that has some */
  int (*prepare)(struct bench_work *work, struct error *error);
  int (*run)(struct bench_work *work, struct error *error);
};

enum {
  BENCH_FP64 = 1 << PRECISION_FP64,
  BENCH_FP32 = 1 << PRECISION_FP32,
  BENCH_BF16 = 1 << PRECISION_BF16,
  BENCH_FP16 = 1 << PRECISION_FP16,
};

extern const struct bench_operation bench_decay_bound, bench_cosine_sum, bench_cosine_range,
    bench_phase_map, bench_rotate_interleaved, bench_rotate_halves, bench_gaussian,
    bench_scores_max, bench_scores_causal_softmax, bench_scores_mean, bench_scores_profile,
    bench_scores_sums, bench_profile_tiles, bench_quantiles, bench_multiply_add, bench_roots,
    bench_copy, bench_product;

/* What operations work on. Arrays are released with the work; NULL with the error filled. */
void *bench_array(struct bench_work *work, size_t count, size_t size, struct error *error);
/* Normal numbers; after some ten thousand they repeat. */
void *bench_normals(struct bench_work *work, enum storage storage, size_t count,
                    struct error *error);
/* 0, 1, 2, ... */
int64_t *bench_positions(struct bench_work *work, size_t count, struct error *error);
/* Base 10000, into work->phases. */
int bench_phases(struct bench_work *work, size_t pairs, struct error *error);

/* Runs a limit, and keeps what the device says it took. */
int bench_limit_run(struct bench_work *work, struct limit_batch *limit, struct error *error);

/* The limits that work is held against. */
void bench_limit_roots(struct bench_work *work, size_t count);
void bench_limit_multiply_add(struct bench_work *work, size_t count);
int bench_limit_copy(struct bench_work *work, size_t bytes, struct error *error);
/* work->limit has the extents of a product: makes its arrays. */
int bench_limit_product(struct bench_work *work, const struct limit_batch *extents,
                        struct error *error);

/* The most memory that this process held since the last start, beyond what it held then: bytes, or
   NaN where the system does not say. */
double bench_memory_start(void);
double bench_memory_peak(double start);

#endif
