#include "kernels/check.h"

#include <limits.h>
#include <math.h>

#include "kernels/size.h"

static int missing(const char *what, struct error *error) {
  return error_set(error, ERROR_FAILED, "cannot compute: the array '%s' is missing", what);
}

static int too_small(const char *what, struct error *error) {
  return error_set(error, ERROR_FAILED, "cannot compute: '%s' is 0, at least 1 is needed", what);
}

/* Matrix products count in int. */
static int check_extent(const char *what, size_t extent, struct error *error) {
  if (extent > INT_MAX)
    return error_set(error, ERROR_FAILED, "cannot compute: '%s' is %zu, at most %d is possible",
                     what, extent, INT_MAX);
  return extent ? OK : too_small(what, error);
}

static int check_phases(const struct phases *phases, bool one_series, struct error *error) {
  if (!phases->series) return too_small("series", error);
  if (one_series && phases->series != 1)
    return error_set(error, ERROR_FAILED, "cannot compute: 'series' is %zu, this operation takes 1",
                     phases->series);
  if (!phases->pairs) return too_small("pairs", error);
  if ((unsigned)phases->precision >= PRECISION_COUNT)
    return error_set(error, ERROR_FAILED, "cannot compute: 'precision' is %d, below %d is known",
                     (int)phases->precision, PRECISION_COUNT);
  if (!phases->step) return missing("step", error);
  if (phases->precision != PRECISION_FP64 && !phases->inv_freq) return missing("inv_freq", error);
  return OK;
}

static int check_width(const struct phases *phases, size_t dim, struct error *error) {
  if (phases->pairs > dim / 2)
    return error_set(error, ERROR_FAILED,
                     "cannot rotate: %zu 'pairs' do not fit into %zu dimensions, at most %zu do",
                     phases->pairs, dim, dim / 2);
  return OK;
}

static int check_layout(enum layout layout, struct error *error) {
  if (layout != LAYOUT_INTERLEAVED && layout != LAYOUT_HALVES)
    return error_set(error, ERROR_FAILED,
                     "cannot rotate: 'layout' is %d, interleaved or halves is known", (int)layout);
  return OK;
}

static int check_tiles(const struct tiles *tiles, size_t length, struct error *error) {
  if (!length) return too_small("length", error);
  if (!tiles->rows || !tiles->columns || tiles->rows > length || tiles->columns > length)
    return error_set(
        error, ERROR_FAILED,
        "cannot reduce to %zu x %zu 'tiles': 1 to the length, %zu, are possible along an axis",
        tiles->rows, tiles->columns, length);
  if ((unsigned)tiles->reduction > REDUCE_ABSMAX)
    return error_set(error, ERROR_FAILED,
                     "cannot reduce: 'reduction' is %d, mean, max or absmax is known",
                     (int)tiles->reduction);
  return tiles->cells ? OK : missing("cells", error);
}

static int check_scale(bool softmax, double scale, struct error *error) {
  if (softmax && !isfinite(scale))
    return error_set(error, ERROR_FAILED,
                     "cannot take the softmax: 'scale' is %g, a finite number is needed", scale);
  return OK;
}

int check_decay(const struct decay_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, false, error)) return error->code;
  return batch->count && !batch->distance ? missing("distance", error) : OK;
}

static int check_spaced(int64_t first, int64_t step, size_t count, struct error *error) {
  if (first < 0 || step < 1)
    return error_set(error, ERROR_FAILED,
                     "cannot compute: distances from %lld on, %lld apart: 0 or more and 1 or more "
                     "are possible",
                     (long long)first, (long long)step);
  int64_t last;
  if (count > INT64_MAX || __builtin_mul_overflow(step, (int64_t)count, &last) ||
      __builtin_add_overflow(first, last, &last))
    return error_set(error, ERROR_FAILED,
                     "cannot compute: 'count' is %zu, and the last distance over 2^63", count);
  return OK;
}

