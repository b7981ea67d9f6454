#include "lib/io/meta.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/text.h"

/* A struct meta is a jansson object under another name, so that no header of ours needs jansson. */
static json_t *json_of(const struct meta *meta) {
  return (json_t *)(uintptr_t)meta;
}

static struct meta *meta_of(json_t *json) {
  return (struct meta *)json;
}

struct meta *meta_create(void) {
  return meta_of(json_object());
}

void meta_destroy(struct meta *meta) {
  json_decref(json_of(meta));
}

static json_t *json_text(const char *text) {
  if (!text) return json_null();
  char *copy = strdup(text);
  if (!copy) return NULL;
  text_repair(copy);
  json_t *json = json_string(copy);
  free(copy);
  return json;
}

static json_t *json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

static void set(struct meta *meta, const char *name, json_t *value) {
  if (meta)
    json_object_set_new(json_of(meta), name, value);
  else
    json_decref(value);
}

void meta_set_text(struct meta *meta, const char *name, const char *text) {
  set(meta, name, json_text(text));
}

void meta_set_real(struct meta *meta, const char *name, double value) {
  set(meta, name, json_number(value));
}

void meta_set_integer(struct meta *meta, const char *name, int64_t value) {
  set(meta, name, json_integer(value));
}

void meta_set_flag(struct meta *meta, const char *name, bool value) {
  set(meta, name, json_boolean(value));
}

void meta_set_reals(struct meta *meta, const char *name, const double *values, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_number(values[i]));
  set(meta, name, array);
}

void meta_set_integers(struct meta *meta, const char *name, const int64_t *values, size_t count) {
  json_t *array = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(array, json_integer(values[i]));
  set(meta, name, array);
}

static json_t *array_at(struct meta *meta, const char *name) {
  json_t *array = json_object_get(json_of(meta), name);
  if (json_is_array(array)) return array;
  array = json_array();
  return json_object_set_new(json_of(meta), name, array) ? NULL : array;
}

void meta_add_list(struct meta *meta, const char *name) {
  if (meta) array_at(meta, name);
}

void meta_append_text(struct meta *meta, const char *name, const char *text) {
  if (meta) json_array_append_new(array_at(meta, name), json_text(text));
}

void meta_append_text_once(struct meta *meta, const char *name, const char *text) {
  for (size_t i = 0; i < meta_count(meta, name); i++) {
    const char *known = meta_item_text(meta, name, i);
    if (known && !strcmp(known, text)) return;
  }
  meta_append_text(meta, name, text);
}

struct meta *meta_append_object(struct meta *meta, const char *name) {
  if (!meta) return NULL;
  json_t *object = json_object();
  return json_array_append_new(array_at(meta, name), object) ? NULL : meta_of(object);
}

struct meta *meta_object(struct meta *meta, const char *name) {
  if (!meta) return NULL;
  json_t *object = json_object_get(json_of(meta), name);
  if (json_is_object(object)) return meta_of(object);
  object = json_object();
  return json_object_set_new(json_of(meta), name, object) ? NULL : meta_of(object);
}

void meta_prepend(struct meta *meta, const struct meta *first) {
  json_t *old = json_copy(json_of(meta));
  if (!old) return;
  json_incref(json_of(first)); /* it may lie within `meta` */
  json_object_clear(json_of(meta));
  json_object_update(json_of(meta), json_of(first));
  json_object_update_missing(json_of(meta), old);
  json_decref(json_of(first));
  json_decref(old);
}

const char *meta_text(const struct meta *meta, const char *name) {
  return json_string_value(json_object_get(json_of(meta), name));
}

double meta_real(const struct meta *meta, const char *name, double otherwise) {
  const json_t *value = json_object_get(json_of(meta), name);
  return json_is_number(value) ? json_number_value(value) : otherwise;
}

const struct meta *meta_child(const struct meta *meta, const char *name) {
  json_t *value = json_object_get(json_of(meta), name);
  return json_is_object(value) ? meta_of(value) : NULL;
}

size_t meta_count(const struct meta *meta, const char *name) {
  return json_array_size(json_object_get(json_of(meta), name));
}

const struct meta *meta_item(const struct meta *meta, const char *name, size_t index) {
  json_t *value = json_array_get(json_object_get(json_of(meta), name), index);
  return json_is_object(value) ? meta_of(value) : NULL;
}

const char *meta_item_text(const struct meta *meta, const char *name, size_t index) {
  return json_string_value(json_array_get(json_object_get(json_of(meta), name), index));
}

static bool is_listed(const char *name, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(*list, name)) return true;
  return false;
}

/* How far reals may differ and be the same. */
struct nearness {
  double relative, absolute;
};

static bool agree(const json_t *a, const json_t *b, const struct nearness *near) {
  const char *name;
  json_t *value;
  if (json_is_real(a) && json_is_real(b)) {
    const double x = json_real_value(a), y = json_real_value(b), apart = fabs(x - y);
    return apart <= near->absolute || apart <= near->relative * fmax(fabs(x), fabs(y));
  }
  if (json_is_array(a) && json_is_array(b)) {
    bool same = json_array_size(a) == json_array_size(b);
    for (size_t i = 0; same && i < json_array_size(a); i++)
      same = agree(json_array_get(a, i), json_array_get(b, i), near);
    return same;
  }
  if (!json_is_object(a) || !json_is_object(b)) return json_equal(a, b);
  if (json_object_size(a) != json_object_size(b)) return false;
  json_object_foreach((json_t *)(uintptr_t)a, name, value) {
    if (!agree(value, json_object_get(b, name), near)) return false;
  }
  return true;
}

const char *meta_difference(const struct meta *a, const struct meta *b,
                            const char *const *passed_over, double relative, double absolute) {
  const struct meta *const sides[][2] = {{a, b}, {b, a}};
  const struct nearness near = {relative, absolute};
  for (size_t i = 0; i < 2; i++) {
    const char *name;
    json_t *value;
    json_object_foreach(json_of(sides[i][0]), name, value) {
      const json_t *other = json_object_get(json_of(sides[i][1]), name);
      if (!is_listed(name, passed_over) && !(other && agree(value, other, &near))) return name;
    }
  }
  return NULL;
}

char *meta_to_json(const struct meta *meta, int indent) {
  size_t flags = JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17);
  flags |= indent ? JSON_INDENT((size_t)indent) : 0;
  return json_dumps(json_of(meta), flags);
}

void meta_write(const struct meta *meta, int indent, FILE *out) {
  char *json = meta ? meta_to_json(meta, indent) : NULL;
  if (meta && !json) file_mark_failed(out);
  fputs(json ? json : "{}", out);
  free(json);
}

int meta_from_json(const char *text, size_t size, struct meta **meta, struct error *error) {
  json_error_t fault;
  *meta = NULL;
  json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
  if (!json)
    return error_set(error, ERROR_INPUT, "not JSON: %s at line %d, column %d", fault.text,
                     fault.line, fault.column);
  if (!json_is_object(json)) {
    json_decref(json);
    return error_set(error, ERROR_INPUT, "not a JSON object");
  }
  *meta = meta_of(json);
  return OK;
}
