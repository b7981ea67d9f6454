/* The CUDA plug-in: its table of operations, and the device it uses. */
#include <stdio.h>
#include <string.h>

#include "kernels/cuda_blas.h"
#include "kernels/cuda_operations.h"

extern "C" {
#include "kernels/plugin.h"
}

static char device_name[256];

/* Why there is no driver to talk to: cudaDriverGetVersion() tells none from one that is too old. */
static int explain_driver(struct error *error) {
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || !driver ||
      cudaRuntimeGetVersion(&runtime) != cudaSuccess)
    return error_set(error, ERROR_FAILED, "there is no NVIDIA driver here; device 'cpu' works");
  return error_set(error, ERROR_FAILED,
                   "the NVIDIA driver is too old: it supports CUDA %d.%d, at least %d.%d is needed",
                   driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

static int explain_devices(struct error *error) {
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (visible)
    return error_set(error, ERROR_FAILED,
                     "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES is '%s'); device 'cpu' "
                     "works",
                     visible);
  return error_set(error, ERROR_FAILED, "the NVIDIA driver shows no GPU; device 'cpu' works");
}

static int explain(cudaError_t result, struct error *error) {
  (void)cudaGetLastError();
  switch (result) {
  case cudaErrorInsufficientDriver:
    return explain_driver(error);
  case cudaErrorNoDevice:
    return explain_devices(error);
  case cudaErrorStubLibrary:
    return error_set(error, ERROR_FAILED,
                     "the libcuda.so found is the toolkit's stub, not the driver's: take lib/stubs "
                     "out of LD_LIBRARY_PATH");
  default:
    return error_set(error, ERROR_FAILED, "%s (CUDA error %d)", cudaGetErrorString(result),
                     (int)result);
  }
}

static cudaError_t count_devices(int *count) {
  *count = 0;
  const cudaError_t result = cudaGetDeviceCount(count);
  return result == cudaSuccess && *count < 1 ? cudaErrorNoDevice : result;
}

/* Kernels are compiled for compute capability 7.5 and later. */
static int plugin_open(int index, struct error *error) {
  enum { OLDEST = 75 };
  int count, device = 0;
  cudaError_t result = count_devices(&count);
  cudaDeviceProp properties;
  if (result == cudaSuccess && index >= 0) result = cudaSetDevice(index);
  if (result == cudaSuccess) result = cudaGetDevice(&device);
  if (result == cudaSuccess) result = cudaGetDeviceProperties(&properties, device);
  if (result != cudaSuccess) return explain(result, error);
  if (10 * properties.major + properties.minor < OLDEST)
    return error_set(error, ERROR_FAILED,
                     "the GPU '%s' has compute capability %d.%d, at least %d.%d is needed",
                     properties.name, properties.major, properties.minor, OLDEST / 10, OLDEST % 10);
  snprintf(device_name, sizeof device_name, "%s", properties.name);
  return OK;
}

static void plugin_close(void) {
  cuda_blas_close();
}

static enum cuda_state state_of(cudaError_t result, int driver) {
  if (result == cudaSuccess) return CUDA_WORKS;
  if (result == cudaErrorNoDevice) return CUDA_NO_DEVICE;
  return result == cudaErrorInsufficientDriver && !driver ? CUDA_NO_DRIVER : CUDA_BROKEN;
}

static int plugin_survey(struct cuda_survey *survey, struct error *error) {
  int count;
  if (cudaDriverGetVersion(&survey->driver) != cudaSuccess) survey->driver = 0;
  if (cudaRuntimeGetVersion(&survey->runtime) != cudaSuccess) survey->runtime = 0;
  cudaError_t result = count_devices(&count);
  for (int i = 0; result == cudaSuccess && i < count && i < CUDA_DEVICES; i++) {
    struct cuda_device *device = &survey->device[i];
    cudaDeviceProp properties;
    result = cudaGetDeviceProperties(&properties, i);
    if (result != cudaSuccess) continue;
    memcpy(device->name, properties.name, sizeof device->name);
    device->name[sizeof device->name - 1] = '\0';
    device->major = properties.major;
    device->minor = properties.minor;
    device->memory = properties.totalGlobalMem;
  }
  survey->state = state_of(result, survey->driver);
  if (result != cudaSuccess) return explain(result, error);
  survey->devices = (size_t)count;
  survey->blas = cuda_blas_available();
  survey->blas_version = cuda_blas_version();
  cuda_blas_close();
  return OK;
}

static const char *plugin_name(void) {
  return device_name;
}

/* Profiles of distances cost little, and quantiles need the exact order of their scores: the CPU
   has them. */
static const struct backend_operations *table(void) {
  static struct backend_operations operations;
  operations.abi = OPERATIONS_ABI;
  operations.size = sizeof operations;
  operations.open = plugin_open;
  operations.close = plugin_close;
  operations.name = plugin_name;
  operations.survey = plugin_survey;
  operations.decay_bound = decay_bound_cuda;
  operations.cosine_sum = cosine_sum_cuda;
  operations.phase_map = phase_map_cuda;
  operations.rotate = rotate_cuda;
  operations.gaussian = gaussian_cuda;
  operations.scores = scores_cuda;
  operations.limit = limit_cuda;
  return &operations;
}

extern "C" __attribute__((visibility("default"))) const struct backend_operations *
ropetool_operations(void) {
  return table();
}
