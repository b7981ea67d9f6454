/* Maps: scores, softmax weights, angles, cosines, rotation matrices and tables, reduced to cells.
 */
#ifndef ROPETOOL_ANALYSIS_MAP_H
#define ROPETOOL_ANALYSIS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/analysis/content.h"
#include "lib/base/error.h"
#include "lib/encoding/encoding.h"
#include "lib/io/matrix.h"
#include "lib/rope/spectrum.h"

/* What a map shows. One struct each; a registry lists them. */
struct map_kind;

struct map_request {
  const struct map_kind *kind;
  const struct encoding *encoding;
  const struct spectrum *spectrum;
  size_t length; /* positions */
  struct content content;
  size_t batch; /* draws averaged over */
  uint64_t seed;
  bool causal;
  int64_t position; /* of the rotation matrix */
  size_t cells;     /* at most so many cells along an axis */
  int reduction;    /* enum reduction, or −1: the kind's own (mean; max for softmax) */
};

const struct map_kind *map_kind_at(size_t index); /* NULL past the end */
const char *map_kind_name(const struct map_kind *kind);
int map_kind_find(const char *name, const struct map_kind **kind, struct error *error);
const char *map_reduction_name(enum reduction reduction); /* "mean", "max", "absmax" */
int map_reduction_parse(const char *name, int *reduction, struct error *error);

/* Computes the map. matrix->meta gets every resolved parameter; "reduced" says "8192 -> 1024 by
   max" when cells were reduced. ERROR_INPUT where the request makes no sense (content zero for
   rope: there is no position term alone); ERROR_FAILED when it would not fit into memory. */
int map_run(struct backend *backend, const struct map_request *request, struct matrix **matrix,
            struct error *error);

#endif
