/* Errors, the device's properties, launches, and the knobs of control.h. */
#include "tests/simt/host_api.h"

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>

#include "tests/simt/control.h"
#include "tests/simt/engine.h"

namespace simt {

int devices = 1;
static int driver_error;
static size_t shared_optin = 227 << 10;
static const size_t shared_default = 48 << 10;

static cudaError_t last_error, broken;
static unsigned long calls, reports;
static const char *unchecked; /* a kernel whose launch nobody has checked */

static struct {
  char call[64]; /* "": any */
  unsigned long nth;
  cudaError_t error;
} failure;

/* The most dynamic shared memory that a kernel has asked to be allowed. */
static std::map<const void *, int> &allowed = *new std::map<const void *, int>;

/* ---- Errors -----------------------------------------------------------------------------------
 */

void report(const char *format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  reports++;
  fprintf(stderr, "simt: %s\n", text);
}

cudaError_t fail(cudaError_t error) {
  return last_error = error;
}

void break_context(cudaError_t error) {
  if (!broken) broken = error;
}

cudaError_t outcome() {
  return broken ? fail(broken) : cudaSuccess;
}

void check_launches(const char *waiter) {
  if (unchecked)
    report("%s waits for kernel %s, but cudaGetLastError() has not been asked whether it was "
           "launched",
           waiter, unchecked);
  unchecked = nullptr;
}

cudaError_t enter(const char *call) {
  calls++;
  if (driver_error) return fail((cudaError_t)driver_error);
  if (devices == 0) return fail(cudaErrorNoDevice);
  if (broken) return fail(broken);
  if (failure.nth && (!*failure.call || !strcmp(failure.call, call)) && --failure.nth == 0)
    return fail(failure.error);
  return cudaSuccess;
}

static const struct {
  cudaError_t error;
  const char *name, *text;
} errors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorStubLibrary, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
};

/* ---- Launches ---------------------------------------------------------------------------------
 */

static cudaError_t check_launch(const Launch &launch) {
  const dim3 &grid = launch.grid, &block = launch.block;
  if (!grid.x || !grid.y || !grid.z || grid.x > INT_MAX || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (!block.x || !block.y || !block.z || block.x > 1024 || block.y > 1024 || block.z > 64 ||
      block.x * block.y * block.z > 1024)
    return cudaErrorInvalidConfiguration;
  const auto limit = allowed.find(launch.kernel);
  if (launch.shared_bytes > (limit == allowed.end() ? shared_default : (size_t)limit->second))
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

void launch(const Launch &launch, std::unique_ptr<const Call> call) {
  unchecked = launch.name;
  if (enter("launch")) return;
  if (const cudaError_t error = check_launch(launch)) {
    (void)fail(error);
    return;
  }
  const std::shared_ptr<const Call> kept = std::move(call);
  enqueue(launch.stream, [=] {
    if (!broken) run_grid(launch, *kept);
  });
}

cudaError_t set_attribute(const void *kernel, cudaFuncAttribute attribute, int value) {
  if (const cudaError_t error = enter("cudaFuncSetAttribute")) return error;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || (size_t)value > shared_optin) return fail(cudaErrorInvalidValue);
  allowed[kernel] = value;
  return cudaSuccess;
}

/* Registers, which only the compiler knows, are left out. */
cudaError_t occupancy(int *blocks, const void *, int block_threads, size_t shared_bytes) {
  if (const cudaError_t error = enter("cudaOccupancy")) return error;
  if (block_threads < 1 || block_threads > 1024) return fail(cudaErrorInvalidValue);
  const size_t by_threads = 2048 / ((size_t)(block_threads + 31) / 32 * 32);
  const size_t by_shared = (shared_optin + 1024) / (shared_bytes + 1024);
  *blocks = (int)min(min(by_threads, by_shared), (size_t)32);
  return cudaSuccess;
}

/* ---- The end of the program -------------------------------------------------------------------
 */

__attribute__((destructor)) static void sum_up() {
  if (unchecked) report("nobody asked whether kernel %s was launched", unchecked);
  if (work_pending()) report("the program ends before its work in streams is done");
  if (allocated) report("%zu bytes of device memory are never freed", allocated);
  if (!reports) return;
  fflush(nullptr);
  fprintf(stderr, "simt: %lu faults\n", reports);
  _exit(70);
}

} // namespace simt

using namespace simt;

