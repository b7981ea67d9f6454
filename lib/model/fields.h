/* The fields of a JSON object, read strictly: a wrong type is an error that names the field. */
#ifndef ROPETOOL_MODEL_FIELDS_H
#define ROPETOOL_MODEL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

/* An object. A field whose value is null counts as not there, as in Hugging Face's configs. */
struct fields;

/* Reads a document whose root is an object, behind a byte order mark or not, as Python's json
   module writes it: NaN, Infinity and -Infinity may be among the values, and are an error where
   they are read, by any function but fields_kind (FIELD_NUMBER). Whole numbers of any size are read
   as doubles. ERROR_INPUT with line and column: not JSON, cut off, not UTF-8, a name twice in one
   object (which value counts would depend on the reader), nested too deep, a number too large for a
   double. */
int fields_parse(const char *text, size_t size, struct fields **root, struct error *error);
void fields_release(struct fields *root); /* of fields_parse alone; NULL is allowed */

enum field_kind { FIELD_NONE, FIELD_NUMBER, FIELD_TEXT, FIELD_FLAG, FIELD_LIST, FIELD_OBJECT };

enum field_kind fields_kind(const struct fields *fields, const char *name);

/* Whether the object has the name, be its value null. */
bool fields_has(const struct fields *fields, const char *name);

size_t fields_size(const struct fields *fields);

/* The names in the order of the file, those with null values too; NULL past the end. */
const char *fields_name_at(const struct fields *fields, size_t index);

/* The name behind `name`, which one of these two gave; the first for NULL. Of objects with any
   number of names, where fields_name_at would count from the first each time. */
const char *fields_next(const struct fields *fields, const char *name);

/* Whether both are there and hold the same, or neither is. */
bool fields_equal(const struct fields *fields, const char *one, const char *other);

/* Each leaves *value alone and returns OK when the field is not there. What is returned belongs to
   the root. ERROR_INPUT: another type, or a number out of range. */
int fields_real(const struct fields *fields, const char *name, double *value, struct error *error);
int fields_positive(const struct fields *fields, const char *name, double *value,
                    struct error *error);
/* In [1, 2^53]; 4096.0 is whole. */
int fields_count(const struct fields *fields, const char *name, int64_t *value,
                 struct error *error);
int fields_text(const struct fields *fields, const char *name, const char **value,
                struct error *error);
int fields_flag(const struct fields *fields, const char *name, bool *value, struct error *error);
int fields_object(const struct fields *fields, const char *name, const struct fields **value,
                  struct error *error);

/* How many entries a list has. */
int fields_length(const struct fields *fields, const char *name, size_t *length,
                  struct error *error);

/* Entry `index` of a list, which must be there. ERROR_INPUT: another type (null is one, too), or a
   number out of range: whole ones are from 0 to 2^31 - 1. */
int fields_text_at(const struct fields *fields, const char *name, size_t index, const char **value,
                   struct error *error);
int fields_real_at(const struct fields *fields, const char *name, size_t index, double *value,
                   struct error *error);
int fields_whole_at(const struct fields *fields, const char *name, size_t index, int64_t *value,
                    struct error *error);

#endif
