/* Text from users: checked, quoted, never trusted. */
#ifndef ROPETOOL_BASE_TEXT_H
#define ROPETOOL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of the UTF-8 character at `text`, of which `left` > 0 bytes are left; 0 when it is
   ill-formed (surrogates and overlong forms are). */
size_t text_utf8_length(const char *text, size_t left);

/* Whether all of `text` is well-formed UTF-8. */
bool text_is_utf8(const char *text, size_t size);

/* Replaces every byte that is not part of well-formed UTF-8 by '?'. */
void text_repair(char *text);

/* Whether `text` holds a control character (0x00-0x1f, 0x7f). */
bool text_has_control(const char *text);

/* Writes `word` so that a POSIX shell reads it back as one word. Plain words stay as they are. */
void text_quote_shell(FILE *out, const char *word);

/* Splits `line` into words by the quoting rules of a shell ('…', "…", \x), without any expansion.
   *words, with a NULL behind the last, is one block: free() it. Returns their number; -1 when a
   quote is not closed or memory is out. */
int text_split_shell(const char *line, char ***words);

/* The extension of a file name with its dot (".png"), in lower case, at most 7 characters; "" if
 * none. */
void text_extension(const char *path, char extension[8]);

/* `path` with another extension (".pdf", or "" for none) in place of its own, to be released with
   free(). NULL when memory is out. */
char *text_with_extension(const char *path, const char *extension);

#endif
