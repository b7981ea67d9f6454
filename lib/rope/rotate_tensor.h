/* Rotation of tensors: queries and keys as models hold them. */
#ifndef ROPETOOL_ROPE_ROTATE_TENSOR_H
#define ROPETOOL_ROPE_ROTATE_TENSOR_H

#include <stdbool.h>

#include "kernels/backend.h"
#include "lib/io/axes.h"
#include "lib/io/positions.h"
#include "lib/io/tensor.h"
#include "lib/rope/spectrum.h"

struct rotate_request {
  const struct spectrum *spectrum;
  const struct tensor *input; /* of a real type */
  struct axes axes;           /* of `input` */
  const struct positions *positions;
  bool inverse;         /* undoes the rotation, the attention factor included */
  enum storage storage; /* of the result: a real type */
};

/* Rotates every vector by its position, with the spectrum's layout, precision and attention factor;
   dimensions from the rotated ones on are copied. The result has the input's shape. It is computed
   in the input's type when that is the result's, else in double, and rounded once.

   ERROR_INPUT: elements that are no real numbers, fewer dimensions than are rotated, another number
   of positions or of sets of positions than the tensor has. */
int rotate_tensor(struct backend *backend, const struct rotate_request *request,
                  struct tensor **result, struct error *error);

/* The tables of such a rotation: (2, position, pair), or (2, batch, position, pair) for positions
   of rank 2; cosines first, sines second, times the attention factor: below fp64 as a
   product of floats, rounded to the precision. */
int rotate_tables(struct backend *backend, const struct spectrum *spectrum,
                  const struct positions *positions, enum storage storage, struct tensor **result,
                  struct error *error);

#endif
