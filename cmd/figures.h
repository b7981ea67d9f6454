/* Inside of cmd/figures*.c: the lines of a recipe as jobs. */
#ifndef ROPETOOL_CMD_FIGURES_H
#define ROPETOOL_CMD_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cmd/invocation.h"
#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/figure/recipe.h"

enum figures_state {
  FIGURES_WAITING,
  FIGURES_RUNNING,
  FIGURES_DRAWN,
  FIGURES_REFUTED, /* its files are written, but a check of its own failed */
  FIGURES_CURRENT,
  FIGURES_FAILED
};

struct figures_job {
  const struct recipe_line *line;
  struct invocation invocation; /* of its command, without outputs */
  char *canonical;              /* the command that its figures hold */
  char **outputs;               /* in the order they are written: what holds its provenance first */
  size_t figure_count;          /* of them that are figures; they are the first */
  bool has_json;                /* of a line without figures: the first output is JSON */
  bool selected;
  bool stale;    /* it is known that it is to be drawn */
  size_t *needs; /* earlier jobs that write what it reads */
  size_t need_count;
  enum figures_state state;
  char reason[256]; /* why it is drawn */
  char *messages;   /* what is to be said of it on stderr, lines; NULL: nothing */
};

/* Hashes of files that were read once in this run. */
struct figures_hash {
  char *path, hex[HASH_TEXT];
};

struct figures {
  const char *name; /* of the recipe */
  struct recipe recipe;
  bool absent; /* the folder that its names lead from is not there yet, nor is anything in it */
  struct figures_job *jobs; /* one for each line */
  size_t count;
  struct figures_hash *hashes;
  size_t hash_count;
};

/* Makes a job of every line and checks all of them. ERROR_INPUT begins "RECIPE:LINE: "; a bad
   option ends the program with such a line. */
int figures_plan(struct figures *figures, struct error *error);
void figures_release(struct figures *figures);

/* "OUT,OUT", as the recipe has it or, `quoted`, as a shell reads it. */
void figures_write_outputs(const struct figures_job *job, bool quoted, FILE *out);

/* The file that an entry of a command line names, of a folder the config.json in it; free() it.
   NULL when it names none, or memory is out. It may not be there. */
char *figures_input(const struct option_entry *entry);

/* Makes the folders that `path` lies in. */
int figures_make_folders(const char *path, struct error *error);

/* Whether what the job makes is there and is what its command would make; else `reason` says why
   not. */
bool figures_current(struct figures *figures, struct figures_job *job);

/* To be called when files may have changed. */
void figures_forget_hashes(struct figures *figures);

/* How the jobs run. */
struct figures_run {
  size_t jobs; /* at a time, at least 1 */
  int threads; /* of all together */
  bool force;  /* draws what is current, too */
  bool quiet, verbose;
  const char *device; /* NULL: as it comes */
  double memory;      /* GiB of all together; 0: what is free */
};

/* Draws what is selected and not current, and reports on stdout and stderr. ERROR_FAILED when a job
   failed; the others were done all the same. `*refuted`: a check failed. */
int figures_draw(struct figures *figures, const struct figures_run *run, bool *refuted,
                 struct error *error);

/* Says what figures_draw() would do. */
void figures_preview(struct figures *figures, const struct figures_run *run, FILE *out);

/* Writes the selected jobs as rules of a Makefile. ERROR_INPUT when a name cannot stand in one. */
int figures_write_makefile(const struct figures *figures, FILE *out, struct error *error);

#endif
