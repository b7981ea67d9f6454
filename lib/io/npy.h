/* NumPy's .npy files, format 1.0. */
#ifndef ROPETOOL_IO_NPY_H
#define ROPETOOL_IO_NPY_H

#include <stddef.h>
#include <stdio.h>

/* The header of a C-ordered array; `descr` is NumPy's type as it stands in the header: "'<f8'" or a
   list of fields. The data follow directly. Write errors show on the stream. */
void npy_write_header(FILE *out, const char *descr, const size_t *shape, size_t rank);

/* Numbers as <f8: little endian on every machine. */
void npy_write_reals(FILE *out, const double *values, size_t count);

#endif
