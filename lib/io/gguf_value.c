/* Values of a GGUF file: taken from its bytes, and looked at. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/io/gguf_parts.h"

enum form { FORM_UNSIGNED, FORM_SIGNED, FORM_REAL, FORM_FLAG, FORM_TEXT, FORM_ARRAY };

static const struct {
  const char *name;
  size_t size; /* bytes of a value; 0: it says itself */
  enum form form;
} types[GGUF_TYPES] = {
    [GGUF_U8] = {"u8", 1, FORM_UNSIGNED},   [GGUF_I8] = {"i8", 1, FORM_SIGNED},
    [GGUF_U16] = {"u16", 2, FORM_UNSIGNED}, [GGUF_I16] = {"i16", 2, FORM_SIGNED},
    [GGUF_U32] = {"u32", 4, FORM_UNSIGNED}, [GGUF_I32] = {"i32", 4, FORM_SIGNED},
    [GGUF_F32] = {"f32", 4, FORM_REAL},     [GGUF_FLAG] = {"flag", 1, FORM_FLAG},
    [GGUF_TEXT] = {"text", 0, FORM_TEXT},   [GGUF_ARRAY] = {"array", 0, FORM_ARRAY},
    [GGUF_U64] = {"u64", 8, FORM_UNSIGNED}, [GGUF_I64] = {"i64", 8, FORM_SIGNED},
    [GGUF_F64] = {"f64", 8, FORM_REAL},
};

static int take_type(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error) {
  uint64_t type;
  const int failed = gguf_take_number(cursor, 4, "the type of a value", &type, error);
  if (failed) return failed;
  if (type >= GGUF_TYPES)
    return error_set(error, ERROR_INPUT,
                     "key '%.*s' has a value of type %" PRIu64 ": 0 to %d are known",
                     GGUF_SHOWN(value->key), type, GGUF_TYPES - 1);
  value->type = (enum gguf_type)type;
  return OK;
}

/* The texts of an array are only passed over. */
static int take_texts(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error) {
  const size_t start = cursor->at;
  value->data = cursor->bytes.data + start;
  for (size_t i = 0; i < value->count; i++) {
    uint64_t length = 0;
    const int failed = gguf_take_number(cursor, 8, "a text of an array", &length, error);
    if (failed) return failed;
    if (!gguf_take(cursor, length, "a text of an array", error)) return ERROR_INPUT;
  }
  value->size = cursor->at - start;
  return OK;
}

static int take_array(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error) {
  int failed = take_type(cursor, value, error);
  if (failed) return failed;
  if (value->type == GGUF_ARRAY)
    return error_set(error, ERROR_INPUT, "key '%.*s' has an array of arrays: none is allowed",
                     GGUF_SHOWN(value->key));
  const size_t width = types[value->type].size;
  value->is_array = true;
  failed = gguf_take_count(cursor, width ? width : 8, "elements of an array", &value->count, error);
  if (failed) return failed;
  if (!width) return take_texts(cursor, value, error);
  value->size = value->count * width;
  value->data = gguf_take(cursor, value->size, "an array", error);
  return value->data ? OK : ERROR_INPUT;
}

static int check_flags(const struct gguf_value *value, struct error *error) {
  for (size_t i = 0; value->type == GGUF_FLAG && i < value->count; i++)
    if (value->data[i] > 1)
      return error_set(error, ERROR_INPUT, "key '%.*s' has a flag of value %d: 0 or 1 is needed",
                       GGUF_SHOWN(value->key), value->data[i]);
  return OK;
}

static int take_one(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error) {
  struct gguf_text text;
  value->count = 1;
  value->size = types[value->type].size;
  if (value->size) {
    value->data = gguf_take(cursor, value->size, "a value", error);
    return value->data ? OK : ERROR_INPUT;
  }
  const int failed = gguf_take_text(cursor, "the text", &text, error);
  if (failed) return failed;
  value->data = (const unsigned char *)text.text;
  value->size = text.length;
  return OK;
}

int gguf_take_value(struct gguf_cursor *cursor, struct gguf_value *value, struct error *error) {
  value->big_endian = cursor->big_endian;
  int failed = gguf_take_text(cursor, "the key", &value->key, error);
  if (failed) return failed;
  if (!value->key.length)
    return error_set(error, ERROR_INPUT, "a key is empty: it ends at byte %zu", cursor->at);
  failed = take_type(cursor, value, error);
  if (failed) return failed;
  failed =
      value->type == GGUF_ARRAY ? take_array(cursor, value, error) : take_one(cursor, value, error);
  if (failed) return error_prefix(error, "'%.*s'", GGUF_SHOWN(value->key));
  return check_flags(value, error);
}

