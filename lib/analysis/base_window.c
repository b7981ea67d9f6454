#include "lib/analysis/base_window.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/memory.h"

static const long double units_per_radian = 2935890503282001226.49624383L; /* 2^64 / 2π */

int base_window_create(struct backend *backend, size_t pairs, struct base_window *window,
                       struct error *error) {
  const char *what = "the frequencies of a window of bases";
  *window = (struct base_window){.backend = backend, .pairs = pairs};
  double *memory = memory_array(pairs, 4 * sizeof(double), what, error);
  if (!memory) return ERROR_FAILED;
  window->inv_freq = memory;
  window->spread = memory + pairs;
  window->rate = memory + 2 * pairs;
  window->step = (uint64_t *)(memory + 3 * pairs);
  for (size_t i = 0; i < pairs; i++)
    window->rate[i] = (double)i / (double)pairs;
  return OK;
}

void base_window_release(struct base_window *window) {
  free(window->inv_freq);
}

void base_window_move(struct base_window *window, double low, double high) {
  const double middle = low + (high - low) / 2, reach = fmax(high - middle, middle - low);
  const long double ratio = expl(-(long double)middle / (long double)window->pairs);
  long double inv_freq = 1;
  window->low = low;
  window->high = high;
  for (size_t i = 0; i < window->pairs; i++) {
    /* e^x − 1 <= x + x² up to x = 1. Then what powers and the step round: the exponent of θ_i is
       off by its share of t, each of i products by half a unit, the step by one of 2^-64 turns. */
    const double x = window->rate[i] * reach;
    const double rounding = (middle + 4 * (double)i + 4) * (double)LDBL_EPSILON;
    window->step[i] = (uint64_t)(inv_freq * units_per_radian);
    window->inv_freq[i] = (double)inv_freq;
    window->spread[i] =
        (x + x * x) * (1 + 4 * DBL_EPSILON) + rounding + 4e-19 / window->inv_freq[i];
    inv_freq *= ratio;
  }
}

int base_window_sum(struct base_window *window, int64_t distance, double t, struct bounds *sum,
                    struct error *error) {
  base_window_move(window, t, t);
  const struct cosine_range_batch batch = {.phases = {.series = 1,
                                                      .pairs = window->pairs,
                                                      .step = window->step,
                                                      .inv_freq = window->inv_freq},
                                           .spread = window->spread,
                                           .count = 1,
                                           .first = &distance,
                                           .last = &distance,
                                           .low = &sum->low,
                                           .high = &sum->high};
  return backend_cosine_range(window->backend, &batch, error);
}

static double middle_of(struct bounds bounds) {
  return bounds.low + (bounds.high - bounds.low) / 2;
}

/* Takes t for an end of the root's interval when the sign there is proved. */
static int try_end(struct base_window *window, struct base_root *root, double t, double *value,
                   struct error *error) {
  struct bounds sum;
  if (base_window_sum(window, root->distance, t, &sum, error)) return error->code;
  *value = middle_of(sum);
  const bool below = root->rising ? sum.high < 0 : sum.low > 0,
             above = root->rising ? sum.low > 0 : sum.high < 0;
  if (below) root->low = fmax(root->low, t);
  if (above) root->high = fmin(root->high, t);
  return OK;
}

/* Regula falsi by the Illinois rule, that an end which stays counts half, from the values at both
   ends. Stops where a value is so near to 0 that its sign is not proved. */
static int approach(struct base_window *window, struct base_root *root, const double value[2],
                    double *best, struct error *error) {
  double a = root->low, b = root->high, at_a = value[0], at_b = value[1], at_t;
  int stayed = 0;
  for (int step = 0; step < 100; step++) {
    double t = a - at_a * ((b - a) / (at_b - at_a));
    if (!(t > a && t < b)) t = a + (b - a) / 2;
    *best = t;
    if (!(t > a && t < b)) break;
    if (try_end(window, root, t, &at_t, error)) return error->code;
    if (root->low == t) {
      a = t, at_a = at_t;
      if (stayed > 0) at_b /= 2;
      stayed = 1;
    } else if (root->high == t) {
      b = t, at_b = at_t;
      if (stayed < 0) at_a /= 2;
      stayed = -1;
    } else {
      break;
    }
  }
  return OK;
}

int base_window_root(struct base_window *window, struct base_root *root, struct error *error) {
  struct bounds low, high;
  double near = root->low;
  if (base_window_sum(window, root->distance, root->low, &low, error) ||
      base_window_sum(window, root->distance, root->high, &high, error))
    return error->code;
  root->rising = middle_of(low) < middle_of(high);
  double value[2] = {middle_of(low), middle_of(high)};
  if (approach(window, root, value, &near, error)) return error->code;
  /* Then the nearest places on either side at which a sign can be proved. */
  double apart = 2 * (low.high - low.low) / root->slope + 2 * DBL_EPSILON * near;
  for (int step = 0; step < 8; step++) {
    double unused;
    if (root->low < near - apart && try_end(window, root, near - apart, &unused, error))
      return error->code;
    if (root->high > near + apart && try_end(window, root, near + apart, &unused, error))
      return error->code;
    if (root->low >= near - apart && root->high <= near + apart) break;
    apart *= 2;
  }
  return OK;
}

/* Newton's method: from so near, three steps leave nothing but rounding. */
long double base_root_value(const struct base_root *root, size_t pairs) {
  long double t = root->low + ((long double)root->high - root->low) / 2;
  for (int step = 0; step < 3; step++) {
    long double sum = 0, slope = 0;
    for (size_t i = 0; i < pairs; i++) {
      const long double rate = (long double)i / (long double)pairs,
                        angle = (long double)root->distance * expl(-rate * t);
      sum += cosl(angle);
      slope += rate * angle * sinl(angle);
    }
    const long double next = t - sum / slope;
    if (!(next >= root->low && next <= root->high)) break;
    t = next;
  }
  return t;
}
