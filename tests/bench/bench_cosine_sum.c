/* The rate of cosine sums, tables included, against the matrix product alone that they come to.

     bench_cosine_sum [DIM [DISTANCES]]        default 128 1048576; one thread

   prints terms a second and ratios, for double and for single, with the sums stored and with only
   their minimum wanted. A term is one cos(mθ_i); the product is of as square a shape as has so many
   distances. */
#include <cblas.h>

#include "kernels/backend.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"
#include "lib/base/thread.h"
#include "tests/bench/pairs.h"

struct product {
  int rows, lanes, width;
  double *row, *lane, *sum; /* of floats where the product is single */
};

static void run_dgemm(void *argument) {
  const struct product *p = argument;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p->rows, p->lanes, p->width, 1, p->row,
              p->width, p->lane, p->width, 0, p->sum, p->lanes);
}

static void run_sgemm(void *argument) {
  const struct product *p = argument;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p->rows, p->lanes, p->width, 1,
              (const float *)p->row, p->width, (const float *)p->lane, p->width, 0, (float *)p->sum,
              p->lanes);
}

struct cosines {
  struct backend *backend;
  struct cosine_sum_batch batch;
  struct error error;
};

static void run_cosines(void *argument) {
  struct cosines *cosines = argument;
  backend_cosine_sum(cosines->backend, &cosines->batch, &cosines->error);
}

/* The shape of the product; its matrices hold numbers in [−1, 1] (as floats too: the bits do not
   matter to the time as long as they are numbers). */
static int product_open(struct product *product, size_t pairs, size_t count, struct error *error) {
  size_t lanes = (size_t)sqrt((double)count);
  while (count % lanes)
    lanes--;
  *product = (struct product){(int)(count / lanes), (int)lanes, (int)(2 * pairs), NULL, NULL, NULL};
  const size_t rows = count / lanes * 2 * pairs;
  product->row = memory_array(rows, sizeof(double), "the rows", error);
  product->lane = memory_array(lanes * 2 * pairs, sizeof(double), "the lanes", error);
  product->sum = memory_array(count, sizeof(double), "the product", error);
  if (!product->row || !product->lane || !product->sum) return ERROR_FAILED;
  for (size_t i = 0; i < rows; i++)
    product->row[i] = cos((double)i);
  for (size_t i = 0; i < lanes * 2 * pairs; i++)
    product->lane[i] = sin((double)i);
  return OK;
}

static void time_all(struct product *product, struct cosines *cosines, double *sum, double terms) {
  static const char *const names[2][2] = {{"cosine sums, double", "minimum alone, double"},
                                          {"cosine sums, single", "minimum alone, single"}};
  for (int single = 0; single <= 1; single++)
    for (int reduced = 0; reduced <= 1 && !cosines->error.code; reduced++) {
      const struct bench_work limit = {single ? "sgemm alone" : "dgemm alone",
                                       single ? run_sgemm : run_dgemm, product};
      const struct bench_work work = {names[single][reduced], run_cosines, cosines};
      cosines->batch.single = single;
      cosines->batch.sum = reduced ? NULL : sum;
      pairs_time(&limit, &work, terms);
    }
}

int main(int argc, char **argv) {
  const size_t pairs = (argc > 1 ? strtoul(argv[1], NULL, 10) : 128) / 2;
  const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1048576;
  struct cosines cosines = {0};
  struct product product = {0};
  struct error *error = &cosines.error;
  double minimum = NAN;
  thread_use(1);
  if (!pairs || !count || backend_open("cpu", &cosines.backend, error)) return 1;
  uint64_t *step = memory_array(pairs, sizeof *step, "steps", error);
  double *sum = memory_array(count, sizeof *sum, "sums", error);
  for (size_t i = 0; step && i < pairs; i++)
    step[i] = phase_step(powl(10000, -(long double)i / (long double)pairs));
  cosines.batch = (struct cosine_sum_batch){
      .phases = {.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64},
      .step = 1,
      .count = count,
      .minimum = &minimum,
  };
  if (step && sum && !product_open(&product, pairs, count, error))
    time_all(&product, &cosines, sum, (double)pairs * (double)count);
  if (error->code) fprintf(stderr, "bench_cosine_sum: %s\n", error->message);
  printf("(the minimum is %.9g)\n", minimum);
  backend_close(cosines.backend);
  free(product.row);
  free(product.lane);
  free(product.sum);
  free(step);
  free(sum);
  return (int)error->code;
}
