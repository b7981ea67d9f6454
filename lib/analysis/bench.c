#include "lib/analysis/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/analysis/bench_operation.h"
#include "lib/base/memory.h"
#include "lib/base/thread.h"

static const struct bench_operation *const operations[] = {
    &bench_decay_bound,   &bench_cosine_sum,     &bench_cosine_range,
    &bench_phase_map,     &bench_rotate_halves,  &bench_rotate_interleaved,
    &bench_gaussian,      &bench_scores_max,     &bench_scores_causal_softmax,
    &bench_scores_mean,   &bench_scores_profile, &bench_scores_sums,
    &bench_profile_tiles, &bench_quantiles,      &bench_multiply_add,
    &bench_roots,         &bench_copy,           &bench_product,
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

const char *bench_name_at(size_t index) {
  return index < OPERATIONS ? operations[index]->name : NULL;
}

static const char *const limit_names[] = {
    [LIMIT_MULTIPLY_ADD] = "multiply_add",
    [LIMIT_ROOT] = "roots",
    [LIMIT_COPY] = "copy",
    [LIMIT_PRODUCT] = "product",
};

enum {
  OPERATION,
  PRECISION,
  SHAPE,
  DEVICE,
  THREADS,
  RUNS,
  SECONDS_MEDIAN,
  SECONDS_MIN,
  SECONDS_MAX,
  ELEMENTS,
  ELEMENTS_PER_SECOND,
  LIMIT,
  LIMIT_PER_SECOND,
  SHARE,
  WORKING_MEMORY,
};

static int add_columns(struct table *table, struct error *error) {
  static const struct {
    const char *name;
    enum column_kind kind;
  } columns[] = {
      [OPERATION] = {"operation", COLUMN_TEXT},
      [PRECISION] = {"precision", COLUMN_TEXT},
      [SHAPE] = {"shape", COLUMN_TEXT},
      [DEVICE] = {"device", COLUMN_TEXT},
      [THREADS] = {"threads", COLUMN_INTEGER},
      [RUNS] = {"runs", COLUMN_INTEGER},
      [SECONDS_MEDIAN] = {"seconds_median", COLUMN_REAL},
      [SECONDS_MIN] = {"seconds_min", COLUMN_REAL},
      [SECONDS_MAX] = {"seconds_max", COLUMN_REAL},
      [ELEMENTS] = {"elements", COLUMN_INTEGER},
      [ELEMENTS_PER_SECOND] = {"elements_per_second", COLUMN_REAL},
      [LIMIT] = {"limit", COLUMN_TEXT},
      [LIMIT_PER_SECOND] = {"limit_per_second", COLUMN_REAL},
      [SHARE] = {"share", COLUMN_REAL},
      [WORKING_MEMORY] = {"working_memory", COLUMN_REAL},
  };
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    if (table_add_column(table, columns[i].name, columns[i].kind, error) < 0) return error->code;
  return OK;
}

/* Times of pairs in seconds: the operation, what it is held against, and the ratio of both. */
struct pairs {
  size_t count;
  double *operation, *limit, *share;
};

/* What is timed in turn. The second of a pair is the limit, or the operation on one thread. */
struct contest {
  const struct bench_request *request;
  const struct bench_operation *operation;
  struct bench_work *work;
  bool against_one_thread;
  double working_memory;
};

/* On one thread of the CPU the processor's time, so that other programs disturb little; else the
   clock's. */
static double seconds(const struct contest *contest) {
  const bool alone =
      contest->request->threads == 1 && !strcmp(backend_name(contest->work->backend), "cpu");
  struct timespec now;
  clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By the clock, or by the device's own where that was read. */
static int time_call(const struct contest *contest,
                     int (*call)(struct bench_work *work, struct error *error), double *time,
                     struct error *error) {
  struct bench_work *work = contest->work;
  work->device_seconds = NAN;
  const double start = seconds(contest);
  const int status = call(work, error);
  *time = isnan(work->device_seconds) ? seconds(contest) - start : work->device_seconds;
  return status;
}

static int time_operation(const struct contest *contest, double *time, struct error *error) {
  return time_call(contest, contest->operation->run, time, error);
}

static int run_limit(struct bench_work *work, struct error *error) {
  return bench_limit_run(work, &work->limit, error);
}

static int time_limit(const struct contest *contest, double *time, struct error *error) {
  int status = OK;
  *time = NAN;
  if (contest->against_one_thread) {
    thread_use(1);
    status = time_operation(contest, time, error);
    thread_use(contest->request->threads);
  } else if (contest->work->limited) {
    status = time_call(contest, run_limit, time, error);
  }
  return status;
}

/* What only the first run does (pages, threads, the library's own buffers) is not measured. */
static int warm_up(struct contest *contest, struct error *error) {
  double unused;
  if (time_operation(contest, &unused, error)) return error->code;
  const double start = bench_memory_start();
  if (time_operation(contest, &unused, error)) return error->code;
  contest->working_memory = bench_memory_peak(start);
  return time_limit(contest, &unused, error);
}

static int time_pairs(const struct contest *contest, struct pairs *pairs, struct error *error) {
  for (size_t r = 0; r < pairs->count; r++) {
    if (time_operation(contest, &pairs->operation[r], error)) return error->code;
    if (time_limit(contest, &pairs->limit[r], error)) return error->code;
    pairs->share[r] = pairs->limit[r] / pairs->operation[r];
  }
  return OK;
}

static int compare_reals(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Sorts. */
static double median(double *value, size_t count) {
  qsort(value, count, sizeof *value, compare_reals);
  return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

static int add_row(struct table *table, const struct contest *contest, struct pairs *pairs,
                   struct error *error) {
  const struct bench_work *work = contest->work;
  const struct bench_operation *operation = contest->operation;
  const char *limit = contest->against_one_thread ? "one thread"
                      : work->limited             ? limit_names[work->limit.limit]
                                                  : NULL;
  const double time = median(pairs->operation, pairs->count);
  const size_t row = table_rows(table);
  if (table_add_rows(table, 1, error)) return error->code;
  table_set_integer(table, row, THREADS, contest->request->threads);
  table_set_integer(table, row, RUNS, (int64_t)pairs->count);
  table_set_real(table, row, SECONDS_MEDIAN, time);
  table_set_real(table, row, SECONDS_MIN, pairs->operation[0]);
  table_set_real(table, row, SECONDS_MAX, pairs->operation[pairs->count - 1]);
  table_set_integer(table, row, ELEMENTS, (int64_t)work->elements);
  table_set_real(table, row, ELEMENTS_PER_SECOND, (double)work->elements / time);
  table_set_real(table, row, LIMIT_PER_SECOND,
                 (double)work->elements / median(pairs->limit, pairs->count));
  table_set_real(table, row, SHARE, median(pairs->share, pairs->count));
  table_set_real(table, row, WORKING_MEMORY, contest->working_memory);
  if (!isnan(work->device_seconds)) meta_set_text(table_meta(table), "limits", "the device alone");
  const char *precision = operation->precisions ? precision_name(work->precision) : NULL;
  if (table_set_text(table, row, OPERATION, operation->name, error)) return error->code;
  if (table_set_text(table, row, PRECISION, precision, error)) return error->code;
  if (table_set_text(table, row, SHAPE, work->shape, error)) return error->code;
  if (table_set_text(table, row, DEVICE, backend_name(work->backend), error)) return error->code;
  return table_set_text(table, row, LIMIT, limit, error);
}

static int measure_contest(struct contest *contest, struct table *table, struct error *error) {
  const size_t runs = contest->request->runs;
  double *times = memory_array(runs, 3 * sizeof *times, "the times of a measurement", error);
  if (!times) return error->code;
  struct pairs pairs = {runs, times, times + runs, times + 2 * runs};
  int status = warm_up(contest, error);
  if (!status) status = time_pairs(contest, &pairs, error);
  if (!status) status = add_row(table, contest, &pairs, error);
  free(times);
  return status;
}

static int measure(const struct bench_request *request, const struct bench_operation *operation,
                   enum precision precision, struct table *table, struct error *error) {
  const bool limits = backend_has_limits(request->backend);
  struct bench_work work = {
      .backend = request->backend, .precision = precision, .quick = request->quick};
  if (operation->is_limit && !limits) return OK;
  int status = operation->prepare(&work, error);
  work.limited = work.limited && limits;
  struct contest contest = {.request = request, .operation = operation, .work = &work};
  if (!status) status = measure_contest(&contest, table, error);
  contest.against_one_thread = true;
  if (!status && request->threads > 1) status = measure_contest(&contest, table, error);
  for (size_t a = 0; a < work.arrays; a++)
    free(work.array[a]);
  return status ? error_prefix(error, "'%s'", operation->name) : OK;
}

/* Whether `word`, of `length` characters, is the operation's name or its beginning up to a '_'. */
static bool is_called(const struct bench_operation *operation, const char *word, size_t length) {
  const char *name = operation->name;
  return length && !strncmp(name, word, length) && (name[length] == '\0' || name[length] == '_');
}

static bool is_wanted(const struct bench_operation *operation, const char *list) {
  while (list) {
    const size_t length = strcspn(list, ",");
    if (is_called(operation, list, length)) return true;
    list = list[length] ? list + length + 1 : NULL;
  }
  return false;
}

static int unknown_operation(const char *word, size_t length, struct error *error) {
  char names[512] = "";
  for (size_t i = 0; i < OPERATIONS; i++) {
    strncat(names, i ? ", " : "", sizeof names - strlen(names) - 1);
    strncat(names, operations[i]->name, sizeof names - strlen(names) - 1);
  }
  return error_set(error, ERROR_INPUT, "unknown operation '%.*s': one of %s, or a first word",
                   (int)length, word, names);
}

static int check_names(const char *list, struct error *error) {
  while (list) {
    const size_t length = strcspn(list, ",");
    bool known = false;
    for (size_t i = 0; i < OPERATIONS; i++)
      known |= is_called(operations[i], list, length);
    if (!known) return unknown_operation(list, length, error);
    list = list[length] ? list + length + 1 : NULL;
  }
  return OK;
}

static int measure_all(const struct bench_request *request, struct table *table,
                       struct error *error) {
  for (size_t i = 0; i < OPERATIONS; i++) {
    if (request->operations && !is_wanted(operations[i], request->operations)) continue;
    const unsigned precisions = operations[i]->precisions ? operations[i]->precisions : BENCH_FP64;
    for (int precision = 0; precision < PRECISION_COUNT; precision++)
      if (precisions >> precision & 1 &&
          measure(request, operations[i], (enum precision)precision, table, error))
        return error->code;
  }
  return OK;
}

int bench_run(const struct bench_request *request, struct table **result, struct error *error) {
  *result = NULL;
  if (check_names(request->operations, error)) return error->code;
  struct table *table = table_create(error);
  if (!table) return error->code;
  thread_use(request->threads);
  if (add_columns(table, error) || measure_all(request, table, error)) {
    table_destroy(table);
    return error->code;
  }
  struct meta *meta = table_meta(table);
  meta_set_text(meta, "backend", backend_name(request->backend));
  meta_set_text(meta, "blas", backend_blas());
  meta_set_text(meta, "compiler", __VERSION__);
  *result = table;
  return OK;
}
