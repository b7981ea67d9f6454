/* Inside of the comparison of extension methods; for lib/analysis/extend*.c alone. */
#ifndef ROPETOOL_ANALYSIS_EXTEND_PARTS_H
#define ROPETOOL_ANALYSIS_EXTEND_PARTS_H

#include "lib/analysis/extend.h"
#include "lib/rope/spectrum.h"

/* What the methods are compared with, and the table being made. */
struct extend_work {
  struct backend *backend;
  const struct extend_request *request;
  struct spectrum *trained; /* the model without any method */
  struct table *table;
};

/* A method set up for the target. */
struct extend_item {
  const char *method;
  const struct spectrum *spectrum;
  struct meta *meta; /* its object of meta.methods */
};

/* To add a view: its file with one of these, its name below and in the list of extend.c. */
enum { EXTEND_COLUMNS = 7 };
struct extend_view {
  const char *name;    /* of --plot; "table" for the one that is no figure */
  const char *methods; /* see extend_view_methods */
  struct {
    const char *name;
    enum column_kind kind;
  } columns[EXTEND_COLUMNS]; /* up to the first without a name */
  /* Adds the rows of one method; of a view without methods `add_all` adds all rows. */
  int (*add_method)(const struct extend_work *work, const struct extend_item *item,
                    struct error *error);
  int (*add_all)(const struct extend_work *work, struct error *error);
};

extern const struct extend_view extend_table, extend_bound, extend_temperature, extend_reach;

/* What is shown where nothing else is asked for. */
#define EXTEND_USUAL_METHODS "none,linear,ntk,dynamic,yarn,llama3,base"

/* As extend_method, for any context from the original one on in place of the target. */
int extend_method_for(const struct extend_request *request, const char *method, int64_t context,
                      struct rope_spec *spec, struct error *error);

/* Whether a pair completes a turn within the original context. */
bool extend_turns(const struct extend_work *work, size_t pair);

/* Angles beyond those of training: the excess of a pair in radians, 0 where there is none, NaN
   where it completes a turn; how many pairs have one, and the largest. */
double extend_gap(const struct extend_work *work, const struct spectrum *spectrum, size_t pair);
size_t extend_count_gaps(const struct extend_work *work, const struct spectrum *spectrum,
                         double *largest);

/* The bounds of interpolation and extrapolation, into the table's meta data. */
int extend_describe_bounds(const struct extend_work *work, struct error *error);

#endif
