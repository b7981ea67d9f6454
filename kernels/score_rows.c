#include "kernels/score_rows.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cpu.h"
#include "lib/base/memory.h"

enum { FEW_ROWS = 64 }; /* that are not worth a second thread */

int score_rows_open(struct score_rows *rows, const struct score_batch *batch, struct error *error) {
  *rows = (struct score_rows){.batch = batch};
  const struct phases *rotation = batch->rotation;
  if (!rotation) return OK;
  const size_t entries = size_product(batch->length, rotation->pairs);
  rows->cosine = memory_array(size_product(entries, 2), sizeof *rows->cosine,
                              "the rotation of all positions", error);
  if (!rows->cosine) return error->code;
  rows->sine = rows->cosine + entries;
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
