/* Tensors: arrays of up to 8 axes, read from and written to files. */
#ifndef ROPETOOL_IO_TENSOR_H
#define ROPETOOL_IO_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/base/storage.h"
#include "lib/io/meta.h"

enum { TENSOR_RANK = 8 };

struct tensor {
  enum storage storage;
  size_t rank, shape[TENSOR_RANK]; /* slowest axis first */
  size_t count;                    /* of elements: the product of the shape, 1 for rank 0 */
  void *data;                      /* (shape), dense, in this machine's byte order */
  char *name;                      /* of a tensor that was read: as it was asked for */
  char sha256[HASH_TEXT];          /* of the file it was read from, else "" */
  struct meta *meta;               /* of a result; NULL for what was read */
  void *memory, *map;              /* what is to be released; not for others to look at */
  size_t map_size;
};

/* Reads "FILE[:TENSOR]": NumPy's .npy (formats 1.0 to 3.0, either byte order, C or Fortran order;
   two bytes of "void" are bf16, as ml_dtypes saves it), .safetensors or .gguf (see gguf.h). TENSOR
   may be left out where there is one alone. A file whose size is known is mapped, so that one
   tensor of a large file costs no more than itself.

   ERROR_INPUT, with the file in the message: it is missing, no such file, cut short, or at odds
   with itself; the tensor is missing or must be chosen (the names are listed), or of an element
   type that enum storage lacks. Python objects (pickles) are never loaded. */
int tensor_read(const char *text, struct tensor **result, struct error *error);

/* The same from a file's bytes, which must outlive the tensor; `path` is for its extension and for
   messages, `name` the tensor or NULL. */
int tensor_read_bytes(const char *path, const char *name, void *data, size_t size,
                      struct tensor **result, struct error *error);

/* The names of a file's tensors, in alphabetical order; the array of a .npy has none, "". */
struct tensor_list {
  size_t count;
  char **name;
};

/* Lists the tensors in a file's bytes; errors and `path` as in tensor_read_bytes. */
int tensor_list_bytes(const char *path, const void *data, size_t size, struct tensor_list *list,
                      struct error *error);
void tensor_list_release(struct tensor_list *list); /* one that is all zeros is allowed */

/* Length of FILE in "FILE[:TENSOR]": the colon that counts is the first behind a known extension
   (.npy, .safetensors, .gguf). */
size_t tensor_path_length(const char *text);
/* Whether FILE has the extension of a tensor's file. */
bool tensor_path_known(const char *text);

/* The last part of FILE in "FILE[:TENSOR]", with ":TENSOR" behind it. */
const char *tensor_short_name(const char *text);

/* A tensor of zeros without meta data. `what` as for memory_array(). */
struct tensor *tensor_create(enum storage storage, size_t rank, const size_t *shape,
                             const char *what, struct error *error);
void tensor_destroy(struct tensor *tensor); /* NULL is allowed */

/* Lets go of the memory that elements first .. first + count − 1 of a mapped file are in, for who
   goes through a large tensor once; they are read again where they are looked at again. Elements
   must not have been written to. */
void tensor_forget(const struct tensor *tensor, size_t first, size_t count);

/* A copy with its axes in another order: axis i of the copy is axis order[i] of `tensor`. */
int tensor_permute(const struct tensor *tensor, const size_t *order, struct tensor **result,
                   struct error *error);

/* Tensors of one type and shape in one, along a new first axis; its name tells of the first and the
   last of them. ERROR_INPUT: two differ, or there is no room for one axis more. */
int tensor_stack(struct tensor *const *tensors, size_t count, struct tensor **result,
                 struct error *error);

/* A copy with elements of a real type, each rounded once. */
int tensor_convert(const struct tensor *tensor, enum storage storage, struct tensor **result,
                   struct error *error);

/* The elements as doubles (see storage_load), to be released with free(). NULL with the error. */
double *tensor_reals(const struct tensor *tensor, struct error *error);
/* The elements as whole numbers; ERROR_INPUT names the first that is none. */
int64_t *tensor_wholes(const struct tensor *tensor, struct error *error);

/* "(4, 1024, 32, 128)" */
struct tensor_shape_text {
  char text[TENSOR_RANK * 24];
};
struct tensor_shape_text tensor_shape(const struct tensor *tensor);

/* NumPy's type as it stands in a .npy header: "'<f8'". bf16 is "'<V2'", as ml_dtypes writes it. */
const char *tensor_descr(enum storage storage);

/* A .npy file, little endian. Write errors show on the stream. */
void tensor_write_npy(const struct tensor *tensor, FILE *out);
/* {"meta": {...}} */
void tensor_write_json(const struct tensor *tensor, FILE *out);

/* SHA-256 of the bytes that tensor_write_npy writes. */
int tensor_hash(const struct tensor *tensor, char hex[HASH_TEXT], struct error *error);

#endif
