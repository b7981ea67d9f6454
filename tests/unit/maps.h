/* Maps for tests. */
#ifndef ROPETOOL_TESTS_MAPS_H
#define ROPETOOL_TESTS_MAPS_H

#include "lib/analysis/map.h"
#include "tests/unit/encodings.h"

static const struct content contents[] = {{.kind = CONTENT_ONES},
                                          {.kind = CONTENT_ZERO},
                                          {.kind = CONTENT_GAUSSIAN},
                                          {.kind = CONTENT_ALIGNED, .rho = 0.5}};

static inline const struct map_kind *kind_of(const char *name) {
  const struct map_kind *kind = NULL;
  assert_int_equal(map_kind_find(name, &kind, NULL), OK);
  return kind;
}

/* A request of all-ones content, unreduced. */
static inline struct map_request request_of(const char *kind, const char *encoding,
                                            const struct spectrum *spectrum, size_t length) {
  return (struct map_request){.kind = kind_of(kind),
                              .encoding = encoding_of(encoding),
                              .spectrum = spectrum,
                              .length = length,
                              .batch = 1,
                              .seed = 1,
                              .cells = 1024,
                              .reduction = -1};
}

static inline struct matrix *run(struct backend *backend, const struct map_request *request) {
  struct matrix *matrix = NULL;
  struct error error;
  if (map_run(backend, request, &matrix, &error)) fail_msg("%s", error.message);
  return matrix;
}

static inline double cell(const struct matrix *matrix, size_t row, size_t column) {
  return matrix->cells[row * matrix->columns + column];
}

#endif
