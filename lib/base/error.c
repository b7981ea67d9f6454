#include "lib/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

/* Bytes of the character at `text`; 0 when its first byte must be escaped: a control character
   (those of Unicode at U+0080 to U+009F too) or ill-formed UTF-8. */
static size_t printable(const char *text, size_t left) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && left > 1 && s[1] < 0xa0)) return 0;
  return text_utf8_length(text, left);
}

/* Copies those characters of `text`, escaped, that lie in [from, to) of the escaped text. Returns
   the length of the escaped text as a whole. */
static size_t copy_escaped(char *out, size_t from, size_t to, const char *text) {
  size_t place = 0;
  for (size_t left = strlen(text); left;) {
    char escape[8];
    size_t size = printable(text, left), width = size;
    const char *piece = text;
    if (!size) {
      width = (size_t)snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)*text);
      piece = escape;
      size = 1;
    }
    if (place >= from && place + width <= to) {
      memcpy(out, piece, width);
      out += width;
    }
    place += width;
    text += size;
    left -= size;
  }
  *out = '\0';
  return place;
}

/* Stores `text`, on one line whatever a file name or an option holds. A text that is too long loses
   its middle, for the end says what went wrong. */
static void store(struct error *error, const char *text) {
  enum { LONGEST = sizeof error->message - 1, TAIL = 300 };
  static const char gap[] = " ... ";
  const size_t length = copy_escaped(error->message, 0, LONGEST, text);
  if (length <= LONGEST) return;
  copy_escaped(error->message, 0, LONGEST - TAIL - (sizeof gap - 1), text);
  char *end = error->message + strlen(error->message);
  memcpy(end, gap, sizeof gap);
  copy_escaped(end + sizeof gap - 1, length - TAIL, length, text);
}

int error_set(struct error *error, enum error_code code, const char *format, ...) {
  if (!error) return code;
  char *text;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  error->code = code;
  store(error, length < 0 ? format : text);
  if (length >= 0) free(text);
  return code;
}

int error_prefix(struct error *error, const char *format, ...) {
  if (!error) return ERROR_FAILED;
  char *prefix, *joined;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&prefix, format, arguments);
  va_end(arguments);
  if (length < 0) return error->code;
  if (asprintf(&joined, "%s: %s", prefix, error->message) >= 0) {
    store(error, joined);
    free(joined);
  }
  free(prefix);
  return error->code;
}
