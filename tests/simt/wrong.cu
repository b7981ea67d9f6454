/* Wrong kernels, and wrong uses of the host's side, one fault each. */
#include <cstring>

#include "tests/simt/cases.h"

static const unsigned every_lane = 0xffffffffu;
static const int threads = 128, blocks = 2;

typedef void kernel_type(float *output, const float *input, int count);

/* Runs a kernel on `count` = wrong_results numbers, all initialised unless `blank`. */
static cudaError_t run(kernel_type *kernel, float *result, size_t shared_bytes = 0,
                       bool blank = false) {
  float input[wrong_results];
  for (int i = 0; i < wrong_results; i++)
    input[i] = (float)(i + 1);
  Array<float> from, to;
  if (blank)
    TRY(from.make(wrong_results));
  else
    TRY(from.make(wrong_results, input));
  TRY(to.make(wrong_results, input));
  CUDA_LAUNCH(kernel, blocks, threads, shared_bytes)(to.at, from.at, wrong_results);
  TRY(cudaGetLastError());
  TRY(cudaDeviceSynchronize());
  return to.read(result, wrong_results);
}

#define RUN(kernel, ...)                                                                           \
  static cudaError_t run_##kernel(float *result) {                                                 \
    return run(kernel, result, ##__VA_ARGS__);                                                     \
  }

/* ---- Barriers and collectives ------------------------------------------------------------------
 */

__global__ void divergent_barrier(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x < 64)
    __syncthreads();
  else
    __syncthreads(), output[at] = input[at];
}
RUN(divergent_barrier)

__global__ void exit_before_barrier(float *output, const float *input, int count) {
  const int at = blockIdx.x * threads + threadIdx.x;
  if (at >= count - 1) return;
  __syncthreads();
  output[at] = input[at];
}
RUN(exit_before_barrier)

__global__ void missing_lane(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  float value = input[at];
  if (threadIdx.x & 1) value = __shfl_down_sync(every_lane, value, 1);
  output[at] = value;
}
RUN(missing_lane)

__global__ void own_lane_not_named(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  output[at] = __shfl_sync(0x0000ffffu, input[at], 0);
}
RUN(own_lane_not_named)

__global__ void mixed_collectives(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  float value = input[at];
  if (threadIdx.x & 1)
    value = __shfl_xor_sync(every_lane, value, 1);
  else
    value = (float)__ballot_sync(every_lane, value > 0);
  output[at] = value;
}
RUN(mixed_collectives)

/* ---- What nothing wrote -------------------------------------------------------------------------
 */

__global__ void blank_shared(float *output, const float *, int) {
  __shared__ float box[threads];
  if (threadIdx.x == 0) box[0] = 1;
  __syncthreads();
  output[blockIdx.x * threads + threadIdx.x] = box[threadIdx.x];
}
RUN(blank_shared)

__global__ void blank_dynamic(float *output, const float *, int) {
  CUDA_DYNAMIC_SHARED(float, box);
  output[blockIdx.x * threads + threadIdx.x] = box[threadIdx.x];
}
RUN(blank_dynamic, threads * sizeof(float))

__global__ void copy_all(float *output, const float *input, int count) {
  const int at = blockIdx.x * threads + threadIdx.x;
  if (at < count) output[at] = input[at];
}
static cudaError_t run_blank_device(float *result) {
  return run(copy_all, result, 0, true);
}

/* ---- Races
 * ---------------------------------------------------------------------------------------- */

__global__ void read_after_write(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = input[at];
  output[at] = box[threads - 1 - threadIdx.x];
}
RUN(read_after_write)

__global__ void write_after_read(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  for (int round = 0; round < 2; round++) {
    box[threadIdx.x] = input[at] + (float)round;
    __syncthreads();
    output[at] = box[(threadIdx.x + 1) % threads];
  }
}
RUN(write_after_read)

__global__ void write_after_write(float *output, const float *input, int) {
  __shared__ float last;
  const int at = blockIdx.x * threads + threadIdx.x;
  last = input[at];
  __syncthreads();
  output[at] = last;
}
RUN(write_after_write)

__global__ void other_warp(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = input[at];
  __syncwarp();
  output[at] = box[threadIdx.x ^ 32];
}
RUN(other_warp)

__global__ void other_half_warp(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = input[at];
  __syncwarp(threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu);
  output[at] = box[threadIdx.x ^ 16];
}
RUN(other_half_warp)

__global__ void lockstep(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = input[at];
  output[at] = box[threadIdx.x ^ 1];
}
RUN(lockstep)

__global__ void sum_without_atomic(float *output, const float *input, int) {
  output[0] += input[blockIdx.x * threads + threadIdx.x];
}
RUN(sum_without_atomic)

