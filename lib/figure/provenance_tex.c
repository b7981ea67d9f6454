/* TeX as gnuplot's cairolatex terminal writes it: comment lines at the top. */
#include "lib/figure/provenance_format.h"

static const char prefix[] = "% ropetool-provenance: ";
static const char first_line[] = "% GNUPLOT: LaTeX picture";
static const char last_lines[] = "\\end{picture}%\n\\endgroup";

enum { PREFIX = sizeof prefix - 1, LAST = sizeof last_lines - 1 };
enum { LINE = 76 }; /* characters of the text on one line */

static bool recognise(const struct blob *file) {
  return blob_has(file, 0, prefix) || blob_has(file, 0, first_line);
}

static int check(const struct blob *file, struct error *error) {
  const size_t end = blob_trimmed(file);
  if (!recognise(file))
    return error_set(error, ERROR_FAILED, "not a TeX figure: its %zu bytes do not start with '%s'",
                     file->size, first_line);
  if (end < LAST || !blob_has(file, end - LAST, last_lines))
    return error_set(error, ERROR_FAILED,
                     "broken TeX figure: its %zu bytes do not end with \\endgroup", file->size);
  return OK;
}

static int prepare(const struct blob *file, double dpi, FILE *base, struct error *error) {
  (void)dpi;
  (void)error;
  fwrite(file->data, 1, file->size, base);
  return OK;
}

/* The text is cut into lines, since TeX reads a line whole and people read it in an editor. */
static int embed(const struct blob *base, const struct blob *text, FILE *file,
                 struct error *error) {
  (void)error;
  for (size_t i = 0; i < text->size; i += LINE) {
    const size_t left = text->size - i;
    fputs(prefix, file);
    fwrite(text->data + i, 1, left < LINE ? left : LINE, file);
    fputc('\n', file);
  }
  fwrite(base->data, 1, base->size, file);
  return OK;
}

/* The text can be read of a file whose lines were made to end as elsewhere (CR LF), too. */
static bool extract(const struct blob *file, FILE *text, FILE *base) {
  size_t start = 0;
  while (blob_has(file, start, prefix)) {
    const size_t end = blob_find(file, start, "\n");
    const size_t length = end - start - PREFIX;
    fwrite(file->data + start + PREFIX, 1, length - (file->data[end - 1] == '\r'), text);
    start = end < file->size ? end + 1 : end;
  }
  fwrite(file->data + start, 1, file->size - start, base);
  return start > 0;
}

const struct provenance_format provenance_tex = {"TeX",   ".tex", recognise, check,
                                                 prepare, embed,  extract};
