/* Commands: what `ropetool NAME` does. A command is one file with one exported object, listed in
   cmd/commands.c. It reads its options from an invocation, calls the library, and leaves a result;
   main and cmd/output.c do everything that commands share. */
#ifndef ROPETOOL_CMD_COMMAND_H
#define ROPETOOL_CMD_COMMAND_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/invocation.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/figure/figure.h"
#include "lib/io/matrix.h"
#include "lib/io/table.h"
#include "lib/io/tensor.h"

/* What figures show of a result. */
enum drawing {
  DRAWING_NONE,
  DRAWING_CURVES, /* `drawn` where there is one, else the table, by `curves` */
  DRAWING_CLOCK,  /* the table, by `clock` */
  DRAWING_MAP,    /* the matrix */
  DRAWING_RASTER, /* the matrix, one pixel a cell, without axes */
  DRAWING_GRID,   /* `drawn`, by `grid` */
  DRAWING_PANELS, /* `panels`, maps beside a table */
};

/* What a command computed. Exactly one of table, matrix, tensor and text is set. */
struct result {
  struct table *table;
  struct matrix *matrix;
  struct tensor *tensor;
  char *text;             /* for commands that only print: free() */
  struct meta *text_meta; /* of a text: "warnings"; may be NULL */
  enum drawing drawing;
  struct curve_plot curves;
  char mark_text[CURVE_MARKS][48]; /* what labels of curves.marks may point to */
  struct clock_plot clock;
  struct grid_plot grid;
  struct table *drawn;   /* what of the table a grid shows, or curves: NULL there: all of it */
  double grid_width;     /* inches, unless options or style say another; 0: the style's */
  struct matrix **panel; /* what panels.matrix and panels.titles point to */
  char **panel_title;
  struct panel_set panels;
  struct table *overlay;     /* what curves.overlay points to */
  const char *overlay_label; /* what the legend calls it */
  int check_status;          /* exit status when all went well: 0, or what a failed check makes */
  bool checked;              /* there was one: the meta data tell its verdict */
  /* Writes the summary that a person reads; NULL: the table as text. */
  void (*summary)(const struct result *result, FILE *out);
};

void result_release(struct result *result);

/* The meta data of the table, the matrix or the tensor; for text, its own or NULL. */
struct meta *result_meta(const struct result *result);

/* SHA-256 of the result's data: lib/io/digest.h. */
int result_hash(const struct result *result, char hex[HASH_TEXT], struct error *error);
/* What stays when last digits change, of tables and matrices: lib/io/sketch.h. */
int result_sketch(const struct result *result, struct meta *sketch, struct error *error);
/* Both at once, on two threads: the hash of a large map is long in coming. */
int result_fingerprint(const struct result *result, char hex[HASH_TEXT], struct meta *sketch,
                       struct error *error);

/* Groups of options that commands share; see cmd/groups.c. */
enum {
  GROUP_SPECTRUM = 1,
  GROUP_FIGURE = 2,
  GROUP_OUTPUT = 4,
  GROUP_ENCODING = 16,
  GROUP_TENSOR = 8, /* no options: the result is a tensor, for which there are fewer formats */
};

struct command {
  const char *name;
  const char *summary;               /* one line of `ropetool help` */
  const char *arguments;             /* usage of what is no option, "FIG"; NULL: none is allowed */
  const char *description;           /* text under the usage line */
  const struct argp_option *options; /* its own */
  bool options_of_figures;           /* takes those of the commands that draw, by prepare() */
  bool reports_devices;              /* --device cuda: that there is none is for it to tell */
  unsigned groups;                   /* GROUP_... it takes besides the ones every command has */
  /* Reads the command line another way than invocation_parse; NULL: by it. May change the command.
   */
  int (*prepare)(struct invocation *invocation, int count, char *const *words, struct error *error);
  int (*compute)(const struct invocation *invocation, struct result *result, struct error *error);
};

/* Computes what a canonical command line says, as if it had been typed; for `info --verify`. */
int command_recompute(const char *line, struct result *result, struct error *error);

/* Computes and completes the meta data: tool, version, command, backend, inputs first. */
int command_compute(const struct invocation *invocation, struct result *result,
                    struct error *error);

const struct command *command_at(size_t index); /* NULL past the end */
const struct command *command_find(const char *name);

#endif
