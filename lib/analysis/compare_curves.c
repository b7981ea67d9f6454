/* Scores over distance, and of near tokens across the end of the learned table. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/compare_parts.h"
#include "lib/analysis/token_geometry.h"
#include "lib/base/memory.h"

enum { ENCODING, HEAD, AT, MEAN, SPREAD };
enum { LEVELS = 4, BINS = 256 };
static const double levels[LEVELS] = {0.05, 0.25, 0.75, 0.95};

int compare_curves_create(const struct comparison *work, struct table **table,
                          struct error *error) {
  static const char *const profile[] = {"encoding", "head", "distance", "mean",
                                        "q05",      "q25",  "q75",      "q95"},
                           *const edge[] = {"encoding", "head", "position", "mean", "deviation"};
  const bool edges = work->request->view == COMPARE_EDGE;
  const char *const *names = edges ? edge : profile;
  *table = table_create(error);
  if (!*table) return ERROR_FAILED;
  for (size_t i = 0; i < (edges ? 5 : 8); i++) {
    const enum column_kind kind = i == ENCODING ? COLUMN_TEXT
                                  : i == AT     ? COLUMN_INTEGER
                                                : COLUMN_REAL;
    if (table_add_column(*table, names[i], kind, error) < 0) return ERROR_FAILED;
  }
  return OK;
}

/* A row's place: encoding, head and position or distance. */
static int label(const struct compare_item *item, size_t at, struct table *table, size_t row,
                 struct error *error) {
  table_set_real(table, row, HEAD, item->has_head ? (double)item->head : NAN);
  table_set_integer(table, row, AT, (int64_t)at);
  return table_set_text(table, row, ENCODING, item->name, error);
}

/* ---- Over distance -----------------------------------------------------------------------------
 */

static int write_profile(const struct comparison *work, const struct compare_item *item,
                         const struct score_profile *profile, struct table *table,
                         struct error *error) {
  const size_t length = work->request->length, distances = 2 * length - 1,
               first = table_rows(table);
  int status = table_add_rows(table, length, error);
  for (size_t m = 0; !status && m < length; m++) {
    double mean = 0;
    for (size_t b = 0; b < work->draws; b++)
      mean += profile->mean[b * distances + length - 1 + m];
    status = label(item, m, table, first + m, error);
    table_set_real(table, first + m, MEAN, mean / (double)work->draws);
    for (size_t q = 0; q < LEVELS; q++)
      table_set_real(table, first + m, SPREAD + q,
                     profile->quantile[q * distances + length - 1 + m]);
  }
  return status;
}

/* All draws at once: quantiles are over the scores of all. */
static int add_profile(const struct comparison *work, const struct compare_item *item,
                       struct table *table, struct error *error) {
  const size_t distances = 2 * work->request->length - 1;
  double width;
  struct compare_draw draw = {.draws = work->draws};
  struct scorer scorer = {0};
  struct score_batch batch = {.causal = work->request->causal, .single = work->single};
  struct score_profile profile = {
      .bins = BINS, .levels = LEVELS, .level = levels, .bin_width = &width};
  int status = compare_make_scorer(work, item, &scorer, error);
  if (!status) status = compare_draw_create(work, item, &scorer, &draw, error);
  if (!status)
    status = memory_require(work->request->length, 2 * (work->draws + LEVELS) * sizeof(double),
                            "the scores by distance", error);
  if (!status) {
    profile.mean =
        memory_array(work->draws * distances, sizeof(double), "the scores by distance", error);
    profile.quantile =
        memory_array(LEVELS * distances, sizeof(double), "the quantiles of scores", error);
    if (!profile.mean || !profile.quantile) status = ERROR_FAILED;
  }
  if (!status) {
    scorer_batch(&scorer, &draw.vectors, &batch);
    batch.profile = &profile;
    status = backend_scores(work->backend, &batch, error);
  }
  if (!status) status = write_profile(work, item, &profile, table, error);
  free(profile.mean);
  free(profile.quantile);
  compare_draw_release(&draw);
  scorer_release(&scorer);
  return status;
}

int compare_curves_add(const struct comparison *work, const struct compare_item *item,
                       struct table *table, struct error *error) {
  return add_profile(work, item, table, error);
}
