#include "lib/figure/preview_sheet.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"

/* A sixel is a column of six dots. */
enum { SIXEL = 6 };

/* Levels of red, green and blue in the cube of 256 colours, which starts at 16; behind it, at 232,
   stand 24 greys. */
static int cube_level(int value) {
  return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static int cube_value(int level) {
  return level ? 55 + 40 * level : 0;
}

/* The nearest of the 256 colours of a terminal. */
static int nearest_256(uint32_t rgb) {
  const int part[] = {(int)(rgb >> 16 & 0xff), (int)(rgb >> 8 & 0xff), (int)(rgb & 0xff)};
  const int mean = (part[0] + part[1] + part[2]) / 3;
  const int step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, grey = 8 + 10 * step;
  int cube = 16, distance = 0, grey_distance = 0;
  for (int c = 0; c < 3; c++) {
    const int level = cube_level(part[c]), off = part[c] - cube_value(level), pale = part[c] - grey;
    cube += level * (c == 0 ? 36 : c == 1 ? 6 : 1);
    distance += off * off;
    grey_distance += pale * pale;
  }
  return grey_distance < distance ? 232 + step : cube;
}

void preview_start_colour(const struct preview_terminal *terminal, enum preview_layer layer,
                          uint32_t rgb, FILE *out) {
  if (terminal->colour == PREVIEW_TRUECOLOR)
    fprintf(out, "\033[%d;2;%u;%u;%um", layer, rgb >> 16 & 0xff, rgb >> 8 & 0xff, rgb & 0xff);
  else if (terminal->colour == PREVIEW_256)
    fprintf(out, "\033[%d;5;%dm", layer, nearest_256(rgb));
}

void preview_end_colour(const struct preview_terminal *terminal, FILE *out) {
  if (terminal->colour != PREVIEW_PLAIN) fputs("\033[0m", out);
}

int preview_sheet_open(const struct preview_terminal *terminal, size_t across, size_t down,
                       struct preview_sheet *sheet) {
  *sheet = (struct preview_sheet){.terminal = terminal, .across = across, .down = down};
  sheet->wide = terminal->sixel ? 8 : terminal->blocks ? 2 : 1;
  sheet->high = terminal->sixel ? 16 : terminal->blocks ? 4 : 1;
  sheet->dot =
      memory_array(preview_sheet_width(sheet) * preview_sheet_height(sheet), 1, "a preview", NULL);
  return sheet->dot ? OK : ERROR_FAILED;
}

size_t preview_sheet_width(const struct preview_sheet *sheet) {
  return sheet->across * sheet->wide;
}

size_t preview_sheet_height(const struct preview_sheet *sheet) {
  return sheet->down * sheet->high;
}

double preview_sheet_aspect(const struct preview_sheet *sheet) {
  return 2 * (double)sheet->wide / (double)sheet->high;
}

void preview_sheet_dot(struct preview_sheet *sheet, struct preview_point at, unsigned colour) {
  const double x = floor(at.x + 0.5), y = floor(at.y + 0.5);
  if (!(x >= 0 && x < (double)preview_sheet_width(sheet) && y >= 0 &&
        y < (double)preview_sheet_height(sheet)))
    return;
  sheet->dot[(size_t)y * preview_sheet_width(sheet) + (size_t)x] = (unsigned char)colour;
}

void preview_sheet_line(struct preview_sheet *sheet, struct preview_point from,
                        struct preview_point to, unsigned colour, unsigned dash) {
  const double across = to.x - from.x, along = to.y - from.y;
  const double reach = fmax(fabs(across), fabs(along));
  if (!(reach <= 1e6)) return;
  const int steps = (int)ceil(reach), thick = sheet->terminal->sixel ? 2 : 1;
  for (int s = 0; s <= steps; s++) {
    const double part = steps ? (double)s / steps : 0;
    const struct preview_point at = {from.x + part * across, from.y + part * along};
    const double place = floor((fabs(across) >= fabs(along) ? at.x : at.y) + 0.5);
    if (dash && fmod(place, 2.0 * dash) >= dash) continue;
    for (int right = 0; right < thick; right++)
      for (int down = 0; down < thick; down++)
        preview_sheet_dot(sheet, (struct preview_point){at.x + right, at.y + down}, colour);
  }
}

void preview_sheet_print(const struct preview_sheet *sheet, size_t row, FILE *out) {
  static const unsigned char bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const size_t width = preview_sheet_width(sheet);
  for (size_t column = 0; column < sheet->across; column++) {
    unsigned braille = 0, colour = 0;
    for (size_t i = 0; i < sheet->wide * sheet->high; i++) {
      const size_t x = i % sheet->wide, y = i / sheet->wide;
      const unsigned dot = sheet->dot[(row * sheet->high + y) * width + column * sheet->wide + x];
      if (dot) braille |= bits[y][x], colour = dot;
    }
    if (!colour) {
      fputc(' ', out);
      continue;
    }
    preview_start_colour(sheet->terminal, PREVIEW_SIGN, sheet->colour[colour], out);
    if (sheet->wide == 1)
      fputc(sheet->mark[colour] ? sheet->mark[colour] : '*', out);
    else
      fprintf(out, "\xe2%c%c", (char)(0xa0 + (braille >> 6)), (char)(0x80 + (braille & 0x3f)));
    preview_end_colour(sheet->terminal, out);
  }
}

/* One row of sixels in one colour; runs of more than three are counted,
   and nothing at the end of the row is left out. */
static void print_sixels(const struct preview_sheet *sheet, size_t top, unsigned colour,
                         FILE *out) {
  const size_t width = preview_sheet_width(sheet), height = preview_sheet_height(sheet);
  int last = -1;
  size_t run = 0;
  for (size_t x = 0; x <= width; x++) {
    int sixel = 0;
    for (size_t i = 0; i < SIXEL && top + i < height && x < width; i++)
      sixel |= (sheet->dot[(top + i) * width + x] == colour) << i;
    if (x < width && sixel == last) {
      run++;
      continue;
    }
    if (x == width && last == 0) break;
    if (run > 3) fprintf(out, "!%zu%c", run, '?' + last);
    for (size_t i = 0; i < run && run <= 3; i++)
      fputc('?' + last, out);
    last = sixel;
    run = 1;
  }
}

/* The colours that a range of rows uses. */
static void find_used(const struct preview_sheet *sheet, size_t top, size_t end, bool used[256]) {
  const size_t width = preview_sheet_width(sheet);
  for (size_t i = top * width; i < end * width; i++)
    used[sheet->dot[i]] = true;
}

void preview_sheet_print_sixel(const struct preview_sheet *sheet, FILE *out) {
  const size_t width = preview_sheet_width(sheet), height = preview_sheet_height(sheet);
  bool used[256] = {false};
  find_used(sheet, 0, height, used);
  /* Dots are square, and what has no colour stays as it is. */
  fprintf(out, "\033P0;1q\"1;1;%zu;%zu", width, height);
  for (unsigned c = 1; c < 256; c++)
    if (used[c])
      fprintf(out, "#%u;2;%u;%u;%u", c, (sheet->colour[c] >> 16 & 0xff) * 100 / 255,
              (sheet->colour[c] >> 8 & 0xff) * 100 / 255, (sheet->colour[c] & 0xff) * 100 / 255);
  for (size_t top = 0; top < height; top += SIXEL) {
    const size_t end = top + SIXEL < height ? top + SIXEL : height;
    bool here[256] = {false};
    find_used(sheet, top, end, here);
    for (unsigned c = 1; c < 256; c++) {
      if (!here[c]) continue;
      fprintf(out, "#%u", c);
      print_sixels(sheet, top, c, out);
      fputc('$', out);
    }
    fputc('-', out);
  }
  fputs("\033\\\n", out);
}
