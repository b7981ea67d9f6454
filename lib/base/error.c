#include "lib/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies `text` so that it stays on one line whatever a file name or an option holds. */
static void copy_printable(char *out, size_t size, const char *text) {
  size_t used = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c && used + 5 < size; c++) {
    if (*c < 0x20 || *c == 0x7f)
      used += (size_t)snprintf(out + used, size - used, "\\x%02x", *c);
    else
      out[used++] = (char)*c;
  }
  out[used] = '\0';
}

int error_set(struct error *error, enum error_code code, const char *format, ...) {
  if (!error) return code;
  char raw[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(raw, sizeof raw, format, arguments);
  va_end(arguments);
  error->code = code;
  copy_printable(error->message, sizeof error->message, raw);
  return code;
}

int error_prefix(struct error *error, const char *format, ...) {
  if (!error) return ERROR_FAILED;
  char prefix[256], old[sizeof error->message], joined[sizeof prefix + sizeof old + 2];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(prefix, sizeof prefix, format, arguments);
  va_end(arguments);
  memcpy(old, error->message, sizeof old);
  snprintf(joined, sizeof joined, "%s: %s", prefix, old);
  copy_printable(error->message, sizeof error->message, joined);
  return error->code;
}
