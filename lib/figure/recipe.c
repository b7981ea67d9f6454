#include "lib/figure/recipe.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/text.h"

/* Reading goes line by line; `line` is that of `at`. */
struct reader {
  const char *name, *at, *end;
  size_t line;
  char *joined; /* a line with all that it goes on in, as long as the whole text */
};

static int fault(const struct reader *reader, size_t line, const char *what, struct error *error) {
  return error_set(error, ERROR_INPUT, "%s:%zu: %s", reader->name, line, what);
}

/* What no recipe holds: bytes that are no text, or that a figure could not show. */
static int check_bytes(struct reader reader, struct error *error) {
  while (reader.at < reader.end) {
    const unsigned char c = (unsigned char)*reader.at;
    const size_t left = (size_t)(reader.end - reader.at),
                 length = text_utf8_length(reader.at, left);
    if (!c) return fault(&reader, reader.line, "a NUL byte; a recipe is text", error);
    if (!length) return fault(&reader, reader.line, "a byte that is not UTF-8", error);
    const bool line_end = c == '\r' && left > 1 && reader.at[1] == '\n';
    if ((c < 0x20 && c != '\n' && c != '\t' && !line_end) || c == 0x7f)
      return error_set(error, ERROR_INPUT, "%s:%zu: control character 0x%02x", reader.name,
                       reader.line, c);
    if (c == '\n') reader.line++;
    reader.at += length;
  }
  return OK;
}

/* Bytes of the line end at `at`; 0: there is none. */
static size_t line_end(const struct reader *reader, const char *at) {
  const size_t left = (size_t)(reader->end - at);
  if (left && *at == '\n') return 1;
  return left > 1 && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* Whether blanks, and one at least, are all that is left of the line at `at`. */
static bool is_blank_to_end(const struct reader *reader, const char *at) {
  const char *end = at;
  while (end < reader->end && (*end == ' ' || *end == '\t'))
    end++;
  return end > at && (end == reader->end || line_end(reader, end));
}

static void skip_comment(struct reader *reader) {
  while (reader->at < reader->end && !line_end(reader, reader->at))
    reader->at++;
}

/* Copies what belongs to one line into `joined`, without comment and joints, and moves behind it.
 */
static int join_line(struct reader *reader, struct error *error) {
  char quote = '\0', *out = reader->joined;
  size_t quote_line = 0, end = 0;
  for (bool begins = true; reader->at < reader->end && !(end = line_end(reader, reader->at));) {
    const char c = *reader->at;
    if (!quote && begins && c == '#') {
      skip_comment(reader);
      continue;
    }
    if (c == '\\' && quote != '\'') {
      const size_t joint = line_end(reader, reader->at + 1);
      if (!quote && is_blank_to_end(reader, reader->at + 1))
        return fault(reader, reader->line,
                     "blanks follow the backslash at the end: nothing may, if the line goes on",
                     error);
      if (reader->at + 1 == reader->end)
        return fault(reader, reader->line, "nothing follows the backslash at the end", error);
      reader->line += joint > 0;
      if (!joint) out = mempcpy(out, reader->at, 2);
      begins = begins && joint;
      reader->at += joint ? 1 + joint : 2;
      continue;
    }
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? '\0' : c;
      quote_line = reader->line;
    }
    begins = c == ' ' || c == '\t';
    *out++ = c;
    reader->at++;
  }
  *out = '\0';
  if (quote) return fault(reader, quote_line, "a quote is not closed on its line", error);
  reader->at += end;
  reader->line += end > 0;
  return OK;
}

/* Takes the list of outputs apart, in place. */
static int split_outputs(const struct reader *reader, struct recipe_line *line,
                         struct error *error) {
  size_t count = 1;
  for (const char *c = line->split[0]; *c; c++)
    count += *c == ',';
  line->outputs = memory_array(count, sizeof *line->outputs, "the outputs of a figure", error);
  if (!line->outputs) return ERROR_FAILED;
  for (char *name = line->split[0], *next; name; name = next) {
    next = strchr(name, ',');
    if (next) *next++ = '\0';
    if (!*name) return fault(reader, line->number, "a file has no name: OUT[,OUT...]", error);
    if (*name == '-')
      return error_set(error, ERROR_INPUT, "%s:%zu: '%s' is an option, not a file: OUT comes first",
                       reader->name, line->number, name);
    line->outputs[line->output_count++] = name;
  }
  return OK;
}

/* Makes a line of `joined`; nothing when that is empty. */
static int take_line(const struct reader *reader, size_t number, struct recipe *recipe,
                     struct error *error) {
  char **split;
  const int count = text_split_shell(reader->joined, &split);
  if (count <= 0) {
    free(split);
    return count ? error_set(error, ERROR_FAILED, "out of memory: the recipe") : OK;
  }
  struct recipe_line *line = &recipe->lines[recipe->count++];
  const bool named = count > 1 && !strcmp(split[1], "ropetool");
  *line = (struct recipe_line){.number = number,
                               .words = split + 1 + named,
                               .word_count = count - 1 - named,
                               .split = split};
  if (line->word_count < 1)
    return error_set(error, ERROR_INPUT, "%s:%zu: no command behind '%s': OUT[,OUT...] COMMAND...",
                     reader->name, number, split[0]);
  return split_outputs(reader, line, error);
}

int recipe_parse(const char *text, size_t size, const char *name, struct recipe *recipe,
                 struct error *error) {
  *recipe = (struct recipe){0};
  static const char mark[] = "\xef\xbb\xbf"; /* that some editors put before UTF-8 */
  const size_t skipped = size >= 3 && !memcmp(text, mark, 3) ? 3 : 0;
  struct reader reader = {.name = name, .at = text + skipped, .end = text + size, .line = 1};
  if (size > RECIPE_LIMIT)
    return error_set(error, ERROR_INPUT, "'%s' is larger than the %d bytes a recipe may have", name,
                     RECIPE_LIMIT);
  int status = check_bytes(reader, error);
  if (status) return status;
  size_t lines = 1;
  for (size_t i = 0; i < size; i++)
    lines += text[i] == '\n';
  recipe->lines = memory_array(lines, sizeof *recipe->lines, "the recipe", error);
  reader.joined = memory_array(size + 1, 1, "the recipe", error);
  status = recipe->lines && reader.joined ? OK : ERROR_FAILED;
  while (!status && reader.at < reader.end) {
    const size_t number = reader.line;
    status = join_line(&reader, error);
    if (!status) status = take_line(&reader, number, recipe, error);
  }
  free(reader.joined);
  if (status) recipe_release(recipe);
  return status;
}

void recipe_release(struct recipe *recipe) {
  for (size_t i = 0; recipe->lines && i < recipe->count; i++) {
    free(recipe->lines[i].outputs);
    free(recipe->lines[i].split);
  }
  free(recipe->lines);
  *recipe = (struct recipe){0};
}
