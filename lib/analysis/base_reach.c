#include "lib/analysis/base_reach.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/progress.h"

enum { DIM, BASE, REACH };

int base_first_negative(struct backend *backend, const struct base_probe *probe, int64_t *first,
                        struct error *error) {
  const size_t pairs = (size_t)probe->dim / 2;
  uint64_t *step =
      memory_array(probe->count, pairs * sizeof *step, "the frequencies of the bases", error);
  if (!step) return ERROR_FAILED;
  for (size_t b = 0; b < probe->count; b++)
    for (size_t i = 0; i < pairs; i++)
      step[b * pairs + i] = phase_step(powl(probe->base[b], -(long double)i / (long double)pairs));
  const struct cosine_sum_batch batch = {
      .phases = {.series = probe->count, .pairs = pairs, .step = step},
      .step = 1,
      .count = (size_t)probe->distances,
      .stop_at_negative = true,
      .first_negative = first};
  const int status = backend_cosine_sum(backend, &batch, error);
  free(step);
  return status;
}

/* One dim: what is known of its contexts, and its bases. */
struct reach {
  const struct base_request *request;
  size_t index; /* of the dim */
  int64_t limit;
  struct base_answer *answer; /* (context) */
  double *base;               /* (base) */
  int64_t *first;             /* (base) first negative distance */
};

static void place_bases(const struct reach *reach) {
  const size_t points = reach->request->points;
  const struct base_answer *longest = &reach->answer[reach->request->contexts - 1];
  const double safe = isnan(longest->safe.base) ? 1 : longest->safe.base;
  const double low = log(fmax(1, reach->answer[0].first.base / 2)), high = log(2 * safe);
  for (size_t b = 0; b < points; b++)
    reach->base[b] = exp(low + (high - low) * ((double)b / (double)(points - 1)));
}

static void fill_rows(const struct reach *reach, struct table *table) {
  const size_t points = reach->request->points;
  for (size_t b = 0; b < points; b++) {
    const size_t row = reach->index * points + b;
    table_set_integer(table, row, DIM, reach->request->dim[reach->index]);
    table_set_real(table, row, BASE, reach->base[b]);
    table_set_integer(table, row, REACH, reach->first[b] < 0 ? reach->limit : reach->first[b]);
  }
}

static void describe(const struct reach *reach, struct meta *meta) {
  for (size_t c = 0; c < reach->request->contexts; c++) {
    const struct base_answer *answer = &reach->answer[c];
    struct meta *own = meta_append_object(meta, "answers");
    int64_t between = 0, enough = 0;
    for (size_t b = 0; b < reach->request->points; b++) {
      if (!(reach->base[b] > answer->first.base && reach->base[b] < answer->safe.base)) continue;
      between++;
      enough += reach->first[b] < 0 || reach->first[b] >= reach->request->context[c];
    }
    meta_set_integer(own, "dim", reach->request->dim[reach->index]);
    meta_set_integer(own, "context", reach->request->context[c]);
    meta_set_real(own, "first_base", answer->first.base);
    meta_set_real(own, "safe_base", answer->safe.base);
    meta_set_integer(own, "between", between);
    meta_set_integer(own, "enough", enough);
  }
}

static int scan(struct backend *backend, struct reach *reach, struct table *table,
                struct error *error) {
  const struct base_request *request = reach->request;
  const size_t of_dim = 2 * request->contexts + 1, part = reach->index * of_dim,
               parts = request->dims * of_dim;
  const struct base_problem problem = {.dim = (size_t)request->dim[reach->index],
                                       .context = request->context,
                                       .contexts = request->contexts,
                                       .part = part,
                                       .parts = parts};
  if (base_search(backend, &problem, reach->answer, error)) return error->code;
  place_bases(reach);
  progress_part(part + of_dim - 1, parts);
  const struct base_probe probe = {.dim = request->dim[reach->index],
                                   .base = reach->base,
                                   .count = request->points,
                                   .distances = reach->limit};
  if (base_first_negative(backend, &probe, reach->first, error)) return error->code;
  fill_rows(reach, table);
  describe(reach, table_meta(table));
  return OK;
}

static int scan_dims(struct backend *backend, const struct base_request *request,
                     struct table *table, struct error *error) {
  const char *what = "the bases of a scan";
  struct reach reach = {.request = request,
                        .limit = 2 * request->context[request->contexts - 1],
                        .answer =
                            memory_array(request->contexts, sizeof *reach.answer, what, error),
                        .base = memory_array(request->points, sizeof *reach.base, what, error),
                        .first = memory_array(request->points, sizeof *reach.first, what, error)};
  int status = reach.answer && reach.base && reach.first ? OK : ERROR_FAILED;
  meta_set_integer(table_meta(table), "reach_limit", reach.limit);
  for (; reach.index < request->dims && !status; reach.index++)
    status = scan(backend, &reach, table, error);
  progress_part(1, 1);
  free(reach.answer);
  free(reach.base);
  free(reach.first);
  return status;
}

int base_reach_run(struct backend *backend, const struct base_request *request,
                   struct table **table, struct error *error) {
  *table = NULL;
  if (base_check(request, error)) return error->code;
  if (request->points < 2)
    return error_set(error, ERROR_INPUT, "%zu bases are too few: at least 2 are needed",
                     request->points);
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  const bool ready = table_add_column(made, "dim", COLUMN_INTEGER, error) >= 0 &&
                     table_add_column(made, "base", COLUMN_REAL, error) >= 0 &&
                     table_add_column(made, "reach", COLUMN_INTEGER, error) >= 0 &&
                     !table_add_rows(made, request->dims * request->points, error);
  const int status = ready ? scan_dims(backend, request, made, error) : ERROR_FAILED;
  if (status)
    table_destroy(made);
  else
    *table = made;
  return status;
}
