/* GGUF, the files of llama.cpp and ggml: named values and tensors. Versions 2 and 3, both byte
   orders. */
#ifndef ROPETOOL_IO_GGUF_H
#define ROPETOOL_IO_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/mapping.h"
#include "lib/io/tensor_format.h"

/* A file that was read. It points into the file's bytes. */
struct gguf;

/* Types of values, numbered as in files. */
enum gguf_type {
  GGUF_U8,
  GGUF_I8,
  GGUF_U16,
  GGUF_I16,
  GGUF_U32,
  GGUF_I32,
  GGUF_F32,
  GGUF_FLAG,
  GGUF_TEXT,
  GGUF_ARRAY,
  GGUF_U64,
  GGUF_I64,
  GGUF_F64,
  GGUF_TYPES
};

/* A text of a file: no NUL behind it. */
struct gguf_text {
  const char *text;
  size_t length;
};

/* For messages: printf("%.*s", GGUF_SHOWN(text)). */
#define GGUF_SHOWN(shown) ((shown).length < 200 ? (int)(shown).length : 200), (shown).text

struct gguf_value {
  struct gguf_text key;
  enum gguf_type type; /* of an array: that of its elements; never GGUF_ARRAY */
  bool is_array;
  size_t count; /* elements of an array; 1 */
  /* Not for others to look at. */
  bool big_endian;
  const unsigned char *data;
  size_t size;
};

enum { GGUF_RANK = 4, GGUF_NO_STORAGE = -1 };

/* Element types of tensors. */
struct gguf_tensor_type {
  const char *name;           /* "F32", "Q4_K" */
  unsigned block, block_size; /* elements, bytes; 0: not known */
  int storage;                /* enum storage, or GGUF_NO_STORAGE */
};

struct gguf_tensor {
  struct gguf_text name;
  size_t rank, shape[GGUF_RANK];       /* slowest axis first: the file has them in reverse */
  const struct gguf_tensor_type *type; /* NULL: one that we do not know */
  uint32_t type_number;                /* as in the file */
  size_t offset;                       /* of the first element in the file */
  size_t size;                         /* bytes; 0 where the type's are not known */
};

/* Whether the bytes begin like a GGUF file. */
bool gguf_recognises(struct tensor_bytes bytes);

/* Reads a file's bytes, which must outlive *result. Nothing in them is trusted, and no more memory
   is asked for than a few times their number.

   ERROR_INPUT, without the file's name: no GGUF file, version 1 or an unknown one, cut short, more
   values or tensors than the file has room for, a key or a tensor's name twice, an empty key, an
   array of arrays, an unknown type of a value, a key, a name or a single text that is not UTF-8
   (the texts of arrays are pieces of a vocabulary, and are not looked at), a flag that is neither 0
   nor 1, a 'general.alignment' that is no power of two up to 2^24, more than 4 axes, rows that are
   no whole number of blocks, a tensor that is larger than 2^64 bytes, is not aligned, overlaps the
   one before it, or ends behind the file. Bytes behind the last tensor are left alone. */
int gguf_parse(struct tensor_bytes bytes, struct gguf **result, struct error *error);

/* The same from a file, which is mapped; messages name it. */
int gguf_open(const char *path, struct gguf **result, struct error *error);

void gguf_destroy(struct gguf *gguf); /* NULL is allowed */

unsigned gguf_version(const struct gguf *gguf);
bool gguf_is_big_endian(const struct gguf *gguf);
struct tensor_bytes gguf_bytes(const struct gguf *gguf); /* of the whole file */

/* The values in the order of the file; NULL past the end. */
const struct gguf_value *gguf_value_at(const struct gguf *gguf, size_t index);
const struct gguf_value *gguf_find(const struct gguf *gguf, const char *key); /* NULL: none */

/* Each wants one value, not an array, and leaves *result alone on ERROR_INPUT, which names the key:
   another type, or out of range. */
/* Any type of numbers. Infinities and NaN are out of range. */
int gguf_real(const struct gguf_value *value, double *result, struct error *error);
/* The same, and > 0. */
int gguf_positive(const struct gguf_value *value, double *result, struct error *error);
/* Any type of numbers, in [lowest, highest]; 4096.0 is whole. */
int gguf_whole(const struct gguf_value *value, int64_t lowest, int64_t highest, int64_t *result,
               struct error *error);
int gguf_flag(const struct gguf_value *value, bool *result, struct error *error);
int gguf_text(const struct gguf_value *value, struct gguf_text *result, struct error *error);

/* Element `index` < count of an array as a value of its own, whose key is the array's; of a value
   that is none, the value itself. The time goes with `index` where it is a text. */
struct gguf_value gguf_element(const struct gguf_value *array, size_t index);

/* "u32", "text", "array of f32" */
struct gguf_type_text {
  char text[24];
};
struct gguf_type_text gguf_type_name(const struct gguf_value *value);

/* The tensors in the order of the file; NULL past the end. */
const struct gguf_tensor *gguf_tensor_at(const struct gguf *gguf, size_t index);
const struct gguf_tensor *gguf_tensor_find(const struct gguf *gguf, const char *name); /* NULL */

/* Where a tensor lies in the file. ERROR_INPUT: of a type that enum storage lacks. */
int gguf_tensor_place(const struct gguf *gguf, const struct gguf_tensor *tensor,
                      struct tensor_place *place, struct error *error);

/* The elements as doubles, to be released with free(). NULL with the error, as above. */
double *gguf_tensor_reals(const struct gguf *gguf, const struct gguf_tensor *tensor,
                          struct error *error);

#endif
