#include "lib/rope/rotation.h"

#include <string.h>

#include "lib/base/phase.h"

void rotation_matrix(const struct spectrum *spectrum, enum layout layout, enum precision precision,
                     int64_t position, double *matrix) {
  const size_t dim = spectrum->spec.head_dim, pairs = spectrum->pairs;
  memset(matrix, 0, dim * dim * sizeof *matrix);
  for (size_t i = 0; i < pairs; i++) {
    const size_t a = layout_first(layout, i), b = layout_second(layout, i, pairs);
    double cosine, sine;
    phase_cos_sin_rounded(precision, spectrum->step[i], spectrum->inv_freq_double[i], position,
                          &cosine, &sine);
    matrix[a * dim + a] = matrix[b * dim + b] = cosine;
    matrix[a * dim + b] = -sine;
    matrix[b * dim + a] = sine;
  }
  for (size_t j = 2 * pairs; j < dim; j++)
    matrix[j * dim + j] = 1;
}
