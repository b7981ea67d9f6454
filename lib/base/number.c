#include "lib/base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses the number at the start of `text`; 0 when there is none. strtod also knows "inf", "nan",
   hexadecimal and leading blanks, none of which is a number here. */
static size_t leading_number(const char *text, double *value) {
  const size_t digits = strspn(text, "+-.0123456789eE");
  if (!digits || isspace((unsigned char)text[0])) return 0;
  char buffer[64];
  if (digits >= sizeof buffer) return 0;
  memcpy(buffer, text, digits);
  buffer[digits] = '\0';
  char *end;
  *value = strtod(buffer, &end);
  return (size_t)(end - buffer);
}

int number_real(const char *text, const char *what, double *value, struct error *error) {
  const size_t used = leading_number(text, value);
  if (!used || text[used]) {
    const char last = *text ? text[strlen(text) - 1] : '\0';
    const char *hint = used && strchr("kKmMgG", last) ? " (suffixes are for lengths alone)" : "";
    return error_set(error, ERROR_INPUT, "%s '%s' is not a number%s", what, text, hint);
  }
  if (!isfinite(*value))
    return error_set(error, ERROR_INPUT, "%s '%s' is too large for a number", what, text);
  return OK;
}

int number_positive(const char *text, const char *what, double *value, struct error *error) {
  if (number_real(text, what, value, error)) return error->code;
  if (!(*value > 0))
    return error_set(error, ERROR_INPUT, "%s '%s' must be greater than 0", what, text);
  return OK;
}

/* `value` as a whole number in [lowest, highest]. Doubles hold every whole number up to 2^53. */
static int whole(double real, const char *text, const char *what, int64_t lowest, int64_t highest,
                 int64_t *value, struct error *error) {
  if (real != floor(real))
    return error_set(error, ERROR_INPUT, "%s '%s' must be a whole number", what, text);
  if (real < (double)lowest || real > (double)highest || fabs(real) > 9007199254740992.0)
    return error_set(error, ERROR_INPUT, "%s '%s' is out of range: %lld to %lld", what, text,
                     (long long)lowest, (long long)highest);
  *value = (int64_t)real;
  return OK;
}

int number_integer(const char *text, const char *what, int64_t lowest, int64_t highest,
                   int64_t *value, struct error *error) {
  double real;
  if (number_real(text, what, &real, error)) return error->code;
  return whole(real, text, what, lowest, highest, value, error);
}

int number_tokens(const char *text, const char *what, int64_t lowest, int64_t highest,
                  int64_t *value, struct error *error) {
  double real;
  const size_t used = leading_number(text, &real);
  const char *suffix = text + used;
  const double unit = !*suffix               ? 1
                      : !strcmp(suffix, "k") ? 1024
                      : !strcmp(suffix, "M") ? 1048576
                                             : 0;
  if (!used || unit == 0)
    return error_set(error, ERROR_INPUT,
                     "%s '%s' is not a number of tokens such as 4096, 1e6, 32k or 1M", what, text);
  if (!isfinite(real)) return error_set(error, ERROR_INPUT, "%s '%s' is too large", what, text);
  return whole(real * unit, text, what, lowest, highest, value, error);
}

int number_paper(const char *text, const char *what, double dpi, double *inches,
                 struct error *error) {
  static const struct {
    const char *name;
    double per_inch;
  } units[] = {{"in", 1}, {"cm", 2.54}, {"mm", 25.4}, {"pt", 72.27}};
  double value;
  const size_t used = leading_number(text, &value);
  double per_inch = used && !strcmp(text + used, "px") ? dpi : 0;
  for (size_t i = 0; used && i < sizeof units / sizeof *units; i++)
    if (!strcmp(text + used, units[i].name)) per_inch = units[i].per_inch;
  if (per_inch == 0 || !isfinite(value) || value <= 0)
    return error_set(error, ERROR_INPUT,
                     "%s '%s' is not a length such as 3.25in, 89mm, 8.9cm or 975px", what, text);
  *inches = value / per_inch;
  return OK;
}
