#include "cmd/overlay.h"

#include "cmd/groups.h"
#include "lib/base/file.h"
#include "lib/base/hash.h"

int overlay_read(const struct invocation *invocation, const char *x, struct result *result,
                 struct meta *meta, struct error *error) {
  const char *path = option_text(invocation, "overlay", NULL),
             *label = option_text(invocation, "overlay-label", NULL);
  if (!path && label)
    return error_set(error, ERROR_INPUT, "--overlay-label '%s' goes with --overlay", label);
  if (!path) return OK;
  char hash[HASH_TEXT];
  if (table_read_csv(path, &result->overlay, hash, error)) return error->code;
  inputs_add(meta, file_name(path), hash);
  result->overlay_label = label ? label : file_name(path);
  const char *const columns[] = {x, "value"};
  for (int i = 0; i < 2; i++) {
    const int column = table_find_column(result->overlay, columns[i]);
    if (column < 0 || table_column_kind(result->overlay, (size_t)column) != COLUMN_REAL)
      return error_set(error, ERROR_INPUT, "'%s' has no column '%s' of numbers", path, columns[i]);
  }
  return OK;
}

void overlay_plan(const char *x, struct result *result) {
  result->curves.overlay = result->overlay;
  result->curves.overlay_label =
      result->overlay_label && *result->overlay_label ? result->overlay_label : NULL;
  result->curves.overlay_x = x;
  result->curves.overlay_y = "value";
}
