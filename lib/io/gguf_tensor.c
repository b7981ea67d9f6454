/* Tensors of a GGUF file: what is said of them, where they lie, and the format for tensor_read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/io/gguf_parts.h"

#define NONE GGUF_NO_STORAGE

/* Types by their numbers: elements and bytes of a block (ggml, gguf-py 0.19.0). Those of a type
   that is gone, or that programs do not agree on, are not known. */
static const struct gguf_tensor_type types[] = {
    [0] = {"F32", 1, 4, STORAGE_F32},    [1] = {"F16", 1, 2, STORAGE_F16},
    [2] = {"Q4_0", 32, 18, NONE},        [3] = {"Q4_1", 32, 20, NONE},
    [4] = {"Q4_2", 0, 0, NONE},          [5] = {"Q4_3", 0, 0, NONE},
    [6] = {"Q5_0", 32, 22, NONE},        [7] = {"Q5_1", 32, 24, NONE},
    [8] = {"Q8_0", 32, 34, NONE},        [9] = {"Q8_1", 0, 0, NONE},
    [10] = {"Q2_K", 256, 84, NONE},      [11] = {"Q3_K", 256, 110, NONE},
    [12] = {"Q4_K", 256, 144, NONE},     [13] = {"Q5_K", 256, 176, NONE},
    [14] = {"Q6_K", 256, 210, NONE},     [15] = {"Q8_K", 256, 292, NONE},
    [16] = {"IQ2_XXS", 256, 66, NONE},   [17] = {"IQ2_XS", 256, 74, NONE},
    [18] = {"IQ3_XXS", 256, 98, NONE},   [19] = {"IQ1_S", 256, 50, NONE},
    [20] = {"IQ4_NL", 32, 18, NONE},     [21] = {"IQ3_S", 256, 110, NONE},
    [22] = {"IQ2_S", 256, 82, NONE},     [23] = {"IQ4_XS", 256, 136, NONE},
    [24] = {"I8", 1, 1, STORAGE_I8},     [25] = {"I16", 1, 2, STORAGE_I16},
    [26] = {"I32", 1, 4, STORAGE_I32},   [27] = {"I64", 1, 8, STORAGE_I64},
    [28] = {"F64", 1, 8, STORAGE_F64},   [29] = {"IQ1_M", 256, 56, NONE},
    [30] = {"BF16", 1, 2, STORAGE_BF16}, [31] = {"Q4_0_4_4", 0, 0, NONE},
    [32] = {"Q4_0_4_8", 0, 0, NONE},     [33] = {"Q4_0_8_8", 0, 0, NONE},
    [34] = {"TQ1_0", 256, 54, NONE},     [35] = {"TQ2_0", 256, 66, NONE},
    [36] = {"IQ4_NL_4_4", 0, 0, NONE},   [37] = {"IQ4_NL_4_8", 0, 0, NONE},
    [38] = {"IQ4_NL_8_8", 0, 0, NONE},   [39] = {"MXFP4", 32, 17, NONE},
    [40] = {"NVFP4", 64, 36, NONE},      [41] = {"Q1_0", 128, 18, NONE},
    [42] = {"Q2_0", 0, 0, NONE},
};

static const uint64_t default_alignment = 32, largest_alignment = UINT64_C(1) << 24;

static int take_shape(struct gguf_cursor *cursor, struct gguf_tensor *tensor, struct error *error) {
  uint64_t rank, extent;
  int failed = gguf_take_number(cursor, 4, "the number of axes of a tensor", &rank, error);
  if (failed) return failed;
  if (rank > GGUF_RANK)
    return error_set(error, ERROR_INPUT, "it has %" PRIu64 " axes, at most %d are allowed", rank,
                     GGUF_RANK);
  tensor->rank = (size_t)rank;
  for (size_t i = tensor->rank; i-- > 0;) {
    failed = gguf_take_number(cursor, 8, "an extent of a tensor", &extent, error);
    if (failed) return failed;
    if (extent > INT64_MAX)
      return error_set(error, ERROR_INPUT,
                       "one of its extents is %" PRIu64 ": less than 2^63 is allowed", extent);
    tensor->shape[i] = (size_t)extent;
  }
  return OK;
}

