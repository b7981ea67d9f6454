/* Inside of the figures: the numbers at an axis. */
#ifndef ROPETOOL_FIGURE_TICS_H
#define ROPETOOL_FIGURE_TICS_H

#include <stdbool.h>
#include <stddef.h>

enum { TICS_MOST = 160, TICS_POWER = 24 /* bytes of a power of ten */ };

struct tic {
  double at;
  char label[24]; /* UTF-8; empty: a small tic without a number */
};

struct tics {
  size_t count;
  struct tic item[TICS_MOST];
};

/* 10⁻⁵. */
void tics_write_power(char out[TICS_POWER], int exponent);

/* At most `most` (>= 2) numbers at round values (1, 2 or 5 times a power of ten) in [low, high],
   low < high; `whole`: at integers only. */
void tics_linear(double low, double high, size_t most, bool whole, struct tics *tics);

/* Powers of ten in [low, high], low > 0; small tics between them where there is room; several
   numbers a decade where there are fewer than two decades. */
void tics_logarithmic(double low, double high, size_t most, struct tics *tics);

/* Two values or more, at most TICS_VALUES and positive, as they are; `thousands`: in units of 1024,
   "4k". False: one of them is not written in a few digits, or is no multiple. */
enum { TICS_VALUES = 12 };
bool tics_values(const double *value, size_t count, bool thousands, struct tics *tics);

/* 0, π/2, π, 3π/2, 2π. */
void tics_angles(struct tics *tics);

/* Width of the widest label, in ems. */
double tics_width(const struct tics *tics);

#endif