int check_cosine_sum(const struct cosine_sum_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, false, error) ||
      check_spaced(batch->first, batch->step, batch->count, error))
    return error->code;
  for (size_t i = 0; batch->weight && i < batch->phases.pairs; i++)
    if (isinf(batch->weight[i]))
      return error_set(error, ERROR_FAILED,
                       "cannot compute: 'weight' of pair %zu is infinite, a number is needed", i);
  return OK;
}

int check_cosine_range(const struct cosine_range_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, true, error)) return error->code;
  if (batch->phases.precision != PRECISION_FP64)
    return error_set(error, ERROR_FAILED,
                     "cannot compute: 'precision' is %d, bounds are of fp64 alone",
                     (int)batch->phases.precision);
  if (!batch->phases.inv_freq) return missing("inv_freq", error);
  if (!batch->spread) return missing("spread", error);
  if (batch->slope_low && !batch->rate) return missing("rate", error);
  if (!batch->slope_low != !batch->slope_high)
    return missing(batch->slope_low ? "slope_high" : "slope_low", error);
  if (batch->count && !batch->first) return missing("first", error);
  if (batch->count && !batch->last) return missing("last", error);
  for (size_t i = 0; i < batch->count; i++)
    if (batch->first[i] < 0 || batch->last[i] < batch->first[i] ||
        batch->last[i] >= INT64_C(1) << 53)
      return error_set(error, ERROR_FAILED,
                       "cannot compute: box %zu is of distances %lld to %lld, 0 or more in "
                       "ascending order below 2^53 are possible",
                       i, (long long)batch->first[i], (long long)batch->last[i]);
  return OK;
}

int check_phase_map(const struct phase_map_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, true, error)) return error->code;
  if ((unsigned)batch->quantity > PHASE_SINE)
    return error_set(error, ERROR_FAILED,
                     "cannot compute: 'quantity' is %d, angle, cosine or sine is known",
                     (int)batch->quantity);
  if (batch->rows && !batch->position) return missing("position", error);
  return batch->rows && !batch->output ? missing("output", error) : OK;
}

int check_rotate(const struct rotate_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, true, error) || check_layout(batch->layout, error) ||
      check_width(&batch->phases, batch->dim, error))
    return error->code;
  if (!storage_is_real(batch->storage))
    return error_set(error, ERROR_FAILED,
                     "cannot rotate: 'storage' is %d, f64, f32, bf16 or f16 is known",
                     (int)batch->storage);
  const size_t rows = size_product(batch->batch, batch->length),
               vectors = size_product(rows, batch->heads);
  if (!vectors) return OK;
  if (size_product(size_product(vectors, batch->dim), storage_size(batch->storage)) == SIZE_MAX)
    return error_set(error, ERROR_FAILED,
                     "cannot rotate: %zu x %zu x %zu x %zu elements are over 2^64 bytes",
                     batch->batch, batch->length, batch->heads, batch->dim);
  if (!batch->position) return missing("position", error);
  if (!batch->input) return missing("input", error);
  return batch->output ? OK : missing("output", error);
}

int check_gaussian(const struct gaussian_batch *batch, struct error *error) {
  if (batch->count > UINT64_MAX - batch->first)
    return error_set(error, ERROR_FAILED,
                     "cannot draw: 'first' + 'count' is over 2^64 elements, fewer are in a stream");
  return batch->count && !batch->output ? missing("output", error) : OK;
}

static int check_levels(const double *level, size_t levels, struct error *error) {
  for (size_t l = 0; l < levels; l++)
    if (!(level[l] >= 0 && level[l] <= 1))
      return error_set(error, ERROR_FAILED,
                       "cannot take the quantile at 'level' %g, 0 to 1 are levels", level[l]);
  return OK;
}

