#include "lib/io/positions.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/io/tensor.h"

static const int64_t furthest = INT64_C(1) << 62;

void positions_release(struct positions *positions) {
  free(positions->position);
  *positions = (struct positions){0};
}

/* "A:B" of digits, signs and suffixes; everything else is a file. */
static bool is_range(const char *text) {
  static const char digits[] = "+-.0123456789kMe";
  const size_t length = strspn(text, digits);
  return length && text[length] == ':' && text[length + 1] &&
         !text[length + 1 + strspn(text + length + 1, digits)];
}

static int read_range(const char *text, const char *what, struct positions *positions,
                      struct error *error) {
  const size_t length = strcspn(text, ":");
  char first_text[64];
  int64_t first = 0, last = 0;
  if (length >= sizeof first_text)
    return error_set(error, ERROR_INPUT, "%s '%s' is not a range such as 0:4095", what, text);
  memcpy(first_text, text, length);
  first_text[length] = '\0';
  int status = number_tokens(first_text, what, -furthest, furthest, &first, error);
  if (!status) status = number_tokens(text + length + 1, what, -furthest, furthest, &last, error);
  if (status) return status;
  if (last < first)
    return error_set(error, ERROR_INPUT, "%s '%s' ends before it begins", what, text);
  const size_t count = (size_t)(last - first) + 1;
  positions->position = memory_array(count, sizeof *positions->position, "the positions", error);
  if (!positions->position) return ERROR_FAILED;
  for (size_t i = 0; i < count; i++)
    positions->position[i] = first + (int64_t)i;
  positions->batch = positions->rank = 1;
  positions->length = count;
  return OK;
}

static int read_file(const char *text, const char *what, struct positions *positions,
                     struct error *error) {
  struct tensor *tensor;
  int status = tensor_read(text, &tensor, error);
  if (status) return error_prefix(error, "%s", what);
  if (tensor->rank < 1 || tensor->rank > 2) {
    status = error_set(error, ERROR_INPUT,
                       "%s '%s' has the shape %s: (position) or (batch, position) is needed", what,
                       text, tensor_shape(tensor).text);
  } else {
    positions->position = tensor_wholes(tensor, error);
    status = positions->position ? OK : error_prefix(error, "%s", what);
  }
  positions->rank = tensor->rank;
  positions->batch = tensor->rank == 2 ? tensor->shape[0] : 1;
  positions->length = tensor->rank ? tensor->shape[tensor->rank - 1] : 0;
  memcpy(positions->sha256, tensor->sha256, sizeof positions->sha256);
  tensor_destroy(tensor);
  return status;
}

int positions_read(const char *text, const char *what, struct positions *positions,
                   struct error *error) {
  *positions = (struct positions){0};
  return is_range(text) ? read_range(text, what, positions, error)
                        : read_file(text, what, positions, error);
}
