#include "lib/rope/axis_of_pair.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"

const char *spec_axis_name(enum spec_axis axis) {
  static const char *const names[] = {"time", "height", "width", "extra"};
  return names[axis];
}

enum spec_axis spec_axis(const struct rope_spec *spec, size_t pair) {
  if (spec->axial) return pair < spec->rotary_dim / 4 ? SPEC_WIDTH : SPEC_HEIGHT;
  if (spec->sections_interleaved) {
    const size_t axis = pair % 3;
    return axis < spec->axes && pair < 3 * spec->section[axis] ? (enum spec_axis)axis : SPEC_TIME;
  }
  for (size_t axis = 0; axis < spec->axes; axis++) {
    if (pair < spec->section[axis]) return (enum spec_axis)axis;
    pair -= spec->section[axis];
  }
  return SPEC_TIME;
}

bool spec_has_axes(const struct rope_spec *spec) {
  return spec->axial || spec->axes > SPEC_WIDTH;
}

void spec_axis_letters(const struct rope_spec *spec, char letters[SPEC_PAIRS + 1]) {
  size_t i = 0;
  for (; i < spec->rotary_dim / 2 && i < SPEC_PAIRS; i++)
    letters[i] = "THWE"[spec_axis(spec, i)];
  letters[i] = '\0';
}

static void clear(struct rope_spec *spec) {
  spec->axial = spec->sections_interleaved = false;
  spec->axes = 0;
  memset(spec->section, 0, sizeof spec->section);
}

/* The numbers of a comma list of `length` characters. */
static int parse_list(const char *text, size_t length, struct rope_spec *spec,
                      struct error *error) {
  const char *end = text + length;
  for (const char *at = text; at <= end; at += strcspn(at, ",:") + 1) {
    char number[24];
    const size_t size = strcspn(at, ",:");
    int64_t pairs;
    if (spec->axes == SPEC_AXES)
      return error_set(error, ERROR_INPUT, "'%s' has more than %d sections", text, SPEC_AXES);
    if (size >= sizeof number)
      return error_set(error, ERROR_INPUT, "the section '%.*s' is not a number", (int)size, at);
    memcpy(number, at, size);
    number[size] = '\0';
    if (number_integer(number, "a section", 0, SPEC_PAIRS, &pairs, error)) return error->code;
    spec->section[spec->axes++] = (size_t)pairs;
  }
  return OK;
}

int spec_parse_sections(const char *text, struct rope_spec *spec, struct error *error) {
  static const char wanted[] = "time, height and width, T,H,W[:interleaved]; or axial";
  const size_t length = strcspn(text, ":");
  const char *order = text + length;
  clear(spec);
  spec->axial = !strcmp(text, "axial");
  if (spec->axial) return OK;
  if (*order && strcmp(order, ":interleaved"))
    return error_set(error, ERROR_INPUT, "'%s' ends in '%s': %s", text, order, wanted);
  if (parse_list(text, length, spec, error)) return error->code;
  spec->sections_interleaved = *order;
  const size_t most = *order ? 3 : SPEC_AXES;
  if (spec->axes < 3 || spec->axes > most)
    return error_set(error, ERROR_INPUT, "'%s' has %zu section%s: %s", text, spec->axes,
                     spec->axes == 1 ? "" : "s", wanted);
  size_t sum = 0;
  for (size_t axis = 0; axis < spec->axes; axis++)
    sum += spec->section[axis];
  if (sum == spec->rotary_dim / 2) return OK;
  return error_set(error, ERROR_INPUT, "'%s' sums to %zu: the %zu pairs of a head are needed", text,
                   sum, spec->rotary_dim / 2);
}