/* Bins count in 32 bits. */
static int check_histogram(const struct score_batch *batch, struct error *error) {
  const struct score_profile *profile = batch->profile;
  if (!profile || !profile->bins) return OK;
  if (!(isfinite(profile->low) && isfinite(profile->high) && profile->low <= profile->high))
    return error_set(error, ERROR_FAILED,
                     "cannot count: 'low' is %g and 'high' is %g, finite numbers in order are "
                     "needed",
                     profile->low, profile->high);
  if (size_product(batch->batch, batch->length) > UINT32_MAX)
    return error_set(error, ERROR_FAILED,
                     "cannot count: %zu x %zu scores at one distance, fewer than 2^32 are possible",
                     batch->batch, batch->length);
  if (profile->levels && !profile->level) return missing("level", error);
  if (profile->levels && !profile->quantile) return missing("quantile", error);
  if (!profile->bin_width) return missing("bin_width", error);
  return check_levels(profile->level, profile->levels, error);
}

static int check_bias(const struct score_batch *batch, struct error *error) {
  for (size_t t = 0; batch->bias && t < 2 * batch->length - 1; t++)
    if (batch->bias[t] == INFINITY)
      return error_set(error, ERROR_FAILED,
                       "cannot compute: 'bias' at distance %lld is inf, a number or -inf is needed",
                       (long long)t - (long long)batch->length + 1);
  return OK;
}

int check_scores(const struct score_batch *batch, struct error *error) {
  const bool tiles = batch->tiles.cells || !(batch->profile || batch->sums || batch->weights);
  if (!batch->batch) return too_small("batch", error);
  if (check_extent("dim", batch->dim, error) || check_extent("length", batch->length, error) ||
      (tiles && check_tiles(&batch->tiles, batch->length, error)) ||
      check_scale((tiles && batch->softmax) || batch->weights, batch->scale, error) ||
      check_histogram(batch, error) || check_bias(batch, error))
    return error->code;
  if (batch->terms && !batch->terms->fill) return missing("fill", error);
  if (!batch->rotation) return OK;
  if (check_phases(batch->rotation, true, error) || check_layout(batch->layout, error) ||
      check_width(batch->rotation, batch->dim, error))
    return error->code;
  return OK;
}

int check_profile(const struct profile_batch *batch, struct error *error) {
  if (check_tiles(&batch->tiles, batch->length, error) ||
      check_scale(batch->softmax, batch->scale, error))
    return error->code;
  return batch->profile ? OK : missing("profile", error);
}

int check_quantiles(const struct quantile_batch *batch, struct error *error) {
  if (check_phases(&batch->phases, true, error)) return error->code;
  if (check_extent("samples", batch->samples, error) ||
      check_extent("pairs", size_product(batch->phases.pairs, 2), error))
    return error->code;
  if (!batch->query) return missing("query", error);
  if (!batch->key) return missing("key", error);
  if (!batch->count || !batch->levels) return OK;
  if (!batch->distance) return missing("distance", error);
  if (!batch->level) return missing("level", error);
  if (!batch->quantile) return missing("quantile", error);
  return check_levels(batch->level, batch->levels, error);
}

static int check_product(const struct limit_batch *batch, struct error *error) {
  if (check_extent("rows", batch->rows, error)) return error->code;
  if (check_extent("columns", batch->columns, error)) return error->code;
  if (check_extent("inner", batch->inner, error)) return error->code;
  return batch->right ? OK : missing("right", error);
}

int check_limit(const struct limit_batch *batch, struct error *error) {
  const bool arithmetic = batch->limit == LIMIT_MULTIPLY_ADD || batch->limit == LIMIT_ROOT;
  if ((unsigned)batch->limit > LIMIT_PRODUCT)
    return error_set(error, ERROR_FAILED, "cannot measure: 'limit' is %d, at most %d is known",
                     (int)batch->limit, LIMIT_PRODUCT);
  if (arithmetic) return batch->result ? OK : missing("result", error);
  if (!batch->left) return missing("left", error);
  if (!batch->output) return missing("output", error);
  return batch->limit == LIMIT_PRODUCT ? check_product(batch, error) : OK;
}
