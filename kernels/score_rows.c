#include "kernels/score_rows.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"

enum {
  FEW_ROWS = 64, /* that are not worth a second thread */
  RUN = 64,      /* positions from one exact phase to the next */
};

/* exp(i·m·θ) = exp(i·start·θ) · exp(i·(m − start)·θ) for the positions of a run. */
VECTOR_CLONES
static void multiply_phases(size_t pairs, double amplitude, const double *restrict start,
                            const double *restrict step, double *restrict cosine,
                            double *restrict sine) {
#pragma omp simd
  for (size_t i = 0; i < pairs; i++) {
    const double c = start[i], s = start[pairs + i], x = step[i], y = step[pairs + i];
    cosine[i] = amplitude * (c * x - s * y);
    sine[i] = amplitude * (c * y + s * x);
  }
}

/* Tables in double: both factors come from exact phases, so that a cosine is within 5 units of
   2^-53 and nothing drifts, with a 64th of the sines. `start`: (run, 2, pair), `step`: (RUN, 2,
   pair). */
static int fill_exact(struct score_rows *rows, struct error *error) {
  const struct score_batch *batch = rows->batch;
  const struct phases *rotation = batch->rotation;
  const size_t pairs = rotation->pairs, runs = (batch->length + RUN - 1) / RUN;
  double *start = memory_array(size_product(runs + RUN, 2 * pairs), sizeof *start,
                               "the rotation of some positions", error);
  if (!start) return error->code;
  double *step = start + runs * 2 * pairs;
#pragma omp parallel if (batch->length > FEW_ROWS)
  {
#pragma omp for schedule(static)
    for (size_t r = 0; r < runs + RUN; r++)
      phase_row(rotation, (int64_t)(r < runs ? r * RUN : r - runs), 1, start + r * 2 * pairs,
                start + r * 2 * pairs + pairs);
#pragma omp for schedule(static)
    for (size_t m = 0; m < batch->length; m++)
      multiply_phases(pairs, batch->amplitude, start + m / RUN * 2 * pairs,
                      step + m % RUN * 2 * pairs, rows->cosine + m * pairs, rows->sine + m * pairs);
  }
  free(start);
  return OK;
}

int score_rows_open(struct score_rows *rows, const struct score_batch *batch, struct error *error) {
  *rows = (struct score_rows){.batch = batch};
  const struct phases *rotation = batch->rotation;
  if (!rotation) return OK;
  const size_t entries = size_product(batch->length, rotation->pairs);
  rows->cosine = memory_array(size_product(entries, 2), sizeof *rows->cosine,
                              "the rotation of all positions", error);
  if (!rows->cosine) return error->code;
  rows->sine = rows->cosine + entries;
  if (rotation->precision == PRECISION_FP64) return fill_exact(rows, error);
#pragma omp parallel for schedule(static) if (batch->length > FEW_ROWS)
  for (size_t m = 0; m < batch->length; m++)
    phase_row(rotation, (int64_t)m, batch->amplitude, rows->cosine + m * rotation->pairs,
              rows->sine + m * rotation->pairs);
  return OK;
}

void score_rows_close(struct score_rows *rows) {
  free(rows->cosine);
}

static void prepare(const struct score_rows *rows, const double *content, const double *add,
                    size_t position, double *output) {
  const size_t dim = rows->batch->dim;
  if (content)
    memcpy(output, content, dim * sizeof *output);
  else
    memset(output, 0, dim * sizeof *output);
  for (size_t i = 0; add && i < dim; i++)
    output[i] += add[position * dim + i];
  if (!rows->cosine) return;
  const size_t pairs = rows->batch->rotation->pairs;
  const struct rotation rotation = {rows->batch->layout, pairs};
  rotate_vector(rotation, rows->cosine + position * pairs, rows->sine + position * pairs, output,
                output);
}

static const double *content_row(const struct score_batch *batch, const double *content,
                                 size_t draw, size_t position) {
  return content ? content + (draw * batch->length + position) * batch->dim : NULL;
}

void score_rows_query(const struct score_rows *rows, size_t draw, size_t position, double *output) {
  const struct score_batch *batch = rows->batch;
  prepare(rows, content_row(batch, batch->query, draw, position), batch->query_add, position,
          output);
}

void score_rows_key(const struct score_rows *rows, size_t draw, size_t position, double *output) {
  const struct score_batch *batch = rows->batch;
  prepare(rows, content_row(batch, batch->key, draw, position), batch->key_add, position, output);
}
