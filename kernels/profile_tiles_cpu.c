/* Tiles of scores that depend on the distance t = m − n alone.

   In row m the keys of a tile are a window of the profile. Windows come in two widths (⌊L/n⌋ and
   one more), and there are fewer than 2L of each, so their sums or maxima are taken once, by van
   Herk's method: the profile is cut into blocks as wide as the window; a window is the end of one
   block and the start of the next, and only those are ever joined: no difference of large prefix
   sums, nothing cancels. Where the diagonal cuts a window short, it is one of the sums that start
   at distance 0.

   With softmax the parts carry their largest exponent along:

     part = (peak, total) stands for exp(peak)·total,   weight(window in row m) = part / part(whole
   row)

   and every row holds distance 0, so its normaliser joins two sums that start there. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/cpu.h"
#include "kernels/grid.h"
#include "kernels/reduction.h"
#include "lib/base/memory.h"

enum {
  FEW_ROWS = 64,  /* that are not worth a second thread */
  ROOM = 1 << 18, /* bytes of cells, about, that a thread fills before it leaves them */
};

struct part {
  double peak, total;
};

struct maps {
  const struct profile_batch *batch;
  const struct reduction_rule *rule;
  size_t narrow;        /* the smaller of the two widths */
  struct part *leaf;    /* (2L − 1) the profile itself */
  struct part *wide[2]; /* (2L − 1) windows that start there, of `narrow` and `narrow + 1` */
  struct part *front;   /* (L) distances 0 .. t */
  struct part *whole;   /* (L) the normaliser of row m; with softmax alone */
};

/* exp(peak)·total of both. Equal peaks are added as they are: two of −∞ are no weight at all, not
 * NaN. */
static struct part join_exponentials(struct part a, struct part b) {
  if (a.peak == b.peak) return (struct part){a.peak, a.total + b.total};
  const double peak = a.peak > b.peak ? a.peak : b.peak;
  return (struct part){peak, a.total * exp(a.peak - peak) + b.total * exp(b.peak - peak)};
}

/* Parts of one row that make one value of the tile: without softmax the values are in `total`; with
   it the mean adds weights, max and absmax look for the largest one. */
static struct part join_parts(const struct maps *maps, struct part a, struct part b) {
  if (!maps->batch->softmax) return (struct part){0, maps->rule->join(a.total, b.total)};
  if (maps->rule->mean) return join_exponentials(a, b);
  return (struct part){reduction_rule(REDUCE_MAX)->join(a.peak, b.peak), 1};
}

/* Parts of `width` neighbours: window[p] joins leaf[p] .. leaf[p + width − 1]. `room`: (count). */
static void slide(const struct maps *maps, size_t count, size_t width, struct part *window,
                  struct part *room) {
  const struct part *leaf = maps->leaf;
  for (size_t start = 0; start < count; start += width) {
    const size_t end = count - start < width ? count : start + width;
    room[start] = leaf[start]; /* from the start of the block to p */
    for (size_t p = start + 1; p < end; p++)
      room[p] = join_parts(maps, room[p - 1], leaf[p]);
    window[end - 1] = leaf[end - 1]; /* from p to the end of the block */
    for (size_t p = end - 1; p-- > start;)
      window[p] = join_parts(maps, leaf[p], window[p + 1]);
  }
  for (size_t start = 0; start < count; start += width)
    for (size_t p = start + 1; p < start + width && p + width <= count; p++)
      window[p] = join_parts(maps, window[p], room[p + width - 1]);
}

/* Normalisers: Σ over the keys that row m sees, from distance 0 outwards both ways. */
static void normalise_rows(struct maps *maps, struct part *room) {
  const size_t length = maps->batch->length;
  const struct part *zero = maps->leaf + length - 1;
  struct part *forward = maps->whole, *backward = room; /* distances 0 .. t and −1 .. −t */
  for (size_t t = 0; t < length; t++)
    forward[t] = t ? join_exponentials(forward[t - 1], zero[t]) : zero[0];
  if (maps->batch->causal) return;
  for (size_t t = 1; t < length; t++)
    backward[t] = t > 1 ? join_exponentials(backward[t - 1], *(zero - t)) : *(zero - 1);
  for (size_t m = 0; m + 1 < length; m++)
    maps->whole[m] = join_exponentials(forward[m], backward[length - 1 - m]);
}