/* The bytes of the elements: rows of whole blocks. */
static int measure(struct gguf_tensor *tensor, struct error *error) {
  const struct gguf_tensor_type *type = tensor->type;
  if (!type || !type->block) return OK;
  const size_t row = tensor->rank ? tensor->shape[tensor->rank - 1] : 1;
  if (row % type->block)
    return error_set(error, ERROR_INPUT,
                     "its rows have %zu elements: a multiple of %u is needed for type %s", row,
                     type->block, type->name);
  size_t size = row / type->block;
  bool empty = !row, too_large = __builtin_mul_overflow(size, (size_t)type->block_size, &size);
  for (size_t i = 0; i + 1 < tensor->rank; i++) {
    empty |= !tensor->shape[i];
    too_large |= __builtin_mul_overflow(size, tensor->shape[i], &size);
  }
  if (too_large && !empty)
    return error_set(error, ERROR_INPUT, "its shape has more than 2^64 bytes of elements");
  tensor->size = empty ? 0 : size;
  return OK;
}

static int take_rest(struct gguf_cursor *cursor, struct gguf_tensor *tensor, struct error *error) {
  uint64_t type = 0, offset = 0;
  int failed = take_shape(cursor, tensor, error);
  if (!failed) failed = gguf_take_number(cursor, 4, "the type of a tensor", &type, error);
  if (!failed) failed = gguf_take_number(cursor, 8, "the offset of a tensor", &offset, error);
  if (failed) return failed;
  tensor->type_number = (uint32_t)type;
  tensor->type = type < sizeof types / sizeof *types ? &types[type] : NULL;
  tensor->offset = (size_t)offset;
  return measure(tensor, error);
}

int gguf_take_tensor(struct gguf_cursor *cursor, struct gguf_tensor *tensor, struct error *error) {
  int failed = gguf_take_text(cursor, "the name of a tensor", &tensor->name, error);
  if (failed) return failed;
  failed = take_rest(cursor, tensor, error);
  return failed ? error_prefix(error, "tensor '%.*s'", GGUF_SHOWN(tensor->name)) : OK;
}

static int read_alignment(const struct gguf *gguf, uint64_t *alignment, struct error *error) {
  const struct gguf_value *value = gguf_find(gguf, "general.alignment");
  int64_t stated;
  *alignment = default_alignment;
  if (!value) return OK;
  const int failed = gguf_whole(value, 1, (int64_t)largest_alignment, &stated, error);
  if (failed) return failed;
  *alignment = (uint64_t)stated;
  if (!(*alignment & (*alignment - 1))) return OK;
  return error_set(error, ERROR_INPUT,
                   "'general.alignment' is %" PRIu64 ": a power of two up to %" PRIu64 " is needed",
                   *alignment, largest_alignment);
}

/* How many bytes are between `at` and the next multiple of `alignment`. */
static uint64_t padding_of(uint64_t at, uint64_t alignment) {
  return at % alignment ? alignment - at % alignment : 0;
}

/* Data are padded behind the last tensor too, and a file without tensors up to where data would
   begin, as gguf-py and ggml write them: one that ends before was cut. */
int gguf_place_tensors(struct gguf *gguf, size_t at, struct error *error) {
  uint64_t alignment, end = 0; /* of the tensor before, from where the data begin */
  const int failed = read_alignment(gguf, &alignment, error);
  if (failed) return failed;
  const uint64_t padding = padding_of(at, alignment);
  if (padding > gguf->bytes.size - at)
    return error_set(error, ERROR_INPUT,
                     "the file is shorter than it says: its data begin at byte %" PRIu64
                     ", it has %zu bytes",
                     at + padding, gguf->bytes.size);
  const uint64_t there = gguf->bytes.size - at - padding;
  for (size_t i = 0; i < gguf->tensor_count; i++) {
    struct gguf_tensor *tensor = &gguf->tensors[i];
    if (tensor->offset % alignment)
      return error_set(error, ERROR_INPUT,
                       "tensor '%.*s' begins at byte %zu of the data: a multiple of %" PRIu64
                       " is needed",
                       GGUF_SHOWN(tensor->name), tensor->offset, alignment);
    if (tensor->offset < end)
      return error_set(error, ERROR_INPUT,
                       "tensor '%.*s' begins at byte %zu of the data, but the one before it ends "
                       "at %" PRIu64 ": tensors may not overlap",
                       GGUF_SHOWN(tensor->name), tensor->offset, end);
    if (tensor->offset > there || tensor->size > there - tensor->offset)
      return error_set(error, ERROR_INPUT,
                       "the file is shorter than it says: tensor '%.*s' begins at byte %zu of the "
                       "data and has %zu bytes, the data have %" PRIu64,
                       GGUF_SHOWN(tensor->name), tensor->offset, tensor->size, there);
    end = tensor->offset + tensor->size;
    tensor->offset += at + padding;
  }
  if (padding_of(end, alignment) > there - end)
    return error_set(error, ERROR_INPUT,
                     "the file is shorter than it says: the data have %" PRIu64
                     " bytes, but their last tensor is padded to %" PRIu64,
                     there, end + padding_of(end, alignment));
  return OK;
}

