/* Meta data: an ordered tree of names and values, written to and read from JSON. */
#ifndef ROPETOOL_IO_META_H
#define ROPETOOL_IO_META_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/error.h"

/* An object: names in the order they were set. NULL is allowed everywhere and does nothing. */
struct meta;

struct meta *meta_create(void);
void meta_destroy(struct meta *meta);

/* Setting a name again replaces its value. Infinities and NaN become null; an ill-formed byte of
   UTF-8 becomes '?'. */
void meta_set_text(struct meta *meta, const char *name, const char *text); /* NULL: null */
void meta_set_real(struct meta *meta, const char *name, double value);
void meta_set_integer(struct meta *meta, const char *name, int64_t value);
void meta_set_flag(struct meta *meta, const char *name, bool value);
void meta_set_reals(struct meta *meta, const char *name, const double *values, size_t count);
void meta_set_integers(struct meta *meta, const char *name, const int64_t *values, size_t count);

/* Adds to the array of texts or objects under `name`, made when it is not there. What is returned
   belongs to `meta` and lives as long. */
void meta_append_text(struct meta *meta, const char *name, const char *text);
/* The same, unless the text is there already. */
void meta_append_text_once(struct meta *meta, const char *name, const char *text);
struct meta *meta_append_object(struct meta *meta, const char *name);
/* Makes an empty array under `name` when there is none. */
void meta_add_list(struct meta *meta, const char *name);
/* The object under `name`, made when it is not there. */
struct meta *meta_object(struct meta *meta, const char *name);

/* Puts the names of `first` before those of `meta`; a name that both have keeps `first`'s value. */
void meta_prepend(struct meta *meta, const struct meta *first);

/* Reading: NULL, `otherwise` or 0 where the name is missing or of another kind. */
const char *meta_text(const struct meta *meta, const char *name);
double meta_real(const struct meta *meta, const char *name, double otherwise);
const struct meta *meta_child(const struct meta *meta, const char *name);
size_t meta_count(const struct meta *meta, const char *name); /* of the array under `name` */
const struct meta *meta_item(const struct meta *meta, const char *name, size_t index);
const char *meta_item_text(const struct meta *meta, const char *name, size_t index);

/* The first name at the top whose value in `a` and in `b` is not the same, or that only one of them
   has; names of `passed_over` (NULL at its end) do not count. Reals in it are the same when they
   differ by at most `relative` times the larger one, or by at most `absolute`. NULL when there is
   none. */
const char *meta_difference(const struct meta *a, const struct meta *b,
                            const char *const *passed_over, double relative, double absolute);

/* As JSON, to be released with free(); reals with 17 digits; `indent` spaces a level, 0: one line.
 */
char *meta_to_json(const struct meta *meta, int indent);

/* Writes that JSON, "{}" for NULL. Write errors, and that memory is out, show on the stream. */
void meta_write(const struct meta *meta, int indent, FILE *out);

/* From JSON text whose root is an object; destroy it. ERROR_INPUT with the place of the fault, and
 *meta is NULL. */
int meta_from_json(const char *text, size_t size, struct meta **meta, struct error *error);

#endif
