/* Linear attention: weights from products of features in the place of a softmax.

   With features φ(q), φ(k) > 0, RoFormer's eq. 19 (arXiv:2104.09864) rotates them in the numerator
   alone:
     A(m, n) = (R_m φ(q_m))ᵀ(R_n φ(k_n)) / Σ_j φ(q_m)ᵀφ(k_j).
   The denominator stays > 0; a weight may be negative, and a row need not sum to 1. The other way,
   of performer-pytorch, rotates queries and keys before the feature map: numerator and denominator
   have the same features, and weights are those of a softmax kernel. */
#ifndef ROPETOOL_ANALYSIS_LINEAR_ATTENTION_H
#define ROPETOOL_ANALYSIS_LINEAR_ATTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/backend.h"
#include "lib/base/error.h"

/* What makes features of vectors. */
struct feature_map {
  bool favor;   /* else elu(x) + 1 of each dimension (Katharopoulos et al., arXiv:2006.16236) */
  size_t dim;   /* of queries and keys */
  size_t count; /* of features: dim for elu */
  /* FAVOR+ (Choromanski et al., arXiv:2009.14794), as performer-pytorch has it, with ω a row:
       φ_i(x) = (exp(ω_iᵀx' − ‖x'‖²/2 − c) + 1e-4)/√count, x' = x·dim^(−1/4),
     c the largest ω_iᵀx' of a query, or of all keys. */
  double
      *directions; /* (count, dim): blocks of orthogonal rows with the lengths of Gaussian ones */
};

/* The usual number of FAVOR+'s features: dim·ln(dim) rounded down to an even number, or dim where
   that is more. */
size_t feature_map_default(size_t dim);

/* ERROR_INPUT: an odd number of features, which cannot be rotated in pairs. To be released in any
   case. */
int feature_map_make(struct backend *backend, struct feature_map *map, uint64_t seed,
                     struct error *error);
void feature_map_release(struct feature_map *map);

/* Features (row, count) of vectors (row, dim); `key`: of keys, else of queries. */
int feature_map_apply(const struct feature_map *map, bool key, size_t rows, const double *vector,
                      double *feature, struct error *error);

/* Queries and keys under linear attention. */
struct linear_attention {
  size_t length, features;
  const double *query, *key;                 /* (position, feature): of the denominator */
  const double *rotated_query, *rotated_key; /* of the numerator; may be the same arrays */
  bool causal;
  size_t columns;      /* of values; 0: none */
  const double *value; /* (position, column) */
};

/* Sums over the rows of A. */
struct linear_sums {
  double locality, distance;
  double entropy;  /* NaN where a weight is negative */
  double negative; /* how many weights are */
};

/* From the matrix A, some rows at a time: sums, what values become, (position, column), unless
   NULL, and tiles unless NULL. O(length²·features). */
int linear_attention_matrix(const struct linear_attention *attention, struct linear_sums *sums,
                            double *output, const struct tiles *tiles, struct error *error);

/* What values become by a running state, Σ R_nφ(k_n)v_nᵀ and Σ φ(k_n): O(length·features·columns).
 */
int linear_attention_state(const struct linear_attention *attention, double *output,
                           struct error *error);

/* The largest difference of two outputs over the largest magnitude of the first. */
double linear_attention_difference(const struct linear_attention *attention, const double *first,
                                   const double *second);

#endif
