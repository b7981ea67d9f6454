#include "lib/analysis/linear_attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analysis/linalg.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

/* A part of the matrix that is worked on at once. */
enum { PART_ROWS = 64, PART_KEYS = 512 };

/* What a row sums to. */
struct row_sums {
  double locality, distance, entropy, negative;
};

/* The matrix under way. */
struct weights {
  const struct linear_attention *attention;
  const struct tiles *tiles; /* NULL: none */
  const double *denominator; /* (query) */
  const double *near;        /* (distance): 2^−distance */
  struct row_sums *row;      /* (query) */
  double *output;            /* (query, column) of values; NULL: none */
};

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (size_t i = 0; i < count; i++)
    sum += a[i] * b[i];
  return sum;
}

static void accumulate(size_t count, const double *x, double *sum) {
  for (size_t i = 0; i < count; i++)
    sum[i] += x[i];
}

/* φ(q_m)ᵀ Σ φ(k_n) over the keys that the query sees. */
static int fill_denominators(const struct linear_attention *attention, double *denominator,
                             struct error *error) {
  const size_t features = attention->features, length = attention->length;
  double *sum = memory_array(features, sizeof *sum, "the sum of the keys' features", error);
  if (!sum) return ERROR_FAILED;
  for (size_t n = 0; !attention->causal && n < length; n++)
    accumulate(features, attention->key + n * features, sum);
  for (size_t m = 0; m < length; m++) {
    if (attention->causal) accumulate(features, attention->key + m * features, sum);
    denominator[m] = dot(attention->query + m * features, sum, features);
  }
  free(sum);
  return OK;
}

static void join(enum reduction reduction, double value, double *cell) {
  if (reduction == REDUCE_MEAN)
    *cell += value;
  else if (value > *cell || isnan(value)) /* NaN stays: nothing is larger than it */
    *cell = value;
}

/* A row's weights of keys first .. last − 1, in place of the numerators. */
static void fold_row(const struct weights *work, size_t query, size_t first, size_t last,
                     double *weight, double *cells) {
  const struct linear_attention *attention = work->attention;
  struct row_sums *sums = &work->row[query];
  const size_t length = attention->length, columns = cells ? work->tiles->columns : 0;
  size_t column = 0;
  while (cells && (column + 1) * length / columns <= first)
    column++;
  for (size_t n = first; n < last; n++) {
    const size_t distance = query > n ? query - n : n - query;
    const double a = weight[n - first] /= work->denominator[query];
    sums->locality += a * work->near[distance];
    sums->distance += a * (double)distance;
    if (a != 0) sums->entropy -= a * log(a);
    sums->negative += a < 0;
    if (!cells) continue;
    if ((column + 1) * length / columns <= n) column++;
    join(work->tiles->reduction, a, &cells[column]);
  }
  for (size_t n = first; work->output && n < last; n++)
    for (size_t c = 0; c < attention->columns; c++)
      work->output[query * attention->columns + c] +=
          weight[n - first] * attention->value[n * attention->columns + c];
}

/* Rows first .. end − 1; `part` has room for PART_ROWS · PART_KEYS. */
static int fold_rows(const struct weights *work, size_t first, size_t end, double *part,
                     double *cells, struct error *error) {
  const struct linear_attention *attention = work->attention;
  const size_t features = attention->features, rows = end - first;
  const size_t keys = attention->causal ? end : attention->length;
  for (size_t key = 0; key < keys; key += PART_KEYS) {
    const size_t count = keys - key < PART_KEYS ? keys - key : PART_KEYS;
    const struct linalg_rows product = {.rows = rows,
                                        .columns = count,
                                        .inner = features,
                                        .left = attention->rotated_query + first * features,
                                        .right = attention->rotated_key + key * features,
                                        .output = part};
    if (linalg_product_of_rows(&product, error)) return ERROR_FAILED;
    for (size_t r = 0; r < rows; r++) {
      const size_t query = first + r, seen = attention->causal ? query + 1 : attention->length;
      const size_t last = key + count < seen ? key + count : seen;
      if (last > key) fold_row(work, query, key, last, part + r * count, cells);
    }
  }
  return OK;
}

/* How many weights of a cell are not masked. */
static size_t count_cell(const struct linear_attention *attention, size_t row, size_t row_end,
                         size_t key, size_t key_end) {
  size_t count = 0;
  for (size_t m = row; m < row_end; m++) {
    const size_t last = attention->causal && m + 1 < key_end ? m + 1 : key_end;
    count += last > key ? last - key : 0;
  }
  return count;
}

