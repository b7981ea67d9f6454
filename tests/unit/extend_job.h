/* Comparisons of extension methods for tests. */
#ifndef ROPETOOL_TESTS_EXTEND_JOB_H
#define ROPETOOL_TESTS_EXTEND_JOB_H

#include "lib/analysis/extend.h"
#include "tests/unit/curves.h"

static struct backend *backend;
static struct rope_spec model;
static struct error error;

/* A model of one RoPE, and the request that extends it. */
static inline struct extend_request request_of(size_t dim, double base, int64_t original,
                                               int64_t target, const char *methods) {
  spec_default(&model);
  model.head_dim = model.rotary_dim = dim;
  model.base = base;
  model.context = model.model_context = original;
  struct extend_request request = {.spec = &model, .original = original, .target = target};
  if (extend_parse_methods(methods, &request.methods, &error)) fail_msg("%s", error.message);
  return request;
}

static inline struct table *extend(const struct extend_request *request) {
  struct table *table = NULL;
  if (extend_run(backend, request, &table, &error)) fail_msg("%s", error.message);
  return table;
}

static inline int open_backend(void **state) {
  (void)state;
  backend = open_cpu();
  return 0;
}

static inline int close_backend(void **state) {
  (void)state;
  backend_close(backend);
  return 0;
}

#endif
