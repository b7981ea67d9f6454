/* Palettes: 256 colours each, from plots/palettes/NAME.hex (one rrggbb a line, '#' comments). */
#ifndef ROPETOOL_FIGURE_PALETTE_H
#define ROPETOOL_FIGURE_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/io/matrix.h"

enum { PALETTE_SIZE = 256 };

struct palette {
  char name[32];
  enum matrix_range range; /* what it is made for */
  uint8_t rgb[PALETTE_SIZE][3];
};

const char *palette_name_at(size_t index); /* NULL past the end */
int palette_find(const char *name, struct palette *palette, struct error *error);

/* The one used when none is asked for: viridis, the diverging one, the cyclic one. */
const char *palette_default(enum matrix_range range);

/* The colour of an entry, or at `part`, 0..1, of a palette. 0xrrggbb. */
uint32_t palette_entry(const struct palette *palette, int index);
uint32_t palette_colour(const struct palette *palette, double part);

/* What figures are drawn on. 0xrrggbb. */
uint32_t palette_ground(bool dark);

/* Colours of things that have no order, 0xrrggbb; `index` < PALETTE_CATEGORIES. `dark`: for a dark
   ground. People with any colour vision tell them apart, neighbours at a glance: six are of M.
   Okabe and K. Ito, "Color Universal Design" (2008), see B. Wong, Nature Methods 8 (2011), 441;
   wine and indigo of P. Tol, "Colour schemes" (SRON/EPS/TN/09-002); the order is ours. */
enum { PALETTE_CATEGORIES = 8 };
uint32_t palette_category(size_t index, int dark);

/* What lines and small signs can be read in on a light ground, or on a dark one: the entries of a
   palette that stand out from palette_ground(), from the first on, on a dark ground from the last,
   spread over all 256. `legible` may be `palette`. */
void palette_legible(const struct palette *palette, bool dark, struct palette *legible);

#endif
