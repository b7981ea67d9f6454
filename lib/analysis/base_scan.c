/* A window of bases has a list of boxes: ranges of distances whose sums may be negative somewhere
   in it. Bounds (backend_cosine_range) prove of most boxes that they are not. A box too wide for
   its window is halved; single distances close what is proved negative, or, where their sum is
   monotone, the part up to the root. What is left goes to both halves of the window. */
#include "lib/analysis/base_scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

enum { BATCH = 256 }; /* boxes that are bounded at a time */

/* Windows are not cut below this: their ends stay exact doubles. */
static const double least_width = 0x1p-42;

struct base_batch {
  int64_t first[BATCH], last[BATCH];
  double low[BATCH], high[BATCH], slope_low[BATCH], slope_high[BATCH];
};

int base_scan_create(struct backend *backend, size_t pairs, struct base_scan *scan,
                     struct error *error) {
  *scan = (struct base_scan){0};
  int status = base_window_create(backend, pairs, &scan->window, error);
  if (!status) status = base_window_create(backend, pairs, &scan->probe, error);
  if (!status) scan->batch = memory_array(1, sizeof *scan->batch, "boxes of distances", error);
  if (!status && scan->batch) return OK;
  base_scan_release(scan);
  return ERROR_FAILED;
}

void base_scan_release(struct base_scan *scan) {
  base_window_release(&scan->window);
  base_window_release(&scan->probe);
  free(scan->gap);
  free(scan->doubt);
  free(scan->todo.box);
  free(scan->kept.box);
  free(scan->batch);
}

/* Room for one more element of `size` bytes. */
static int reserve(void **array, size_t count, size_t *room, size_t size, struct error *error) {
  if (count < *room) return OK;
  const size_t wanted = *room ? 2 * *room : 256;
  if (memory_require(wanted, size, "the search for bases", error)) return error->code;
  void *grown = realloc(*array, wanted * size);
  if (!grown) return error_set(error, ERROR_FAILED, "out of memory in the search for bases");
  *array = grown;
  *room = wanted;
  return OK;
}

static int push(struct base_boxes *boxes, struct distances box, struct error *error) {
  if (reserve((void **)&boxes->box, boxes->count, &boxes->room, sizeof box, error))
    return error->code;
  boxes->box[boxes->count++] = box;
  return OK;
}

/* ---- Gaps and doubts ----------------------------------------------------------------------------
 */

static int push_gap(struct base_scan *scan, size_t at, struct base_gap gap, struct error *error) {
  if (reserve((void **)&scan->gap, scan->gaps, &scan->gap_room, sizeof *scan->gap, error))
    return error->code;
  memmove(scan->gap + at + 1, scan->gap + at, (scan->gaps - at) * sizeof *scan->gap);
  scan->gap[at] = gap;
  scan->gaps++;
  return OK;
}

/* Closes [low, high]; `root` is what ends it at `high`. */
static int close_part(struct base_scan *scan, double low, double high, struct base_root root,
                      struct error *error) {
  if (scan->last) low = -INFINITY;
  for (size_t i = 0; i < scan->gaps;) {
    struct base_gap *gap = &scan->gap[i];
    if (gap->high <= low || gap->low >= high) {
      i++;
      continue;
    }
    const struct base_gap after = {high, gap->high, root};
    const bool left = gap->low<low, right = gap->high> high;
    if (left) {
      gap->high = low;
      i++;
      if (right && push_gap(scan, i, after, error)) return error->code;
    } else if (right) {
      *gap = after;
      i++;
    } else {
      memmove(gap, gap + 1, (scan->gaps - i - 1) * sizeof *gap);
      scan->gaps--;
    }
  }
  return OK;
}

static int add_doubt(struct base_scan *scan, double low, double high, struct error *error) {
  if (reserve((void **)&scan->doubt, scan->doubts, &scan->doubt_room, sizeof *scan->doubt, error))
    return error->code;
  scan->doubt[scan->doubts++] = (struct base_doubt){low, high};
  return OK;
}

