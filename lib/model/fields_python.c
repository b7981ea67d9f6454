#include "lib/model/fields_python.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

/* Marks begin with the control character DEL, which JSON allows in a text as it is and no name or
   value in a config holds; with the quotes they are as long as the word, so that places in messages
   stay right. */
static const struct {
  const char *word, *mark;
} numbers[] = {
    {"NaN", "\x7f"},
    {"Infinity", "\x7f+++++"},
    {"-Infinity", "\x7f------"},
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

const char *fields_python_number(const char *text) {
  for (size_t i = 0; i < NUMBERS; i++)
    if (!strcmp(numbers[i].mark, text)) return numbers[i].word;
  return NULL;
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_before_value(char c) {
  return c == ':' || c == ',' || c == '[';
}

static bool is_behind_value(char c) {
  return c == ',' || c == ']' || c == '}';
}

/* Whether text[at] follows what a value follows, and `end` is followed by what follows a value: the
   name of a field is followed by a colon. */
static bool is_value(const char *text, size_t size, size_t at, size_t end) {
  while (at > 0 && is_space(text[at - 1]))
    at--;
  while (end < size && is_space(text[end]))
    end++;
  return at > 0 && end < size && is_before_value(text[at - 1]) && is_behind_value(text[end]);
}

/* Behind the text in quotes that begins at `at`. */
static size_t skip_text(const char *text, size_t size, size_t at) {
  for (at++; at < size && text[at] != '"'; at++)
    at += text[at] == '\\';
  return at + 1;
}

static void mark(const char *text, size_t size, char *copy) {
  for (size_t at = 0; at < size; at++) {
    if (text[at] == '"') at = skip_text(text, size, at) - 1;
    for (size_t i = 0; at < size && i < NUMBERS; i++) {
      const size_t length = strlen(numbers[i].word);
      if (length > size - at || memcmp(text + at, numbers[i].word, length)) continue;
      if (!is_value(text, size, at, at + length)) continue;
      copy[at] = copy[at + length - 1] = '"';
      memcpy(copy + at + 1, numbers[i].mark, length - 2);
    }
  }
}

int fields_mark_python(const char *text, size_t size, char **copy, struct error *error) {
  *copy = NULL;
  if (!memmem(text, size, "NaN", 3) && !memmem(text, size, "Infinity", 8)) return OK;
  *copy = memory_array(size, 1, "JSON", error);
  if (!*copy) return ERROR_FAILED;
  memcpy(*copy, text, size);
  mark(text, size, *copy);
  return OK;
}
