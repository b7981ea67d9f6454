#include "lib/figure/sheet_size.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A stretch of a file. */
struct stretch {
  size_t start, end;
};

/* The first place of a text from `start` on; false when there is none. */
static bool find(const struct blob *file, size_t start, const char *text, struct stretch *found) {
  if (start > file->size) return false;
  const char *place = memmem(file->data + start, file->size - start, text, strlen(text));
  if (!place) return false;
  found->start = (size_t)(place - file->data);
  found->end = found->start + strlen(text);
  return true;
}

static int replace(struct blob *file, const struct stretch *stretch, const char *text,
                   struct error *error) {
  struct blob changed;
  FILE *out = open_memstream(&changed.data, &changed.size);
  if (!out) return error_set(error, ERROR_FAILED, "no memory for a picture");
  fwrite(file->data, 1, stretch->start, out);
  fputs(text, out);
  fwrite(file->data + stretch->end, 1, file->size - stretch->end, out);
  if (fclose(out)) {
    free(changed.data);
    return error_set(error, ERROR_FAILED, "no memory for a picture");
  }
  free(file->data);
  *file = changed;
  return OK;
}

/* gnuplot states the size of an SVG in whole pixels; a sheet of 89 mm is to be of 89 mm. */
static int state_svg(const struct canvas *canvas, struct blob *picture, struct error *error) {
  struct stretch first, last;
  char text[96];
  if (!find(picture, 0, " width=\"", &first) || !find(picture, first.end, " viewBox=\"", &last))
    return OK;
  snprintf(text, sizeof text, " width=\"%.6gin\" height=\"%.6gin\"\n", canvas->width,
           canvas->height);
  return replace(picture, &(struct stretch){first.start, last.start}, text, error);
}

/* Copies the beginning of a dictionary without comments and with single blanks. */
static size_t copy_short(const char *from, const char *end, char *to, size_t capacity) {
  size_t size = 0;
  for (; from < end && size + 2 < capacity; from++) {
    if (*from == '%')
      while (from + 1 < end && from[1] != '\n')
        from++;
    else if (!isspace((unsigned char)*from))
      to[size++] = *from;
    else if (size && to[size - 1] != ' ')
      to[size++] = ' ';
  }
  to[size] = '\0';
  return size;
}

/* Writes the size over the box of the one page, in the place of comments and blanks before it, so
   that everything stays where the cross-reference table says; false where it has no place. */
static bool state_pdf(const struct canvas *canvas, const struct blob *picture) {
  struct stretch box;
  char text[256], stated[80];
  snprintf(text, sizeof text, "/MediaBox [ 0 0 %.0f %.0f ]", canvas_page_points(canvas->width),
           canvas_page_points(canvas->height));
  if (!find(picture, 0, text, &box)) return false;
  size_t start = box.start;
  while (start > 1 && memcmp(picture->data + start - 2, "<<", 2) != 0)
    start--;
  const size_t room = box.end - start;
  if (room > 120) return false;
  const size_t size =
      copy_short(picture->data + start, picture->data + box.start, text, sizeof text);
  const int more = snprintf(stated, sizeof stated, "/MediaBox[0 0 %.4f %.4f]", canvas->width * 72,
                            canvas->height * 72);
  if (more < 0 || size + (size_t)more > room) return false;
  memset(picture->data + start, ' ', room);
  memcpy(picture->data + start, text, size);
  memcpy(picture->data + start + size, stated, (size_t)more);
  return true;
}

/* The picture that a document makes room for, in units of 1/20 bp, and the PDF in it. */
static int state_tex(const struct canvas *canvas, struct blob *tex, struct error *error) {
  static const char picture[] = "\\begin{picture}(", graphic[] = "\\includegraphics[width={";
  const double width = canvas->width * 72, height = canvas->height * 72;
  struct stretch first, last;
  char text[128];
  if (!find(tex, 0, picture, &first) || !find(tex, first.end, ")", &last)) return OK;
  snprintf(text, sizeof text, "%s%.3f,%.3f)", picture, 20 * width, 20 * height);
  int code = replace(tex, &(struct stretch){first.start, last.end}, text, error);
  if (code || !find(tex, 0, graphic, &first) || !find(tex, first.end, "]", &last)) return code;
  snprintf(text, sizeof text, "%s%.4fbp},height={%.4fbp}]", graphic, width, height);
  return replace(tex, &(struct stretch){first.start, last.end}, text, error);
}

int sheet_size_state(const struct canvas *canvas, struct figure *figure, struct error *error) {
  switch (canvas->format) {
  case FIGURE_SVG:
    return state_svg(canvas, &figure->picture, error);
  case FIGURE_PDF:
    state_pdf(canvas, &figure->picture);
    return OK;
  case FIGURE_TEX:
    return state_pdf(canvas, &figure->picture) ? state_tex(canvas, &figure->tex, error) : OK;
  default:
    return OK;
  }
}
