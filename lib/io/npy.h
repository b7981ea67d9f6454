/* NumPy's .npy files: format 1.0, or 2.0 for a header of more than 65535 bytes, or 3.0 for one that
   is not ASCII. */
#ifndef ROPETOOL_IO_NPY_H
#define ROPETOOL_IO_NPY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NPY_RANK = 8 }; /* the highest rank of an array */

/* The header of a C-ordered array of `rank` <= NPY_RANK; `descr` is NumPy's type as it stands in
   the header: "'<f8'" or a list of fields. The data follow directly. Write errors show on the
   stream. */
void npy_write_header(FILE *out, const char *descr, const size_t *shape, size_t rank);

/* A shape as Python writes a tuple: "()", "(3,)", "(3, 4)"; NPY_RANK · 24 bytes hold any. */
void npy_shape_text(char *text, size_t size, const size_t *shape, size_t rank);

/* The name of a field, quoted as a `descr` needs it. */
void npy_write_name(FILE *out, const char *name);

/* Numbers as <f8 and <i8: little endian on every machine. */
void npy_write_reals(FILE *out, const double *values, size_t count);
void npy_write_integer(FILE *out, int64_t value);

#endif
