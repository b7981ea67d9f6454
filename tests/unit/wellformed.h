/* Whether a text is well-formed XML 1.0 as far as an SVG needs it: characters (section 2.2), text
   (2.4), comments (2.5), instructions (2.6), CDATA (2.7), one root (2.1), tags that match and their
   attributes (3.1), references (4.1) to the five entities and to characters. */
#ifndef ROPETOOL_TESTS_WELLFORMED_H
#define ROPETOOL_TESTS_WELLFORMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

static inline bool xml_has(const char *at, const char *start) {
  return !strncmp(at, start, strlen(start));
}

static inline bool xml_is_char(const char *at, size_t length) {
  const unsigned char c = (unsigned char)*at;
  if (length == 1) return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
  return length == 2 || length == 4 ||
         !(xml_has(at, "\xef\xbf\xbe") || xml_has(at, "\xef\xbf\xbf"));
}

/* The characters of the whole text. */
static inline bool xml_chars(const char *text, size_t size) {
  for (size_t i = 0, length; i < size; i += length) {
    length = text_utf8_length(text + i, size - i);
    if (!length || !xml_is_char(text + i, length)) return false;
  }
  return true;
}

static inline size_t xml_name(const char *at) {
  static const char start[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:";
  static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_:-.0123456789";
  return strspn(at, start) ? strspn(at, rest) : 0;
}

static inline size_t xml_space(const char *at) {
  return strspn(at, " \t\r\n");
}

/* Behind a reference; NULL when it is none. */
static inline const char *xml_reference(const char *at) {
  static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
  for (int i = 0; i < 5; i++)
    if (xml_has(at, entities[i])) return at + strlen(entities[i]);
  const bool hexadecimal = xml_has(at, "&#x");
  if (!hexadecimal && !xml_has(at, "&#")) return NULL;
  char *end;
  const char *digits = at + (hexadecimal ? 3 : 2);
  const unsigned long code = strtoul(digits, &end, hexadecimal ? 16 : 10);
  const bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  return end > digits && *end == ';' && !control && code < 0xfffe ? end + 1 : NULL;
}

/* Behind the text up to one of `stops`, its references checked. */
static inline const char *xml_text(const char *at, const char *stops, bool content) {
  while (at && *at && !strchr(stops, *at)) {
    if (*at == '<' || (content && xml_has(at, "]]>"))) return NULL;
    at = *at == '&' ? xml_reference(at) : at + 1;
  }
  return at;
}

/* Behind the attributes and blanks of a tag. */
static inline const char *xml_attributes(const char *at) {
  for (;;) {
    const size_t blanks = xml_space(at), name = xml_name(at + blanks);
    at += blanks;
    if (!name) return at;
    if (!blanks) return NULL;
    at += name;
    at += xml_space(at);
    if (*at++ != '=') return NULL;
    at += xml_space(at);
    const char quote[2] = {*at, '\0'};
    if (*quote != '"' && *quote != '\'') return NULL;
    at = xml_text(at + 1, quote, false);
    if (!at || *at++ != *quote) return NULL;
  }
}

/* Behind what is neither tag nor text: a comment, an instruction, CDATA, a DOCTYPE without subset;
   `at` itself when there is none of these, NULL when it is broken. */
static inline const char *xml_other(const char *at, bool inside) {
  if (xml_has(at, "<!--")) {
    const char *end = strstr(at + 4, "--");
    return end && end[2] == '>' ? end + 3 : NULL;
  }
  const bool instruction = xml_has(at, "<?"), section = inside && xml_has(at, "<![CDATA[");
  if (!instruction && !section && !(xml_has(at, "<!DOCTYPE ") && !inside)) return at;
  const char *mark = instruction ? "?>" : section ? "]]>" : ">", *end = strstr(at, mark);
  return end ? end + strlen(mark) : NULL;
}

/* One element and all within. */
static inline const char *xml_element(const char *at) {
  if (*at != '<') return NULL;
  const char *name = at + 1;
  const size_t length = xml_name(name);
  if (!length) return NULL;
  at = xml_attributes(name + length);
  if (at && xml_has(at, "/>")) return at + 2;
  if (!at || *at++ != '>') return NULL;
  while (at && !xml_has(at, "</")) {
    const char *behind = xml_other(at, true);
    if (behind == at) behind = *at == '<' ? xml_element(at) : *at ? xml_text(at, "<", true) : NULL;
    at = behind;
  }
  if (!at || strncmp(at + 2, name, length)) return NULL;
  at += 2 + length;
  at += xml_space(at);
  return *at == '>' ? at + 1 : NULL;
}

static inline const char *xml_around_root(const char *at) {
  for (const char *before = NULL; at && at != before;) {
    before = at += xml_space(at);
    at = xml_other(at, false);
  }
  return at;
}

static inline bool is_wellformed(const char *text, size_t size) {
  if (memchr(text, '\0', size) || !xml_chars(text, size)) return false;
  char *copy = strndup(text, size);
  const char *at = copy ? xml_around_root(copy) : NULL;
  if (at) at = xml_element(at);
  if (at) at = xml_around_root(at);
  const bool good = at && !*at;
  free(copy);
  return good;
}

#endif
