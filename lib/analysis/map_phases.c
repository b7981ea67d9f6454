/* What angles and cosines share. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/rope/phases.h"

int map_phases_shape(const struct map_request *request, size_t *rows, size_t *columns,
                     struct error *error) {
  (void)error;
  *rows = request->length;
  *columns = request->spectrum->pairs;
  return OK;
}

int map_phases_whole(struct backend *backend, const struct map_request *request,
                     enum phase_quantity quantity, double **whole, struct error *error) {
  const size_t length = request->length, pairs = request->spectrum->pairs;
  char what[80];
  snprintf(what, sizeof what, "the angles of %zu positions and %zu pairs", length, pairs);
  *whole = NULL;
  /* One more number a position is the position itself. */
  int status = memory_require(length, (pairs + 1) * sizeof(double), what, error);
  if (status) return status;
  int64_t *position = memory_array(length, sizeof *position, what, error);
  double *output = position ? memory_array(length * pairs, sizeof *output, what, error) : NULL;
  if (!output) status = ERROR_FAILED;
  for (size_t m = 0; !status && m < length; m++)
    position[m] = (int64_t)m;
  const struct phase_map_batch batch = {.phases = phases_of(request->spectrum),
                                        .quantity = quantity,
                                        .rows = length,
                                        .position = position,
                                        .output = output};
  if (!status) status = backend_phase_map(backend, &batch, error);
  free(position);
  if (status)
    free(output);
  else
    *whole = output;
  return status;
}
