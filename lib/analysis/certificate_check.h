/* The parts of a certificate; for lib/analysis/certificate*.c alone. */
#ifndef ROPETOOL_ANALYSIS_CERTIFICATE_CHECK_H
#define ROPETOOL_ANALYSIS_CERTIFICATE_CHECK_H

#include "lib/analysis/certificate.h"

/* Seeded N(0,1) vectors: the first half serve as queries, the second as keys, where the two meet.
 */
enum { CERTIFICATE_VECTORS = 16, CERTIFICATE_SCRATCH = 3, CERTIFICATE_REMARK = 96 };

/* With an entry over this, or NaN, a matrix is no rotation and an iteration on it might not end. */
#define CERTIFICATE_ENTRY_MAXIMUM 1e6

/* One position in one precision: what a check works on. */
struct certificate_case {
  const struct spectrum *spectrum;
  certificate_matrix *matrix;
  enum precision precision;
  int64_t position;
  size_t dim;
  const double *vectors;                /* (vector, dim) */
  const double *rotated;                /* (vector, dim) the same, rotated by the backend */
  double *rotation;                     /* (dim, dim) R_m at the position */
  double *scratch[CERTIFICATE_SCRATCH]; /* (dim, dim) each, free to use */
  double *vector_scratch;               /* (4, vector, dim), free to use */
};

struct certificate_result {
  double value, tolerance;
  double blind; /* the value under the plain fault `blind` of the check: a tolerance that reaches it
                   proves nothing */
  char remark[CERTIFICATE_REMARK]; /* more for `detail`, or "" */
};

struct certificate_check {
  const char *name, *unit;
  const char *quantity;  /* what the value is, for the axis of a figure; NULL: it is 0 or a fault */
  const char *tolerance; /* its formula, in the letters of certificate_bound.h */
  const char *blind;     /* the fault that sets result.blind */
  bool costly;           /* iterates on the dense matrix: fewer positions on wide heads */
  int (*run)(const struct certificate_case *item, struct certificate_result *result,
             struct error *error);
};

extern const struct certificate_check certificate_orthogonality_max,
    certificate_orthogonality_spectral, certificate_determinant, certificate_singular_values,
    certificate_norm;                                          /* certificate_isometry.c */
extern const struct certificate_check certificate_eigenvalues; /* certificate_eigenvalues.c */
extern const struct certificate_check certificate_group_law, certificate_inverse,
    certificate_relative_property; /* certificate_group.c */
extern const struct certificate_check certificate_layout_equivalence,
    certificate_kernel_agreement; /* certificate_agreement.c */

enum { CERTIFICATE_CHECKS = 11 };
extern const struct certificate_check *const certificate_checks[CERTIFICATE_CHECKS];

/* The sampled positions, ascending, without 0 unless there is no other: small ones, primes, powers
   of two, the middle, two drawn from `seed`, the last two. At most CERTIFICATE_FIXED. */
enum {
  CERTIFICATE_FIXED = 40,
  CERTIFICATE_POSITIONS = CERTIFICATE_FIXED + CERTIFICATE_SAMPLES_MAXIMUM
};
size_t certificate_positions(int64_t max_position, uint64_t seed,
                             int64_t positions[CERTIFICATE_POSITIONS]);

/* Adds `samples` positions from 1 to max_position, evenly spaced in the logarithm; fewer where
   there are not as many, or some are there already. */
int certificate_add_samples(int64_t max_position, size_t samples,
                            int64_t positions[CERTIFICATE_POSITIONS], size_t *count,
                            struct error *error);

/* Of one check in one case: not run there, run, or beyond what the format can hold. */
struct certificate_outcome {
  enum { CERTIFICATE_SKIPPED, CERTIFICATE_DONE, CERTIFICATE_BEYOND } state;
  struct certificate_result result;
};

/* A certificate in the making. */
struct certificate {
  const struct certificate_request *request;
  certificate_matrix *matrix;
  size_t dim, position_count, dense_count;
  int64_t positions[CERTIFICATE_POSITIONS];
  bool dense[CERTIFICATE_POSITIONS];    /* whether the costly checks run there */
  double *vectors;                      /* (vector, dim) */
  double *rotated;                      /* (precision, position, vector, dim) by the backend */
  struct certificate_outcome *outcomes; /* (precision, position, check) */
};

/* Outcomes as rows, counts and the rest of the meta data. */
int certificate_table(const struct certificate *work, struct table **result, struct error *error);

#endif
