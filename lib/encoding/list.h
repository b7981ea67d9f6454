/* The encodings, one file each: to add one, write its file and put it here and in encoding.c. */
#ifndef ROPETOOL_ENCODING_LIST_H
#define ROPETOOL_ENCODING_LIST_H

#include "lib/encoding/encoding.h"

extern const struct encoding encoding_rope;
extern const struct encoding encoding_sinusoidal;

#endif
