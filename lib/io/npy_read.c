/* NumPy's .npy (numpy/lib/format.py): "\x93NUMPY", major and minor version, the length of the
   header (2 bytes little endian in version 1.0, 4 since 2.0), the header: a Python dictionary with
   the keys descr, fortran_order and shape, padded with blanks; then the data. */
#include <string.h>

#include "lib/io/npy.h"
#include "lib/io/tensor_format.h"

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { MAGIC = sizeof magic };

/* What is left of the header's text. */
struct text {
  const char *at, *end;
};

static bool npy_recognises(struct tensor_bytes bytes) {
  return bytes.size >= MAGIC && !memcmp(bytes.data, magic, MAGIC);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct text *text) {
  while (text->at < text->end && is_blank(*text->at))
    text->at++;
}

/* Takes `word` when it comes next. */
static bool take(struct text *text, const char *word) {
  const size_t length = strlen(word);
  skip_blanks(text);
  if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length)) return false;
  text->at += length;
  return true;
}

static int not_a_header(const struct text *text, const char *wanted, struct error *error) {
  const size_t left = (size_t)(text->end - text->at);
  return error_set(error, ERROR_INPUT, "not a NumPy header: %s is expected where it says '%.*s'",
                   wanted, (int)(left < 24 ? left : 24), text->at);
}

/* A string in single or double quotes; an escape in it makes it none that we know. */
static int take_string(struct text *text, char *string, size_t size, struct error *error) {
  const char *quote = take(text, "'") ? "'" : take(text, "\"") ? "\"" : NULL;
  if (!quote) return not_a_header(text, "a string", error);
  const char *close = memchr(text->at, *quote, (size_t)(text->end - text->at));
  if (!close) return not_a_header(text, "the end of a string", error);
  const size_t length = (size_t)(close - text->at);
  if (length >= size) return not_a_header(text, "a short string", error);
  memcpy(string, text->at, length);
  string[length] = '\0';
  text->at = close + 1;
  return OK;
}

/* NumPy's letters and sizes. A raw type of two bytes is how ml_dtypes saves bfloat16. */
static const struct {
  const char *code;
  enum storage storage;
} types[] = {
    {"f8", STORAGE_F64}, {"f4", STORAGE_F32}, {"f2", STORAGE_F16}, {"V2", STORAGE_BF16},
    {"i8", STORAGE_I64}, {"i4", STORAGE_I32}, {"i2", STORAGE_I16}, {"i1", STORAGE_I8},
    {"u8", STORAGE_U64}, {"u4", STORAGE_U32}, {"u2", STORAGE_U16}, {"u1", STORAGE_U8},
    {"b1", STORAGE_U8},
};

static int read_type(const char *descr, struct tensor_place *place, struct error *error) {
  const bool ordered = *descr && strchr("<>=|", *descr);
  const char *code = descr + ordered;
  place->big_endian = *descr == '>';
  if (*code == 'O')
    return error_set(error, ERROR_INPUT,
                     "it holds Python objects (pickles), which are never loaded");
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (!strcmp(code, types[i].code)) {
      place->storage = types[i].storage;
      return OK;
    }
  return error_set(error, ERROR_INPUT,
                   "its elements are of NumPy's type '%s': f8, f4, f2, V2 (bfloat16), i1 to i8, u1 "
                   "to u8 and b1 are read",
                   descr);
}

static int take_type(struct text *text, struct tensor_place *place, struct error *error) {
  char descr[32] = "";
  if (take(text, "["))
    return error_set(error, ERROR_INPUT, "it holds records (a structured array), not numbers");
  return take_string(text, descr, sizeof descr, error) || read_type(descr, place, error)
             ? ERROR_INPUT
             : OK;
}

static int take_order(struct text *text, struct tensor_place *place, struct error *error) {
  place->fortran_order = take(text, "True");
  if (place->fortran_order || take(text, "False")) return OK;
  return not_a_header(text, "True or False", error);
}

/* One extent; Python 2 wrote 10L. */
static int take_extent(struct text *text, size_t *extent, struct error *error) {
  skip_blanks(text);
  const char *start = text->at;
  *extent = 0;
  for (; text->at < text->end && *text->at >= '0' && *text->at <= '9'; text->at++)
    if (__builtin_mul_overflow(*extent, 10, extent) ||
        __builtin_add_overflow(*extent, *text->at - '0', extent))
      return error_set(error, ERROR_INPUT, "an extent of its shape is over 2^64");
  if (text->at == start) return not_a_header(text, "an extent of the shape, 0 or more,", error);
  take(text, "L");
  return OK;
}

