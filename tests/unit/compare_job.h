/* Comparisons for tests. */
#ifndef ROPETOOL_TESTS_COMPARE_JOB_H
#define ROPETOOL_TESTS_COMPARE_JOB_H

#include "tests/unit/encodings.h"

#include "lib/analysis/compare.h"
#include "lib/analysis/metrics.h"
#include "lib/base/thread.h"

enum { MOST = 8 };

/* A comparison and what it holds. */
struct job {
  struct backend *backend;
  const struct encoding *encoding[MOST];
  struct spectrum *spectrum;
  struct compare_request request;
  struct compare_result result;
};

static inline struct job job_of(struct backend *backend, const char *names, size_t dim,
                                size_t length, enum content_kind content) {
  struct job job = {.backend = backend, .spectrum = plain_spectrum(dim, 10000)};
  char list[128], *rest = list;
  snprintf(list, sizeof list, "%s", names);
  for (char *name; (name = strsep(&rest, ","));)
    job.encoding[job.request.encodings++] = encoding_of(name);
  const size_t encodings = job.request.encodings;
  job.request = (struct compare_request){.encodings = encodings,
                                         .spectrum = job.spectrum,
                                         .length = length,
                                         .width = dim,
                                         .batch = 4,
                                         .content = {.kind = content},
                                         .seed = 1,
                                         .cells = 64};
  return job;
}

static inline void run(struct job *job) {
  struct error error;
  job->request.encoding = job->encoding;
  if (compare_run(job->backend, &job->request, &job->result, &error)) fail_msg("%s", error.message);
}

static inline void release(struct job *job) {
  compare_result_release(&job->result);
  spectrum_destroy(job->spectrum);
}

static inline void assert_fails(struct job *job, const char *part) {
  struct error error;
  job->request.encoding = job->encoding;
  assert_int_equal(compare_run(job->backend, &job->request, &job->result, &error), ERROR_INPUT);
  assert_message(error, part);
  assert_null(job->result.metrics);
  release(job);
}

static inline size_t row_of(const struct job *job, const char *encoding, enum metric metric) {
  const struct table *table = job->result.metrics;
  for (size_t row = 0; row < table_rows(table); row++)
    if (!strcmp(table_text(table, row, 0), encoding) &&
        !strcmp(table_text(table, row, 3), metric_name(metric)))
      return row;
  fail_msg("no %s of %s", metric_name(metric), encoding);
  return 0;
}

static inline double value_of(const struct job *job, const char *encoding, enum metric metric) {
  return table_real(job->result.metrics, row_of(job, encoding, metric), 4);
}

static inline double error_of(const struct job *job, const char *encoding, enum metric metric) {
  return table_real(job->result.metrics, row_of(job, encoding, metric), 5);
}

static inline const char *detail_of(const struct job *job, const char *encoding,
                                    enum metric metric) {
  return table_text(job->result.metrics, row_of(job, encoding, metric), 6);
}

#endif