static bool is_open(const struct base_scan *scan, double low, double high) {
  for (size_t i = 0; i < scan->gaps; i++)
    if (scan->gap[i].low < high && scan->gap[i].high > low) return true;
  return false;
}

double base_scan_sure(const struct base_scan *scan, double t) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < scan->doubts; i++)
      if (scan->doubt[i].high > t && (scan->last || scan->doubt[i].low <= t)) {
        t = scan->doubt[i].high;
        moved = true;
      }
  }
  return t;
}

/* ---- Windows ------------------------------------------------------------------------------------
 */

/* Bounds of the boxes of the batch: of their sums from below, or (`single`) what single distances
   are asked for then. */
static int bound_boxes(struct base_scan *scan, size_t count, bool single, struct error *error) {
  struct base_batch *boxes = scan->batch;
  const struct base_window *window = &scan->window;
  const struct cosine_range_batch batch = {.phases = {.series = 1,
                                                      .pairs = window->pairs,
                                                      .step = window->step,
                                                      .inv_freq = window->inv_freq},
                                           .spread = window->spread,
                                           .rate = window->rate,
                                           .count = count,
                                           .first = boxes->first,
                                           .last = boxes->last,
                                           .low = single ? NULL : boxes->low,
                                           .high = single ? boxes->high : NULL,
                                           .slope_low = single ? boxes->slope_low : NULL,
                                           .slope_high = single ? boxes->slope_high : NULL};
  return backend_cosine_range(window->backend, &batch, error);
}

/* Whether a box is wider than its window is: halving it then sharpens the bounds more. A step of
   the distance by r turns a pair by rθ, one of t by w turns it by mθ·(2i/dim)·w, and the pairs that
   matter are those near rθ = 1, where 2i/dim = ln r / t. */
static bool is_wide(const struct base_window *window, const struct distances *box) {
  const double radius = (double)(box->last - box->first) / 2,
               reach = (window->high - window->low) / 2;
  const double share = fmin(1, log(fmax(radius, 2)) / fmax(window->high, 1));
  return box->first < box->last && radius > (double)box->last * share * reach;
}

/* A single distance whose sum is monotone in the window: closes where it is negative. *settled is
   false where the sign at an end of the window is not proved. */
static int close_monotone(struct base_scan *scan, int64_t distance, double slope, bool *settled,
                          struct error *error) {
  struct base_root root = {.distance = distance,
                           .slope = fabs(slope),
                           .low = scan->window.low,
                           .high = scan->window.high};
  struct bounds low, high;
  if (base_window_sum(&scan->probe, distance, root.low, &low, error) ||
      base_window_sum(&scan->probe, distance, root.high, &high, error))
    return error->code;
  *settled = (low.low >= 0 || low.high < 0) && (high.low >= 0 || high.high < 0);
  if (!*settled || (low.low >= 0 && high.low >= 0)) return OK;
  if (low.high < 0 && high.high < 0) return close_part(scan, root.low, root.high, root, error);
  if (base_window_root(&scan->probe, &root, error) || add_doubt(scan, root.low, root.high, error))
    return error->code;
  return slope > 0 ? close_part(scan, scan->window.low, root.low, root, error)
                   : close_part(scan, root.high, scan->window.high, root, error);
}

/* The first `count` boxes of the batch, single distances that may be negative: *closed when one of
   them is so in the whole window. What is not settled is kept. */
