#include "lib/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RFC 3629; the bounds of the second byte are those of table 3-7 of the Unicode standard. */
size_t text_utf8_length(const char *text, size_t left) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
  const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (left < length) return 0;
  const unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high) return 0;
  for (size_t i = 2; i < length; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  return length;
}

bool text_is_utf8(const char *text, size_t size) {
  for (size_t i = 0; i < size;) {
    const size_t length = text_utf8_length(text + i, size - i);
    if (!length) return false;
    i += length;
  }
  return true;
}

void text_repair(char *text) {
  for (size_t left = strlen(text); left;) {
    size_t length = text_utf8_length(text, left);
    if (!length) {
      *text = '?';
      length = 1;
    }
    text += length;
    left -= length;
  }
}

bool text_has_control(const char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7f) return true;
  return false;
}

void text_quote_shell(FILE *out, const char *word) {
  static const char plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/=+@%";
  if (*word && strspn(word, plain) == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", out);
    else
      fputc(*word, out);
  fputc('\'', out);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether a backslash before `c` quotes it; within double quotes it does so before few characters.
 */
static bool is_escapable(char c, char quote) {
  return quote ? quote == '"' && c && strchr("$`\"\\\n", c) : c != '\0';
}

/* Copies one word from *line to *out and moves both on; false when a quote is left open. */
static bool copy_word(const char **line, char **out) {
  const char *in = *line;
  char quote = '\0';
  for (; *in && (quote || !is_blank(*in)); in++) {
    if (quote ? *in == quote : *in == '\'' || *in == '"')
      quote = quote ? '\0' : *in;
    else if (*in != '\\' || !is_escapable(in[1], quote))
      *(*out)++ = *in;
    else if (*++in != '\n') /* a quoted line end joins two lines */
      *(*out)++ = *in;
  }
  *(*out)++ = '\0';
  *line = in;
  return !quote;
}

int text_split_shell(const char *line, char ***words) {
  const size_t length = strlen(line), most = length / 2 + 2;
  char **list = malloc(most * sizeof *list + length + most);
  *words = NULL;
  if (!list) return -1;
  char *out = (char *)(list + most);
  int count = 0;
  for (;;) {
    while (is_blank(*line))
      line++;
    if (!*line) break;
    list[count++] = out;
    if (!copy_word(&line, &out)) {
      free(list);
      return -1;
    }
  }
  list[count] = NULL;
  *words = list;
  return count;
}

void text_extension(const char *path, char extension[8]) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  extension[0] = '\0';
  if (!dot || strlen(dot) > 7) return;
  for (size_t i = 0; i <= strlen(dot); i++)
    extension[i] = (char)tolower((unsigned char)dot[i]);
}

char *text_with_extension(const char *path, const char *extension) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  const size_t stem = dot ? (size_t)(dot - path) : strlen(path);
  char *other = NULL;
  return asprintf(&other, "%.*s%s", (int)stem, path, extension) < 0 ? NULL : other;
}
