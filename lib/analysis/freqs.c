#include "lib/analysis/freqs.h"

#include <math.h>
#include <string.h>

#include "lib/analysis/series_name.h"
#include "lib/base/phase.h"
#include "lib/rope/axis_of_pair.h"
#include "lib/rope/band.h"
#include "lib/rope/scaling.h"
#include "lib/rope/xpos.h"

struct column {
  const char *name;
  enum column_kind kind;
};

enum { SERIES, LAYER_TYPE, PAIR, INV_FREQ, WAVELENGTH, TURNS, BAND, FACTOR, FIXED_COLUMNS };
static const struct column fixed_columns[FIXED_COLUMNS] = {
    {"series", COLUMN_TEXT},   {"layer_type", COLUMN_TEXT}, {"pair", COLUMN_INTEGER},
    {"inv_freq", COLUMN_REAL}, {"wavelength", COLUMN_REAL}, {"turns", COLUMN_REAL},
    {"band", COLUMN_TEXT},     {"factor", COLUMN_REAL},
};

static int add_columns(struct table *table, const struct column *columns, size_t count,
                       struct error *error) {
  for (size_t i = 0; i < count; i++)
    if (table_add_column(table, columns[i].name, columns[i].kind, error) < 0) return ERROR_FAILED;
  return OK;
}

static int add_extra_columns(const struct freqs_request *request, struct table *table,
                             struct error *error) {
  const struct column plain = {"wavelength_plain", COLUMN_REAL}, xpos = {"xpos", COLUMN_REAL},
                      axis = {"axis", COLUMN_TEXT};
  int status = OK;
  if (request->wavelength_plain) status = add_columns(table, &plain, 1, error);
  if (!status && request->xpos) status = add_columns(table, &xpos, 1, error);
  if (!status && request->axis) status = add_columns(table, &axis, 1, error);
  return status;
}

/* Tokens a turn; infinite where there is none. */
static double wavelength(double inv_freq) {
  return inv_freq > 0 ? 2 * M_PI / inv_freq : inv_freq == 0 ? INFINITY : NAN;
}

static int fill_pair(const struct freqs_request *request, const struct spectrum *spectrum,
                     size_t pair, struct table *table, size_t row, struct error *error) {
  const double inv_freq = spectrum->inv_freq_double[pair];
  const int64_t context = spectrum->spec.context;
  if (table_set_text(table, row, LAYER_TYPE, spectrum->spec.layer_type, error) ||
      table_set_text(table, row, BAND, band_name(spectrum_band(spectrum, pair)), error))
    return ERROR_FAILED;
  table_set_integer(table, row, PAIR, (int64_t)pair);
  table_set_real(table, row, INV_FREQ, inv_freq);
  table_set_real(table, row, WAVELENGTH, wavelength(inv_freq));
  table_set_real(table, row, TURNS, context > 0 ? (double)context * inv_freq / (2 * M_PI) : NAN);
  table_set_real(table, row, FACTOR, spectrum_factor(spectrum, pair));
  size_t column = FIXED_COLUMNS;
  if (request->wavelength_plain)
    table_set_real(table, row, column++, wavelength(spectrum->plain[pair]));
  if (request->xpos)
    table_set_real(table, row, column++, xpos_zeta(pair, 2 * spectrum->pairs, XPOS_GAMMA));
  if (!request->axis || !spec_has_axes(&spectrum->spec)) return OK;
  return table_set_text(table, row, column, spec_axis_name(spec_axis(&spectrum->spec, pair)),
                        error);
}

static void describe_axes(const struct rope_spec *spec, struct meta *meta) {
  char letters[SPEC_PAIRS + 1];
  spec_axis_letters(spec, letters);
  meta_set_text(meta, "pair_axes", spec_has_axes(spec) ? letters : NULL);
}

static void describe(const struct spectrum *spectrum, struct meta *meta) {
  static const struct {
    enum band band;
    const char *name;
  } bands[] = {{BAND_KEPT, "kept_pairs"},
               {BAND_BLENDED, "blended_pairs"},
               {BAND_DIVIDED, "divided_pairs"},
               {BAND_ZERO, "zero_pairs"}};
  spectrum_describe(spectrum, meta);
  const double original = scaling_trained(&spectrum->spec);
  meta_set_real(meta, "original_context", original);
  if (isnan(original))
    meta_set_text(meta, "critical_dim", NULL);
  else
    meta_set_integer(meta, "critical_dim", (int64_t)spectrum_critical_dim(spectrum, original));
  meta_set_real(meta, "correction_low", spectrum->correction_low);
  meta_set_real(meta, "correction_high", spectrum->correction_high);
  for (size_t b = 0; b < sizeof bands / sizeof *bands; b++) {
    int64_t count = 0;
    for (size_t i = 0; i < spectrum->pairs; i++)
      count += spectrum_band(spectrum, i) == bands[b].band;
    meta_set_integer(meta, bands[b].name, count);
  }
}

/* `first_row` is where the series' rows begin. */
static int fill_series(const struct freqs_request *request, const struct spectrum *spectrum,
                       const char *name, struct table *table, size_t first_row,
                       struct error *error) {
  for (size_t i = 0; i < spectrum->pairs; i++) {
    int status = table_set_text(table, first_row + i, SERIES, name, error);
    if (!status) status = fill_pair(request, spectrum, i, table, first_row + i, error);
    if (status) return status;
  }
  struct meta *meta = meta_append_object(table_meta(table), "series");
  meta_set_text(meta, "series", name);
  describe(spectrum, meta);
  if (request->axis) describe_axes(&spectrum->spec, meta);
  return OK;
}