struct gguf_type_text gguf_type_name(const struct gguf_value *value) {
  struct gguf_type_text name;
  snprintf(name.text, sizeof name.text, "%s%s", value->is_array ? "array of " : "",
           types[value->type].name);
  return name;
}

struct gguf_value gguf_element(const struct gguf_value *array, size_t index) {
  struct gguf_value element = *array;
  if (!array->is_array) return element;
  element.is_array = false;
  element.count = 1;
  element.size = types[array->type].size;
  if (element.size) {
    element.data += index * element.size;
    return element;
  }
  for (;; index--) {
    element.size = (size_t)gguf_number(element.data, 8, array->big_endian);
    element.data += 8;
    if (!index) return element;
    element.data += element.size;
  }
}

static int wrong_type(const struct gguf_value *value, const char *wanted, struct error *error) {
  return error_set(error, ERROR_INPUT, "'%.*s' is of type %s: %s is needed", GGUF_SHOWN(value->key),
                   gguf_type_name(value).text, wanted);
}

static bool is_number(const struct gguf_value *value) {
  return !value->is_array && types[value->type].form <= FORM_REAL;
}

static int64_t whole_of(const struct gguf_value *value) {
  const size_t width = types[value->type].size;
  const unsigned shift = (unsigned)(64 - 8 * width);
  /* The sign goes to the top and comes back down with the digits. */
  return (int64_t)(gguf_number(value->data, width, value->big_endian) << shift) >> shift;
}

static double real_of(const struct gguf_value *value) {
  const uint64_t bits = gguf_number(value->data, types[value->type].size, value->big_endian);
  if (types[value->type].form == FORM_UNSIGNED) return (double)bits;
  if (types[value->type].form == FORM_SIGNED) return (double)whole_of(value);
  if (value->type == GGUF_F32) return storage_float_of((uint32_t)bits);
  double real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

int gguf_real(const struct gguf_value *value, double *result, struct error *error) {
  if (!is_number(value)) return wrong_type(value, "a number", error);
  const double real = real_of(value);
  if (!isfinite(real))
    return error_set(error, ERROR_INPUT, "'%.*s' is %g: a finite number is needed",
                     GGUF_SHOWN(value->key), real);
  *result = real;
  return OK;
}

int gguf_positive(const struct gguf_value *value, double *result, struct error *error) {
  double real = 0;
  const int failed = gguf_real(value, &real, error);
  if (failed) return failed;
  if (!(real > 0))
    return error_set(error, ERROR_INPUT, "'%.*s' is %.17g: a number > 0 is needed",
                     GGUF_SHOWN(value->key), real);
  *result = real;
  return OK;
}

/* Whether the value is a whole number of 64 bits; reals count up to 2^53, where their digits end.
 */
static bool to_whole(const struct gguf_value *value, int64_t *whole) {
  if (types[value->type].form == FORM_REAL) {
    const double real = real_of(value);
    if (!(fabs(real) <= 0x1p53) || real != floor(real)) return false;
    *whole = (int64_t)real;
    return true;
  }
  *whole = value->type == GGUF_U64 || types[value->type].form == FORM_SIGNED
               ? whole_of(value)
               : (int64_t)gguf_number(value->data, types[value->type].size, value->big_endian);
  return value->type != GGUF_U64 || *whole >= 0;
}

int gguf_whole(const struct gguf_value *value, int64_t lowest, int64_t highest, int64_t *result,
               struct error *error) {
  int64_t whole;
  if (!is_number(value)) return wrong_type(value, "a whole number", error);
  if (!to_whole(value, &whole))
    return error_set(error, ERROR_INPUT,
                     "'%.*s' is %.17g: a whole number from %" PRId64 " to %" PRId64 " is needed",
                     GGUF_SHOWN(value->key), real_of(value), lowest, highest);
  if (whole < lowest || whole > highest)
    return error_set(error, ERROR_INPUT,
                     "'%.*s' is %" PRId64 ": a whole number from %" PRId64 " to %" PRId64
                     " is needed",
                     GGUF_SHOWN(value->key), whole, lowest, highest);
  *result = whole;
  return OK;
}

int gguf_flag(const struct gguf_value *value, bool *result, struct error *error) {
  if (value->is_array || value->type != GGUF_FLAG) return wrong_type(value, "a flag", error);
  *result = *value->data == 1;
  return OK;
}

int gguf_text(const struct gguf_value *value, struct gguf_text *result, struct error *error) {
  if (value->is_array || value->type != GGUF_TEXT) return wrong_type(value, "a text", error);
  *result = (struct gguf_text){(const char *)value->data, value->size};
  return OK;
}