__global__ void read_beside_atomic(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  const float sum = output[0] + input[at];
  if (threadIdx.x)
    output[at] = sum;
  else
    atomicAdd(output, 1.0f);
}
RUN(read_beside_atomic)

__global__ void other_block(float *output, const float *input, int count) {
  const int at = blockIdx.x * threads + threadIdx.x;
  output[at] = input[at];
  __syncthreads();
  output[(at + threads) % count] += 1;
}
RUN(other_block)

__global__ void narrow_race(float *output, const float *input, int) {
  __shared__ unsigned short box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = (unsigned short)input[at];
  output[at] = box[threadIdx.x ^ 1];
}
RUN(narrow_race)

/* ---- Out of bounds
 * ---------------------------------------------------------------------------------- */

__global__ void write_past_end(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  output[at + 1] = input[at];
}
RUN(write_past_end)

__global__ void read_before_start(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  output[at] = input[at - 1];
}
RUN(read_before_start)

__global__ void past_shared(float *output, const float *input, int) {
  __shared__ float box[threads];
  const int at = blockIdx.x * threads + threadIdx.x;
  box[0] = 0;
  __syncthreads();
  box[threadIdx.x + 1] = input[at];
  __syncthreads();
  output[at] = box[threadIdx.x];
}
RUN(past_shared)

__global__ void past_dynamic(float *output, const float *input, int) {
  CUDA_DYNAMIC_SHARED(float, box);
  const int at = blockIdx.x * threads + threadIdx.x;
  box[threadIdx.x] = input[at];
  output[at] = box[threadIdx.x];
}
RUN(past_dynamic, threads * sizeof(float) - 4)

__global__ void misaligned_vector(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x > 8) return;
  const float4 *const four = reinterpret_cast<const float4 *>(input + threadIdx.x);
  output[at] = four->x + four->w;
}
RUN(misaligned_vector)

__global__ void misaligned_number(float *output, const float *input, int) {
  const int at = blockIdx.x * threads + threadIdx.x;
  output[at] = (float)*reinterpret_cast<const double *>(input + (at & 6) + 1);
}
RUN(misaligned_number)

static cudaError_t run_host_pointer(float *result) {
  static float host[wrong_results];
  Array<float> to;
  TRY(to.make(wrong_results));
  CUDA_LAUNCH(copy_all, blocks, threads)(to.at, host, wrong_results);
  TRY(cudaGetLastError());
  return to.read(result, wrong_results);
}

static cudaError_t run_freed(float *result) {
  Array<float> to;
  TRY(to.make(wrong_results));
  float *gone;
  TRY(cudaMalloc(&gone, wrong_results * sizeof *gone));
  TRY(cudaMemset(gone, 0, wrong_results * sizeof *gone));
  TRY(cudaFree(gone));
  CUDA_LAUNCH(copy_all, blocks, threads)(to.at, gone, wrong_results);
  TRY(cudaGetLastError());
  return to.read(result, wrong_results);
}

static cudaError_t run_host_access(float *result) {
  Array<float> from;
  TRY(from.make(wrong_results));
  TRY(cudaMemset(from.at, 0, wrong_results * sizeof(float)));
  TRY(cudaDeviceSynchronize());
  for (int i = 0; i < wrong_results; i++)
    result[i] = from.at[i];
  return cudaSuccess;
}

/* ---- The host's side
 * ---------------------------------------------------------------------------------- */

static cudaError_t launch_copy(dim3 grid, dim3 block, size_t shared_bytes) {
  Array<float> both;
  TRY(both.make(1));
  CUDA_LAUNCH(copy_all, grid, block, shared_bytes)(both.at, both.at, 0);
  return cudaGetLastError();
}
static cudaError_t run_too_many_threads(float *) {
  return launch_copy(1, dim3(64, 32), 0);
}
static cudaError_t run_too_many_blocks(float *) {
  return launch_copy(dim3(1, 65536), 32, 0);
}
static cudaError_t run_no_threads(float *) {
  return launch_copy(1, 0, 0);
}
static cudaError_t run_too_much_shared(float *) {
  return launch_copy(1, 32, 48 * 1024 + 1);
}
static cudaError_t run_beyond_opt_in(float *) {
  return cudaFuncSetAttribute(copy_all, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024);
}

static cudaError_t run_unchecked_launch(float *result) {
  Array<float> to;
  TRY(to.make(wrong_results));
  TRY(cudaMemset(to.at, 0, wrong_results * sizeof(float)));
  CUDA_LAUNCH(copy_all, 1, 2000)(to.at, to.at, 0);
  return to.read(result, wrong_results);
}

