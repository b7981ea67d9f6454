/* The options that commands share, as tables: the one source of help texts, manual and completions.
 */
#ifndef ROPETOOL_CMD_GROUPS_H
#define ROPETOOL_CMD_GROUPS_H

#include <argp.h>

#include "cmd/invocation.h"
#include "kernels/backend.h"
#include "lib/figure/figure.h"
#include "lib/io/meta.h"
#include "lib/rope/spectrum.h"

extern const struct argp_option group_spectrum[], group_encoding[], group_figure[], group_drawing[],
    group_output[], group_output_data[], group_output_tensor[], group_run[];

/* The spectra that the spectrum options ask for: the cross product of models, dims, bases and
 * scalings. */
struct series {
  struct spectrum **spectra;
  size_t count;
  struct meta *meta; /* "overrides", "inputs" and "warnings" where there are any */
  /* (model_count) what the last model's file says of all layer types, also of those that
     --layer-type leaves out, without what options replace; NULL without a model. */
  struct rope_spec *model;
  size_t model_count;
};
int series_create(const struct invocation *invocation, struct series *series, struct error *error);
void series_release(struct series *series);

/* Takes the warning back that models of several axes are read as for text: where axes are shown
   each has its own position. */
void series_shows_axes(struct series *series);

/* Notes a file that was read in "inputs" of `meta`, once a hash. */
void inputs_add(struct meta *meta, const char *name, const char *sha256);
/* The same for "FILE[:TENSOR]", by the file's last part; nothing without a hash. */
void inputs_add_file(struct meta *meta, const char *text, const char *sha256);

/* Notes what is in "inputs" of `from` in those of `meta`. */
void inputs_copy(struct meta *meta, const struct meta *from);

/* The same where a command takes one RoPE: more than one is ERROR_INPUT. */
int series_create_one(const struct invocation *invocation, struct series *series,
                      struct error *error);

int figure_options_read(const struct invocation *invocation, struct figure_options *options,
                        struct error *error);

/* Curves have no axis of colours: a --log that asks for one is ERROR_INPUT. */
int figure_options_check_curves(const struct invocation *invocation, struct error *error);

/* Applies --threads and --max-memory, and opens the backend of --device. */
int run_options_apply(const struct invocation *invocation, struct error *error);
int run_options_backend(const struct invocation *invocation, struct backend **backend,
                        struct error *error);

#endif