static int fill_table(const struct freqs_request *request, struct spectrum *const *series,
                      size_t count, struct table *table, struct error *error) {
  size_t rows = 0;
  for (size_t i = 0; i < count; i++)
    rows += series[i]->pairs;
  int status = add_columns(table, fixed_columns, FIXED_COLUMNS, error);
  if (!status) status = add_extra_columns(request, table, error);
  if (!status) status = table_add_rows(table, rows, error);
  for (size_t i = 0, row = 0; !status && i < count; row += series[i++]->pairs) {
    char name[SERIES_NAME];
    series_name(series, count, i, name);
    status = fill_series(request, series[i], name, table, row, error);
  }
  return status;
}

static bool any_axes(struct spectrum *const *series, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (spec_has_axes(&series[i]->spec)) return true;
  return false;
}

int freqs_run(const struct freqs_request *request, struct spectrum *const *series, size_t count,
              struct table **table, struct error *error) {
  *table = NULL;
  if (!count) return error_set(error, ERROR_INPUT, "no series: at least one is needed");
  if (request->axis && !any_axes(series, count))
    return error_set(error, ERROR_INPUT,
                     "'%s' takes positions from 1 axis alone: a model with M-RoPE or --sections is "
                     "needed",
                     series[0]->spec.label[0] ? series[0]->spec.label : "this RoPE");
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  const int status = fill_table(request, series, count, made, error);
  if (status)
    table_destroy(made);
  else
    *table = made;
  return status;
}

static const char *band_of(const struct table *table, size_t row) {
  return table_text(table, row, BAND);
}

static int copy_row(const struct table *from, size_t row, struct table *to, struct error *error) {
  const size_t at = table_rows(to);
  int status = table_add_rows(to, 1, error);
  for (size_t c = 0; !status && c < table_columns(from); c++)
    switch (table_column_kind(from, c)) {
    case COLUMN_TEXT:
      status = table_set_text(to, at, c, table_text(from, row, c), error);
      break;
    case COLUMN_INTEGER:
      table_set_integer(to, at, c, table_integer(from, row, c));
      break;
    case COLUMN_REAL:
      table_set_real(to, at, c, table_real(from, row, c));
      break;
    }
  return status;
}

/* Of the rows first .. last of a series. */
static int digest_series(const struct table *table, size_t first, size_t last, struct table *digest,
                         struct error *error) {
  const size_t middle = first + (last - first) / 2, start = table_rows(digest);
  bool changes = false;
  int status = OK;
  for (size_t row = first; row < last; row++)
    changes |= strcmp(band_of(table, row), band_of(table, row + 1)) != 0;
  for (size_t row = first; !status && row <= last; row++) {
    bool shown = last - first < FREQS_DIGEST || row == first || row == last;
    if (!shown && table_rows(digest) - start + 1 < FREQS_DIGEST)
      shown = changes ? strcmp(band_of(table, row), band_of(table, row - 1)) != 0 ||
                            strcmp(band_of(table, row), band_of(table, row + 1)) != 0
                      : row == middle;
    if (shown) status = copy_row(table, row, digest, error);
  }
  return status;
}

int freqs_digest(const struct table *table, struct table **digest, struct error *error) {
  *digest = NULL;
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  int status = OK;
  for (size_t c = 0; !status && c < table_columns(table); c++)
    if (table_add_column(made, table_column_name(table, c), table_column_kind(table, c), error) < 0)
      status = ERROR_FAILED;
  for (size_t first = 0, last; !status && first < table_rows(table); first = last + 1) {
    for (last = first; last + 1 < table_rows(table) && table_integer(table, last + 1, PAIR) != 0;)
      last++;
    status = digest_series(table, first, last, made, error);
  }
  if (status)
    table_destroy(made);
  else
    *digest = made;
  return status;
}

static int fill_clock(const struct spectrum *spectrum, const int64_t *position, size_t count,
                      struct table *table, struct error *error) {
  enum { POSITION, HAND, ANGLE, CLOCK_COLUMNS };
  static const struct column columns[CLOCK_COLUMNS] = {
      {"position", COLUMN_INTEGER}, {"pair", COLUMN_INTEGER}, {"angle", COLUMN_REAL}};
  size_t rows;
  if (__builtin_mul_overflow(count, spectrum->pairs, &rows)) rows = SIZE_MAX;
  int status = add_columns(table, columns, CLOCK_COLUMNS, error);
  if (!status) status = table_add_rows(table, rows, error);
  if (status) return status;
  for (size_t row = 0; row < rows; row++) {
    const size_t pair = row % spectrum->pairs;
    const int64_t at = position[row / spectrum->pairs];
    table_set_integer(table, row, POSITION, at);
    table_set_integer(table, row, HAND, (int64_t)pair);
    table_set_real(table, row, ANGLE,
                   phase_angle_rounded(spectrum->spec.precision, spectrum->step[pair],
                                       spectrum->inv_freq_double[pair], at));
  }
  spectrum_describe(spectrum, table_meta(table));
  return OK;
}

int freqs_clock(const struct spectrum *spectrum, const int64_t *position, size_t count,
                struct table **table, struct error *error) {
  *table = NULL;
  if (!count) return error_set(error, ERROR_INPUT, "no positions: at least one is needed");
  struct table *made = table_create(error);
  if (!made) return ERROR_FAILED;
  const int status = fill_clock(spectrum, position, count, made, error);
  if (status)
    table_destroy(made);
  else
    *table = made;
  return status;
}
