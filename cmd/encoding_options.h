/* The options that say more of encodings: --param, --learned, --heads, --head. */
#ifndef ROPETOOL_CMD_ENCODING_OPTIONS_H
#define ROPETOOL_CMD_ENCODING_OPTIONS_H

#include "cmd/invocation.h"
#include "lib/encoding/values.h"
#include "lib/io/meta.h"
#include "lib/model/position_table.h"

struct encoding_options {
  struct encoding_values *values;
  struct position_table learned; /* its name is "" where none was given; random: not drawn yet */
  bool beyond;                   /* it may be too short */
  size_t heads;                  /* 0: not given */
  size_t head;
  struct meta *inputs; /* files that were read */
};

/* To be released in any case. */
int encoding_options_read(const struct invocation *invocation, struct encoding_options *options,
                          struct error *error);
void encoding_options_release(struct encoding_options *options);

/* Adds the files that were read to "inputs" of `meta`. */
void encoding_options_note(const struct encoding_options *options, struct meta *meta);

#endif
