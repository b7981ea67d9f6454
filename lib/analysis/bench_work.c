/* What measured operations work on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/bench_operation.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"

void *bench_array(struct bench_work *work, size_t count, size_t size, struct error *error) {
  if (work->arrays == sizeof work->array / sizeof *work->array) {
    error_set(error, ERROR_FAILED, "cannot measure: more than %zu arrays", work->arrays);
    return NULL;
  }
  void *array = memory_array(count, size, "the arrays of a measurement", error);
  work->array[work->arrays] = array;
  if (array) work->arrays++;
  return array;
}

void *bench_normals(struct bench_work *work, enum storage storage, size_t count,
                    struct error *error) {
  enum { PERIOD = 1 << 16 };
  const size_t size = storage_size(storage), drawn = count < PERIOD ? count : PERIOD;
  char *array = bench_array(work, count, size, error);
  double *normal = memory_array(drawn, sizeof *normal, "the arrays of a measurement", error);
  const struct gaussian_batch batch = {.seed = 1, .count = drawn, .output = normal};
  if (array && normal && !backend_gaussian(work->backend, &batch, error))
    for (size_t first = 0; first < count; first += PERIOD) {
      const size_t left = count - first;
      storage_store(storage, normal, left < PERIOD ? left : PERIOD, array + first * size);
    }
  else
    array = NULL;
  free(normal);
  return array;
}

int64_t *bench_positions(struct bench_work *work, size_t count, struct error *error) {
  int64_t *position = bench_array(work, count, sizeof *position, error);
  for (size_t m = 0; position && m < count; m++)
    position[m] = (int64_t)m;
  return position;
}

int bench_phases(struct bench_work *work, size_t pairs, struct error *error) {
  uint64_t *step = bench_array(work, pairs, sizeof *step, error);
  for (size_t i = 0; step && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  work->phases = (struct phases){.series = 1, .pairs = pairs, .step = step};
  return step ? OK : ERROR_FAILED;
}

static bool is_single(const struct bench_work *work) {
  return work->precision != PRECISION_FP64;
}

int bench_limit_run(struct bench_work *work, struct limit_batch *limit, struct error *error) {
  limit->seconds = &work->device_seconds;
  return backend_limit(work->backend, limit, error);
}

void bench_limit_roots(struct bench_work *work, size_t count) {
  work->limit = (struct limit_batch){
      .limit = LIMIT_ROOT, .single = is_single(work), .count = count, .result = &work->result};
  work->limited = true;
}

void bench_limit_multiply_add(struct bench_work *work, size_t count) {
  work->limit = (struct limit_batch){.limit = LIMIT_MULTIPLY_ADD,
                                     .single = is_single(work),
                                     .count = count,
                                     .result = &work->result};
  work->limited = true;
}

int bench_limit_copy(struct bench_work *work, size_t bytes, struct error *error) {
  char *from = bench_array(work, bytes, 1, error);
  char *to = from ? bench_array(work, bytes, 1, error) : NULL;
  if (!to) return error->code;
  memset(from, 1, bytes); /* pages that were never written all share one */
  work->limit =
      (struct limit_batch){.limit = LIMIT_COPY, .count = bytes, .left = from, .output = to};
  work->limited = true;
  return OK;
}

int bench_limit_product(struct bench_work *work, const struct limit_batch *extents,
                        struct error *error) {
  const enum storage storage = is_single(work) ? STORAGE_F32 : STORAGE_F64;
  struct limit_batch *limit = &work->limit;
  *limit = *extents;
  limit->limit = LIMIT_PRODUCT;
  limit->single = is_single(work);
  limit->left = bench_normals(work, storage, limit->count * limit->rows * limit->inner, error);
  if (!limit->left) return error->code;
  limit->right = bench_normals(work, storage, limit->count * limit->columns * limit->inner, error);
  if (!limit->right) return error->code;
  limit->output = bench_array(work, limit->rows * limit->columns, storage_size(storage), error);
  work->limited = true;
  return limit->output ? OK : error->code;
}
