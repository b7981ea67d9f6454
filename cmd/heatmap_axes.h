/* Several axes in `ropetool heatmap --what axes`: --sections, --mixed. */
#ifndef ROPETOOL_CMD_HEATMAP_AXES_H
#define ROPETOOL_CMD_HEATMAP_AXES_H

#include "cmd/heatmap_request.h"

/* Whether --mixed names a file, which has layers and heads. */
bool heatmap_axes_of_file(const struct invocation *invocation);

/* Whether they go with the other options. */
int heatmap_axes_check(const struct invocation *invocation, bool axes, struct error *error);

/* Puts what they say into the request of a question whose series is made. */
int heatmap_axes_read(const struct invocation *invocation, struct heatmap_question *question,
                      struct error *error);

/* Draws random frequencies. */
int heatmap_axes_draw(struct backend *backend, struct heatmap_question *question,
                      struct error *error);

#endif
