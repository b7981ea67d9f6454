/* The rate of the rotation of a tensor against its limit: memcpy of the same bytes.

     bench_rotate [BATCH LENGTH HEADS DIM]     default 4 1024 32 128; one thread, best of 25

   prints a line for each element type and layout: what, GB/s read and written, ratio to memcpy. The
   tables are made anew each time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/backend.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"

enum { REPEATS = 25 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct work {
  struct backend *backend;
  struct rotate_batch batch;
  size_t count, bytes;
  void *input, *output;
};

/* Best times of the copy and of the rotation, taken in turn so that both see the same machine. */
static int time_both(struct work *work, double *copy, double *rotation, struct error *error) {
  *copy = *rotation = INFINITY;
  for (int r = 0; r < REPEATS; r++) {
    double start = seconds();
    memcpy(work->output, work->input, work->bytes);
    *copy = fmin(*copy, seconds() - start);
    start = seconds();
    if (backend_rotate(work->backend, &work->batch, error)) return error->code;
    *rotation = fmin(*rotation, seconds() - start);
  }
  return OK;
}

static int run(struct work *work, struct error *error) {
  struct rotate_batch *batch = &work->batch;
  work->bytes = work->count * storage_size(batch->storage);
  double *value = memory_array(work->count, sizeof *value, "the values", error);
  if (!value) return error->code;
  for (size_t i = 0; i < work->count; i++)
    value[i] = (double)(i % 977) / 977 - 0.5;
  storage_store(batch->storage, value, work->count, work->input);
  free(value);
  memset(work->output, 0, work->bytes);
  for (int layout = LAYOUT_INTERLEAVED; layout <= LAYOUT_HALVES; layout++) {
    double copy, rotation;
    batch->layout = (enum layout)layout;
    if (time_both(work, &copy, &rotation, error)) return error->code;
    printf("rotate %-4s %-11s  %6.2f GB/s  %.3f of memcpy (%.2f GB/s)\n",
           storage_name(batch->storage), layout_name(batch->layout),
           2e-9 * (double)work->bytes / rotation, copy / rotation,
           2e-9 * (double)work->bytes / copy);
  }
  return OK;
}

int main(int argc, char **argv) {
  size_t shape[4] = {4, 1024, 32, 128};
  for (int i = 0; i < 4 && argc == 5; i++)
    shape[i] = strtoul(argv[i + 1], NULL, 10);
  const size_t length = shape[1], pairs = shape[3] / 2;
  struct error error = {OK, ""};
  struct work work = {.count = shape[0] * length * shape[2] * shape[3]};
  thread_use(1);
  if (!pairs || !work.count || backend_open("cpu", &work.backend, &error)) return 1;
  uint64_t *step = memory_array(pairs, sizeof *step, "steps", &error);
  int64_t *position = memory_array(length, sizeof *position, "positions", &error);
  work.input = memory_array(work.count, sizeof(double), "the input", &error);
  work.output = memory_array(work.count, sizeof(double), "the output", &error);
  for (size_t i = 0; !error.code && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  for (size_t m = 0; !error.code && m < length; m++)
    position[m] = (int64_t)m;
  work.batch = (struct rotate_batch){
      .phases = {.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64},
      .amplitude = 1,
      .batch = shape[0],
      .length = length,
      .heads = shape[2],
      .dim = shape[3],
      .position = position,
      .input = work.input,
      .output = work.output,
  };
  for (int storage = 0; !error.code && storage < STORAGE_REALS; storage++) {
    work.batch.storage = (enum storage)storage;
    run(&work, &error);
  }
  if (error.code) fprintf(stderr, "bench_rotate: %s\n", error.message);
  backend_close(work.backend);
  free(step);
  free(position);
  free(work.input);
  free(work.output);
  return (int)error.code;
}
