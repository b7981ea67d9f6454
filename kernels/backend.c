#include "kernels/backend.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/check.h"
#include "kernels/operations.h"
#include "lib/base/memory.h"

struct backend {
  const struct backend_operations *operations;
};

/* The operations of a device; NULL with the error filled when there is no such device. */
static const struct backend_operations *operations_find(const char *device, struct error *error) {
  if (!strcmp(device, "cpu") || !strcmp(device, "auto")) return &cpu_operations;
  if (!strcmp(device, "cuda"))
    error_set(
        error, ERROR_FAILED,
        "no CUDA device: this build has no CUDA plug-in; device 'cpu' or 'auto' works everywhere");
  else
    error_set(error, ERROR_INPUT, "unknown device '%s': auto, cpu or cuda", device);
  return NULL;
}

int backend_open(const char *device, struct backend **backend, struct error *error) {
  *backend = NULL;
  const struct backend_operations *operations = operations_find(device, error);
  if (!operations) return error->code;
  struct backend *opened = memory_array(1, sizeof *opened, "a backend", error);
  if (!opened) return error->code;
  opened->operations = operations;
  if (operations->open(error)) {
    free(opened);
    return error->code;
  }
  *backend = opened;
  return OK;
}

void backend_close(struct backend *backend) {
  if (!backend) return;
  backend->operations->close();
  free(backend);
}

const char *backend_name(const struct backend *backend) {
  return backend->operations->name();
}

int backend_decay_bound(struct backend *backend, const struct decay_batch *batch,
                        struct error *error) {
  const int refused = check_decay(batch, error);
  return refused ? refused : backend->operations->decay_bound(batch, error);
}

int backend_phase_map(struct backend *backend, const struct phase_map_batch *batch,
                      struct error *error) {
  const int refused = check_phase_map(batch, error);
  return refused ? refused : backend->operations->phase_map(batch, error);
}

int backend_rotate(struct backend *backend, const struct rotate_batch *batch, struct error *error) {
  const int refused = check_rotate(batch, error);
  return refused ? refused : backend->operations->rotate(batch, error);
}

int backend_gaussian(struct backend *backend, const struct gaussian_batch *batch,
                     struct error *error) {
  const int refused = check_gaussian(batch, error);
  return refused ? refused : backend->operations->gaussian(batch, error);
}

int backend_scores(struct backend *backend, const struct score_batch *batch, struct error *error) {
  const int refused = check_scores(batch, error);
  return refused ? refused : backend->operations->scores(batch, error);
}

int backend_profile_tiles(struct backend *backend, const struct profile_batch *batch,
                          struct error *error) {
  const int refused = check_profile(batch, error);
  return refused ? refused : backend->operations->profile_tiles(batch, error);
}

int backend_quantiles(struct backend *backend, const struct quantile_batch *batch,
                      struct error *error) {
  const int refused = check_quantiles(batch, error);
  return refused ? refused : backend->operations->quantiles(batch, error);
}
