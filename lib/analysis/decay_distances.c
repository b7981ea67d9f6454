/* Which distances: evenly spaced, or evenly spaced in the logarithm. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/decay.h"
#include "lib/base/memory.h"

static int check_range(int64_t first, int64_t last, struct error *error) {
  if (first < 0)
    return error_set(error, ERROR_INPUT, "negative distance '%" PRId64 "': 0 or more", first);
  if (last < first)
    return error_set(error, ERROR_INPUT,
                     "empty range of distances '%" PRId64 ":%" PRId64
                     "': the end is before the start",
                     first, last);
  return OK;
}

static int64_t *create(uint64_t count, struct error *error) {
  if (count > SIZE_MAX) count = SIZE_MAX;
  return memory_array((size_t)count, sizeof(int64_t), "the list of distances", error);
}

int decay_linear_distances(int64_t first, int64_t last, int64_t step, int64_t **distance,
                           size_t *count, struct error *error) {
  const int status = check_range(first, last, error);
  if (status) return status;
  if (step < 1)
    return error_set(error, ERROR_INPUT, "step '%" PRId64 "' between distances: 1 or more", step);
  const uint64_t total = (uint64_t)((last - first) / step) + 1;
  int64_t *list = create(total, error);
  if (!list) return ERROR_FAILED;
  for (uint64_t i = 0; i < total; i++)
    list[i] = first + (int64_t)i * step;
  *distance = list;
  *count = (size_t)total;
  return OK;
}

int decay_log_distances(int64_t first, int64_t last, size_t points, int64_t **distance,
                        size_t *count, struct error *error) {
  const int status = check_range(first, last, error);
  if (status) return status;
  if (points < 2)
    return error_set(error, ERROR_INPUT, "too few points '%zu' for a range of distances: 2 or more",
                     points);
  const int64_t start = first ? first : 1; /* the first distance that has a logarithm */
  if (last <= start) return decay_linear_distances(first, last, 1, distance, count, error);
  const size_t steps = points - 1 - (first == 0);
  const long double ratio = logl((long double)last) - logl((long double)start);
  /* The widest gap is the last one; when it is under 1, no whole distance is left out. */
  if ((long double)steps > (long double)last * ratio)
    return decay_linear_distances(first, last, 1, distance, count, error);
  int64_t *list = create(points, error);
  if (!list) return ERROR_FAILED;
  size_t used = 0;
  if (first == 0) list[used++] = 0;
  for (size_t i = 0; i <= steps; i++) {
    const long double share = steps ? (long double)i / (long double)steps : 1;
    const long double exact = (long double)start * expl(ratio * share);
    int64_t next = i == steps ? last : (int64_t)roundl(exact);
    if (next > last) next = last;
    if (!used || next > list[used - 1]) list[used++] = next;
  }
  *distance = list;
  *count = used;
  return OK;
}
