#include "kernels/backend.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/check.h"
#include "kernels/operations.h"
#include "kernels/plugin.h"
#include "lib/base/memory.h"

struct backend {
  const struct backend_operations *operations;
  char reason[sizeof((struct error *)0)->message];
};

/* The GPU's operations, open; NULL with the error filled when there is no GPU to use. */
static const struct backend_operations *open_cuda(int index, struct error *error) {
  char path[CUDA_PLUGIN_PATH];
  const struct backend_operations *operations =
      plugin_find(path, error) ? NULL : plugin_load(path, error);
  if (operations && !operations->open(index, error)) return operations;
  error_prefix(error, "no CUDA device");
  return NULL;
}

/* The operations of a device, open; `index` as of operations->open. `auto` falls back to the CPU
   and keeps the reason. */
static int open_device(const char *device, int index, struct backend *backend,
                       struct error *error) {
  const bool automatic = !strcmp(device, "auto");
  if (!automatic && strcmp(device, "cpu") && strcmp(device, "cuda"))
    return error_set(error, ERROR_INPUT, "unknown device '%s': auto, cpu or cuda", device);
  int status = cpu_operations.open(-1, error); /* for what a plug-in lacks, too */
  if (status) return status;
  backend->operations = &cpu_operations;
  if (!strcmp(device, "cpu")) return OK;
  struct error missing = {0};
  const struct backend_operations *cuda = open_cuda(index, &missing);
  if (cuda)
    backend->operations = cuda;
  else if (automatic)
    memcpy(backend->reason, missing.message, sizeof backend->reason);
  else
    status = error_set(error, missing.code, "%s", missing.message);
  return status;
}

static int open_backend(const char *device, int index, struct backend **backend,
                        struct error *error) {
  *backend = NULL;
  struct backend *opened = memory_array(1, sizeof *opened, "a backend", error);
  if (!opened) return ERROR_FAILED;
  const int status = open_device(device, index, opened, error);
  if (status)
    free(opened);
  else
    *backend = opened;
  return status;
}

int backend_open(const char *device, struct backend **backend, struct error *error) {
  return open_backend(device, -1, backend, error);
}

int backend_open_gpu(int index, struct backend **backend, struct error *error) {
  return open_backend("cuda", index, backend, error);
}

void backend_survey_cuda(struct cuda_survey *survey, struct error *error) {
  *survey = (struct cuda_survey){.state = CUDA_NO_PLUGIN};
  if (plugin_find(survey->plugin, error)) {
    survey->plugin[0] = '\0';
    return;
  }
  survey->state = CUDA_BAD_PLUGIN;
  const struct backend_operations *operations = plugin_load(survey->plugin, error);
  if (!operations) return;
  survey->state = CUDA_WORKS;
  if (operations->survey)
    operations->survey(survey, error);
  else
    survey->devices = 1; /* and nothing is known of it */
}

const char *backend_reason(const struct backend *backend) {
  return *backend->reason ? backend->reason : NULL;
}

void backend_close(struct backend *backend) {
  if (!backend) return;
  backend->operations->close();
  free(backend);
}

const char *backend_name(const struct backend *backend) {
  return backend->operations->name();
}

/* Ends a function: the device does the batch, or, where a plug-in lacks the operation or declines
   the batch, the CPU. */
#define PERFORM(name)                                                                              \
  int status = OPERATION_DECLINED;                                                                 \
  if (backend->operations->name) status = backend->operations->name(batch, error);                 \
  return status == OPERATION_DECLINED ? cpu_operations.name(batch, error) : status

int backend_decay_bound(struct backend *backend, const struct decay_batch *batch,
                        struct error *error) {
  const int refused = check_decay(batch, error);
  if (refused) return refused;
  PERFORM(decay_bound);
}

int backend_cosine_sum(struct backend *backend, const struct cosine_sum_batch *batch,
                       struct error *error) {
  const int refused = check_cosine_sum(batch, error);
  if (refused) return refused;
  PERFORM(cosine_sum);
}

int backend_cosine_range(struct backend *backend, const struct cosine_range_batch *batch,
                         struct error *error) {
  const int refused = check_cosine_range(batch, error);
  if (refused) return refused;
  PERFORM(cosine_range);
}

int backend_phase_map(struct backend *backend, const struct phase_map_batch *batch,
                      struct error *error) {
  const int refused = check_phase_map(batch, error);
  if (refused) return refused;
  PERFORM(phase_map);
}

int backend_rotate(struct backend *backend, const struct rotate_batch *batch, struct error *error) {
  const int refused = check_rotate(batch, error);
  if (refused) return refused;
  PERFORM(rotate);
}

int backend_gaussian(struct backend *backend, const struct gaussian_batch *batch,
                     struct error *error) {
  const int refused = check_gaussian(batch, error);
  if (refused) return refused;
  PERFORM(gaussian);
}

int backend_scores(struct backend *backend, const struct score_batch *batch, struct error *error) {
  const int refused = check_scores(batch, error);
  if (refused) return refused;
  PERFORM(scores);
}

int backend_profile_tiles(struct backend *backend, const struct profile_batch *batch,
                          struct error *error) {
  const int refused = check_profile(batch, error);
  if (refused) return refused;
  PERFORM(profile_tiles);
}

int backend_quantiles(struct backend *backend, const struct quantile_batch *batch,
                      struct error *error) {
  const int refused = check_quantiles(batch, error);
  if (refused) return refused;
  PERFORM(quantiles);
}

bool backend_has_limits(const struct backend *backend) {
  return backend->operations->limit != NULL;
}

int backend_limit(struct backend *backend, const struct limit_batch *batch, struct error *error) {
  if (!backend_has_limits(backend))
    return error_set(error, ERROR_FAILED, "the limits of '%s' are not known",
                     backend_name(backend));
  const int refused = check_limit(batch, error);
  return refused ? refused : backend->operations->limit(batch, error);
}
