/* The kinds of maps, one file each; for lib/analysis/map*.c alone. To add one, write its file and
   put it here and in map.c. */
#ifndef ROPETOOL_ANALYSIS_MAP_KIND_H
#define ROPETOOL_ANALYSIS_MAP_KIND_H

#include "lib/analysis/map.h"

struct map_kind {
  const char *name;
  bool positions;                           /* rows are positions 0 .. length − 1 */
  bool encoding;                            /* shows what an encoding does */
  bool plain;                               /* shows numbers that no RoPE has a part in */
  bool attention;                           /* rows are queries, columns keys */
  bool phases;                              /* cells are of the angles of (position, pair) */
  enum reduction reduction;                 /* unless another is asked for */
  enum matrix_range range;                  /* unless `fill` finds better */
  double bound;                             /* as of a matrix */
  const char *value_label;                  /* of the colour bar */
  const char *mean_name;                    /* what the mean reduction is called; NULL: "mean" */
  struct matrix_axis row_axis, column_axis; /* the length is set by `shape` */

  /* The size of the map before it is reduced. */
  int (*shape)(const struct map_request *request, size_t *rows, size_t *columns,
               struct error *error);
  /* Fills the cells of a matrix whose sizes and axes are set. */
  int (*fill)(struct backend *backend, const struct map_request *request, enum reduction reduction,
              struct matrix *matrix, struct error *error);
};

extern const struct map_kind map_scores, map_softmax, map_angles, map_cosines, map_rotation,
    map_table, map_norms, map_axes, map_matrix;

/* What the encoding is made for: map_setting.c. */
struct encoding_setting map_setting(const struct map_request *request);
/* Makes it, to be released in any case, and notes its parameters, in the label too
   where they are not trained. */
int map_make_scorer(struct backend *backend, const struct map_request *request,
                    struct scorer *scorer, struct matrix *matrix, struct error *error);

/* How many draws or sequences are averaged over. */
size_t map_draws(const struct map_request *request);

/* Scores or softmax weights into the cells: map_attention.c. */
int map_attention_shape(const struct map_request *request, size_t *rows, size_t *columns,
                        struct error *error);
int map_attention_fill(struct backend *backend, const struct map_request *request,
                       enum reduction reduction, bool softmax, struct matrix *matrix,
                       struct error *error);

/* Angles, cosines or sines of all positions: map_phases.c. */
int map_phases_shape(const struct map_request *request, size_t *rows, size_t *columns,
                     struct error *error);
/* (position, pair), to be released with free(). */
int map_phases_whole(struct backend *backend, const struct map_request *request,
                     enum phase_quantity quantity, double **whole, struct error *error);

/* The map of mixed frequencies, (height, width): map_axes_mixed.c. */
int map_axes_mixed(struct backend *backend, const struct map_request *request, double *whole,
                   struct error *error);

/* Sets apart what training within `trained` positions did not show: map_unseen.c. */
int map_mark_unseen(const struct map_request *request, struct matrix *matrix, struct error *error);

/* Reduces a map of the axes' lengths to cells of the matrix' sizes; NaN does not count. */
void map_reduce(const struct matrix *matrix, const double *whole, enum reduction reduction,
                double *cells);
/* Whether it has fewer cells than the map has values. */
bool map_is_reduced(const struct matrix *matrix);

#endif
