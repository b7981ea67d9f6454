/* Scores in double. */
#include <cblas.h>

#define NUMBER      double
#define EXPONENTIAL exponential_double
#define GEMM        cblas_dgemm
#define ARITHMETIC  score_arithmetic_double
#include "kernels/score_arithmetic_of.h"
