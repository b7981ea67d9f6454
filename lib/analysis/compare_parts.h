/* The parts of a comparison; for lib/analysis/compare*.c alone. */
#ifndef ROPETOOL_ANALYSIS_COMPARE_PARTS_H
#define ROPETOOL_ANALYSIS_COMPARE_PARTS_H

#include "lib/analysis/compare.h"
#include "lib/analysis/metrics.h"
#include "lib/base/precision.h"

/* One thing that is scored. */
struct compare_item {
  const struct encoding *encoding;
  enum term_choice terms;
  size_t head;
  bool has_head; /* differs by head */
  const struct projection *projection;
  char name[64], title[96];
};

struct comparison {
  struct backend *backend;
  const struct compare_request *request;
  struct compare_item *item;
  size_t items;
  struct spectrum *waves; /* for vectors of another width than the spectrum's; NULL: the same */
  size_t dim;             /* of queries and keys */
  size_t draws;
  size_t features; /* of linear attention */
  bool single;
};

/* What the draws of an item made. */
struct item_result {
  double *value;            /* (metric, draw) */
  double *cells;            /* (row, column) of the panel: mean over the draws; NULL: none */
  size_t tiles;             /* rows and columns of it */
  double error_bound;       /* of a score: score_error of metrics.h */
  double linear_difference; /* linear_attention.h; NaN: not linear */
  double quantile_error;    /* of a profile */
  double positions;
  bool untrained;
  double table_norm,
      token_norm; /* mean lengths where a table is added without projections; else 0 */
  bool overflown; /* some number of a draw was not finite */
  enum precision arithmetic;
};

/* ---- compare.c */

/* How figures name what a table calls "alibi", or with a term "sinusoidal:content-position":
   "ALiBi", "Sinusoidal, content × position". */
void compare_title(const char *name, char *title, size_t size);

/* Whether parameters that were not trained take part in an item's scores. */
bool compare_is_untrained(const struct comparison *work, const struct compare_item *item,
                          const struct scorer *scorer);

/* ---- compare_vectors.c */

/* The tokens of some draws, and the queries and keys that come of them; NULL where all are zeros
   and nothing projects them. */
struct compare_draw {
  size_t first, draws;
  double *query_token, *key_token; /* (draw, position, width) */
  struct scorer_vectors vectors;   /* (draw, position, dim): the tokens themselves, or projected */
};
int compare_make_scorer(const struct comparison *work, const struct compare_item *item,
                        struct scorer *scorer, struct error *error);
/* What its scores are computed in: factors that grow with positions (xPos) are beyond float's range
   soon, so that with them it is always double. */
enum precision compare_arithmetic_of(const struct comparison *work, const struct scorer *scorer);
/* To be released in any case. */
int compare_draw_create(const struct comparison *work, const struct compare_item *item,
                        const struct scorer *scorer, struct compare_draw *draw,
                        struct error *error);
void compare_draw_release(struct compare_draw *draw);

/* Norm and angle drift of one draw's tokens, infinite where they overflow; before scorer_batch(),
   which multiplies them. */
int compare_drift(const struct comparison *work, const struct scorer *scorer,
                  const struct compare_draw *draw, double value[METRICS], struct error *error);

/* Mean lengths of the rows of a table and of the tokens that it is added to, into the result. */
void compare_measure_table(const struct comparison *work, const struct scorer *scorer,
                           const struct compare_draw *draw, struct item_result *result);

/* ---- compare_project.c */

/* One side of a projection, of tokens with a table added. */
struct compare_side {
  const struct projection *projection;
  bool key;
  size_t length, rows; /* of a draw; of all draws */
  const double *token; /* (row, width) */
  const double *table; /* (position, width); NULL: none */
  enum { PART_CONTENT, PART_POSITION } part;
};
int compare_project(const struct compare_side *side, double *vector, struct error *error);

/* What the content (or the table) is of the whole: both parts add up to it. A norm divides both by
   what it divides the whole by; what depends on neither (token type, shift, bias) counts as
   content. */
int compare_project_part(const struct compare_side *side, double *vector, struct error *error);

/* ---- compare_scores.c, compare_linear.c: metrics of one draw into value[], its share of the
   panel into the result's cells. */
int compare_scores(const struct comparison *work, struct scorer *scorer,
                   const struct compare_draw *draw, struct item_result *result,
                   double value[METRICS], struct error *error);
int compare_linear(const struct comparison *work, struct scorer *scorer,
                   const struct compare_draw *draw, struct item_result *result,
                   double value[METRICS], struct error *error);
/* Which encodings can be under linear attention. */
int compare_linear_check(const struct compare_item *item, const struct scorer *scorer,
                         struct error *error);

/* Scores a batch of one draw into its tiles, and into sums, weights (of softmax attention) and the
   profile; sums that cancel once more, less their mean. The profile is to be released with free()
   in any case. */
int compare_score_batch(const struct comparison *work, const struct scorer *scorer,
                        struct score_batch *batch, struct metric_sources *sources, double **profile,
                        struct error *error);

/* Adds a draw's cells to the mean over all draws. */
void compare_add_cells(const struct comparison *work, const double *cells,
                       struct item_result *result);

/* ---- compare_table.c */
int compare_table_create(struct table **table, struct error *error);
int compare_table_add(const struct comparison *work, const struct compare_item *item,
                      const struct item_result *result, struct table *table, struct error *error);
void compare_describe(const struct comparison *work, struct meta *meta);
void compare_describe_item(const struct comparison *work, const struct compare_item *item,
                           const struct item_result *result, struct meta *meta);

/* ---- compare_panels.c */
int compare_panels_add(const struct comparison *work, const struct compare_item *item,
                       const struct item_result *item_result, struct compare_result *result,
                       struct error *error);
/* Takes the reference's panels off those that are compared with it; then the table of their cells.
 */
int compare_panels_finish(const struct comparison *work, struct compare_result *result,
                          struct error *error);

/* ---- compare_curves.c */
int compare_curves_create(const struct comparison *work, struct table **table, struct error *error);
int compare_curves_add(const struct comparison *work, const struct compare_item *item,
                       struct item_result *result, struct table *table, struct error *error);
/* A row's place: encoding, head and position or distance. */
int compare_curves_label(const struct compare_item *item, bool untrained, size_t at,
                         struct table *table, size_t row, struct error *error);

/* ---- compare_profile.c */

struct compare_profile {
  const struct compare_item *item;
  struct scorer *scorer;
  struct table *table; /* of curves; rows are added */
};
/* `quantile_error` is how far a quantile may be off: 0 where all scores were sorted, else the width
   of a bin. */
int compare_profile_add(const struct comparison *work, const struct compare_profile *profile,
                        double *quantile_error, struct error *error);

#endif
