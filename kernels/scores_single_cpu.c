/* Scores in float. */
#include <cblas.h>

#define NUMBER      float
#define EXPONENTIAL exponential_single
#define GEMM        cblas_sgemm
#define ARITHMETIC  score_arithmetic_single
#include "kernels/score_arithmetic_of.h"
