/* --overlay and --overlay-label: people's own points over the curves of a figure. */
#ifndef ROPETOOL_CMD_OVERLAY_H
#define ROPETOOL_CMD_OVERLAY_H

#include "cmd/command.h"
#include "cmd/invocation.h"
#include "lib/base/error.h"
#include "lib/io/meta.h"

/* Reads the option's file, columns `x` and "value", where it was given; its name and hash go into
   the inputs of `meta`. ERROR_INPUT: a file that cannot be read, a column that is not there or not
   of numbers, or a label of nothing. */
int overlay_read(const struct invocation *invocation, const char *x, struct result *result,
                 struct meta *meta, struct error *error);

/* Has result->curves, planned otherwise, draw what was read. */
void overlay_plan(const char *x, struct result *result);

#endif
