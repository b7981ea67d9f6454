#include "lib/io/tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/memory.h"
#include "lib/io/document.h"
#include "lib/io/npy.h"

static size_t product(size_t a, size_t b) {
  size_t c;
  return __builtin_mul_overflow(a, b, &c) ? SIZE_MAX : c;
}

struct tensor *tensor_create(enum storage storage, size_t rank, const size_t *shape,
                             const char *what, struct error *error) {
  struct tensor *tensor = memory_array(1, sizeof *tensor, "a tensor", error);
  if (!tensor) return NULL;
  tensor->storage = storage;
  tensor->rank = rank;
  tensor->count = 1;
  for (size_t i = 0; i < rank; i++) {
    tensor->shape[i] = shape[i];
    tensor->count = product(tensor->count, shape[i]);
  }
  tensor->memory = memory_array(tensor->count, storage_size(storage), what, error);
  tensor->data = tensor->memory;
  if (tensor->data) return tensor;
  tensor_destroy(tensor);
  return NULL;
}

void tensor_destroy(struct tensor *tensor) {
  if (!tensor) return;
  if (tensor->map) munmap(tensor->map, tensor->map_size);
  meta_destroy(tensor->meta);
  free(tensor->memory);
  free(tensor->name);
  free(tensor);
}

/* Copies `count` elements of `size` bytes that lie `stride` bytes apart. */
static void gather(char *to, const char *from, size_t count, size_t stride, size_t size) {
  if (stride == size) {
    memcpy(to, from, count * size);
    return;
  }
  for (size_t i = 0; i < count; i++)
    memcpy(to + i * size, from + i * stride, size);
}

void tensor_forget(const struct tensor *tensor, size_t first, size_t count) {
  if (!tensor->map) return;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), size = storage_size(tensor->storage),
                  start = (uintptr_t)tensor->data + first * size, end = start + count * size;
  /* The pages at the ends hold elements of others. */
  const uintptr_t from = (start + page - 1) / page * page, to = end / page * page;
  if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}

int tensor_permute(const struct tensor *tensor, const size_t *order, struct tensor **result,
                   struct error *error) {
  const size_t rank = tensor->rank, size = storage_size(tensor->storage);
  size_t stride[TENSOR_RANK] = {0}, shape[TENSOR_RANK] = {0}, step[TENSOR_RANK] = {0};
  size_t index[TENSOR_RANK] = {0};
  size_t next = size;
  for (size_t i = rank; i-- > 0; next *= tensor->shape[i])
    stride[i] = next;
  for (size_t i = 0; i < rank; i++) {
    shape[i] = tensor->shape[order[i]];
    step[i] = stride[order[i]];
  }
  *result = tensor_create(tensor->storage, rank, shape, "a tensor with its axes reordered", error);
  if (!*result) return ERROR_FAILED;
  const size_t row = rank ? shape[rank - 1] : 1, apart = rank ? step[rank - 1] : size;
  const char *from = tensor->data;
  char *to = (*result)->data;
  for (size_t done = 0; done < tensor->count; done += row, to += row * size) {
    gather(to, from, row, apart, size);
    /* On to the next row, as a mileage counter goes on. */
    for (size_t i = rank; i-- > 1;) {
      from += step[i - 1];
      if (++index[i - 1] < shape[i - 1]) break;
      from -= step[i - 1] * shape[i - 1];
      index[i - 1] = 0;
    }
  }
  return OK;
}

enum { PIECE = 4096 }; /* elements converted at a time */

static int check_same(const struct tensor *first, const struct tensor *other, struct error *error) {
  bool same = first->storage == other->storage && first->rank == other->rank;
  for (size_t i = 0; same && i < first->rank; i++)
    same = first->shape[i] == other->shape[i];
  if (same) return OK;
  return error_set(error, ERROR_INPUT, "'%s' is %s %s, and '%s' is %s %s: the same is needed",
                   first->name, storage_name(first->storage), tensor_shape(first).text, other->name,
                   storage_name(other->storage), tensor_shape(other).text);
}

int tensor_stack(struct tensor *const *tensors, size_t count, struct tensor **result,
                 struct error *error) {
  const struct tensor *first = tensors[0];
  const size_t size = first->count * storage_size(first->storage);
  size_t shape[TENSOR_RANK] = {count};
  *result = NULL;
  if (first->rank == TENSOR_RANK)
    return error_set(error, ERROR_INPUT, "'%s' has %zu axes, %s: at most %d can be stacked",
                     first->name, first->rank, tensor_shape(first).text, TENSOR_RANK - 1);
  memcpy(shape + 1, first->shape, first->rank * sizeof *shape);
  for (size_t i = 1; i < count; i++)
    if (check_same(first, tensors[i], error)) return error->code;
  struct tensor *stack =
      tensor_create(first->storage, first->rank + 1, shape, "several tensors in one", error);
  if (!stack) return ERROR_FAILED;
  for (size_t i = 0; i < count; i++)
    memcpy((char *)stack->data + i * size, tensors[i]->data, size);
  if (asprintf(&stack->name, "%s ... %s", tensor_short_name(first->name),
               tensor_short_name(tensors[count - 1]->name)) >= 0) {
    *result = stack;
    return OK;
  }
  stack->name = NULL;
  tensor_destroy(stack);
  return error_set(error, ERROR_FAILED, "out of memory: the name of several tensors");
}

