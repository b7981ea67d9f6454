/* The eigenvalues of R_m are exp(±i·m·θ_i), and 1 for each dimension that does not rotate. */
#include <math.h>
#include <stdlib.h>

#include "lib/analysis/certificate_bound.h"
#include "lib/analysis/certificate_check.h"
#include "lib/analysis/linalg.h"
#include "lib/base/memory.h"

struct point {
  double x, y, angle;
};

static struct point point_at(double x, double y) {
  return (struct point){x, y, atan2(y, x)};
}

static int by_angle(const void *left, const void *right) {
  const double a = ((const struct point *)left)->angle, b = ((const struct point *)right)->angle;
  return (a > b) - (a < b);
}

/* The largest distance of the best pairing of two sets sorted by angle. On a circle the best
   pairing keeps the cyclic order, so it is one of `count` shifts. */
static double matching_distance(size_t count, const struct point *found,
                                const struct point *expected) {
  double best = INFINITY;
  for (size_t shift = 0; shift < count; shift++) {
    double worst = 0;
    for (size_t i = 0, j = shift; i < count && worst < best; i++, j = j + 1 == count ? 0 : j + 1)
      worst = fmax(worst, hypot(found[i].x - expected[j].x, found[i].y - expected[j].y));
    best = fmin(best, worst);
  }
  return best;
}

static void expected_points(const struct certificate_case *item, struct point *expected) {
  const size_t pairs = item->spectrum->pairs;
  for (size_t i = 0; i < pairs; i++) {
    const long double angle = bound_true_angle(item->spectrum, i, item->position);
    const double cosine = (double)cosl(angle), sine = (double)sinl(angle);
    expected[2 * i] = point_at(cosine, sine);
    expected[2 * i + 1] = point_at(cosine, -sine);
  }
  for (size_t j = 2 * pairs; j < item->dim; j++)
    expected[j] = point_at(1, 0);
}

static int match(const struct certificate_case *item, struct point *points, double *distance,
                 struct error *error) {
  const size_t dim = item->dim;
  double *real = item->vector_scratch, *imaginary = real + dim;
  struct point *found = points, *expected = points + dim;
  const int code = linalg_eigenvalues(dim, item->rotation, real, imaginary, error);
  if (code) return code;
  for (size_t i = 0; i < dim; i++)
    found[i] = point_at(real[i], imaginary[i]);
  expected_points(item, expected);
  qsort(found, dim, sizeof *found, by_angle);
  qsort(expected, dim, sizeof *expected, by_angle);
  *distance = matching_distance(dim, found, expected);
  return OK;
}

/* A pair's block c·I + s·J is normal, so R is: its eigenvalues c ± is move no further than a change
   of the matrix is large (Bauer-Fike with condition 1), and the QR algorithm finds those of a
   matrix that is off by a small multiple of d·e. */
static int run_eigenvalues(const struct certificate_case *item, struct certificate_result *result,
                           struct error *error) {
  const size_t dim = item->dim;
  double turn = 0;
  for (size_t i = 0; i < item->spectrum->pairs; i++)
    turn = fmax(turn, bound_absolute(item->spectrum, item->precision, i, item->position));
  result->tolerance = turn + 4 * (double)dim * BOUND_DOUBLE;
  result->blind = bound_reach(item->spectrum, item->position);
  result->value = NAN;
  if (!(linalg_max_abs(dim * dim, item->rotation) <= CERTIFICATE_ENTRY_MAXIMUM)) return OK;
  struct point *points = memory_array(2 * dim, sizeof *points, "the eigenvalues", error);
  if (!points) return error->code;
  const int code = match(item, points, &result->value, error);
  free(points);
  return code;
}

const struct certificate_check certificate_eigenvalues = {
    .name = "eigenvalues",
    .unit = "1",
    .quantity = "distance of eigenvalues to exp(±i m θ)",
    .tolerance =
        "distance to exp(+-i m theta): sqrt(2) t + r + f + 4 d e, the largest of the pairs",
    .blind = "no rotation at all",
    .costly = true,
    .run = run_eigenvalues,
};
