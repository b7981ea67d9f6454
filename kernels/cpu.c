#include "kernels/cpu.h"

#include <cblas.h>
#include <string.h>

#include "kernels/operations.h"

/* Matrix products run inside our own threads: OpenBLAS must not start more, nor cut sums by their
 * number. */
static int cpu_open(int index, struct error *error) {
  (void)index;
  (void)error;
  openblas_set_num_threads(1);
  return OK;
}

static void cpu_close(void) {}

static const char *cpu_name(void) {
  return "cpu";
}

const struct backend_operations cpu_operations = {
    .abi = OPERATIONS_ABI,
    .size = sizeof(struct backend_operations),
    .open = cpu_open,
    .close = cpu_close,
    .name = cpu_name,
    .decay_bound = decay_bound_cpu,
    .cosine_sum = cosine_sum_cpu,
    .cosine_range = cosine_range_cpu,
    .phase_map = phase_map_cpu,
    .rotate = rotate_cpu,
    .gaussian = gaussian_cpu,
    .scores = scores_cpu,
    .profile_tiles = profile_tiles_cpu,
    .quantiles = quantiles_cpu,
    .limit = limit_cpu,
};

const char *backend_blas(void) {
  return openblas_get_config();
}

const char *backend_blas_kernels(void) {
  return openblas_get_corename();
}

const char *backend_blas_better(void) {
  /* Those without AVX: right for every processor, and several times as slow. */
  static const char *const old[] = {"Prescott",  "Core2",  "Penryn",      "Dunnington",
                                    "Nehalem",   "Atom",   "Nano",        "Opteron",
                                    "Barcelona", "Bobcat", "Opteron_SSE3"};
  const char *kernels = backend_blas_kernels(), *vectors = backend_vectors();
  const char *better = !strcmp(vectors, "x86-64-v4")   ? "SkylakeX"
                       : !strcmp(vectors, "x86-64-v3") ? "Haswell"
                                                       : NULL;
  for (size_t i = 0; i < sizeof old / sizeof *old; i++)
    if (!strcmp(kernels, old[i])) return better;
  return NULL;
}

/* As VECTOR_CLONES has them, and by the same question to the processor. */
const char *backend_vectors(void) {
#if defined(__x86_64__) && !defined(__clang__)
  if (__builtin_cpu_supports("x86-64-v4")) return "x86-64-v4";
  if (__builtin_cpu_supports("x86-64-v3")) return "x86-64-v3";
#endif
  return "default";
}
