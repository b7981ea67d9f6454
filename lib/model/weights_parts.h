/* What is between weights.c and weights_tensor.c. */
#ifndef ROPETOOL_MODEL_WEIGHTS_PARTS_H
#define ROPETOOL_MODEL_WEIGHTS_PARTS_H

#include <stdint.h>

#include "lib/io/mapping.h"
#include "lib/model/weights.h"

struct weights_file {
  char *path;
  struct mapping bytes;
  bool open;
};

struct weights_tensor {
  char *name;
  size_t file;
};

struct weights {
  char *path, *rest;
  bool builtin;
  struct weights_file *file; /* in alphabetical order */
  size_t files;
  struct weights_tensor *tensor; /* in alphabetical order */
  size_t count;
  struct fields *config; /* NULL until it was asked for */
  struct gguf *gguf;     /* likewise */
};

/* Maps a file that is not open yet. */
int weights_open_file(struct weights_file *file, struct error *error);

/* Lists the tensors of the one file, which is open. */
int weights_list_file(struct weights *weights, struct error *error);

/* Lists the shards and tensors of the index at `path`. */
int weights_list_index(struct weights *weights, struct error *error);

#endif