int tensor_convert(const struct tensor *tensor, enum storage storage, struct tensor **result,
                   struct error *error) {
  const size_t from = storage_size(tensor->storage), to = storage_size(storage);
  double piece[PIECE];
  *result = tensor_create(storage, tensor->rank, tensor->shape, "a tensor of another type", error);
  if (!*result) return ERROR_FAILED;
  for (size_t done = 0; done < tensor->count; done += PIECE) {
    const size_t left = tensor->count - done, count = left < PIECE ? left : PIECE;
    storage_load(tensor->storage, (const char *)tensor->data + done * from, count, piece);
    storage_store(storage, piece, count, (char *)(*result)->data + done * to);
  }
  return OK;
}

double *tensor_reals(const struct tensor *tensor, struct error *error) {
  double *reals = memory_array(tensor->count, sizeof *reals, "the numbers of a tensor", error);
  if (reals) storage_load(tensor->storage, tensor->data, tensor->count, reals);
  return reals;
}

int64_t *tensor_wholes(const struct tensor *tensor, struct error *error) {
  int64_t *wholes = memory_array(tensor->count, sizeof *wholes, "the numbers of a tensor", error);
  if (!wholes) return NULL;
  const size_t good = storage_load_whole(tensor->storage, tensor->data, tensor->count, wholes);
  if (good == tensor->count) return wholes;
  double value;
  storage_load(tensor->storage, (const char *)tensor->data + good * storage_size(tensor->storage),
               1, &value);
  error_set(error, ERROR_INPUT, "element %zu of '%s' is %.17g: a whole number of 64 bits is needed",
            good, tensor->name ? tensor->name : "a tensor", value);
  free(wholes);
  return NULL;
}

struct tensor_shape_text tensor_shape(const struct tensor *tensor) {
  struct tensor_shape_text shape;
  npy_shape_text(shape.text, sizeof shape.text, tensor->shape, tensor->rank);
  return shape;
}

const char *tensor_descr(enum storage storage) {
  static const char *const descr[STORAGE_COUNT] = {
      [STORAGE_F64] = "'<f8'", [STORAGE_F32] = "'<f4'", [STORAGE_BF16] = "'<V2'",
      [STORAGE_F16] = "'<f2'", [STORAGE_I64] = "'<i8'", [STORAGE_I32] = "'<i4'",
      [STORAGE_I16] = "'<i2'", [STORAGE_I8] = "'|i1'",  [STORAGE_U64] = "'<u8'",
      [STORAGE_U32] = "'<u4'", [STORAGE_U16] = "'<u2'", [STORAGE_U8] = "'|u1'",
  };
  return descr[storage];
}

void tensor_write_npy(const struct tensor *tensor, FILE *out) {
  const size_t size = storage_size(tensor->storage);
  npy_write_header(out, tensor_descr(tensor->storage), tensor->shape, tensor->rank);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (tensor->count) fwrite(tensor->data, size, tensor->count, out);
#else
  const unsigned char *element = tensor->data;
  for (size_t i = 0; i < tensor->count; i++, element += size)
    for (size_t byte = size; byte-- > 0;)
      fputc(element[byte], out);
#endif
}

/* Only the header is written to memory: data can be large. */
int tensor_hash(const struct tensor *tensor, char hex[HASH_TEXT], struct error *error) {
  char *header = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&header, &size);
  if (!out) return error_set(error, ERROR_FAILED, "out of memory: the data's hash");
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  npy_write_header(out, tensor_descr(tensor->storage), tensor->shape, tensor->rank);
  const size_t bytes = tensor->count * storage_size(tensor->storage);
#else
  tensor_write_npy(tensor, out);
  const size_t bytes = 0;
#endif
  const int incomplete = ferror(out), failed = fclose(out) || incomplete;
  if (!failed)
    hash_parts((const struct hash_part[]){{header, size}, {tensor->data, bytes}}, 2, hex);
  free(header);
  return failed ? error_set(error, ERROR_FAILED, "out of memory: the data's hash") : OK;
}

void tensor_write_json(const struct tensor *tensor, FILE *out) {
  document_write(tensor->meta, NULL, NULL, out);
}