/* All rows of a row of tiles, or PART_ROWS without tiles. */
static int fold_group(const struct weights *work, size_t group, struct error *error) {
  const struct linear_attention *attention = work->attention;
  const struct tiles *tiles = work->tiles;
  const size_t length = attention->length, groups = tiles ? tiles->rows : 0;
  const size_t first = tiles ? group * length / groups : group * PART_ROWS;
  size_t end = tiles ? (group + 1) * length / groups : first + PART_ROWS;
  if (end > length) end = length;
  double *cells = tiles ? tiles->cells + group * tiles->columns : NULL;
  double *part = memory_array(PART_ROWS * PART_KEYS, sizeof *part, "weights", error);
  int status = part ? OK : ERROR_FAILED;
  for (size_t c = 0; cells && c < tiles->columns; c++)
    cells[c] = tiles->reduction == REDUCE_MAX ? -INFINITY : 0;
  for (size_t row = first; !status && row < end; row += PART_ROWS)
    status =
        fold_rows(work, row, end - row < PART_ROWS ? end : row + PART_ROWS, part, cells, error);
  for (size_t c = 0; cells && c < tiles->columns; c++) {
    const size_t count = count_cell(attention, first, end, c * length / tiles->columns,
                                    (c + 1) * length / tiles->columns);
    if (!count)
      cells[c] = NAN;
    else if (tiles->reduction == REDUCE_MEAN)
      cells[c] /= (double)count;
  }
  free(part);
  return status;
}

static void add_up(const struct weights *work, struct linear_sums *sums) {
  *sums = (struct linear_sums){0};
  for (size_t m = 0; m < work->attention->length; m++) {
    sums->locality += work->row[m].locality;
    sums->distance += work->row[m].distance;
    sums->entropy += work->row[m].entropy; /* NaN by the logarithm of a negative weight */
    sums->negative += work->row[m].negative;
  }
}

static int fold_matrix(const struct weights *work, struct error *error) {
  const size_t length = work->attention->length;
  const size_t groups = work->tiles ? work->tiles->rows : (length + PART_ROWS - 1) / PART_ROWS;
  int status = OK;
  size_t done = 0;
#pragma omp parallel for schedule(dynamic)
  for (size_t g = 0; g < groups; g++) {
    struct error own;
    int failed;
#pragma omp atomic read
    failed = status;
    if (failed) continue;
    const int code = fold_group(work, g, &own);
#pragma omp critical(linear_attention)
    {
      if (code && !status) {
        status = code;
        if (error) *error = own;
      }
      progress_report(++done, groups);
    }
  }
  return status;
}

int linear_attention_matrix(const struct linear_attention *attention, struct linear_sums *sums,
                            double *output, const struct tiles *tiles, struct error *error) {
  const size_t length = attention->length;
  double *denominator = memory_array(length, sizeof *denominator, "the denominators", error);
  double *near = memory_array(length, sizeof *near, "the nearness of distances", error);
  struct row_sums *row = memory_array(length, sizeof *row, "sums over keys", error);
  int status =
      denominator && near && row ? fill_denominators(attention, denominator, error) : ERROR_FAILED;
  for (size_t d = 0; !status && d < length; d++)
    near[d] = exp2(-(double)d);
  if (!status) {
    const struct weights work = {.attention = attention,
                                 .tiles = tiles && tiles->cells ? tiles : NULL,
                                 .denominator = denominator,
                                 .near = near,
                                 .row = row,
                                 .output = output};
    if (output) memset(output, 0, length * attention->columns * sizeof *output);
    status = fold_matrix(&work, error);
    add_up(&work, sums);
  }
  free(row);
  free(near);
  free(denominator);
  return status;
}

/* state(i, c) += R_nφ(k_n)_i · v_n,c */
static void remember(const struct linear_attention *attention, size_t n, double *state) {
  const size_t columns = attention->columns;
  const double *key = attention->rotated_key + n * attention->features;
  for (size_t i = 0; i < attention->features; i++)
    for (size_t c = 0; c < columns; c++)
      state[i * columns + c] += key[i] * attention->value[n * columns + c];
}

int linear_attention_state(const struct linear_attention *attention, double *output,
                           struct error *error) {
  const size_t length = attention->length, features = attention->features,
               columns = attention->columns;
  double *denominator = memory_array(length, sizeof *denominator, "the denominators", error);
  double *state = memory_array(features * columns, sizeof *state, "a running state", error);
  int status =
      denominator && state ? fill_denominators(attention, denominator, error) : ERROR_FAILED;
  for (size_t n = 0; !status && !attention->causal && n < length; n++)
    remember(attention, n, state);
  for (size_t m = 0; !status && m < length; m++) {
    if (attention->causal) remember(attention, m, state);
    double *row = output + m * columns;
    memset(row, 0, columns * sizeof *row);
    for (size_t i = 0; i < features; i++)
      for (size_t c = 0; c < columns; c++)
        row[c] += attention->rotated_query[m * features + i] * state[i * columns + c];
    for (size_t c = 0; c < columns; c++)
      row[c] /= denominator[m];
  }
  free(state);
  free(denominator);
  return status;
}

double linear_attention_difference(const struct linear_attention *attention, const double *first,
                                   const double *second) {
  double largest = 0, difference = 0;
  for (size_t i = 0; i < attention->length * attention->columns; i++) {
    if (isnan(first[i]) || isnan(second[i])) return NAN;
    largest = fmax(largest, fabs(first[i]));
    difference = fmax(difference, fabs(first[i] - second[i]));
  }
  return difference / largest;
}
