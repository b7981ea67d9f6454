/* Inside of the base search: the plain RoPE's cosine sums B_m = Σ_i cos(m·base^(−2i/dim)) where
   ln base is in a window. The search works in t = ln base, in which the sums are smooth. */
#ifndef ROPETOOL_ANALYSIS_BASE_WINDOW_H
#define ROPETOOL_ANALYSIS_BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"

/* Frequencies of a window, for one thread. */
struct base_window {
  struct backend *backend;
  size_t pairs;     /* dim / 2 */
  double low, high; /* t, 0 <= low <= high */
  uint64_t *step;   /* (pair) of its middle, as are inv_freq */
  double *inv_freq; /* (pair) radians per token */
  double *spread;   /* (pair) how far the window's frequencies are from them, relative */
  double *rate;     /* (pair) 2i/dim: −d ln θ_i / dt */
};

/* ERROR_FAILED: memory. */
int base_window_create(struct backend *backend, size_t pairs, struct base_window *window,
                       struct error *error);
void base_window_release(struct base_window *window);

/* Moves the window to [low, high], at most 1 wide. */
void base_window_move(struct base_window *window, double low, double high);

/* Bounds of B_m, one number each, at t alone: proved, and about pairs² · 2^-52 apart. Moves the
   window there. */
struct bounds {
  double low, high;
};
int base_window_sum(struct base_window *window, int64_t distance, double t, struct bounds *sum,
                    struct error *error);

/* A change of sign of B_m where it is monotone. */
struct base_root {
  int64_t distance;
  bool rising;
  double slope;     /* |dB_m/dt| is at least that, > 0 */
  double low, high; /* the signs at both are proved */
};
/* Narrows [low, high], at whose ends the proved signs differ, to what rounding allows. Moves the
   window. */
int base_window_root(struct base_window *window, struct base_root *root, struct error *error);

/* The root itself, in long double: nothing is proved of its last digits. */
long double base_root_value(const struct base_root *root, size_t pairs);

#endif