int gguf_tensor_place(const struct gguf *gguf, const struct gguf_tensor *tensor,
                      struct tensor_place *place, struct error *error) {
  if (!tensor->type)
    return error_set(error, ERROR_INPUT,
                     "tensor '%.*s' holds elements of an unknown type, %" PRIu32
                     ": F64, F32, F16, BF16 and I8 to I64 are read",
                     GGUF_SHOWN(tensor->name), tensor->type_number);
  if (tensor->type->storage == NONE)
    return error_set(error, ERROR_INPUT,
                     "tensor '%.*s' holds elements of the quantised type '%s': F64, F32, F16, BF16 "
                     "and I8 to I64 are read",
                     GGUF_SHOWN(tensor->name), tensor->type->name);
  *place = (struct tensor_place){.storage = (enum storage)tensor->type->storage,
                                 .rank = tensor->rank,
                                 .offset = tensor->offset,
                                 .big_endian = gguf->big_endian};
  memcpy(place->shape, tensor->shape, sizeof tensor->shape);
  return OK;
}

double *gguf_tensor_reals(const struct gguf *gguf, const struct gguf_tensor *tensor,
                          struct error *error) {
  struct tensor_place place = {0};
  if (gguf_tensor_place(gguf, tensor, &place, error)) return NULL;
  const size_t size = storage_size(place.storage), count = tensor->size / size;
  double *reals = memory_array(count, sizeof *reals, "the numbers of a tensor", error);
  const bool swapped = place.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
  for (size_t i = 0; reals && i < count; i++) {
    unsigned char element[8];
    for (size_t byte = 0; byte < size; byte++)
      element[swapped ? size - 1 - byte : byte] = gguf->bytes.data[place.offset + i * size + byte];
    storage_load(place.storage, element, 1, &reals[i]);
  }
  return reals;
}

static struct tensor_name name_at(const void *gguf, size_t index) {
  const struct gguf_text *name = ((const struct gguf *)gguf)->names[index];
  return (struct tensor_name){name->text, name->length};
}

static int find(const struct gguf *gguf, const char *name, struct tensor_place *place,
                struct error *error) {
  const struct gguf_tensor *tensor = name                      ? gguf_tensor_find(gguf, name)
                                     : gguf->tensor_count == 1 ? &gguf->tensors[0]
                                                               : NULL;
  if (tensor) return gguf_tensor_place(gguf, tensor, place, error);
  return tensor_choose((struct tensor_names){gguf->tensor_count, gguf, name_at}, name, error);
}

static int gguf_tensor_format_find(struct tensor_bytes bytes, const char *name,
                                   struct tensor_place *place, struct error *error) {
  struct gguf *gguf;
  int status = gguf_parse(bytes, &gguf, error);
  if (!status) status = find(gguf, name, place, error);
  gguf_destroy(gguf);
  return status;
}

static int gguf_tensor_format_list(struct tensor_bytes bytes, struct tensor_list *list,
                                   struct error *error) {
  struct gguf *gguf;
  int status = gguf_parse(bytes, &gguf, error);
  if (!status)
    status =
        tensor_list_fill((struct tensor_names){gguf->tensor_count, gguf, name_at}, list, error);
  gguf_destroy(gguf);
  return status;
}

const struct tensor_format tensor_format_gguf = {
    .extension = ".gguf",
    .recognises = gguf_recognises,
    .find = gguf_tensor_format_find,
    .list = gguf_tensor_format_list,
};
