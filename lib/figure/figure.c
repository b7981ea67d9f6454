#include "lib/figure/figure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void figure_release(struct figure *figure) {
  free(figure->picture.data);
  free(figure->tex.data);
  free(figure->script.data);
  free(figure->data.data);
  *figure = (struct figure){0};
}

int figure_letter_check(const char *letter, struct error *error) {
  const size_t size = strlen(letter);
  bool fits = size >= 1 && size <= FIGURE_LETTER;
  for (const char *c = letter; *c && fits; c++)
    fits = isalnum((unsigned char)*c) && !((unsigned char)*c & 0x80);
  if (fits) return OK;
  return error_set(error, ERROR_INPUT,
                   "letter '%s' is not possible; 1 to %d letters or digits, as 'a' for (a)", letter,
                   FIGURE_LETTER);
}
