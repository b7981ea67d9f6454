/* The search goes over pieces of ln base, each 1/64 long, some of them at a time, a thread each.
   The first base is looked for from 1 upwards: what is below it is covered by parts in which one
   distance is negative. The safe base is looked for from above: beyond a base that follows from the
   sizes of the angles alone nothing is negative, and down to it everything is proved not to be.
   What is found for a context serves a longer one: there are only more distances. */
#include "lib/analysis/base_search.h"

#include <math.h>
#include <stdlib.h>

#include "lib/analysis/base_scan.h"
#include "lib/base/memory.h"
#include "lib/base/progress.h"

/* Pieces of a unit of ln base, those at work at a time, and all of them: to the largest double. */
enum { PIECES = 64, TEAM = 16, MOST_PIECES = 700 * PIECES };

static const double most_ln_base = 700;

/* What a piece came to. */
struct found {
  int status;
  struct error error;
  bool here;           /* the answer is in this piece */
  struct base_gap gap; /* that begins at the answer */
  double sure;         /* where what is in doubt ends, from the answer or the piece's start on */
};

struct search {
  size_t pairs;
  struct backend *backend;
  bool last; /* looks for the safe base */
  int64_t context;
  /* Of a shorter context: in pieces above `known` none of its distances is ever negative; -1. */
  int64_t known_context, known;
  struct base_scan scan[TEAM];
  struct found found[TEAM];
};

static void scan_piece(const struct search *search, int64_t piece, struct base_scan *scan,
                       struct found *found) {
  const double low = (double)piece / PIECES, high = (double)(piece + 1) / PIECES;
  const bool new_only = search->last && piece > search->known;
  const struct distances distances = {new_only ? search->known_context : 1, search->context - 1};
  *found = (struct found){.sure = low};
  found->status = base_scan_run(scan, low, high, search->last, distances, &found->error);
  if (found->status) return;
  const bool open = scan->gaps > 0;
  found->here = search->last ? !open || scan->gap[0].low > low : open;
  found->gap = open ? scan->gap[0] : (struct base_gap){.low = high, .high = high};
  found->sure = base_scan_sure(scan, found->here ? found->gap.low : low);
}

/* Scans a team of pieces, `first` and those that follow it in the search's direction. *at is the
   first that has the answer; TEAM: none. */
static int scan_team(struct search *search, int64_t first, int *at, struct error *error) {
  const int64_t left = search->last ? first + 1 : MOST_PIECES - first;
  const int count = left < TEAM ? (int)left : TEAM;
  int best = TEAM;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < count; i++) {
    int now;
#pragma omp atomic read
    now = best;
    if (i > now) continue;
    scan_piece(search, search->last ? first - i : first + i, &search->scan[i], &search->found[i]);
    if (!search->found[i].status && !search->found[i].here) continue;
#pragma omp critical(base_search)
    if (i < best) {
#pragma omp atomic write
      best = i;
    }
  }
  *at = best;
  if (best < TEAM && search->found[best].status)
    return error_set(error, ERROR_FAILED, "%s", search->found[best].error.message);
  return OK;
}

/* The base of t, moved by what the exponential may round. */
static double base_beyond(double t, double rounding) {
  return t > 0 ? (double)expl(t) * (1 + rounding) : 1;
}

static struct base_limit limit_at(const struct search *search, const struct found *found,
                                  double sure) {
  const struct base_gap *gap = &found->gap;
  const struct base_root *root = &gap->root;
  const bool at_root = root->distance && root->rising && gap->low == root->low;
  const bool from_one = !root->distance && gap->low == 0;
  return (struct base_limit){
      .base = (double)expl(at_root ? base_root_value(root, search->pairs) : gap->low),
      .witness = root->distance,
      .below = base_beyond(gap->low, -0x1p-51),
      .above = base_beyond(sure, 0x1p-51),
      .certified = (at_root || from_one) && sure - gap->low <= BASE_TOLERANCE && sure < gap->high,
  };
}

