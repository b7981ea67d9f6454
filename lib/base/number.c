#include "lib/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Numbers have a decimal point whatever the locale says. (glibc keeps this one for good: no need to
   free it.) */
static locale_t plain_locale(void) {
  return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* strtod also knows "inf", "nan", hexadecimal and leading blanks, none of which is a number here.
 */
static bool starts_number(const char *text) {
  if (*text == '+' || *text == '-') text++;
  if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
  return isdigit((unsigned char)text[text[0] == '.']);
}

/* Parses the number at the start of `text` and returns its length; 0 when there is none. */
static size_t leading_real(const char *text, double *value) {
  if (!starts_number(text)) return 0;
  char *end;
  *value = strtod_l(text, &end, plain_locale());
  return (size_t)(end - text);
}

static int not_a_number(const char *text, size_t used, const char *what, struct error *error) {
  const char *rest = text + used;
  const bool suffix = used && *rest && strchr("kKmMgG", *rest) && !rest[1];
  return error_set(error, ERROR_INPUT, "%s '%s' is not a number%s", what, text,
                   suffix ? " (suffixes are for lengths alone)" : "");
}

int number_real(const char *text, const char *what, double *value, struct error *error) {
  double real;
  const size_t used = leading_real(text, &real);
  if (!used || text[used]) return not_a_number(text, used, what, error);
  if (!isfinite(real))
    return error_set(error, ERROR_INPUT, "%s '%s' is too large for a number", what, text);
  *value = real;
  return OK;
}

int number_positive(const char *text, const char *what, double *value, struct error *error) {
  double real = 0;
  const int status = number_real(text, what, &real, error);
  if (status) return status;
  if (!(real > 0))
    return error_set(error, ERROR_INPUT, "%s '%s' must be greater than 0", what, text);
  *value = real;
  return OK;
}

/* A whole number that is asked for. */
struct wanted {
  const char *text, *what;
  int64_t lowest, highest;
};

/* Digits without a point or exponent are read as they stand; false for others and beyond 64 bits.
 */
static bool exact_whole(const char *text, size_t used, int64_t unit, int64_t *value) {
  char *end;
  errno = 0;
  const long long digits = strtoll(text, &end, 10);
  return end == text + used && !errno && !__builtin_mul_overflow(digits, unit, value);
}

/* Takes the first `used` characters of the text, which read `real`, times `unit`. */
static int whole(const struct wanted *wanted, size_t used, double real, int64_t unit,
                 int64_t *value, struct error *error) {
  const char *text = wanted->text, *what = wanted->what;
  int64_t result;
  const bool exact = exact_whole(text, used, unit, &result);
  real *= (double)unit;
  if (!exact && real != floor(real))
    return error_set(error, ERROR_INPUT, "%s '%s' must be a whole number", what, text);
  if (exact ? result < wanted->lowest || result > wanted->highest
            : real < (double)wanted->lowest || real > (double)wanted->highest || real >= 0x1p63)
    return error_set(error, ERROR_INPUT, "%s '%s' is out of range: %lld to %lld", what, text,
                     (long long)wanted->lowest, (long long)wanted->highest);
  /* Doubles hold every whole number up to 2^53 only. */
  if (!exact && fabs(real) > 0x1p53)
    return error_set(error, ERROR_INPUT, "%s '%s' is too large to be exact: write all its digits",
                     what, text);
  *value = exact ? result : (int64_t)real;
  return OK;
}

int number_integer(const char *text, const char *what, int64_t lowest, int64_t highest,
                   int64_t *value, struct error *error) {
  double real;
  const size_t used = leading_real(text, &real);
  if (!used || text[used]) return not_a_number(text, used, what, error);
  return whole(&(struct wanted){text, what, lowest, highest}, used, real, 1, value, error);
}

int number_tokens(const char *text, const char *what, int64_t lowest, int64_t highest,
                  int64_t *value, struct error *error) {
  double real;
  const size_t used = leading_real(text, &real);
  const char *suffix = text + used;
  const int64_t unit = !*suffix               ? 1
                       : !strcmp(suffix, "k") ? 1024
                       : !strcmp(suffix, "M") ? 1048576
                                              : 0;
  if (!used || !unit)
    return error_set(error, ERROR_INPUT,
                     "%s '%s' is not a number of tokens such as 4096, 1e6, 32k or 1M", what, text);
  return whole(&(struct wanted){text, what, lowest, highest}, used, real, unit, value, error);
}

int number_paper(const char *text, const char *what, double dpi, double *inches,
                 struct error *error) {
  static const struct {
    const char *name;
    double per_inch;
  } units[] = {{"in", 1}, {"cm", 2.54}, {"mm", 25.4}, {"pt", 72.27}};
  double value = 0, per_inch = 0;
  const size_t used = leading_real(text, &value);
  if (used && !strcmp(text + used, "px")) per_inch = dpi;
  for (size_t i = 0; used && i < sizeof units / sizeof *units; i++)
    if (!strcmp(text + used, units[i].name)) per_inch = units[i].per_inch;
  const double length = per_inch > 0 ? value / per_inch : 0;
  if (!isfinite(length) || !(length > 0))
    return error_set(error, ERROR_INPUT,
                     "%s '%s' is not a length such as 3.25in, 89mm, 8.9cm or 975px", what, text);
  *inches = length;
  return OK;
}
