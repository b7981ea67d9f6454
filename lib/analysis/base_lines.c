#include "lib/analysis/base_lines.h"

#include <math.h>
#include <string.h>

static const struct {
  const char *name, *column;
} lines[BASE_LINES] = {
    [BASE_LINE_FIT] = {"fit", "fit_base"},
    [BASE_LINE_PUBLISHED] = {"published", "published_base"},
    [BASE_LINE_ALIASING] = {"aliasing", "aliasing_base"},
    [BASE_LINE_LIMIT] = {"limit", "limit_base"},
};

const char *base_line_name(enum base_line line) {
  return lines[line].name;
}

const char *base_line_column(enum base_line line) {
  return lines[line].column;
}

int base_line_parse(const char *name, enum base_line *line, struct error *error) {
  for (size_t i = 0; i < BASE_LINES; i++)
    if (!strcmp(name, lines[i].name)) {
      *line = (enum base_line)i;
      return OK;
    }
  return error_set(error, ERROR_INPUT, "unknown line '%s': fit, published, aliasing or limit",
                   name);
}

/* y = factor · x^exponent. */
struct power_law {
  double factor, exponent;
};

/* Men et al., figure 1: the least squares of their table 2, with contexts of 1024 · 2^k. */
static const struct power_law published = {0.0424, 1.628};

/* Rows of one dim. */
struct rows {
  const struct table *table;
  size_t first, count, context, base; /* of the columns */
};

/* ln x and ln y of a row. */
static void logarithms(const struct rows *rows, size_t row, double *x, double *y) {
  *x = log((double)table_integer(rows->table, rows->first + row, rows->context));
  *y = log(table_real(rows->table, rows->first + row, rows->base));
}

/* By least squares of the logarithms; NaN without two contexts. */
static struct power_law fit(const struct rows *rows) {
  double x, y, mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  for (size_t r = 0; r < rows->count; r++) {
    logarithms(rows, r, &x, &y);
    mean_x += x / (double)rows->count;
    mean_y += y / (double)rows->count;
  }
  for (size_t r = 0; r < rows->count; r++) {
    logarithms(rows, r, &x, &y);
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (y - mean_y);
  }
  if (rows->count < 2) return (struct power_law){NAN, NAN};
  return (struct power_law){exp(mean_y - xy / xx * mean_x), xy / xx};
}

static double power(const struct power_law *law, double x) {
  return law->factor * pow(x, law->exponent);
}

static double line_at(enum base_line line, const struct power_law *fitted, double dim,
                      double context) {
  static const double first_zero_of_ci = 0.61650548562071623; /* Ci(x) = 0 */
  return line == BASE_LINE_FIT         ? power(fitted, context)
         : line == BASE_LINE_PUBLISHED ? power(&published, context)
         : line == BASE_LINE_ALIASING  ? pow(context / (2 * M_PI), dim / (dim - 2))
                                       : context / first_zero_of_ci;
}

void base_lines_fill(const struct base_request *request, size_t first, struct table *table) {
  const int context = table_find_column(table, "context"),
            base = table_find_column(table, "first_base");
  for (size_t d = 0; d < request->dims; d++) {
    const struct rows rows = {table, d * request->contexts, request->contexts, (size_t)context,
                              (size_t)base};
    const struct power_law fitted = fit(&rows);
    for (size_t l = 0; l < request->lines; l++) {
      for (size_t r = 0; r < rows.count; r++)
        table_set_real(table, rows.first + r, first + l,
                       line_at(request->line[l], &fitted, (double)request->dim[d],
                               (double)request->context[r]));
      if (request->line[l] != BASE_LINE_FIT) continue;
      struct meta *series = meta_append_object(table_meta(table), "series");
      meta_set_integer(series, "dim", request->dim[d]);
      meta_set_real(series, "fit_factor", fitted.factor);
      meta_set_real(series, "fit_exponent", fitted.exponent);
    }
  }
}