static void fill_maps(struct maps *maps, struct part *room) {
  const struct profile_batch *batch = maps->batch;
  const size_t length = batch->length, count = 2 * length - 1;
  for (size_t p = 0; p < count; p++)
    maps->leaf[p] = batch->softmax ? (struct part){batch->scale * batch->profile[p], 1}
                                   : (struct part){0, batch->profile[p]};
  for (size_t v = 0; v < 2; v++)
    slide(maps, count, maps->narrow + v, maps->wide[v], room);
  const struct part *zero = maps->leaf + length - 1;
  for (size_t t = 0; t < length; t++)
    maps->front[t] = t ? join_parts(maps, maps->front[t - 1], zero[t]) : zero[0];
  if (batch->softmax) normalise_rows(maps, room);
}

/* What a window of row m is worth. */
static double worth(const struct maps *maps, struct part window, size_t m) {
  if (!maps->batch->softmax) return window.total;
  const struct part *whole = maps->whole + m;
  return window.total * exp(window.peak - whole->peak) / whole->total;
}

/* One cell; `value` is room for the rows of a tile. */
static double reduce_tile(const struct maps *maps, const struct tile *tile, double *value) {
  const bool causal = maps->batch->causal;
  if (causal && tile->column >= tile->row_end) return NAN;
  size_t first = tile->row, full = tile->row; /* first row with any key, first with all */
  if (causal && first < tile->column) first = tile->column;
  if (causal && full < tile->column_end - 1) full = tile->column_end - 1;
  if (full > tile->row_end) full = tile->row_end;
  const struct part *wide = maps->wide[tile->column_end - tile->column - maps->narrow] +
                            maps->batch->length - tile->column_end;
  double reduced;
  if (tile->row_end - first == 1) { /* one row, one value: maps drawn cell by cell are all such */
    reduced = worth(maps, first < full ? maps->front[first - tile->column] : wide[first], first);
    if (tile->column_end - tile->column == 1) return reduced;
  } else {
    for (size_t m = first; m < full; m++)
      value[m - first] = worth(maps, maps->front[m - tile->column], m);
    for (size_t m = full; m < tile->row_end; m++)
      value[m - first] = worth(maps, wide[m], m);
    reduced = maps->rule->segment(value, tile->row_end - first);
  }
  return maps->rule->mean ? reduced / (double)tile_unmasked(tile, causal) : reduced;
}

static void reduce_tiles(const struct maps *maps, const struct grid *grid, double *values,
                         size_t tallest) {
  const struct tiles *tiles = &maps->batch->tiles;
  const size_t fit = ROOM / (tiles->columns * sizeof *tiles->cells), some = fit ? fit : 1;
#pragma omp parallel for schedule(static) if (tiles->rows > FEW_ROWS)
  for (size_t first = 0; first < tiles->rows; first += some) {
    const size_t end = tiles->rows - first < some ? tiles->rows : first + some;
    for (size_t row = first; row < end; row++)
      for (size_t column = 0; column < tiles->columns; column++) {
        const struct tile tile = grid_tile(grid, row, column);
        tiles->cells[row * tiles->columns + column] =
            reduce_tile(maps, &tile, values + (size_t)omp_get_thread_num() * tallest);
      }
    tiles_leave(tiles, first, end);
  }
}

int profile_tiles_cpu(const struct profile_batch *batch, struct error *error) {
  const struct tiles *tiles = &batch->tiles;
  const size_t length = batch->length, count = 2 * length - 1;
  /* Room for the rows of the tallest tile, and two cache lines between those of two threads. */
  const size_t threads = (size_t)omp_get_max_threads(), tallest = length / tiles->rows + 1 + 16;
  struct grid grid;
  if (grid_open(&grid, tiles, length, error)) return error->code;
  struct part *parts =
      memory_array(size_product(count, 6), sizeof *parts, "the windows of the profile", error);
  double *values = parts ? memory_array(size_product(threads, tallest), sizeof *values,
                                        "the rows of a tile", error)
                         : NULL;
  if (values) {
    struct maps maps = {
        .batch = batch,
        .rule = reduction_rule(tiles->reduction),
        .narrow = length / tiles->columns,
        .leaf = parts,
        .wide = {parts + count, parts + 2 * count},
        .front = parts + 3 * count,
        .whole = parts + 4 * count,
    };
    fill_maps(&maps, parts + 5 * count);
    reduce_tiles(&maps, &grid, values, tallest);
  }
  const int status = values ? OK : error->code;
  free(values);
  free(parts);
  grid_close(&grid);
  return status;
}
