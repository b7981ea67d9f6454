/* What is between gguf.c, gguf_value.c and gguf_tensor.c. */
#ifndef ROPETOOL_IO_GGUF_PARTS_H
#define ROPETOOL_IO_GGUF_PARTS_H

#include "lib/io/gguf.h"

struct gguf {
  struct tensor_bytes bytes;
  struct mapping mapping; /* of gguf_open alone */
  unsigned version;
  bool big_endian;
  struct gguf_value *values;
  struct gguf_tensor *tensors;
  size_t value_count, tensor_count;
  const struct gguf_text **keys, **names; /* those of values and tensors, in alphabetical order */
};

/* Where reading is: at byte `at`. */
struct gguf_cursor {
  struct tensor_bytes bytes;
  size_t at;
  bool big_endian;
};

/* Takes the next `size` bytes. NULL with ERROR_INPUT when the file ends before; `what` they are
   stands in the message. */
const unsigned char *gguf_take(struct gguf_cursor *cursor, uint64_t size, const char *what,
                               struct error *error);

/* Takes a number of `width` bytes. */
int gguf_take_number(struct gguf_cursor *cursor, size_t width, const char *what, uint64_t *number,
                     struct error *error);

/* Takes a length of 8 bytes and a text that is as long. */
int gguf_take_text(struct gguf_cursor *cursor, const char *what, struct gguf_text *text,
                   struct error *error);

/* How many things of at least `least` bytes the file says there are: ERROR_INPUT when it has no
   room for that many. */
int gguf_take_count(struct gguf_cursor *cursor, size_t least, const char *what, size_t *count,
                    struct error *error);

/* The unsigned number in the `width` bytes at `data`. */
uint64_t gguf_number(const unsigned char *data, size_t width, bool big_endian);

/* Takes a key, its type and its value. */
int gguf_take_value(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error);

/* Takes what is said of a tensor; its offset is relative to the beginning of the data. */
int gguf_take_tensor(struct gguf_cursor *cursor, struct gguf_tensor *tensor, struct error *error);

/* Checks the tensors' offsets, and makes them relative to the beginning of the file. `at` is the
   end of what is said of them. */
int gguf_place_tensors(struct gguf *gguf, size_t at, struct error *error);

#endif
