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

/* The distance behind `from` when `left` of them are to reach `last`, evenly in the logarithm from
   here on. Where such a step would be shorter than 1 it is 1, and the ratio of the steps behind it
   grows. Every one of them still finds a whole number of its own. */
static int64_t next_log_distance(int64_t from, int64_t last, uint64_t left) {
  if (from == 0) return left == 1 ? last : 1; /* 0 has no logarithm */
  const int64_t most = last - (int64_t)(left - 1);
  const long double ratio = logl((long double)last) - logl((long double)from);
  const long double exact = (long double)from * expl(ratio / (long double)left);
  if (left == 1 || exact >= (long double)most) return most;
  const int64_t next = (int64_t)roundl(exact);
  return next > from ? next : from + 1;
}

int decay_log_distances(int64_t first, int64_t last, size_t points, int64_t **distance,
                        size_t *count, struct error *error) {
  const int status = check_range(first, last, error);
  if (status) return status;
  if (points < 2)
    return error_set(error, ERROR_INPUT, "too few points '%zu' for a range of distances: 2 or more",
                     points);
  const uint64_t range = (uint64_t)last - (uint64_t)first + 1;
  const uint64_t total = points < range ? points : range;
  int64_t *list = create(total, error);
  if (!list) return ERROR_FAILED;
  list[0] = first;
  for (uint64_t i = 1; i < total; i++)
    list[i] = next_log_distance(list[i - 1], last, total - i);
  *distance = list;
  *count = (size_t)total;
  return OK;
}
