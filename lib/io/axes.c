#include "lib/io/axes.h"

#include <string.h>

static const char *const names[AXES] = {"layer", "batch", "position", "head", "dim"};

const char *axis_name(enum axis axis) {
  return names[axis];
}

size_t axes_find(const struct axes *axes, enum axis axis) {
  size_t place = 0;
  while (place < axes->rank && axes->axis[place] != axis)
    place++;
  return place;
}

bool axes_have(const struct axes *axes, enum axis axis) {
  return axes_find(axes, axis) < axes->rank;
}

size_t axes_extent(const struct axes *axes, const struct tensor *tensor, enum axis axis) {
  return axes_have(axes, axis) ? tensor->shape[axes_find(axes, axis)] : 1;
}

void axes_sort(const struct axes *axes, size_t order[AXES]) {
  size_t next = 0;
  for (int axis = 0; axis < AXES; axis++) {
    const size_t place = axes_find(axes, (enum axis)axis);
    if (place < axes->rank) order[next++] = place;
  }
}

struct axes_text axes_list(const struct axes *axes) {
  struct axes_text list = {""};
  for (size_t i = 0; i < axes->rank; i++) {
    if (i) strcat(list.text, ",");
    strcat(list.text, names[axes->axis[i]]);
  }
  return list;
}

int axes_add_layers(struct axes *axes, struct error *error) {
  if (axes_have(axes, AXIS_LAYER))
    return error_set(error, ERROR_INPUT,
                     "each of several files is a layer, and their axes are '%s': none may be "
                     "'layer'",
                     axes_list(axes).text);
  for (size_t i = axes->rank++; i > 0; i--)
    axes->axis[i] = axes->axis[i - 1];
  axes->axis[0] = AXIS_LAYER;
  return OK;
}

/* The axis called by the first `length` characters of `text`; AXES when there is none. */
static int axis_called(const char *text, size_t length) {
  int axis = 0;
  while (axis < AXES && (strlen(names[axis]) != length || strncmp(names[axis], text, length) != 0))
    axis++;
  return axis;
}

static int parse(const char *list, struct axes *axes, struct error *error) {
  axes->rank = 0;
  for (const char *at = list;; at++) {
    const size_t length = strcspn(at, ",");
    const int axis = axis_called(at, length);
    if (axis == AXES)
      return error_set(
          error, ERROR_INPUT,
          "unknown axis '%.*s' of --axes: layer, batch, position, head and dim are known",
          (int)length, at);
    if (axes_have(axes, (enum axis)axis))
      return error_set(error, ERROR_INPUT, "--axes '%s' has '%s' twice", list, names[axis]);
    axes->axis[axes->rank++] = (enum axis)axis;
    at += length;
    if (!*at) break;
  }
  for (enum axis axis = AXIS_POSITION; axis <= AXIS_DIM; axis += AXIS_DIM - AXIS_POSITION)
    if (!axes_have(axes, axis))
      return error_set(error, ERROR_INPUT, "--axes '%s' lacks '%s'", list, names[axis]);
  return OK;
}

int axes_of(const char *list, const struct tensor *tensor, struct axes *axes, struct error *error) {
  static const char *const usual[] = {"position,dim", "head,position,dim",
                                      "batch,head,position,dim", "layer,batch,head,position,dim"};
  const char *name = tensor->name ? tensor->name : "the tensor";
  if (!list && (tensor->rank < 2 || tensor->rank > AXES))
    return error_set(error, ERROR_INPUT, "'%s' has %zu axes, %s: 2 to %d are taken, the end of %s",
                     name, tensor->rank, tensor_shape(tensor).text, AXES, usual[AXES - 2]);
  if (parse(list ? list : usual[tensor->rank - 2], axes, error)) return ERROR_INPUT;
  if (axes->rank != tensor->rank)
    return error_set(error, ERROR_INPUT, "'%s' has %zu axes, %s, but --axes '%s' names %zu", name,
                     tensor->rank, tensor_shape(tensor).text, list, axes->rank);
  return OK;
}
