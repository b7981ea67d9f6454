#include "lib/figure/figure.h"

#include <stdlib.h>

void figure_release(struct figure *figure) {
  free(figure->picture.data);
  free(figure->tex.data);
  free(figure->script.data);
  free(figure->data.data);
  *figure = (struct figure){0};
}
