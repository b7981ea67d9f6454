/* What the score pass does to rows of numbers, once in double and once in float: the one place
   where the two differ. Every sum of many terms is in double, in an order that is the same for
   every width of the machine's vectors. */
#ifndef ROPETOOL_KERNELS_SCORE_ARITHMETIC_H
#define ROPETOOL_KERNELS_SCORE_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>

/* score (row, key) = share · query (row, dim) · key (key, dim), or added to what is there. */
struct score_product {
  size_t rows, keys, dim;
  double share;
  bool add;
  const void *query, *key;
  void *score;
  size_t stride; /* numbers from one row of scores to the next */
};

/* Sums over e = 2^(x − peak) of a row of scores, x = scale·score + bias. */
struct exponential_sums {
  double total;    /* Σ e */
  double exponent; /* Σ e·(x − peak) */
  double distance; /* Σ e·|m − n| */
};

struct score_arithmetic {
  size_t size; /* bytes of a number */

  void (*store)(const double *value, size_t count, void *number);
  void (*load)(const void *number, size_t count, double factor, double *value); /* factor·number */
  void (*multiply)(const struct score_product *product);

  /* sum = factor·number, or added to what is there. */
  void (*average)(const void *number, size_t count, double factor, bool add, void *sum);

  /* For the following `bias` holds a number for each score, or is NULL: nothing is added. Where it
     is −∞ e is 0, whatever the score. */

  /* The largest x, leaving out NaN: the exponentials of NaN are NaN soon enough. */
  double (*peak)(const void *score, const void *bias, size_t count, double scale);

  /* Replaces scores by e, for a peak that is not below any; the sum of them. */
  double (*exponentials)(void *score, const void *bias, size_t count, double scale, double peak);

  /* The same with all three sums; `offset` is n − m of the first score. */
  struct exponential_sums (*moments)(void *score, const void *bias, size_t count, double scale,
                                     double peak, double offset);
};

extern const struct score_arithmetic score_arithmetic_double, score_arithmetic_single;

#endif
