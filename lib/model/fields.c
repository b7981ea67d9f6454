#include "lib/model/fields.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/model/fields_python.h"

static const double largest_whole = 9007199254740992.0; /* 2^53 */

/* A struct fields is a jansson object under another name, so that no header of ours needs jansson.
 */
static json_t *json_of(const struct fields *fields) {
  return (json_t *)(uintptr_t)fields;
}

/* Whole numbers of any length are read as doubles: no field needs more. */
static int load(const char *text, size_t size, json_t **json, struct error *error) {
  static const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL;
  json_error_t fault;
  *json = json_loadb(text, size, flags, &fault);
  if (*json) return OK;
  if (json_error_code(&fault) == json_error_out_of_memory)
    return error_set(error, ERROR_FAILED, "out of memory while reading JSON");
  return error_set(error, ERROR_INPUT, "not valid JSON at line %d, column %d: %s", fault.line,
                   fault.column, fault.text);
}

int fields_parse(const char *text, size_t size, struct fields **root, struct error *error) {
  static const char mark[] = "\xef\xbb\xbf"; /* of byte order, as some editors write it */
  *root = NULL;
  if (size >= sizeof mark - 1 && !memcmp(text, mark, sizeof mark - 1)) {
    text += sizeof mark - 1;
    size -= sizeof mark - 1;
  }
  char *copy;
  json_t *json = NULL;
  int failed = fields_mark_python(text, size, &copy, error);
  if (!failed) failed = load(copy ? copy : text, size, &json, error);
  free(copy);
  if (failed) return failed;
  if (!json_is_object(json)) {
    json_decref(json);
    return error_set(error, ERROR_INPUT, "not a configuration: its JSON is not an object");
  }
  *root = (struct fields *)json;
  return OK;
}

void fields_release(struct fields *root) {
  json_decref(json_of(root));
}

/* NULL when it is not there or null. */
static json_t *value_of(const struct fields *fields, const char *name) {
  json_t *value = json_object_get(json_of(fields), name);
  return json_is_null(value) ? NULL : value;
}

/* Python's word for a number that is none; NULL: it is something else. */
static const char *python_number(const json_t *value) {
  return json_is_string(value) ? fields_python_number(json_string_value(value)) : NULL;
}

static bool is_text(const json_t *value) {
  return json_is_string(value) && !python_number(value);
}

enum field_kind fields_kind(const struct fields *fields, const char *name) {
  const json_t *value = value_of(fields, name);
  if (!value) return FIELD_NONE;
  if (json_is_object(value)) return FIELD_OBJECT;
  if (json_is_array(value)) return FIELD_LIST;
  if (is_text(value)) return FIELD_TEXT;
  return json_is_number(value) || python_number(value) ? FIELD_NUMBER : FIELD_FLAG;
}

bool fields_has(const struct fields *fields, const char *name) {
  return json_object_get(json_of(fields), name) != NULL;
}

size_t fields_size(const struct fields *fields) {
  return json_object_size(json_of(fields));
}

const char *fields_name_at(const struct fields *fields, size_t index) {
  void *at = json_object_iter(json_of(fields));
  for (; at && index; index--)
    at = json_object_iter_next(json_of(fields), at);
  return at ? json_object_iter_key(at) : NULL;
}

const char *fields_next(const struct fields *fields, const char *name) {
  json_t *json = json_of(fields);
  void *at =
      name ? json_object_iter_next(json, json_object_key_to_iter(name)) : json_object_iter(json);
  return at ? json_object_iter_key(at) : NULL;
}

bool fields_equal(const struct fields *fields, const char *one, const char *other) {
  const json_t *first = value_of(fields, one), *second = value_of(fields, other);
  return first == second || json_equal(first, second);
}

static bool is_whole(double real) {
  return real == floor(real) && fabs(real) <= largest_whole;
}

