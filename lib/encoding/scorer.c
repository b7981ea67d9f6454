#include "lib/encoding/scorer.h"

#include <stdlib.h>

#include "lib/rope/phases.h"

void scorer_release(struct scorer *scorer) {
  free(scorer->table);
  free(scorer->query_scale);
  free(scorer->key_scale);
  free(scorer->bias);
  if (scorer->release_own) scorer->release_own(scorer->own);
  *scorer = (struct scorer){0};
}

static void multiply(const struct scorer *scorer, size_t draws, const double *scale,
                     double *vector) {
  const size_t count = scorer->length * scorer->dim;
  for (size_t b = 0; scale && vector && b < draws; b++)
    for (size_t i = 0; i < count; i++)
      vector[b * count + i] *= scale[i];
}

void scorer_batch(struct scorer *scorer, const struct scorer_vectors *vectors,
                  struct score_batch *batch) {
  const bool inside = vectors->projected;
  if (scorer->bind) scorer->bind(scorer, vectors->query, vectors->key);
  multiply(scorer, vectors->draws, scorer->query_scale, vectors->query);
  multiply(scorer, vectors->draws, scorer->key_scale, vectors->key);
  batch->batch = vectors->draws;
  batch->length = scorer->length;
  batch->dim = scorer->dim;
  batch->query = scorer->query_content || (inside && scorer->query_table) ? vectors->query : NULL;
  batch->key = scorer->key_content || (inside && scorer->key_table) ? vectors->key : NULL;
  batch->query_add = scorer->query_table && !inside ? scorer->table : NULL;
  batch->key_add = scorer->key_table && !inside ? scorer->table : NULL;
  batch->bias = scorer->bias;
  batch->terms = scorer->terms.fill ? &scorer->terms : NULL;
  batch->scale = scorer->scale;
  if (scorer->rotation) {
    scorer->phases = phases_of(scorer->rotation);
    batch->rotation = &scorer->phases;
    batch->layout = scorer->rotation->spec.layout;
    batch->amplitude = scorer->rotation->attention_factor;
  }
}
