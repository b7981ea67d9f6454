/* Inside of gnuplot.c: the process itself. */
#ifndef ROPETOOL_FIGURE_GNUPLOT_PROCESS_H
#define ROPETOOL_FIGURE_GNUPLOT_PROCESS_H

#include <stddef.h>

#include "lib/base/error.h"
#include "lib/figure/gnuplot.h"

/* What a run of gnuplot left. */
struct gnuplot_result {
  struct blob output;   /* what it wrote to stdout */
  char complaint[4096]; /* the start of what it wrote to stderr */
  int status;           /* as waitpid gives it */
};

/* Runs the program with `script` and `data` in `folder` (NULL: here), until it has ended. The
   script file and the data are the descriptors 4 and 3 of the process. Fails only when it could not
   be run; what it did is in `result`, whose output the caller releases. */
int gnuplot_process_run(const struct blob *script, const struct blob *data, const char *folder,
                        struct gnuplot_result *result, struct error *error);

#endif
