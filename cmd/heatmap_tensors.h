/* Tensors of one's own in `ropetool heatmap`: --q, --k, --axes, --layer, --matrix, --index. */
#ifndef ROPETOOL_CMD_HEATMAP_TENSORS_H
#define ROPETOOL_CMD_HEATMAP_TENSORS_H

#include "cmd/invocation.h"
#include "lib/analysis/map.h"
#include "lib/io/meta.h"

struct heatmap_tensors {
  struct tensor *query_tensor, *key_tensor, *matrix;
  struct map_vectors query, key;
  struct meta *inputs; /* files that were read */
};

/* Reads what is given, and puts it into `request`; to be released in any case. The request points
   into `tensors`. */
int heatmap_tensors_read(const struct invocation *invocation, struct heatmap_tensors *tensors,
                         struct map_request *request, struct error *error);
void heatmap_tensors_release(struct heatmap_tensors *tensors);

/* Adds the files that were read to "inputs" of `meta`. */
void heatmap_tensors_note(const struct heatmap_tensors *tensors, struct meta *meta);

#endif
