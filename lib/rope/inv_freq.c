#include "lib/rope/inv_freq.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/number.h"
#include "lib/io/tensor.h"

enum { LARGEST_TEXT = 1024 * 1024 };

/* The numbers of a text file, one a line. */
static int parse_lines(char *text, double *value, size_t *count, struct error *error) {
  *count = 0;
  size_t line = 1;
  for (char *rest = text, *start; (start = strsep(&rest, "\n")); line++) {
    start[strcspn(start, "#\r")] = '\0';
    start += strspn(start, " \t");
    for (size_t end = strlen(start); end && strchr(" \t", start[end - 1]);)
      start[--end] = '\0';
    if (!*start) continue;
    if (*count == SPEC_PAIRS)
      return error_set(error, ERROR_INPUT, "more than %d inverse frequencies", SPEC_PAIRS);
    if (number_real(start, "the inverse frequency", &value[*count], error))
      return error_prefix(error, "line %zu", line);
    ++*count;
  }
  return OK;
}

static int read_text(const char *path, double *value, size_t *count, char sha256[HASH_TEXT],
                     struct error *error) {
  char *text;
  size_t size;
  int failed = file_read(path, LARGEST_TEXT, &text, &size, error);
  if (failed) return failed;
  hash_bytes(text, size, sha256);
  if (strlen(text) != size)
    failed = error_set(error, ERROR_INPUT, "neither a tensor's file nor a text of numbers");
  else
    failed = parse_lines(text, value, count, error);
  free(text);
  return failed ? error_prefix(error, "'%s'", path) : OK;
}

static int read_tensor(const char *text, double *value, size_t *count, char sha256[HASH_TEXT],
                       struct error *error) {
  struct tensor *tensor;
  int failed = tensor_read(text, &tensor, error);
  if (failed) return failed;
  double *reals = NULL;
  if (tensor->rank != 1)
    failed = error_set(error, ERROR_INPUT,
                       "'%s' has the shape %s: inverse frequencies have one axis, (pair)", text,
                       tensor_shape(tensor).text);
  else if (tensor->count > SPEC_PAIRS)
    failed =
        error_set(error, ERROR_INPUT, "'%s' holds %zu inverse frequencies: at most %d are read",
                  text, tensor->count, SPEC_PAIRS);
  else if (!(reals = tensor_reals(tensor, error)))
    failed = error->code;
  else
    memcpy(value, reals, tensor->count * sizeof *value);
  *count = tensor->count;
  memcpy(sha256, tensor->sha256, HASH_TEXT);
  free(reals);
  tensor_destroy(tensor);
  return failed;
}

int inv_freq_read(const char *text, struct rope_spec *spec, char sha256[HASH_TEXT],
                  struct error *error) {
  double value[SPEC_PAIRS] = {0};
  size_t count = 0;
  int failed = tensor_path_known(text) ? read_tensor(text, value, &count, sha256, error)
                                       : read_text(text, value, &count, sha256, error);
  if (failed) return failed;
  if (count == 0) return error_set(error, ERROR_INPUT, "'%s' holds no inverse frequency", text);
  for (size_t i = 0; i < count; i++)
    if (!(value[i] >= 0) || !isfinite(value[i]))
      return error_set(
          error, ERROR_INPUT,
          "inverse frequency %zu of '%s' is %.10g: it must be a number >= 0, in radians "
          "per token",
          i, text, value[i]);
  memset(&spec->scaling, 0, sizeof spec->scaling);
  strcpy(spec->scaling.type, "given");
  spec->base = NAN;
  spec->rotary_dim = 2 * count;
  if (spec->head_dim < spec->rotary_dim) spec->head_dim = spec->rotary_dim;
  return spec_set_list(spec, "inv_freq", value, count, error);
}
