/* Requirements on a table of metrics: "rope.locality >= 0.5". */
#ifndef ROPETOOL_ANALYSIS_REQUIREMENT_H
#define ROPETOOL_ANALYSIS_REQUIREMENT_H

#include <stdbool.h>

#include "lib/analysis/metrics.h"
#include "lib/base/error.h"
#include "lib/io/table.h"

enum { REQUIREMENT_TEXT = 160, REQUIREMENT_LINE = 320 };

struct requirement {
  char text[REQUIREMENT_TEXT];     /* as it was given */
  char encoding[REQUIREMENT_TEXT]; /* "rope", "learned:content-position" */
  enum metric metric;
  bool less, equal; /* < or <=, else > or >= */
  double number;    /* may be infinite */
};

/* "ENC.METRIC OP NUMBER", OP one of < <= > >=, with or without spaces; NUMBER may be inf or -inf.
   ERROR_INPUT: another form, an unknown metric (all are listed). */
int requirement_parse(const char *text, struct requirement *requirement, struct error *error);

/* Whether all rows of the encoding hold, that is of all heads; `line` says of the first that does
   not what it is. A value that is empty does not hold. ERROR_INPUT: no such encoding in the
   table. */
int requirement_check(const struct requirement *requirement, const struct table *metrics,
                      bool *holds, char line[REQUIREMENT_LINE], struct error *error);

#endif