/* From the piece `first` on upwards. */
static int find_first(struct search *search, int64_t first, int64_t last, struct base_limit *limit,
                      int64_t *piece, struct error *error) {
  search->last = false;
  *limit = (struct base_limit){.base = NAN, .below = exp(most_ln_base), .above = INFINITY};
  for (int64_t from = first; from < MOST_PIECES; from += TEAM) {
    int at;
    if (scan_team(search, from, &at, error)) return error->code;
    if (at < TEAM) {
      *limit = limit_at(search, &search->found[at], search->found[at].sure);
      *piece = from + at;
      return OK;
    }
    if (last > first)
      progress_report((uint64_t)(fmin(from + TEAM, last) - first), (uint64_t)(last - first));
  }
  return OK;
}

/* The least cosine of pair 0, whose angle does not depend on the base; one pair alone cannot make
   up for what it lacks of −1. */
static int find_least(const struct search *search, double *least, struct error *error) {
  static const uint64_t one_radian = UINT64_C(2935890503282001226);
  *least = -1;
  const struct cosine_sum_batch batch = {.phases = {.series = 1, .pairs = 1, .step = &one_radian},
                                         .step = 1,
                                         .count = (size_t)search->context,
                                         .minimum = least};
  if (search->pairs > 2) return OK;
  const int status = backend_cosine_sum(search->backend, &batch, error);
  *least -= 2e-14; /* what that is off by */
  return status;
}

/* The lowest piece from which on no sum can be negative. θ_i falls as the base grows, and where the
   largest distance turns pair i by no more than half a turn, no other distance and no larger base
   has a cosine below the one there. */
static int find_far(const struct search *search, int64_t *far, struct error *error) {
  double least;
  if (find_least(search, &least, error)) return error->code;
  const double pairs = (double)search->pairs, reach = (double)(search->context - 1);
  for (*far = 0; *far < MOST_PIECES; ++*far) {
    double sum = least - pairs * pairs * 0x1p-52;
    for (size_t i = 1; i < search->pairs; i++)
      sum += cos(fmin(reach * exp(-(double)i / pairs * (double)*far / PIECES), M_PI));
    if (sum >= 0) break;
  }
  return OK;
}

/* Downwards from where nothing can be negative. */
static int find_safe(struct search *search, struct base_limit *limit, int64_t *piece,
                     struct error *error) {
  int64_t far = 0;
  if (find_far(search, &far, error)) return error->code;
  search->last = true;
  double doubt = far < MOST_PIECES ? 0 : INFINITY;
  for (int64_t from = far - 1; from >= 0; from -= TEAM) {
    int at;
    if (scan_team(search, from, &at, error)) return error->code;
    for (int i = 0; i < at && i <= from; i++)
      if (search->found[i].sure > (double)(from - i) / PIECES)
        doubt = fmax(doubt, search->found[i].sure);
    if (at < TEAM) {
      *limit = limit_at(search, &search->found[at], fmax(search->found[at].sure, doubt));
      *piece = from - at;
      return OK;
    }
    progress_report((uint64_t)(far - fmax(0, from - TEAM)), (uint64_t)(far));
  }
  *limit = (struct base_limit){
      .base = NAN, .below = 1, .above = fmax(1, exp(doubt)), .certified = doubt == 0};
  *piece = -1;
  return OK;
}

static int search_contexts(struct search *search, const struct base_problem *problem,
                           struct base_answer *answer, struct error *error) {
  int64_t first = 0, safe = -1;
  search->known = -1;
  search->known_context = 1;
  for (size_t i = 0; i < problem->contexts; i++) {
    search->context = problem->context[i];
    progress_part(problem->part + 2 * i, problem->parts);
    if (find_safe(search, &answer[i].safe, &safe, error)) return error->code;
    progress_part(problem->part + 2 * i + 1, problem->parts);
    if (find_first(search, first, safe, &answer[i].first, &first, error)) return error->code;
    if (answer[i].safe.certified) {
      search->known = safe;
      search->known_context = problem->context[i];
    }
  }
  return OK;
}

int base_search(struct backend *backend, const struct base_problem *problem,
                struct base_answer *answer, struct error *error) {
  struct search *search = memory_array(1, sizeof *search, "the search for bases", error);
  if (!search) return ERROR_FAILED;
  search->backend = backend;
  search->pairs = problem->dim / 2;
  int status = OK, made = 0;
  while (made < TEAM && !status)
    status = base_scan_create(backend, search->pairs, &search->scan[made++], error);
  if (!status) status = search_contexts(search, problem, answer, error);
  while (made)
    base_scan_release(&search->scan[--made]);
  free(search);
  return status;
}