static cudaError_t run_too_early(float *result) {
  float *host;
  Array<float> from;
  TRY(cudaMallocHost((void **)&host, wrong_results * sizeof *host));
  memset(host, 0xff, wrong_results * sizeof *host);
  TRY(from.make(wrong_results));
  TRY(cudaMemset(from.at, 0, wrong_results * sizeof(float)));
  TRY(cudaMemcpyAsync(host, from.at, wrong_results * sizeof *host, cudaMemcpyDeviceToHost, 0));
  memcpy(result, host, wrong_results * sizeof *host);
  return cudaFreeHost(host);
}

static cudaError_t run_leak(float *) {
  float *kept;
  return cudaMalloc(&kept, 1000);
}

static cudaError_t run_copy_too_long(float *result) {
  Array<float> from;
  TRY(from.make(wrong_results - 1));
  return from.read(result, wrong_results);
}

static cudaError_t run_copy_wrong_way(float *result) {
  Array<float> to;
  TRY(to.make(wrong_results));
  return cudaMemcpy(to.at, result, wrong_results * sizeof(float), cudaMemcpyDeviceToHost);
}

static const char at_barriers[] = "threads of a block at different barriers";
static const char never[] = "threads wait for others that never come";
static const char mixed[] = "lanes of a warp in different collectives";
static const char in_shared[] = "race in shared memory", in_device[] = "race in device memory";
static const char outside[] = "outside of device memory", over[] = "heap-buffer-overflow";
static const char shape[] = "returned invalid configuration",
                  argument[] = "returned invalid argument";

const wrong_case wrong_cases[] = {
    {"divergent barrier", run_divergent_barrier, at_barriers, at_barriers, at_barriers},
    {"exit before a barrier", run_exit_before_barrier, never, never, never},
    {"missing lane in a shuffle", run_missing_lane, never, never, never},
    {"own lane not in the mask", run_own_lane_not_named, "own lane", "own lane", "own lane"},
    {"lanes in different collectives", run_mixed_collectives, mixed, mixed, mixed},
    {"uninitialised shared memory", run_blank_shared, "NaN", nullptr, "shared memory that nothing"},
    {"uninitialised dynamic shared memory", run_blank_dynamic, "NaN", "NaN",
     "shared memory that nothing"},
    {"uninitialised device memory", run_blank_device, "NaN", "NaN", "device memory that nothing"},
    {"read after write without barrier", run_read_after_write, "differ", nullptr, in_shared},
    {"write after read without barrier", run_write_after_read, nullptr, nullptr, in_shared},
    {"write after write", run_write_after_write, "differ", "differ", in_shared},
    {"race across warps after __syncwarp", run_other_warp, "differ", nullptr, in_shared},
    {"race across half warps", run_other_half_warp, nullptr, nullptr, in_shared},
    {"trust in lockstep", run_lockstep, "differ", nullptr, in_shared},
    {"sum without atomics", run_sum_without_atomic, nullptr, nullptr, in_device},
    {"plain read beside an atomic", run_read_beside_atomic, "differ", "differ", in_device},
    {"race between blocks", run_other_block, "differ", "differ", in_device},
    {"race between 16-bit neighbours", run_narrow_race, "differ", nullptr, in_shared},
    {"write past the end", run_write_past_end, nullptr, over, outside},
    {"read before the start", run_read_before_start, nullptr, over, outside},
    {"past the end of shared memory", run_past_shared, nullptr, "out of bounds", nullptr},
    {"past the end of dynamic shared memory", run_past_dynamic, nullptr, over, outside},
    {"misaligned vector", run_misaligned_vector, nullptr, "misaligned address", nullptr},
    {"misaligned number", run_misaligned_number, nullptr, "misaligned address", "misaligned"},
    {"host pointer in a kernel", run_host_pointer, nullptr, nullptr, outside},
    {"freed memory in a kernel", run_freed, nullptr, "heap-use-after-free", outside},
    {"device pointer on the host", run_host_access, nullptr, nullptr, "the host accesses device"},
    {"too many threads", run_too_many_threads, shape, shape, shape},
    {"too many blocks", run_too_many_blocks, shape, shape, shape},
    {"no threads", run_no_threads, shape, shape, shape},
    {"too much shared memory", run_too_much_shared, argument, argument, argument},
    {"more shared memory than there is", run_beyond_opt_in, argument, argument, argument},
    {"launch not checked", run_unchecked_launch, "has not been asked", "has not been asked",
     "has not been asked"},
    {"result used too early", run_too_early, "NaN", "NaN", "NaN"},
    {"device memory leaked", run_leak, "never freed", "never freed", "never freed"},
    {"copy past the end", run_copy_too_long, "reach beyond", "reach beyond", "reach beyond"},
    {"copy in the wrong direction", run_copy_wrong_way, "not on the side", "not on the side",
     "not on the side"},
};
const int wrong_count = sizeof wrong_cases / sizeof *wrong_cases;
