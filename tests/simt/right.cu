/* Right kernels, in the ways that kernels are written. */
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/simt/cases.h"

static const unsigned every_lane = 0xffffffffu;
static const int block_threads = 256;

/* A generator of test values, the same on every machine. */
static float test_value(unsigned i) {
  return (float)((i * 2654435761u + 12345u) >> 8 & 0xffff) / 65536 - 0.5f;
}

template <class T> static unsigned long long digest_of(const std::vector<T> &values) {
  unsigned long long digest = 14695981039346656037u;
  const unsigned char *const bytes = (const unsigned char *)values.data();
  for (size_t i = 0; i < values.size() * sizeof(T); i++)
    digest = (digest ^ bytes[i]) * 1099511628211u;
  return digest;
}

/* ---- Scan of a block by shuffles --------------------------------------------------------------
 */

__device__ __forceinline__ int warp_scan(int value) {
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync(every_lane, value, step);
    if ((threadIdx.x & 31) >= (unsigned)step) value += below;
  }
  return value;
}

__global__ void __launch_bounds__(block_threads) scan(int *output, const int *input) {
  __shared__ int total[block_threads / 32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  const int at = blockIdx.x * block_threads + threadIdx.x;
  int value = warp_scan(input[at]);
  if (lane == 31) total[warp] = value;
  __syncthreads();
  if (warp == 0) {
    const int sum = warp_scan(lane < block_threads / 32 ? total[lane] : 0);
    if (lane < block_threads / 32) total[lane] = sum;
  }
  __syncthreads();
  output[at] = value + (warp ? total[warp - 1] : 0);
}

static cudaError_t run_scan(bool *right, unsigned long long *digest) {
  const int blocks = 20, count = blocks * block_threads;
  std::vector<int> input(count), output(count);
  for (int i = 0; i < count; i++)
    input[i] = i * 7919 % 1000;
  Array<int> from, to;
  TRY(from.make(count, input.data()));
  TRY(to.make(count));
  CUDA_LAUNCH(scan, blocks, block_threads)(to.at, from.at);
  TRY(cudaGetLastError());
  TRY(to.read(output.data(), count));
  for (int i = 0, sum = 0; i < count; i++) {
    sum = (i % block_threads ? sum : 0) + input[i];
    *right &= output[i] == sum;
  }
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Tree reduction in dynamic shared memory, more than a kernel gets unasked -----------------
 */

__global__ void tree_sum(double *partial, const float *input, int count) {
  CUDA_DYNAMIC_SHARED(double, sum);
  const int thread = threadIdx.x, threads = blockDim.x;
  double mine = 0;
  for (int i = blockIdx.x * threads + thread; i < count; i += gridDim.x * threads)
    mine += input[i];
  sum[thread] = mine;
  __syncthreads();
  for (int half = threads / 2; half; half /= 2) {
    if (thread < half) sum[thread] += sum[thread + half];
    __syncthreads();
  }
  if (thread == 0) partial[blockIdx.x] = sum[0];
}

static cudaError_t run_tree_sum(bool *right, unsigned long long *digest) {
  const int blocks = 7, count = 10007, bytes = 60000;
  std::vector<float> input(count);
  std::vector<double> output(blocks);
  double expected = 0, sum = 0;
  for (int i = 0; i < count; i++)
    expected += input[i] = test_value(i);
  Array<float> from;
  Array<double> to;
  TRY(from.make(count, input.data()));
  TRY(to.make(blocks));
  TRY(cudaFuncSetAttribute(tree_sum, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  CUDA_LAUNCH(tree_sum, blocks, block_threads, bytes)(to.at, from.at, count);
  TRY(cudaGetLastError());
  TRY(to.read(output.data(), blocks));
  for (double part : output)
    sum += part;
  *right = std::fabs(sum - expected) < 1e-9;
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Tiled product of rotated queries and keys, rotated when they are loaded --------------------
 */

template <int side, int depth>
__device__ __forceinline__ void load_rotated(float (&tile)[side][depth + 1], const float *vectors,
                                             const float2 *turn, int row, int count, int dim,
                                             int first) {
  for (int pair = threadIdx.x; pair < depth / 2; pair += side) {
    float2 value = make_float2(0, 0);
    if (row < count) {
      const float2 x = *reinterpret_cast<const float2 *>(vectors + row * dim + first + 2 * pair);
      const float2 w = turn[row * (dim / 2) + first / 2 + pair];
      value.x = __fmaf_rn(x.x, w.x, -__fmul_rn(x.y, w.y));
      value.y = __fmaf_rn(x.x, w.y, __fmul_rn(x.y, w.x));
    }
    tile[threadIdx.y][2 * pair] = value.x;
    tile[threadIdx.y][2 * pair + 1] = value.y;
  }
}

template <int side, int depth>
__global__ void scores(float *output, const float *__restrict__ query,
                       const float *__restrict__ key, const float2 *__restrict__ turn, int count,
                       int dim) {
  __shared__ float q[side][depth + 1], k[side][depth + 1];
  const int row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < dim; first += depth) {
    load_rotated<side, depth>(q, query, turn, row, count, dim, first);
    load_rotated<side, depth>(k, key, turn, blockIdx.x * side + threadIdx.y, count, dim, first);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; i++)
      sum = __fmaf_rn(q[threadIdx.y][i], k[threadIdx.x][i], sum);
    __syncthreads();
  }
  if (row < count && column < count) output[row * count + column] = sum;
}

static cudaError_t run_scores(bool *right, unsigned long long *digest) {
  const int count = 37, dim = 64, side = 16;
  std::vector<float> query(count * dim), key(count * dim), output(count * count);
  std::vector<float2> turn(count * dim / 2);
  for (int i = 0; i < count * dim; i++) {
    query[i] = test_value(i);
    key[i] = test_value(i + 100000);
  }
  for (int i = 0; i < count * dim / 2; i++) {
    const double angle = (i / (dim / 2)) * std::pow(10000.0, -2.0 * (i % (dim / 2)) / dim);
    turn[i] = make_float2((float)std::cos(angle), (float)std::sin(angle));
  }
  Array<float> to, q, k;
  Array<float2> w;
  TRY(to.make(output.size()));
  TRY(q.make(query.size(), query.data()));
  TRY(k.make(key.size(), key.data()));
  TRY(w.make(turn.size(), turn.data()));
  const dim3 grid((count + side - 1) / side, (count + side - 1) / side), block(side, side);
  CUDA_LAUNCH((scores<side, 32>), grid, block)(to.at, q.at, k.at, w.at, count, dim);
  TRY(cudaGetLastError());
  TRY(to.read(output.data(), output.size()));
  for (int m = 0; m < count; m++)
    for (int n = 0; n < count; n++) {
      double sum = 0;
      for (int i = 0; i < dim; i += 2) {
        const double angle = (m - n) * std::pow(10000.0, -(double)i / dim);
        const float *x = &query[m * dim + i], *y = &key[n * dim + i];
        sum += (x[0] * (double)y[0] + x[1] * (double)y[1]) * std::cos(angle) +
               (x[0] * (double)y[1] - x[1] * (double)y[0]) * std::sin(angle);
      }
      *right &= std::fabs(output[m * count + n] - sum) < 1e-5;
    }
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Histogram with atomics, in shared and in device memory
 * -------------------------------------- */

__global__ void histogram(unsigned long long *bins, unsigned *largest, const unsigned *input,
                          int count) {
  __shared__ unsigned local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[input[i] % 64], 1u);
    /* A largest value by compare and swap: its first look is volatile, so that it may race. */
    unsigned seen = *(volatile unsigned *)largest;
    while (seen < input[i]) {
      const unsigned before = atomicCAS(largest, seen, input[i]);
      if (before == seen) break;
      seen = before;
    }
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static cudaError_t run_histogram(bool *right, unsigned long long *digest) {
  const int count = 5003;
  std::vector<unsigned> input(count);
  std::vector<unsigned long long> output(64), expected(64);
  unsigned most = 0, largest = 0;
  for (int i = 0; i < count; i++) {
    input[i] = (unsigned)i * 2654435761u >> 7;
    expected[input[i] % 64]++;
    if (input[i] > most) most = input[i];
  }
  Array<unsigned> from, peak;
  Array<unsigned long long> bins;
  TRY(from.make(count, input.data()));
  TRY(peak.make(1, &largest));
  TRY(bins.make(64));
  TRY(cudaMemset(bins.at, 0, 64 * sizeof *bins.at));
  CUDA_LAUNCH(histogram, 5, block_threads)(bins.at, peak.at, from.at, count);
  TRY(cudaGetLastError());
  TRY(bins.read(output.data(), 64));
  TRY(peak.read(&largest, 1));
  *right = output == expected && largest == most;
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Warp-synchronous code
 * ----------------------------------------------------------------------- */

/* Reverses every 32 values through shared memory, then every 16 of them, half warps on their own.
 */
__global__ void turn_round(float *output, const float *input) {
  __shared__ float box[block_threads];
  const int thread = threadIdx.x, lane = thread & 31, first = thread - lane;
  const int at = blockIdx.x * block_threads + thread;
  box[thread] = input[at];
  __syncwarp();
  const float value = box[first + 31 - lane];
  __syncwarp();
  box[thread] = value;
  const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  __syncwarp(half);
  output[at] = box[first + (lane & 16) + 15 - (lane & 15)] + __shfl_xor_sync(half, 1.0f, 1);
}

static cudaError_t run_turn_round(bool *right, unsigned long long *digest) {
  const int count = 3 * block_threads;
  std::vector<float> input(count), output(count);
  for (int i = 0; i < count; i++)
    input[i] = test_value(i);
  Array<float> from, to;
  TRY(from.make(count, input.data()));
  TRY(to.make(count));
  CUDA_LAUNCH(turn_round, 3, block_threads)(to.at, from.at);
  TRY(cudaGetLastError());
  TRY(to.read(output.data(), count));
  for (int i = 0; i < count; i++)
    *right &= output[i] == input[i ^ 16] + 1;
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Votes, a block that is not a multiple of a warp
 * ---------------------------------------------- */

/* Packs the values that are not negative to the front of each block. */
__global__ void pack(int *output, int *kept, const int *input) {
  __shared__ int before[4];
  const int thread = threadIdx.x, lane = thread & 31, warp = thread / 32;
  const int at = blockIdx.x * blockDim.x + thread, value = input[at];
  const bool keep = value >= 0;
  const unsigned votes = __ballot_sync(every_lane, keep);
  const bool some = __any_sync(every_lane, keep), all = __all_sync(every_lane, keep);
  if (lane == 0) before[warp] = __popc(votes);
  const int total = __syncthreads_count(keep);
  const int any = __syncthreads_or(keep), each = __syncthreads_and(keep);
  int place = __popc(votes & ((1u << lane) - 1));
  for (int i = 0; i < warp; i++)
    place += before[i];
  if (keep) output[blockIdx.x * blockDim.x + place] = value;
  if (thread == 0)
    kept[blockIdx.x] = total | any << 8 | each << 9 | (some && all == (votes == every_lane)) << 10;
}

static cudaError_t run_pack(bool *right, unsigned long long *digest) {
  const int blocks = 5, threads = 104, count = blocks * threads;
  std::vector<int> input(count), output(count), kept(blocks), expected(count, -1);
  for (int i = 0; i < count; i++)
    input[i] = i % 3 && i < count - threads ? i : i - (i < count - threads ? 100000 : 0);
  Array<int> from, to, sizes;
  TRY(from.make(count, input.data()));
  TRY(to.make(count, expected.data()));
  TRY(sizes.make(blocks));
  CUDA_LAUNCH(pack, blocks, threads)(to.at, sizes.at, from.at);
  TRY(cudaGetLastError());
  TRY(to.read(output.data(), count));
  TRY(sizes.read(kept.data(), blocks));
  for (int block = 0; block < blocks; block++) {
    int size = 0;
    for (int i = block * threads; i < (block + 1) * threads; i++)
      if (input[i] >= 0) expected[block * threads + size++] = input[i];
    *right &= (kept[block] & 0x3ff) == (size | 1 << 8 | (size == threads) << 9);
  }
  *right &= output == expected;
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- 16-bit storage: neighbouring threads write halves of one word
 * ---------------------------------- */

__global__ void narrow_storage(__nv_bfloat16 *brain, half *small, float4 *wide, const float *input,
                               int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  brain[i] = __float2bfloat16(input[i]);
  small[i] = __float2half(input[i] * 1024);
  wide[i] = make_float4(__bfloat162float(brain[i]), __half2float(small[i]), input[i], 0);
}

static cudaError_t run_narrow_storage(bool *right, unsigned long long *digest) {
  const int count = 1001;
  std::vector<float> input(count);
  std::vector<float4> output(count);
  for (int i = 0; i < count; i++)
    input[i] = test_value(i);
  Array<__nv_bfloat16> brain;
  Array<half> small;
  Array<float4> wide;
  Array<float> from;
  TRY(from.make(count, input.data()));
  TRY(brain.make(count));
  TRY(small.make(count));
  TRY(wide.make(count));
  CUDA_LAUNCH(narrow_storage, (count + 63) / 64, 64)(brain.at, small.at, wide.at, from.at, count);
  TRY(cudaGetLastError());
  TRY(wide.read(output.data(), count));
  for (int i = 0; i < count; i++) {
    const float x = input[i];
    *right &= std::fabs(output[i].x - x) <= std::fabs(x) / 256 && output[i].z == x &&
              std::fabs(output[i].y - 1024 * x) <= std::fabs(1024 * x) / 2048 + 0x1p-25f;
  }
  *digest = digest_of(output);
  return cudaSuccess;
}

/* ---- Constants, exact phases, streams and events
 * ----------------------------------------------------- */

__constant__ unsigned long long steps[8];

__global__ void cosines(double *output, int first, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    const unsigned long long phase = steps[i % 8] * (unsigned long long)(first + i / 8);
    double sine, cosine;
    sincospi(__ll2double_rn((long long)phase) * 0x1p-63, &sine, &cosine);
    output[i] = cosine + 2 * sine;
  }
}

static cudaError_t run_cosines(bool *right, unsigned long long *digest) {
  const int count = 2000;
  const unsigned long long host_steps[8] = {
      1ull << 61, 3141592653589793238u, 12345678901u, 7, 1ull << 63 | 1234, 987654321987654321u, 1,
      0};
  cudaStream_t first, second;
  cudaEvent_t ready;
  double *output;
  Array<double> to, twin;
  TRY(cudaMallocHost((void **)&output, count * sizeof *output));
  TRY(cudaMemcpyToSymbol(steps, host_steps, sizeof host_steps));
  TRY(to.make(count));
  TRY(twin.make(count));
  TRY(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  TRY(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  TRY(cudaEventCreate(&ready));
  CUDA_LAUNCH(cosines, 3, 128, 0, first)(to.at, 1000, count);
  TRY(cudaGetLastError());
  TRY(cudaEventRecord(ready, first));
  TRY(cudaStreamWaitEvent(second, ready, 0));
  TRY(cudaMemcpyAsync(twin.at, to.at, count * sizeof *output, cudaMemcpyDeviceToDevice, second));
  TRY(cudaMemcpyAsync(output, twin.at, count * sizeof *output, cudaMemcpyDeviceToHost, second));
  TRY(cudaStreamSynchronize(second));
  for (int i = 0; i < count; i++) {
    const unsigned long long phase = host_steps[i % 8] * (unsigned long long)(1000 + i / 8);
    const long double angle = (long double)(long long)phase * 0x1p-63L * 3.14159265358979323846L;
    *right &= std::fabs(output[i] - (double)(cosl(angle) + 2 * sinl(angle))) < 1e-15;
  }
  *digest = digest_of(std::vector<double>(output, output + count));
  TRY(cudaEventDestroy(ready));
  TRY(cudaStreamDestroy(first));
  TRY(cudaStreamDestroy(second));
  TRY(cudaFreeHost(output));
  return cudaSuccess;
}

const right_case right_cases[] = {
    {"block scan by shuffles", run_scan},
    {"tree reduction in dynamic shared memory", run_tree_sum},
    {"tiled product, rotated on load", run_scores},
    {"histogram with atomics", run_histogram},
    {"warp-synchronous exchange", run_turn_round},
    {"votes in a ragged block", run_pack},
    {"16-bit storage", run_narrow_storage},
    {"exact phases, constants, streams", run_cosines},
};
const int right_count = sizeof right_cases / sizeof *right_cases;