/* The value in a message. */
static void describe(const json_t *value, char text[96]) {
  if (is_text(value))
    snprintf(text, 96, "the text \"%.48s\"", json_string_value(value));
  else if (json_is_string(value))
    snprintf(text, 96, "%s", python_number(value));
  else if (json_is_real(value))
    snprintf(text, 96, is_whole(json_real_value(value)) ? "%.0f" : "%.10g", json_real_value(value));
  else
    snprintf(text, 96, "%s",
             json_is_true(value)    ? "true"
             : json_is_false(value) ? "false"
             : json_is_null(value)  ? "null"
             : json_is_array(value) ? "a list"
                                    : "an object");
}

/* "'NAME' is VALUE: NEEDED is needed". */
static int wrong(const char *name, const json_t *value, const char *needed, struct error *error) {
  char text[96];
  describe(value, text);
  return error_set(error, ERROR_INPUT, "'%s' is %s: %s is needed", name, text, needed);
}

int fields_real(const struct fields *fields, const char *name, double *value, struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!json_is_number(json)) return wrong(name, json, "a number", error);
  *value = json_number_value(json);
  return OK;
}

int fields_positive(const struct fields *fields, const char *name, double *value,
                    struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!json_is_number(json) || !(json_number_value(json) > 0))
    return wrong(name, json, "a number greater than 0", error);
  *value = json_number_value(json);
  return OK;
}

/* The value as a whole number in [lowest, 2^53]; -1 when it is none. */
static int64_t whole(const json_t *json, double lowest) {
  if (!json_is_number(json)) return -1;
  const double real = json_number_value(json);
  return real >= lowest && is_whole(real) ? (int64_t)real : -1;
}

int fields_count(const struct fields *fields, const char *name, int64_t *value,
                 struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  const int64_t count = whole(json, 1);
  if (count < 0) return wrong(name, json, "a whole number from 1 to 2^53", error);
  *value = count;
  return OK;
}

int fields_text(const struct fields *fields, const char *name, const char **value,
                struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!is_text(json)) return wrong(name, json, "a text", error);
  *value = json_string_value(json);
  return OK;
}

int fields_flag(const struct fields *fields, const char *name, bool *value, struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!json_is_boolean(json)) return wrong(name, json, "true or false", error);
  *value = json_is_true(json);
  return OK;
}

int fields_object(const struct fields *fields, const char *name, const struct fields **value,
                  struct error *error) {
  json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!json_is_object(json)) return wrong(name, json, "an object", error);
  *value = (const struct fields *)json;
  return OK;
}

int fields_length(const struct fields *fields, const char *name, size_t *length,
                  struct error *error) {
  const json_t *json = value_of(fields, name);
  if (!json) return OK;
  if (!json_is_array(json)) return wrong(name, json, "a list", error);
  *length = json_array_size(json);
  return OK;
}

static const json_t *entry_of(const struct fields *fields, const char *name, size_t index) {
  return json_array_get(value_of(fields, name), index);
}

/* "entry 3 of 'NAME' is VALUE: NEEDED is needed". */
static int wrong_at(const char *name, size_t index, const json_t *value, const char *needed,
                    struct error *error) {
  char text[96];
  describe(value, text);
  return error_set(error, ERROR_INPUT, "entry %zu of '%s' is %s: %s is needed", index, name, text,
                   needed);
}

int fields_text_at(const struct fields *fields, const char *name, size_t index, const char **value,
                   struct error *error) {
  const json_t *json = entry_of(fields, name, index);
  if (!is_text(json)) return wrong_at(name, index, json, "a text", error);
  *value = json_string_value(json);
  return OK;
}

int fields_real_at(const struct fields *fields, const char *name, size_t index, double *value,
                   struct error *error) {
  const json_t *json = entry_of(fields, name, index);
  if (!json_is_number(json)) return wrong_at(name, index, json, "a number", error);
  *value = json_number_value(json);
  return OK;
}

int fields_whole_at(const struct fields *fields, const char *name, size_t index, int64_t *value,
                    struct error *error) {
  const json_t *json = entry_of(fields, name, index);
  const int64_t number = whole(json, 0);
  if (number < 0 || number > INT32_MAX)
    return wrong_at(name, index, json, "a whole number from 0 to 2147483647", error);
  *value = number;
  return OK;
}
