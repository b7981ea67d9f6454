/* What `ropetool heatmap` is asked for. */
#ifndef ROPETOOL_CMD_HEATMAP_REQUEST_H
#define ROPETOOL_CMD_HEATMAP_REQUEST_H

#include "cmd/encoding_options.h"
#include "cmd/groups.h"
#include "cmd/heatmap_tensors.h"
#include "lib/analysis/map.h"

struct heatmap_question {
  struct map_request request; /* points into the others */
  struct encoding_options given;
  struct heatmap_tensors tensors;
  struct series series; /* none of a map of one's own, but its meta data */
  /* The spectrum of as many dimensions as one's own vectors have, or the axial one that --mixed is
     drawn from; NULL: that of the series. */
  struct spectrum *fitted;
  struct mixed mixed;
  const char *random; /* the --mixed that is to be drawn; NULL: none */
};

/* To be released in any case. */
int heatmap_question_read(const struct invocation *invocation, struct heatmap_question *question,
                          struct error *error);
void heatmap_question_release(struct heatmap_question *question);

/* Draws what is random of it. */
int heatmap_question_draw(struct backend *backend, struct heatmap_question *question,
                          struct error *error);

#endif
