/* RoFormer eq. 34: pair (x_a, x_b) at position m becomes (x_a cos mθ − x_b sin mθ, x_a sin mθ + x_b
 * cos mθ). */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"

void rotate_vector(struct rotation rotation, const double *cosine, const double *sine,
                   const double *input, double *output) {
  const size_t pairs = rotation.pairs;
  if (rotation.layout == LAYOUT_INTERLEAVED) {
#pragma omp simd
    for (size_t i = 0; i < pairs; i++) {
      const double a = input[2 * i], b = input[2 * i + 1];
      output[2 * i] = a * cosine[i] - b * sine[i];
      output[2 * i + 1] = a * sine[i] + b * cosine[i];
    }
  } else {
#pragma omp simd
    for (size_t i = 0; i < pairs; i++) {
      const double a = input[i], b = input[i + pairs];
      output[i] = a * cosine[i] - b * sine[i];
      output[i + pairs] = a * sine[i] + b * cosine[i];
    }
  }
}

/* Rows first .. end − 1; cos and sin are taken anew only where the position changes. */
static void rotate_rows(const struct rotate_batch *batch, size_t first, size_t end, double *table) {
  const size_t pairs = batch->phases.pairs, rotated = 2 * pairs, rest = batch->dim - rotated;
  const struct rotation rotation = {batch->layout, pairs};
  double *cosine = table, *sine = table + pairs;
  for (size_t row = first; row < end; row++) {
    if (row == first || batch->position[row] != batch->position[row - 1]) {
      phase_row(&batch->phases, batch->position[row], batch->amplitude, cosine, sine);
      for (size_t i = 0; batch->inverse && i < pairs; i++)
        sine[i] = -sine[i];
    }
    const double *input = batch->input + row * batch->dim;
    double *output = batch->output + row * batch->dim;
    rotate_vector(rotation, cosine, sine, input, output);
    memmove(output + rotated, input + rotated, rest * sizeof *output);
  }
}

int rotate_cpu(const struct rotate_batch *batch, struct error *error) {
  enum { ROWS = 64 };
  const size_t threads = (size_t)omp_get_max_threads(),
               doubles = size_product(batch->phases.pairs, 2);
  double *tables = memory_array(size_product(threads, doubles), sizeof *tables,
                                "the tables of the rotation", error);
  if (!tables) return error->code;
#pragma omp parallel for schedule(static) if (batch->rows > ROWS)
  for (size_t first = 0; first < batch->rows; first += ROWS)
    rotate_rows(batch, first, batch->rows - first < ROWS ? batch->rows : first + ROWS,
                tables + (size_t)omp_get_thread_num() * doubles);
  free(tables);
  return OK;
}
