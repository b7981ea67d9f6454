/* Text from users: checked, quoted, never trusted. */
#ifndef ROPETOOL_BASE_TEXT_H
#define ROPETOOL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether `text` is well-formed UTF-8 (no surrogates, no overlong forms). */
bool text_is_utf8(const char *text, size_t size);

/* Whether `text` holds a control character (0x00-0x1f, 0x7f). */
bool text_has_control(const char *text);

/* Writes `word` so that a POSIX shell reads it back as one word. Plain words stay as they are. */
void text_quote_shell(FILE *out, const char *word);

/* Splits `line` into words by the quoting rules of a shell ('…', "…", \x), without any expansion.
 *words is one block: free() it. -1 when a quote is not closed or memory is out; else their number.
*/
int text_split_shell(const char *line, char ***words);

/* The extension of a file name with its dot (".png"), in lower case, at most 7 characters; "" if
 * none. */
void text_extension(const char *path, char extension[8]);

#endif
