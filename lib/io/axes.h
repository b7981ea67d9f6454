/* What the axes of a tensor mean. */
#ifndef ROPETOOL_IO_AXES_H
#define ROPETOOL_IO_AXES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/tensor.h"

enum axis { AXIS_LAYER, AXIS_BATCH, AXIS_POSITION, AXIS_HEAD, AXIS_DIM };
enum { AXES = AXIS_DIM + 1 };

/* The axes of a tensor of vectors, slowest first. */
struct axes {
  size_t rank;
  enum axis axis[AXES];
};

/* Axes of `tensor` from a list like "batch,head,position,dim"; NULL: by its rank, 2 to 5, the end
   of "layer,batch,head,position,dim". ERROR_INPUT: an unknown name, a name twice, no position or no
   dim, another number of axes than the tensor has. */
int axes_of(const char *list, const struct tensor *tensor, struct axes *axes, struct error *error);

const char *axis_name(enum axis axis); /* "layer", ... */

/* The place of an axis in the order; `axes->rank` when there is none. */
size_t axes_find(const struct axes *axes, enum axis axis);

/* The axes of tensors that tensor_stack() made one, each a layer. ERROR_INPUT: they have layers. */
int axes_add_layers(struct axes *axes, struct error *error);

bool axes_have(const struct axes *axes, enum axis axis);

/* The extent of the tensor along an axis; 1 when it has none such. */
size_t axes_extent(const struct axes *axes, const struct tensor *tensor, enum axis axis);

/* The order of `tensor_permute` that puts the axes there are as (layer, batch, position, head,
   dim). */
void axes_sort(const struct axes *axes, size_t order[AXES]);

/* "layer,batch,head,position,dim" */
struct axes_text {
  char text[40];
};
struct axes_text axes_list(const struct axes *axes);

#endif
