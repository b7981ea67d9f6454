#include "lib/analysis/requirement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/number.h"

static const char blanks[] = " \t";

static int find_metric(const char *text, size_t size, struct requirement *requirement,
                       struct error *error) {
  char known[320] = "";
  for (int metric = 0; metric < METRICS; metric++) {
    const char *name = metric_name((enum metric)metric);
    if (strlen(name) == size && !strncmp(name, text, size)) {
      requirement->metric = (enum metric)metric;
      return OK;
    }
    const size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", name);
  }
  return error_set(error, ERROR_INPUT, "unknown metric '%.*s' in '%s': one of %s", (int)size, text,
                   requirement->text, known);
}

static int read_number(const char *text, struct requirement *requirement, struct error *error) {
  const bool minus = *text == '-';
  if (!strcmp(text + minus, "inf")) {
    requirement->number = minus ? -INFINITY : INFINITY;
    return OK;
  }
  return number_real(text, "the number of a requirement", &requirement->number, error);
}

int requirement_parse(const char *text, struct requirement *requirement, struct error *error) {
  static const char form[] = "'ENC.METRIC OP NUMBER', OP one of < <= > >=";
  *requirement = (struct requirement){0};
  if (strlen(text) >= REQUIREMENT_TEXT)
    return error_set(error, ERROR_INPUT, "the requirement '%s' is too long: %s", text, form);
  snprintf(requirement->text, sizeof requirement->text, "%s", text);
  const char *start = text + strspn(text, blanks), *dot = strchr(start, '.');
  const char *sign = strpbrk(start, "<>");
  if (!dot || dot == start || !sign || sign < dot)
    return error_set(error, ERROR_INPUT, "the requirement '%s' is none: %s", text, form);
  snprintf(requirement->encoding, sizeof requirement->encoding, "%.*s", (int)(dot - start), start);
  const char *end = sign;
  while (end > dot + 1 && strchr(blanks, end[-1]))
    end--;
  if (find_metric(dot + 1, (size_t)(end - dot - 1), requirement, error)) return error->code;
  requirement->less = *sign == '<';
  requirement->equal = sign[1] == '=';
  const char *number = sign + 1 + requirement->equal;
  char copy[REQUIREMENT_TEXT];
  snprintf(copy, sizeof copy, "%s", number + strspn(number, blanks));
  for (size_t last = strlen(copy); last && strchr(blanks, copy[last - 1]);)
    copy[--last] = 0;
  return read_number(copy, requirement, error);
}

static bool is_met(const struct requirement *requirement, double value) {
  if (requirement->equal && value == requirement->number) return true;
  return requirement->less ? value < requirement->number : value > requirement->number;
}

static void say(const struct requirement *requirement, double value, double head,
                const char *detail, char line[REQUIREMENT_LINE]) {
  char is[128], of[32] = "";
  if (!isnan(head)) snprintf(of, sizeof of, " in head %.0f", head);
  if (isnan(value))
    snprintf(is, sizeof is, "empty%s%s%s", *detail ? " (" : "", detail, *detail ? ")" : "");
  else
    snprintf(is, sizeof is, "%.12g", value);
  snprintf(line, REQUIREMENT_LINE, "'%s' does not hold: %s is %s%s", requirement->text,
           metric_name(requirement->metric), is, of);
}

int requirement_check(const struct requirement *requirement, const struct table *metrics,
                      bool *holds, char line[REQUIREMENT_LINE], struct error *error) {
  const int encoding = table_find_column(metrics, "encoding"),
            head = table_find_column(metrics, "head"),
            metric = table_find_column(metrics, "metric"),
            value = table_find_column(metrics, "value"),
            detail = table_find_column(metrics, "detail");
  bool found = false;
  *holds = true;
  *line = 0;
  for (size_t row = 0; row < table_rows(metrics); row++) {
    if (strcmp(table_text(metrics, row, (size_t)encoding), requirement->encoding) ||
        strcmp(table_text(metrics, row, (size_t)metric), metric_name(requirement->metric)))
      continue;
    const double number = table_real(metrics, row, (size_t)value),
                 which = table_real(metrics, row, (size_t)head);
    found = true;
    if (*holds && !is_met(requirement, number)) {
      *holds = false;
      say(requirement, number, which, table_text(metrics, row, (size_t)detail), line);
    }
  }
  if (found) return OK;
  return error_set(error, ERROR_INPUT,
                   "the requirement '%s' names an encoding that is not compared: '%s'",
                   requirement->text, requirement->encoding);
}
