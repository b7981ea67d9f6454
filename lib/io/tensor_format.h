/* Formats of tensor files: to add one, its file with a struct tensor_format and a line in the list
   of tensor_read.c. */
#ifndef ROPETOOL_IO_TENSOR_FORMAT_H
#define ROPETOOL_IO_TENSOR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/error.h"
#include "lib/io/tensor.h"

/* The bytes of a file. */
struct tensor_bytes {
  const unsigned char *data;
  size_t size;
};

/* Where a tensor lies in its file. */
struct tensor_place {
  enum storage storage;
  size_t rank, shape[TENSOR_RANK];
  size_t offset;      /* of the first element, in bytes */
  bool fortran_order; /* the first axis is the fastest */
  bool big_endian;
};

struct tensor_format {
  const char *extension;
  /* Whether the bytes begin like such a file. */
  bool (*recognises)(struct tensor_bytes bytes);
  /* Finds tensor `name` (NULL: the only one). Nothing in the bytes is trusted. Messages leave out
     the file's name. */
  int (*find)(struct tensor_bytes bytes, const char *name, struct tensor_place *place,
              struct error *error);
  /* Lists the tensors, by tensor_list_fill; NULL: there is one, which has no name. */
  int (*list)(struct tensor_bytes bytes, struct tensor_list *list, struct error *error);
};

extern const struct tensor_format tensor_format_npy, tensor_format_gguf, tensor_format_safetensors;

/* Takes the product of the shape times the size of an element; ERROR_INPUT when that does not fit.
 */
int tensor_place_size(const struct tensor_place *place, size_t *bytes, struct error *error);

/* A tensor's name, without a NUL behind it. */
struct tensor_name {
  const char *text;
  size_t length;
};

/* The names in a file, in alphabetical order. */
struct tensor_names {
  size_t count;
  const void *file;
  struct tensor_name (*at)(const void *file, size_t index);
};

/* ERROR_INPUT that says which names there are, as many as a line holds: `name` is none of them, or
   NULL and there is not one alone. */
int tensor_choose(struct tensor_names names, const char *name, struct error *error);

/* Copies the names. */
int tensor_list_fill(struct tensor_names names, struct tensor_list *list, struct error *error);

#endif
