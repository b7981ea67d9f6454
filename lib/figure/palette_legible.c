#include <math.h>
#include <string.h>

#include "lib/figure/palette.h"

/* Least contrast of a line with the ground (WCAG 2.2: (L1 + 0.05)/(L2 + 0.05) of the relative
   luminances). 3, which is asked for there, would cost viridis its yellow greens. */
static const double contrast = 2.1;

/* IEC 61966-2-1; of 0xrrggbb. */
static double luminance(uint32_t rgb) {
  static const double weights[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int c = 0; c < 3; c++) {
    const double value = (rgb >> (16 - 8 * c) & 0xff) / 255.0;
    sum += weights[c] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

void palette_legible(const struct palette *palette, bool dark, struct palette *legible) {
  const double ground = luminance(palette_ground(dark)) + 0.05;
  int entries[PALETTE_SIZE], count = 0;
  for (int i = 0; i < PALETTE_SIZE; i++) {
    const int entry = dark ? PALETTE_SIZE - 1 - i : i;
    const double light = luminance(palette_entry(palette, entry)) + 0.05;
    if (fmax(light, ground) >= contrast * fmin(light, ground)) entries[count++] = entry;
  }
  struct palette even = *palette;
  for (int i = 0; i < PALETTE_SIZE && count; i++)
    memcpy(even.rgb[i], palette->rgb[entries[i * (count - 1) / (PALETTE_SIZE - 1)]], 3);
  *legible = even;
}
