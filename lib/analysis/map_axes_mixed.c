/* How mixed RoPE sees a picture: Σ_i cos(Δx·θx_i + Δy·θy_i) = Σ_i cos(Δy·θy_i)·cos(Δx·θx_i) −
   sin(Δy·θy_i)·sin(Δx·θx_i), a product of what rows and columns have each for themselves. */
#include <stdlib.h>

#include "lib/analysis/map_kind.h"
#include "lib/base/memory.h"
#include "lib/base/phase.h"

/* Cosines and sines along one axis. */
struct waves {
  double *cosine, *sine; /* (place, pair) */
};

static void release(struct waves *waves) {
  free(waves->cosine);
  free(waves->sine);
}

/* Of `count` places, with the query at ⌊count/2⌋. */
static int make_waves(struct backend *backend, const double *frequency, size_t pairs, size_t count,
                      struct waves *waves, struct error *error) {
  static const char what[] = "the waves along an axis";
  uint64_t *step = memory_array(pairs, sizeof *step, what, error);
  int64_t *place = step ? memory_array(count, sizeof *place, what, error) : NULL;
  waves->cosine = place ? memory_array(count * pairs, sizeof *waves->cosine, what, error) : NULL;
  waves->sine =
      waves->cosine ? memory_array(count * pairs, sizeof *waves->sine, what, error) : NULL;
  int status = waves->sine ? OK : ERROR_FAILED;
  /* Turns count modulo 2^64: a step to the other side is the negative one. */
  for (size_t i = 0; !status && i < pairs; i++)
    step[i] = frequency[i] < 0 ? 0 - phase_step(-frequency[i]) : phase_step(frequency[i]);
  for (size_t n = 0; !status && n < count; n++)
    place[n] = (int64_t)n - (int64_t)(count / 2);
  struct phase_map_batch batch = {
      .phases = {.series = 1, .pairs = pairs, .step = step, .precision = PRECISION_FP64},
      .quantity = PHASE_COSINE,
      .rows = count,
      .position = place,
      .output = waves->cosine};
  if (!status) status = backend_phase_map(backend, &batch, error);
  batch.quantity = PHASE_SINE;
  batch.output = waves->sine;
  if (!status) status = backend_phase_map(backend, &batch, error);
  free(place);
  free(step);
  return status;
}

static double sum_at(const struct waves *down, size_t row, const struct waves *across,
                     size_t column, size_t pairs) {
  const double *row_cosine = down->cosine + row * pairs, *row_sine = down->sine + row * pairs;
  const double *cosine = across->cosine + column * pairs, *sine = across->sine + column * pairs;
  double sum = 0;
  for (size_t i = 0; i < pairs; i++)
    sum += row_cosine[i] * cosine[i] - row_sine[i] * sine[i];
  return sum;
}

int map_axes_mixed(struct backend *backend, const struct map_request *request, double *whole,
                   struct error *error) {
  const struct mixed *mixed = request->mixed;
  const size_t height = request->grid.height, width = request->grid.width, pairs = mixed->pairs;
  struct waves down = {0}, across = {0};
  int status = make_waves(backend, mixed->frequency + pairs, pairs, height, &down, error);
  if (!status) status = make_waves(backend, mixed->frequency, pairs, width, &across, error);
  for (size_t r = 0; !status && r < height; r++)
    for (size_t c = 0; c < width; c++)
      whole[r * width + c] = sum_at(&down, r, &across, c, pairs);
  release(&down);
  release(&across);
  return status;
}
