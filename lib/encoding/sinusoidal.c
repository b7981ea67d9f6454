/* The sinusoidal table of the first Transformer, added to query and key. */
#include <stdlib.h>

#include "lib/base/memory.h"
#include "lib/encoding/list.h"
#include "lib/rope/phases.h"

static size_t dim(const struct spectrum *spectrum) {
  return 2 * spectrum->pairs;
}

/* p_{k,2i} = sin(kθ_i), p_{k,2i+1} = cos(kθ_i). */
static int fill_table(struct backend *backend, const struct spectrum *spectrum, int64_t first,
                      size_t rows, double *table, struct error *error) {
  const size_t pairs = spectrum->pairs;
  int status = memory_require(rows, pairs * sizeof(double), "a sinusoidal table", error);
  if (status) return status;
  int64_t *position = memory_array(rows, sizeof *position, "the positions of a table", error);
  double *wave = memory_array(rows * pairs, sizeof *wave, "a sinusoidal table", error);
  if (!position || !wave) status = ERROR_FAILED;
  struct phase_map_batch batch = {
      .phases = phases_of(spectrum), .rows = rows, .position = position, .output = wave};
  for (size_t r = 0; !status && r < rows; r++)
    position[r] = first + (int64_t)r;
  for (size_t second = 0; !status && second < 2; second++) {
    batch.quantity = second ? PHASE_COSINE : PHASE_SINE;
    status = backend_phase_map(backend, &batch, error);
    for (size_t i = 0; !status && i < rows * pairs; i++)
      table[2 * i + second] = wave[i];
  }
  free(wave);
  free(position);
  return status;
}

static bool stationary(double value) {
  return value == 0;
}

/* ⟨p_m, p_n⟩ = Σ_i sin(mθ_i) sin(nθ_i) + cos(mθ_i) cos(nθ_i) = Σ_i cos((m−n)θ_i). */
static int profile(struct backend *backend, const struct spectrum *spectrum, double value,
                   size_t count, double *score, struct error *error) {
  (void)value;
  return encoding_cosine_sums(backend, spectrum, count, score, error);
}

const struct encoding encoding_sinusoidal = {
    .name = "sinusoidal",
    .title = "Sinusoidal",
    .formula = "(q + p_m)^T (k + p_n), p_{k,2i} = sin(k theta_i), p_{k,2i+1} = cos(k theta_i)",
    .source = "Vaswani et al., Attention Is All You Need, arXiv:1706.03762, section 3.5",
    .dim = dim,
    .table = fill_table,
    .stationary = stationary,
    .profile = profile,
};
