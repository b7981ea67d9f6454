/* Inverse frequencies from a file: a spectrum of its own. */
#ifndef ROPETOOL_ROPE_INV_FREQ_H
#define ROPETOOL_ROPE_INV_FREQ_H

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/rope/spec.h"

/* Reads "FILE[:TENSOR]": a tensor of rank 1 (.npy, .safetensors, .gguf), or text with one number a
   line ('#' begins a comment). The spec gets the scaling type "given" with the list "inv_freq", as
   many pairs as there are numbers, and no base; head_dim grows where it is smaller. `sha256` is of
   the file. ERROR_INPUT: no number, more than SPEC_PAIRS, one that is negative or not finite. */
int inv_freq_read(const char *text, struct rope_spec *spec, char sha256[HASH_TEXT],
                  struct error *error);

#endif
