/* How one format of figure carries its provenance. For provenance.c and the formats alone.

   A figure with provenance is a `base`, the same figure without it, and a text: one line of JSON in
   printable ASCII without '<', '>' and '&'. `embed` puts the text into the base, `extract` takes
   both apart again; embed(extract(figure)) is the figure, byte for byte, when nobody changed it. */
#ifndef ROPETOOL_FIGURE_PROVENANCE_FORMAT_H
#define ROPETOOL_FIGURE_PROVENANCE_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/error.h"
#include "lib/figure/gnuplot.h"

struct provenance_format {
  const char *name;      /* "PNG" */
  const char *extension; /* ".png" */

  /* Whether the file begins as files of this format do. */
  bool (*recognise)(const struct blob *file);

  /* Whether it is a whole one. ERROR_FAILED says what is wrong. */
  int (*check)(const struct blob *file, struct error *error);

  /* Writes a file that `check` accepted with its resolution in it, and without a date. */
  int (*prepare)(const struct blob *file, double dpi, FILE *base, struct error *error);

  /* Writes the base with the text in it. */
  int (*embed)(const struct blob *base, const struct blob *text, FILE *file, struct error *error);

  /* Writes both parts; false when there is no provenance. Any bytes may come in here, and what
     looks like the text may be anything. */
  bool (*extract)(const struct blob *file, FILE *text, FILE *base);
};

extern const struct provenance_format provenance_png, provenance_pdf, provenance_svg,
    provenance_tex;

/* The first place of `needle` in the file at or after `from`; the file's size when there is none.
 */
size_t blob_find(const struct blob *file, size_t from, const char *needle);

/* The last place of `needle` that ends at or before `end`; the file's size when there is none. */
size_t blob_find_last(const struct blob *file, size_t end, const char *needle);

/* Whether `needle` stands at `offset`. */
bool blob_has(const struct blob *file, size_t offset, const char *needle);

/* The file's size without the white space at its end. */
size_t blob_trimmed(const struct blob *file);

#endif