static int take_shape(struct text *text, struct tensor_place *place, struct error *error) {
  if (!take(text, "(")) return not_a_header(text, "the shape, '(',", error);
  bool comma = true;
  while (!take(text, ")")) {
    if (!comma) return not_a_header(text, "',' or ')'", error);
    if (place->rank == TENSOR_RANK)
      return error_set(error, ERROR_INPUT, "it has more than %d axes", TENSOR_RANK);
    if (take_extent(text, &place->shape[place->rank], error)) return ERROR_INPUT;
    place->rank++;
    comma = take(text, ",");
  }
  if (place->rank == 1 && !comma) return not_a_header(text, "a tuple, '(n,)',", error);
  return OK;
}

/* One "key: value" of the dictionary; each comes once. */
static int take_entry(struct text *text, unsigned *seen, struct tensor_place *place,
                      struct error *error) {
  static const struct {
    const char *key;
    int (*take)(struct text *text, struct tensor_place *place, struct error *error);
  } entries[] = {{"descr", take_type}, {"fortran_order", take_order}, {"shape", take_shape}};
  char key[16] = "";
  if (take_string(text, key, sizeof key, error)) return ERROR_INPUT;
  for (unsigned i = 0; i < 3; i++) {
    if (strcmp(key, entries[i].key)) continue;
    if (*seen & 1u << i) return error_set(error, ERROR_INPUT, "its header has '%s' twice", key);
    *seen |= 1u << i;
    if (!take(text, ":")) return not_a_header(text, "':'", error);
    return entries[i].take(text, place, error);
  }
  return error_set(error, ERROR_INPUT,
                   "its header has the key '%s': descr, fortran_order and shape are known", key);
}

static int read_header(struct text text, struct tensor_place *place, struct error *error) {
  unsigned seen = 0;
  bool comma = true;
  if (!take(&text, "{")) return not_a_header(&text, "'{'", error);
  while (!take(&text, "}")) {
    if (!comma) return not_a_header(&text, "',' or '}'", error);
    if (take_entry(&text, &seen, place, error)) return ERROR_INPUT;
    comma = take(&text, ",");
  }
  skip_blanks(&text);
  if (text.at < text.end) return not_a_header(&text, "its end", error);
  if (seen != 7)
    return error_set(error, ERROR_INPUT, "its header lacks '%s'",
                     !(seen & 1)   ? "descr"
                     : !(seen & 2) ? "fortran_order"
                                   : "shape");
  return OK;
}

static int npy_find(struct tensor_bytes bytes, const char *name, struct tensor_place *place,
                    struct error *error) {
  if (name)
    return error_set(error, ERROR_INPUT, "it holds one array, which has no name: leave out ':%s'",
                     name);
  if (!npy_recognises(bytes))
    return error_set(error, ERROR_INPUT, "not a .npy file: it does not begin with \"\\x93NUMPY\"");
  if (bytes.size < MAGIC + 6)
    return error_set(error, ERROR_INPUT, "the file is cut short after %zu bytes", bytes.size);
  const unsigned major = bytes.data[MAGIC], minor = bytes.data[MAGIC + 1];
  if (major < 1 || major > 3 || minor)
    return error_set(error, ERROR_INPUT, "its format is %u.%u: 1.0, 2.0 and 3.0 are known", major,
                     minor);
  const size_t width = major == 1 ? 2 : 4, start = MAGIC + 2 + width, left = bytes.size - start;
  size_t length = 0;
  for (size_t i = width; i-- > 0;)
    length = length << 8 | bytes.data[MAGIC + 2 + i];
  if (length > left)
    return error_set(error, ERROR_INPUT,
                     "the file is cut short: a header of %zu bytes is stated, %zu are there",
                     length, left);
  const char *header = (const char *)bytes.data + start;
  place->offset = start + length;
  return read_header((struct text){header, header + length}, place, error);
}

const struct tensor_format tensor_format_npy = {
    .extension = ".npy",
    .recognises = npy_recognises,
    .find = npy_find,
};
