/* SVG: a <metadata> element right behind the start tag of the root. The text needs no escapes
 * there. */
#include <string.h>

#include "lib/figure/provenance_format.h"

static const char opening[] = "\n<metadata id=\"ropetool\">";
static const char closing[] = "</metadata>";
static const char root_end[] = "</svg>";

enum { OPENING = sizeof opening - 1, CLOSING = sizeof closing - 1, ROOT_END = sizeof root_end - 1 };

static size_t skip_space(const struct blob *file, size_t at) {
  while (at < file->size && file->data[at] && strchr(" \t\r\n", file->data[at]))
    at++;
  return at;
}

/* Behind the `end` that follows `at`; 0 when there is none. */
static size_t skip_past(const struct blob *file, size_t at, const char *end) {
  at = blob_find(file, at, end);
  return at < file->size ? at + strlen(end) : 0;
}

/* Behind the '>' of the tag at `at`, which may hold more of them between quotes; 0 when it is cut
 * off. */
static size_t skip_tag(const struct blob *file, size_t at) {
  char quote = '\0';
  for (; at < file->size; at++) {
    const char c = file->data[at];
    if (quote)
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '>')
      return at + 1;
  }
  return 0;
}

/* Behind the root's start tag, past what XML allows before it (section 2.8); 0 when this is no SVG.
 */
static size_t find_root(const struct blob *file) {
  size_t at = blob_has(file, 0, "\xef\xbb\xbf") ? 3 : 0;
  for (;;) {
    at = skip_space(file, at);
    if (blob_has(file, at, "<?"))
      at = skip_past(file, at, "?>");
    else if (blob_has(file, at, "<!--"))
      at = skip_past(file, at + 4, "-->");
    else if (blob_has(file, at, "<!DOCTYPE"))
      at = skip_tag(file, at);
    else
      break;
    if (!at) return 0;
  }
  const char *name_ends = " \t\r\n>";
  if (!blob_has(file, at, "<svg") || at + 4 >= file->size || !file->data[at + 4] ||
      !strchr(name_ends, file->data[at + 4]))
    return 0;
  return skip_tag(file, at);
}

static bool recognise(const struct blob *file) {
  return find_root(file) > 0;
}

static int check(const struct blob *file, struct error *error) {
  const size_t end = blob_trimmed(file);
  if (!find_root(file))
    return error_set(error, ERROR_FAILED,
                     "not an SVG: its %zu bytes do not start with an <svg> tag", file->size);
  if (!blob_has(file, end - ROOT_END, root_end))
    return error_set(error, ERROR_FAILED, "broken SVG: its %zu bytes do not end with %s",
                     file->size, root_end);
  return OK;
}

static int prepare(const struct blob *file, double dpi, FILE *base, struct error *error) {
  (void)dpi;
  (void)error;
  fwrite(file->data, 1, file->size, base);
  return OK;
}

static int embed(const struct blob *base, const struct blob *text, FILE *file,
                 struct error *error) {
  (void)error;
  const size_t root = find_root(base);
  fwrite(base->data, 1, root, file);
  fputs(opening, file);
  fwrite(text->data, 1, text->size, file);
  fputs(closing, file);
  fwrite(base->data + root, 1, base->size - root, file);
  return OK;
}

/* Anywhere in the file: other programs that write SVG move it. */
static bool extract(const struct blob *file, FILE *text, FILE *base) {
  const size_t start = blob_find(file, find_root(file), opening + 1);
  const size_t end = blob_find(file, start, closing);
  if (end == file->size) return false;
  fwrite(file->data + start + OPENING - 1, 1, end - start - (OPENING - 1), text);
  fwrite(file->data, 1, start && file->data[start - 1] == '\n' ? start - 1 : start, base);
  fwrite(file->data + end + CLOSING, 1, file->size - end - CLOSING, base);
  return true;
}

const struct provenance_format provenance_svg = {"SVG",   ".svg", recognise, check,
                                                 prepare, embed,  extract};
