/* The arithmetic of kernels/limit_cpu.c in one type. To be included once for each: NUMBER (float or
   double), ROOT (its square root) and NAME(name) (a name for the type) are defined before. */

/* Adds the roots of CACHED numbers to `sum`. */
VECTOR_CLONES
static void NAME(add_roots)(const NUMBER *restrict value, NUMBER *restrict sum) {
#pragma omp simd
  for (size_t i = 0; i < CACHED; i++)
    sum[i] += ROOT(value[i]);
}

/* The mean of `blocks` · CACHED roots. Sums start anew often enough for floats. */
static double NAME(take_roots)(size_t blocks) {
  enum { BLOCKS = 256 };
  _Alignas(64) NUMBER value[CACHED], sum[CACHED];
  double total = 0;
  for (size_t i = 0; i < CACHED; i++)
    value[i] = (NUMBER)i + (NUMBER)1.5;
  for (size_t first = 0; first < blocks; first += BLOCKS) {
    memset(sum, 0, sizeof sum);
    for (size_t b = first; b < blocks && b < first + BLOCKS; b++)
      NAME(add_roots)(value, sum);
    for (size_t i = 0; i < CACHED; i++)
      total += (double)sum[i];
  }
  return blocks ? total / CACHED / (double)blocks : 0;
}

/* CHAINS chains of x/2 + 1, each a vector wide, are enough to hide one another's latency and fit
   into the registers of every processor. The compiler keeps single variables there, but not an
   array. */
CONTRACTED
static void NAME(step_chains)(NUMBER *restrict x) {
  enum { WIDTH = LINE / sizeof(NUMBER) };
  const NUMBER half = (NUMBER)0.5, one = 1;
#pragma omp simd
  for (size_t i = 0; i < WIDTH; i++) {
    NUMBER *at = x + i;
    NUMBER a = at[0], b = at[WIDTH], c = at[2 * WIDTH], d = at[3 * WIDTH], e = at[4 * WIDTH],
           f = at[5 * WIDTH], g = at[6 * WIDTH], h = at[7 * WIDTH], j = at[8 * WIDTH],
           k = at[9 * WIDTH];
    for (int step = 0; step < STEPS; step++) {
      a = a * half + one, b = b * half + one, c = c * half + one, d = d * half + one;
      e = e * half + one, f = f * half + one, g = g * half + one, h = h * half + one;
      j = j * half + one, k = k * half + one;
    }
    at[0] = a, at[WIDTH] = b, at[2 * WIDTH] = c, at[3 * WIDTH] = d, at[4 * WIDTH] = e;
    at[5 * WIDTH] = f, at[6 * WIDTH] = g, at[7 * WIDTH] = h, at[8 * WIDTH] = j, at[9 * WIDTH] = k;
  }
}

/* What the chains come to on average after `blocks` of STEPS steps. */
static double NAME(take_steps)(size_t blocks) {
  enum { COUNT = CHAINS * LINE / sizeof(NUMBER) };
  _Alignas(64) NUMBER x[COUNT] = {0};
  double total = 0;
  for (size_t b = 0; b < blocks; b++)
    NAME(step_chains)(x);
  for (size_t i = 0; i < COUNT; i++)
    total += (double)x[i];
  return total / COUNT;
}

static void NAME(multiply)(const struct limit_batch *batch, size_t row, size_t rows,
                           size_t product) {
  const size_t columns = batch->columns, inner = batch->inner;
  const NUMBER *left = (const NUMBER *)batch->left + (product * batch->rows + row) * inner;
  const NUMBER *right = (const NUMBER *)batch->right + product * columns * inner;
  GEMM(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)inner, 1, left,
       (int)inner, right, (int)inner, 0, (NUMBER *)batch->output + row * columns, (int)columns);
}
