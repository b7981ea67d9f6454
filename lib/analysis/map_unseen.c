/* Which angles training showed: those of the RoPE without its scaling rule, within so many tokens.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/rope/band.h"

/* What is known of the pairs, and counted. */
struct unseen {
  const struct spectrum *scaled, *plain;
  uint64_t trained;
  size_t angles; /* that training did not show */
  size_t pairs;  /* that have such */
  int64_t first; /* of these; −1: none */
};

/* The spectrum that was trained. Without a base there is no rule. */
static int create_plain(const struct spectrum *scaled, struct spectrum **plain,
                        struct error *error) {
  struct rope_spec spec = scaled->spec;
  if (!isnan(spec.base)) {
    strcpy(spec.scaling.type, "none");
    spec.scaling.count = spec.scaling.list_count = 0;
  }
  return spectrum_create(&spec, plain, error);
}

static bool completes_a_turn(const struct unseen *unseen, size_t pair) {
  return (double)unseen->trained * unseen->plain->inv_freq_double[pair] >= 2 * M_PI;
}

/* What a frequency may be off by, of itself: rules that change the base do so in double. */
static const long double uncertainty = 8 * (long double)DBL_EPSILON;

/* Positions first .. end − 1 of the pair that are beyond its angles of training. What is nearer to
   a whole turn, or to the end of these, than the frequencies tell is taken to be there: rules make
   such angles (a wavelength of whole tokens, the N·f-th position at the factor f). */
static size_t count(const struct unseen *unseen, size_t pair, size_t first, size_t end) {
  const long double two_pi = 6.28318530717958647692528676655900577L;
  const long double turns = unseen->scaled->inv_freq[pair] / two_pi; /* per token */
  const long double reached =
      (long double)unseen->trained * (unseen->plain->inv_freq[pair] / two_pi); /* less than 1 */
  size_t beyond = 0;
  for (size_t m = first; m < end; m++) {
    const long double turned = (long double)m * turns, part = turned - floorl(turned),
                      doubt = turned * uncertainty;
    beyond += part >= reached - doubt - reached * uncertainty && part < 1 - doubt;
  }
  return beyond;
}

/* Adds the unseen angles of a pair to those of each row of cells; `column` is the pair's cell. */
static void count_pair(struct unseen *unseen, size_t pair, const struct matrix *matrix,
                       size_t column, size_t *cells) {
  const size_t length = matrix->row_axis.length, before = unseen->angles;
  /* A pair that stands still is always at 0, its angle of training. */
  if (completes_a_turn(unseen, pair) || unseen->plain->step[pair] == 0) return;
  for (size_t r = 0; r < matrix->rows; r++) {
    const size_t beyond = count(unseen, pair, matrix_first(r, length, matrix->rows),
                                matrix_first(r + 1, length, matrix->rows));
    cells[r * matrix->columns + column] += beyond;
    unseen->angles += beyond;
  }
  if (unseen->angles == before) return;
  unseen->pairs++;
  if (unseen->first < 0) unseen->first = (int64_t)pair;
}

static void hatch(struct matrix *matrix, const size_t *unseen) {
  const size_t length = matrix->row_axis.length, width = matrix->column_axis.length;
  for (size_t r = 0; r < matrix->rows; r++)
    for (size_t c = 0; c < matrix->columns; c++) {
      const size_t rows = matrix_first(r + 1, length, matrix->rows) -
                          matrix_first(r, length, matrix->rows),
                   columns = matrix_first(c + 1, width, matrix->columns) -
                             matrix_first(c, width, matrix->columns),
                   at = r * matrix->columns + c;
      matrix->hatch.cell[at] = 2 * unseen[at] > rows * columns;
    }
}

static void describe(const struct unseen *unseen, struct matrix *matrix) {
  struct meta *meta = matrix->meta;
  const double all = (double)matrix->row_axis.length * (double)matrix->column_axis.length;
  meta_set_integer(meta, "trained", (int64_t)unseen->trained);
  meta_set_integer(meta, "critical_dim",
                   (int64_t)spectrum_critical_dim(unseen->plain, (double)unseen->trained));
  meta_set_integer(meta, "unseen_pairs", (int64_t)unseen->pairs);
  if (unseen->first < 0)
    meta_set_text(meta, "first_unseen_pair", NULL);
  else
    meta_set_integer(meta, "first_unseen_pair", unseen->first);
  meta_set_real(meta, "unseen_share", (double)unseen->angles / all);
}

int map_mark_unseen(const struct map_request *request, struct matrix *matrix, struct error *error) {
  struct spectrum *plain;
  const size_t cells = matrix->rows * matrix->columns;
  int status = create_plain(request->spectrum, &plain, error);
  if (status) return status;
  struct unseen unseen = {
      .scaled = request->spectrum, .plain = plain, .trained = request->trained, .first = -1};
  size_t *counts = memory_array(cells, sizeof *counts, "what training showed", error);
  struct matrix_hatch *hatching = &matrix->hatch;
  hatching->cell = memory_array(cells, sizeof *hatching->cell, "what training showed", error);
  if (!counts || !hatching->cell) status = ERROR_FAILED;
  for (size_t c = 0; !status && c < matrix->columns; c++)
    for (size_t pair = matrix_first(c, plain->pairs, matrix->columns);
         pair < matrix_first(c + 1, plain->pairs, matrix->columns); pair++)
      count_pair(&unseen, pair, matrix, c, counts);
  if (!status) {
    hatch(matrix, counts);
    describe(&unseen, matrix);
    strcpy(hatching->column, "unseen");
    strcpy(hatching->label, "unseen");
    hatching->row = request->trained;
    snprintf(hatching->row_label, sizeof hatching->row_label, "trained to %zu", request->trained);
  }
  free(counts);
  spectrum_destroy(plain);
  return status;
}
