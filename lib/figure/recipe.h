/* Recipes: text that lists figures and the commands that draw them.

   A line is `OUT[,OUT...]  COMMAND [WORD...]`. Words are quoted as in a shell ('…', "…", \x) but
   nothing is expanded and no shell runs. `#` where a word could begin starts a comment, a line that
   ends in a backslash goes on in the next one, empty lines are passed over. A quoted text is one
   line. A byte order mark at the beginning is passed over. */
#ifndef ROPETOOL_FIGURE_RECIPE_H
#define ROPETOOL_FIGURE_RECIPE_H

#include <stddef.h>

#include "lib/base/error.h"

struct recipe_line {
  size_t number;  /* where it begins, from 1 */
  char **outputs; /* names as they stand, none empty, none begins with '-' */
  size_t output_count;
  char *const
      *words;     /* command and options, NULL behind the last; "ropetool" before them is left out
                   */
  int word_count; /* at least 1 */
  char **split;   /* what both point into */
};

struct recipe {
  struct recipe_line *lines;
  size_t count;
};

enum { RECIPE_LIMIT = 16 << 20 }; /* bytes of a recipe, at most */

/* Reads `size` bytes of `text`, any bytes; release the recipe. ERROR_INPUT begins "NAME:LINE: ". */
int recipe_parse(const char *text, size_t size, const char *name, struct recipe *recipe,
                 struct error *error);

/* One that is all zeros is allowed. */
void recipe_release(struct recipe *recipe);

#endif