const char *cudaGetErrorName(cudaError_t error) {
  for (const auto &known : errors)
    if (known.error == error) return known.name;
  return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  for (const auto &known : errors)
    if (known.error == error) return known.text;
  return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() {
  unchecked = nullptr;
  return last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

/* ---- The device -------------------------------------------------------------------------------
 */

/* Answers without a driver, too: success and 0. */
cudaError_t cudaDriverGetVersion(int *version) {
  *version = driver_error ? 0 : 13000;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = 13000;
  return cudaSuccess;
}

/* As the real one, it leaves the count alone when it fails. */
cudaError_t cudaGetDeviceCount(int *count) {
  if (const cudaError_t error = enter("cudaGetDeviceCount")) return error;
  *count = devices;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  if (const cudaError_t error = enter("cudaGetDevice")) return error;
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t error = enter("cudaSetDevice")) return error;
  return device >= 0 && device < devices ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
  if (const cudaError_t error = enter("cudaGetDeviceProperties")) return error;
  if (device < 0 || device >= devices) return fail(cudaErrorInvalidDevice);
  *properties = {};
  strcpy(properties->name, "simulated device");
  properties->totalGlobalMem = device_memory;
  properties->sharedMemPerBlock = shared_default;
  properties->sharedMemPerBlockOptin = shared_optin;
  properties->sharedMemPerMultiprocessor = shared_optin + 1024;
  properties->totalConstMem = 64 << 10;
  properties->regsPerBlock = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  const int threads[3] = {1024, 1024, 64}, grid[3] = {INT_MAX, 65535, 65535};
  memcpy(properties->maxThreadsDim, threads, sizeof threads);
  memcpy(properties->maxGridSize, grid, sizeof grid);
  properties->major = 9;
  properties->multiProcessorCount = 4;
  properties->l2CacheSize = 4 << 20;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, device)) return error;
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = properties.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = (int)properties.sharedMemPerBlock;
    break;
  case cudaDevAttrWarpSize:
    *value = properties.warpSize;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = properties.multiProcessorCount;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = properties.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = properties.minor;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = (int)properties.sharedMemPerBlockOptin;
    break;
  default:
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = enter("cudaDeviceSynchronize")) return error;
  check_launches("cudaDeviceSynchronize");
  drain_all();
  return outcome();
}

cudaError_t cudaDeviceReset() {
  drain_all();
  forget_memory();
  broken = last_error = cudaSuccess;
  return cudaSuccess;
}

/* ---- Knobs ------------------------------------------------------------------------------------
 */

void simt_order(const char *text) {
  order = !strcmp(text, "forward")   ? Order::forward
          : !strcmp(text, "reverse") ? Order::reverse
                                     : Order::seeded;
  random_seed(strtoull(text, nullptr, 10));
}

void simt_device_count(int count) {
  devices = count;
}

void simt_shared(size_t bytes) {
  shared_optin = bytes;
}

void simt_driver_error(int error) {
  driver_error = error;
}

void simt_fail(const char *call, unsigned long nth, int error) {
  snprintf(failure.call, sizeof failure.call, "%s", call ? call : "");
  failure.nth = nth;
  failure.error = (cudaError_t)error;
}

unsigned long simt_calls(void) {
  return calls;
}

unsigned long simt_reports(void) {
  return reports;
}

void simt_reset(void) {
  forget_work();
  forget_memory();
  broken = last_error = cudaSuccess;
  unchecked = nullptr;
  reports = 0;
  failure.nth = 0;
  if (race_forget) race_forget();
}

static const bool preset = [] {
  char call[64] = "";
  unsigned long nth = 1;
  int error = cudaErrorMemoryAllocation;
  if (const char *text = getenv("SIMT_ORDER")) simt_order(text);
  if (const char *text = getenv("SIMT_DEVICES")) simt_device_count(atoi(text));
  if (const char *text = getenv("SIMT_MEMORY")) simt_memory(strtoull(text, nullptr, 10));
  if (const char *text = getenv("SIMT_SHARED")) simt_shared(strtoull(text, nullptr, 10));
  if (const char *text = getenv("SIMT_ERROR")) simt_driver_error(atoi(text));
  if (const char *text = getenv("SIMT_FAIL"))
    if (sscanf(text, "%63[^:]:%lu:%d", call, &nth, &error) >= 1) simt_fail(call, nth, error);
  return true;
}();
