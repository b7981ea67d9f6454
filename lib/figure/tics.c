#include "lib/figure/tics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/figure/lettering.h"

void tics_write_power(char out[TICS_POWER], int exponent) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  const unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
  snprintf(out, TICS_POWER, "10%s%s%s%s", exponent < 0 ? "⁻" : "",
           size >= 100 ? digits[size / 100] : "", size >= 10 ? digits[size / 10 % 10] : "",
           digits[size % 10]);
}

/* A number as it stands at an axis whose numbers are `step` apart: as many decimals as the step
   needs, powers of ten where that would be long and is not needed to tell them apart. */
static void write_number(char *out, size_t capacity, double value, double step) {
  const char *sign = value < 0 ? "−" : "";
  const double size = fabs(value);
  const int step_exponent = (int)floor(log10(step) + 1e-9);
  if (size < step / 2) {
    snprintf(out, capacity, "0");
  } else if (step_exponent >= -4 && (size < 1e7 || (size < 1e12 && size > 1e5 * step))) {
    snprintf(out, capacity, "%s%.*f", sign, step_exponent < 0 ? -step_exponent : 0, size);
  } else {
    int exponent = (int)floor(log10(size) + 1e-9), decimals = exponent - step_exponent;
    if (decimals > 5) decimals = 5;
    char power[TICS_POWER];
    tics_write_power(power, exponent);
    snprintf(out, capacity, "%s%.*f×%.13s", sign, decimals > 0 ? decimals : 0,
             size / pow(10, exponent), power);
  }
}

static struct tic *add(struct tics *tics, double at) {
  if (tics->count == TICS_MOST) return NULL;
  struct tic *tic = &tics->item[tics->count++];
  *tic = (struct tic){.at = at};
  return tic;
}

void tics_linear(double low, double high, size_t most, bool whole, struct tics *tics) {
  static const double rounds[] = {1, 2, 5};
  tics->count = 0;
  double step = 0, power = pow(10, floor(log10((high - low) / (double)most)));
  for (int i = 0; step == 0; i = (i + 1) % 3) {
    const double candidate = power * rounds[i];
    if (i == 2) power *= 10;
    const double number = floor(high / candidate + 1e-9) - ceil(low / candidate - 1e-9) + 1;
    if (number <= (double)most && (!whole || candidate >= 1)) step = candidate;
  }
  const double first = ceil(low / step - 1e-9);
  for (size_t n = 0; (first + (double)n) * step <= high + 1e-9 * step; n++) {
    const double at = (first + (double)n) * step + 0.0; /* no −0 */
    struct tic *tic = add(tics, at);
    if (!tic) return;
    write_number(tic->label, sizeof tic->label, at, step);
  }
}

/* Numbers at `multiples` of the powers of ten. */
static void add_decade(struct tics *tics, double low, double high, int exponent,
                       const double *multiples, size_t count, bool labelled) {
  const double power = pow(10, exponent);
  for (size_t i = 0; i < count; i++) {
    const double at = power * multiples[i];
    if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9)) continue;
    struct tic *tic = add(tics, at);
    if (tic && labelled)
      write_number(tic->label, sizeof tic->label, at,
                   multiples[i] > floor(multiples[i]) ? power / 10 : power);
  }
}

void tics_logarithmic(double low, double high, size_t most, struct tics *tics) {
  const int first = (int)ceil(log10(low) - 1e-9), last = (int)floor(log10(high) + 1e-9);
  tics->count = 0;
  /* One power alone, or two of them, say too little. */
  if (last - first < 1 || high < 50 * low) {
    static const struct {
      double at[8];
      size_t count;
    } multiples[] = {{{1, 1.5, 2, 3, 4, 5, 6, 8}, 8}, {{1, 2, 5}, 3}, {{1, 3}, 2}, {{1}, 1}};
    for (size_t m = 0; m < 4 && (m == 0 || tics->count > most); m++) {
      tics->count = 0;
      for (int e = first - 1; e <= last; e++)
        add_decade(tics, low, high, e, multiples[m].at, multiples[m].count, true);
    }
    if (tics->count < 2 || tics->count > most) tics_linear(low, high, most, false, tics);
    return;
  }
  const int stride = (int)((size_t)(last - first) / most) + 1;
  const bool plain = first >= -2 && last <= 5;
  /* 1 among them, unless that left a single one. */
  int start = first + ((-first) % stride + stride) % stride;
  if (start + stride > last) start = first;
  for (int e = start; e <= last; e += stride) {
    struct tic *tic = add(tics, pow(10, e));
    if (!tic) return;
    if (plain)
      snprintf(tic->label, sizeof tic->label, "%.*f", e < 0 ? -e : 0, tic->at);
    else
      tics_write_power(tic->label, e);
  }
  static const double between[] = {2, 3, 4, 5, 6, 7, 8, 9}, whole[] = {1};
  for (int e = first - 1; e <= last && last - first <= (stride == 1 ? 12 : 40); e++) {
    if (stride == 1)
      add_decade(tics, low, high, e, between, 8, false);
    else if (e >= first && (e - start) % stride)
      add_decade(tics, low, high, e, whole, 1, false);
  }
}

bool tics_values(const double *value, size_t count, bool thousands, struct tics *tics) {
  tics->count = 0;
  for (size_t i = 0; i < count; i++) {
    struct tic *tic = add(tics, value[i]);
    if (!tic) return false;
    const double number = thousands ? value[i] / 1024 : value[i];
    snprintf(tic->label, sizeof tic->label, "%.7g%s", number, thousands ? "k" : "");
    if (strtod(tic->label, NULL) != number || strchr(tic->label, 'e') ||
        (thousands && number != floor(number)))
      return false;
  }
  return count > 1;
}

void tics_angles(struct tics *tics) {
  static const char *const labels[] = {"0", "π/2", "π", "3π/2", "2π"};
  tics->count = 0;
  for (int i = 0; i < 5; i++) {
    struct tic *tic = add(tics, i * M_PI / 2);
    snprintf(tic->label, sizeof tic->label, "%s", labels[i]);
  }
}

double tics_width(const struct tics *tics) {
  double width = 0;
  for (size_t i = 0; i < tics->count; i++)
    width = fmax(width, lettering_width(tics->item[i].label, strlen(tics->item[i].label)));
  return width;
}
