/* Outputs: where a result goes. Every file is opened before the work starts and put in place after
   all of them are complete, so that a failure leaves nothing behind and nothing lost. */
#ifndef ROPETOOL_CMD_OUTPUT_H
#define ROPETOOL_CMD_OUTPUT_H

#include "cmd/command.h"
#include "cmd/invocation.h"
#include "lib/base/error.h"

struct outputs;

/* Reads -o, --format and --keep-script, refuses what makes no sense, and opens the files. */
int outputs_open(const struct invocation *invocation, struct outputs **result, struct error *error);

/* Whether the command can write `path`, without opening anything: *figure says that it draws it.
   Figure options are then checked, too. */
int outputs_check(const struct invocation *invocation, const char *path, bool *figure,
                  struct error *error);

/* What the figures will not show as it was asked for: points and cells that a logarithmic axis
   leaves out, cells beyond a colour scale, maps in which most cells look the same, a font that is
   not there. One line each, to be printed; false, or "", when there is none of that kind. */
enum { OUTPUTS_NOTE = 256 };
bool outputs_left_out(const struct outputs *outputs, const struct result *result,
                      char note[OUTPUTS_NOTE]);
void outputs_colours(const struct outputs *outputs, const struct result *result,
                     char beyond[OUTPUTS_NOTE], char flat[OUTPUTS_NOTE]);
bool outputs_other_font(const struct outputs *outputs, char note[OUTPUTS_NOTE]);

/* Writes the result everywhere. */
int outputs_write(struct outputs *outputs, const struct invocation *invocation,
                  const struct result *result, struct error *error);

/* Whether a figure that was written has its legend elsewhere than was asked for. */
bool outputs_legend_moved(const struct outputs *outputs);

/* Which text of a figure that was written ends in dots, for it did not fit; NULL: none. */
const char *outputs_cut(const struct outputs *outputs);

/* To be called when all was printed: ERROR_FAILED when stdout did not take it. A pipe that was
   closed is no error. */
int output_finish_stdout(struct error *error);

/* Removes what was begun; NULL is allowed. */
void outputs_discard(struct outputs *outputs);

#endif