static int judge_singles(struct base_scan *scan, size_t count, bool *closed, struct error *error) {
  const struct base_batch *boxes = scan->batch;
  const double low = scan->window.low, high = scan->window.high;
  if (count && bound_boxes(scan, count, true, error)) return error->code;
  for (size_t i = 0; i < count; i++) {
    const int64_t distance = boxes->first[i];
    const double slope = boxes->slope_low[i] > 0    ? boxes->slope_low[i]
                         : boxes->slope_high[i] < 0 ? boxes->slope_high[i]
                                                    : 0;
    bool settled = slope != 0;
    if (boxes->high[i] < 0) {
      *closed = true;
      return close_part(scan, low, high, (struct base_root){.distance = distance}, error);
    }
    if (slope != 0 && close_monotone(scan, distance, slope, &settled, error)) return error->code;
    if (!settled && push(&scan->kept, (struct distances){distance, distance}, error))
      return error->code;
  }
  return OK;
}

/* Takes the last boxes to do, at most a batch, and proves what it can. */
static int judge_boxes(struct base_scan *scan, bool *closed, struct error *error) {
  struct base_batch *boxes = scan->batch;
  size_t count = 0, singles = 0;
  while (count < BATCH && scan->todo.count) {
    const struct distances box = scan->todo.box[--scan->todo.count];
    boxes->first[count] = box.first;
    boxes->last[count++] = box.last;
  }
  if (bound_boxes(scan, count, false, error)) return error->code;
  for (size_t i = 0; i < count; i++) {
    const struct distances box = {boxes->first[i], boxes->last[i]};
    if (boxes->low[i] >= 0) continue;
    const int64_t middle = box.first + (box.last - box.first) / 2;
    int status = OK;
    if (box.first == box.last) {
      boxes->first[singles] = boxes->last[singles] = box.first;
      singles++;
    } else if (is_wide(&scan->window, &box)) {
      status = push(&scan->todo, (struct distances){box.first, middle}, error);
      if (!status) status = push(&scan->todo, (struct distances){middle + 1, box.last}, error);
    } else {
      status = push(&scan->kept, box, error);
    }
    if (status) return status;
  }
  return judge_singles(scan, singles, closed, error);
}

/* Scans a window for the boxes kept from `from` to `end`, of which none is left afterwards. */
static int scan_window(struct base_scan *scan, double low, double high, size_t from,
                       struct error *error) {
  const size_t end = scan->kept.count;
  bool closed = !is_open(scan, low, high);
  base_window_move(&scan->window, low, high);
  for (size_t i = from; i < end && !closed; i++) {
    if (push(&scan->todo, scan->kept.box[i], error)) return error->code;
    while (scan->todo.count && !closed && (i + 1 == end || scan->todo.count >= BATCH))
      if (judge_boxes(scan, &closed, error)) return error->code;
  }
  scan->todo.count = 0;
  int status = OK;
  if (!closed && scan->kept.count > end) {
    const double middle = low + (high - low) / 2;
    if (high - low <= least_width)
      status = add_doubt(scan, low, high, error);
    else if (scan->last) {
      status = scan_window(scan, middle, high, end, error);
      if (!status) status = scan_window(scan, low, middle, end, error);
    } else {
      status = scan_window(scan, low, middle, end, error);
      if (!status) status = scan_window(scan, middle, high, end, error);
    }
  }
  scan->kept.count = end;
  return status;
}

/* With `last` all distances at once; else in ascending order, for few are needed where the base is
   small. */
int base_scan_run(struct base_scan *scan, double low, double high, bool last,
                  struct distances distances, struct error *error) {
  scan->last = last;
  scan->gaps = scan->doubts = scan->todo.count = scan->kept.count = 0;
  if (push_gap(scan, 0, (struct base_gap){.low = low, .high = high}, error)) return error->code;
  while (distances.first <= distances.last && scan->gaps) {
    const int64_t some = last ? distances.last : distances.first + distances.first / 4;
    const struct distances box = {distances.first, some < distances.last ? some : distances.last};
    if (push(&scan->kept, box, error) || scan_window(scan, low, high, 0, error)) return error->code;
    scan->kept.count = 0;
    distances.first = box.last + 1;
  }
  return OK;
}
