/* Reading the structure of a PDF as cairo writes it. For provenance_pdf*.c alone. References are to
   the PDF reference, sixth edition (version 1.7). Functions return NULL, or what is wrong with the
   file, to be put behind "it". Safe on any bytes. */
#ifndef ROPETOOL_FIGURE_PROVENANCE_PDF_H
#define ROPETOOL_FIGURE_PROVENANCE_PDF_H

#include "lib/figure/provenance_format.h"

/* A place in a file from which tokens are taken; white space before them is skipped. */
struct pdf_cursor {
  const struct blob *file;
  size_t at;
};
bool pdf_take(struct pdf_cursor *cursor, const char *word);
bool pdf_take_number(struct pdf_cursor *cursor, size_t *number);

/* Whether an object "NUMBER GENERATION obj" starts at `offset`. */
bool pdf_object_starts(const struct blob *file, size_t offset, size_t number, size_t generation);

/* The last place within [from, to) of a name, such as "/Info", that is a token of its own: not what
   a string or a comment (sections 3.1.1 and 3.2.3) says. `to` when there is none. */
size_t pdf_find_name(const struct blob *file, size_t from, size_t to, const char *name);

/* The number behind such a name. */
bool pdf_key_number(const struct blob *file, size_t from, size_t to, const char *name,
                    size_t *number);

/* The offset behind "startxref", which is before *end, where this word stands (section 3.4.4). The
   file ends with "%%EOF" and a line end. */
const char *pdf_read_end(const struct blob *file, size_t *xref, size_t *end);

/* Where the parts of a file with a cross-reference table lie, all of whose objects are where it
   says. The bounds of the dictionaries are within their << and >>. */
struct pdf_map {
  size_t xref;
  size_t trailer, trailer_end;
  size_t info_number, info_object; /* where "NUMBER 0 obj" stands */
  size_t info, info_end;
};
const char *pdf_read_map(const struct blob *file, struct pdf_map *map);

/* Whether a cross-reference stream stands in place of the table (section 3.4.7), as cairo has it
   since version 1.18. */
bool pdf_is_packed(const struct blob *file);

/* Writes such a file as one with a table: what object streams (section 3.4.6) held is written out,
   all else is copied. The date, which was packed there, becomes text of a fixed place, and the
   length of the packed form, which depends on it, is gone. */
const char *pdf_unpack(const struct blob *file, FILE *out);

#endif
