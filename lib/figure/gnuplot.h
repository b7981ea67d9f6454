/* The one place that starts gnuplot. */
#ifndef ROPETOOL_FIGURE_GNUPLOT_H
#define ROPETOOL_FIGURE_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"

/* Bytes of a file that gnuplot reads or makes. */
struct blob {
  char *data; /* free() it */
  size_t size;
};

/* Runs `gnuplot -d -c SCRIPT` with a clean environment; the script reads its data from the path in
   its variable `datafile` (set by this function; may be opened several times) and draws to stdout.
   `picture` gets what it wrote. When `tex` is not NULL the script's terminal is cairolatex: it is
   run in a private folder of TMPDIR (removed again), `picture` gets the PDF and `tex` the TeX file,
   which includes `tex_graphic`.pdf from the folder it lies in itself. The environment variable
   ROPETOOL_GNUPLOT may name another program. ERROR_FAILED: gnuplot missing (names the package), too
   old or without the terminal, failed or warned (its first line of complaint is quoted), killed, or
   no picture. The picture's own format is checked by the caller. */
struct gnuplot_job {
  const char *script; /* whole text; its user text is already safe: see gnuplot_literal */
  const void *data;
  size_t data_size;
  const char
      *terminal; /* "pngcairo", "pdfcairo", "svg", "cairolatex": named when it does not exist */
  const char *tex_graphic; /* of cairolatex, else NULL; without characters that TeX minds */
};
int gnuplot_run(const struct gnuplot_job *job, struct blob *picture, struct blob *tex,
                struct error *error);

/* Whether a TeX file that gnuplot_run gave includes `graphic`.pdf; any bytes. */
bool gnuplot_tex_includes(const char *tex, size_t size, const char *graphic);

/* `text` as a single-quoted gnuplot literal, to be released with free(). ERROR_INPUT when it holds
   control characters or is not UTF-8: nothing that could end the literal gets through. */
int gnuplot_literal(const char *text, char **literal, struct error *error);

/* The absolute path of the program that is run. ERROR_FAILED names the package when there is none.
 */
enum { GNUPLOT_PATH = 4096 };
int gnuplot_find(char path[GNUPLOT_PATH], struct error *error);

/* Stops every run after so many seconds, which is then ERROR_FAILED; 0, as at the start: none. */
void gnuplot_set_time_limit(int seconds);

/* "5.4 patchlevel 4", or an error as gnuplot_run gives. For --version and diagnostics. */
int gnuplot_version(char version[64], struct error *error);

#endif
