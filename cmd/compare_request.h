/* What `ropetool compare` is asked for, with the files that it reads. */
#ifndef ROPETOOL_CMD_COMPARE_REQUEST_H
#define ROPETOOL_CMD_COMPARE_REQUEST_H

#include "cmd/encoding_options.h"
#include "cmd/groups.h"
#include "cmd/invocation.h"
#include "kernels/backend.h"
#include "lib/analysis/compare.h"
#include "lib/base/error.h"

enum { COMPARED_MOST = 16 };

struct compare_question {
  struct compare_request request;
  const struct encoding *encoding[COMPARED_MOST];
  bool learned;                  /* one of them takes the table */
  struct encoding_options given; /* holds the table */
  struct projection *projection; /* (request.projections) */
  struct series series;          /* of one RoPE */
  struct spectrum *of_other_dim; /* in its place, where no option says its dimensions */
};

/* Reads options and files; random tables and projections are drawn. To be released in any case. */
int compare_question_read(const struct invocation *invocation, struct backend *backend,
                          struct compare_question *question, struct error *error);
void compare_question_release(struct compare_question *question);

#endif
