/* doctor: the engine on the CPU and on every GPU, each operation held against its definition. */
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor_parts.h"
#include "lib/analysis/self_check.h"

/* `where` stands before the name of each check. */
static void check_operation(struct doctor *doctor, const char *where, size_t index,
                            struct backend *backend) {
  char item[64], value[32];
  struct self_check_result result;
  struct error error;
  snprintf(item, sizeof item, "%s%s", where, self_check_name(index));
  if (self_check_run(index, backend, &result, &error)) {
    doctor_add(doctor, item, DOCTOR_FAIL, "", "%s", error.message);
    return;
  }
  snprintf(value, sizeof value, "%.2g", result.error);
  if (result.error <= result.tolerance)
    doctor_add(doctor, item, DOCTOR_OK, value, "largest error; %.2g are allowed", result.tolerance);
  else
    doctor_add(doctor, item, DOCTOR_FAIL, value,
               "wrong: the largest error is above the %.2g that are allowed; this is a fault of "
               "the program, of a library or of the device",
               result.tolerance);
}

static void check_backend(struct doctor *doctor, const char *where, bool gpu,
                          struct backend *backend) {
  for (size_t i = 0; self_check_name(i); i++)
    if (!gpu || self_check_on_gpu(i)) check_operation(doctor, where, i, backend);
}

static void examine_cpu(struct doctor *doctor) {
  struct backend *backend;
  struct error error;
  if (backend_open("cpu", &backend, &error)) {
    doctor_add(doctor, "device", DOCTOR_FAIL, "", "%s", error.message);
    return;
  }
  check_backend(doctor, "", false, backend);
  backend_close(backend);
}

static void examine_device(struct doctor *doctor, const struct cuda_survey *survey, size_t index) {
  char item[32], size[DOCTOR_SIZE];
  struct backend *backend;
  struct error error;
  snprintf(item, sizeof item, "device %zu", index);
  const struct cuda_device *device = &survey->device[index];
  if (backend_open_gpu((int)index, &backend, &error)) {
    doctor_add(doctor, item, DOCTOR_FAIL, device->name, "%s", error.message);
    return;
  }
  if (!index) meta_set_text(table_meta(doctor->table), "backend", backend_name(backend));
  doctor_size_text(device->memory, size);
  if (device->major)
    doctor_add(doctor, item, DOCTOR_OK, backend_name(backend), "compute capability %d.%d, %s",
               device->major, device->minor, size);
  else
    doctor_add(doctor, item, DOCTOR_OK, backend_name(backend), "%s", "");
  snprintf(item, sizeof item, "device %zu, ", index);
  check_backend(doctor, item, true, backend);
  backend_close(backend);
}

/* Without it the plug-in has products of its own; one that was named is wanted. */
static void examine_cublas(struct doctor *doctor, const struct cuda_survey *survey) {
  char version[32];
  const char *named = getenv("ROPETOOL_CUBLAS");
  snprintf(version, sizeof version, "%d.%d.%d", survey->blas_version / 10000,
           survey->blas_version / 100 % 100, survey->blas_version % 100);
  if (survey->blas)
    doctor_add(doctor, "cublas", DOCTOR_OK, survey->blas_version ? version : "", "%s", "found");
  else if (named && !strcmp(named, "no"))
    doctor_add(doctor, "cublas", DOCTOR_ABSENT, "", "%s",
               "not looked for: ROPETOOL_CUBLAS is 'no'");
  else if (named && *named)
    doctor_add(doctor, "cublas", DOCTOR_FAIL, named, "%s",
               "named by ROPETOOL_CUBLAS, and cannot be opened or used");
  else
    doctor_add(
        doctor, "cublas", DOCTOR_ABSENT, "", "%s",
        "not found: products of the plug-in's own are used, which take longer; it comes with "
        "the CUDA toolkit, and LD_LIBRARY_PATH says where it is");
}

static void examine_driver(struct doctor *doctor, const struct cuda_survey *survey) {
  char version[32];
  if (!survey->driver) return;
  snprintf(version, sizeof version, "CUDA %d.%d", survey->driver / 1000,
           survey->driver % 1000 / 10);
  doctor_add(doctor, "driver", DOCTOR_OK, version, "the plug-in has the runtime of CUDA %d.%d",
             survey->runtime / 1000, survey->runtime % 1000 / 10);
}

/* The item that a survey ended at. */
static const char *const stage[] = {
    [CUDA_NO_PLUGIN] = "plug-in", [CUDA_BAD_PLUGIN] = "plug-in", [CUDA_NO_DRIVER] = "driver",
    [CUDA_NO_DEVICE] = "devices", [CUDA_BROKEN] = "devices",
};

/* That there is none is no fault, unless one was asked for. */
static void examine_cuda(struct doctor *doctor) {
  if (!strcmp(doctor->device, "cpu")) {
    doctor_add(doctor, "plug-in", DOCTOR_ABSENT, "", "%s", "not looked at: --device is 'cpu'");
    return;
  }
  struct cuda_survey *survey = calloc(1, sizeof *survey);
  struct error error = {0};
  if (!survey) {
    doctor_add(doctor, "plug-in", DOCTOR_FAIL, "", "%s", "not looked at: out of memory");
    return;
  }
  backend_survey_cuda(survey, &error);
  const enum cuda_state state = survey->state;
  if (state > CUDA_BAD_PLUGIN) {
    doctor_add(doctor, "plug-in", DOCTOR_OK, survey->plugin, "%s", "");
    examine_driver(doctor, survey);
  }
  if (state != CUDA_WORKS) {
    const bool absent =
        strcmp(doctor->device, "cuda") && state != CUDA_BAD_PLUGIN && state != CUDA_BROKEN;
    doctor_add(doctor, stage[state], absent ? DOCTOR_ABSENT : DOCTOR_FAIL, "", "%s", error.message);
  } else {
    examine_cublas(doctor, survey);
    for (size_t i = 0; i < survey->devices && i < CUDA_DEVICES; i++)
      examine_device(doctor, survey, i);
  }
  free(survey);
}

const struct doctor_part doctor_cpu = {"cpu", examine_cpu}, doctor_cuda = {"cuda", examine_cuda};
