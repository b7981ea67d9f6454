#include "lib/rope/axis_of_pair.h"

const char *spec_axis_name(enum spec_axis axis) {
  static const char *const names[] = {"time", "height", "width", "extra"};
  return names[axis];
}

enum spec_axis spec_axis(const struct rope_spec *spec, size_t pair) {
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
