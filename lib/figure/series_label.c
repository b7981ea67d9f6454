#include "lib/figure/series_label.h"

#include <stdbool.h>
#include <string.h>

static size_t word_length(const char *text) {
  return strcspn(text, " ");
}

static char *next_word(const char *word) {
  word += word_length(word);
  return (char *)word + strspn(word, " ");
}

/* Whether a word has the form NAME=VALUE. */
static bool is_setting(const char *word) {
  const char *equals = memchr(word, '=', word_length(word));
  return equals && equals > word;
}

/* Where the settings that a label begins with hold the one at `setting`; NULL: nowhere. */
static char *find_setting(char *label, const char *setting) {
  const size_t length = word_length(setting);
  for (char *word = label; is_setting(word); word = next_word(word))
    if (word_length(word) == length && !memcmp(word, setting, length)) return word;
  return NULL;
}

static bool is_common(char *const *label, size_t count, const char *setting) {
  for (size_t s = 0; s < count; s++)
    if (!find_setting(label[s], setting)) return false;
  return true;
}

/* What follows the common settings that a label begins with. */
static const char *skip_common(char *const *label, size_t count, size_t s) {
  const char *word = label[s];
  while (is_setting(word) && is_common(label, count, word))
    word = next_word(word);
  return word;
}

/* The one label, at most, that has nothing but common settings; `count`: none. */
static size_t find_bare(char *const *label, size_t count) {
  size_t s = 0;
  while (s < count && *skip_common(label, count, s))
    s++;
  return s;
}

/* Whether one has nothing else but its number, "(2)", as the second of the same name. */
static bool has_twins(char *const *label, size_t count) {
  for (size_t s = 0; s < count; s++)
    if (*skip_common(label, count, s) == '(') return true;
  return false;
}

/* Returns the word behind it. */
static char *remove_setting(char *label, const char *setting) {
  char *word = find_setting(label, setting);
  const char *rest = next_word(word);
  if (!*rest && word > label) word--; /* the blank before it */
  memmove(word, rest, strlen(rest) + 1);
  return word;
}

void series_labels_shorten(char *const *label, size_t count) {
  if (count < 2 || has_twins(label, count)) return;
  const size_t bare = find_bare(label, count);
  /* What is looked up is in this one, and is taken from it last. */
  const size_t guide = bare ? 0 : 1;
  char *word = label[guide];
  while (is_setting(word)) {
    if (!is_common(label, count, word)) {
      word = next_word(word);
      continue;
    }
    for (size_t s = 0; s < count; s++)
      if (s != bare && s != guide) remove_setting(label[s], word);
    word = remove_setting(label[guide], word);
  }
}
