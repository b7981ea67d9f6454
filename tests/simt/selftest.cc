/* selftest plain|address|race: tries the simulator, built in that way, on kernels of which it must
   say nothing and on others that it must catch. Prints TAP. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/simt/cases.h"
#include "tests/simt/control.h"

static int tests, failed;

static void say(bool ok, const std::string &name) {
  printf("%sok %d - %s\n", ok ? "" : "not ", ++tests, name.c_str());
  failed += !ok;
}

static void note(const std::string &text) {
  printf("# %s\n", text.c_str());
}

/* ---- Right kernels ------------------------------------------------------------------------------
 */

static const char *const orders[] = {"forward", "reverse", "1", "2", "3"};

static void try_right(const right_case &one) {
  unsigned long long first = 0;
  for (const char *order : orders) {
    bool right = true;
    unsigned long long digest = 0;
    simt_order(order);
    const cudaError_t error = one.run(&right, &digest);
    if (order == orders[0]) first = digest;
    const bool ok = error == cudaSuccess && right && digest == first && simt_reports() == 0;
    say(ok, std::string(one.name) + ", order " + order);
    if (error != cudaSuccess) note(std::string("returned ") + cudaGetErrorString(error));
    if (!right) note("wrong results");
    if (digest != first) note("the results depend on the order of threads");
    simt_reset();
  }
}

/* ---- Wrong kernels ------------------------------------------------------------------------------
 */

/* In a process of its own: says what it can say of the results, and fails if there is anything. */
static void misbehave(const wrong_case &one) {
  float result[3][wrong_results] = {};
  bool nan = false, differ = false;
  for (int i = 0; i < 3; i++) {
    simt_order(orders[i]);
    const cudaError_t error = one.run(result[i]);
    if (error != cudaSuccess) {
      fprintf(stderr, "returned %s\n", cudaGetErrorString(error));
      exit(1);
    }
    for (float value : result[i])
      nan |= std::isnan(value);
    differ |= memcmp(result[i], result[0], sizeof result[i]) != 0;
  }
  if (nan) fprintf(stderr, "NaN among the results\n");
  if (differ) fprintf(stderr, "results differ by the order of threads\n");
  exit(nan || differ);
}

/* What a child says that runs the case, and whether it ended well. */
static std::string overhear(const wrong_case &one, bool *well) {
  int ends[2], status = 0;
  fflush(stdout);
  if (pipe(ends)) return "pipe() failed";
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    misbehave(one);
  }
  close(ends[1]);
  std::string said;
  char text[4096];
  for (ssize_t length; (length = read(ends[0], text, sizeof text)) > 0;)
    said.append(text, (size_t)length);
  close(ends[0]);
  waitpid(child, &status, 0);
  *well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return said;
}

static void try_wrong(const wrong_case &one, const char *expected) {
  bool well;
  const std::string said = overhear(one, &well);
  const bool caught = !well && said.find(expected) != std::string::npos;
  say(caught, std::string("caught: ") + one.name);
  if (caught) return;
  note(std::string("expected: ") + expected);
  for (size_t at = 0, end; at < said.size(); at = end + 1) {
    end = said.find('\n', at);
    if (end == std::string::npos) end = said.size();
    note(said.substr(at, end - at));
  }
}

/* ---- The host's side ----------------------------------------------------------------------------
 */

static void try_driver_errors() {
  for (int code : {cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorStubLibrary}) {
    int count = -1, version = -1;
    simt_driver_error(code);
    const bool ok = cudaGetDeviceCount(&count) == code && count == -1 &&
                    cudaDriverGetVersion(&version) == cudaSuccess && version == 0;
    say(ok, std::string("no device: ") + cudaGetErrorString((cudaError_t)code));
    simt_driver_error(0);
    simt_reset();
  }
}

/* Every call of a run fails once: each time the run says so, and all its memory is freed. */
static void try_failures() {
  bool right = true, ok = true;
  unsigned long long digest;
  const unsigned long before = simt_calls();
  ok &= right_cases[0].run(&right, &digest) == cudaSuccess;
  const unsigned long calls = simt_calls() - before;
  for (unsigned long nth = 1; nth <= calls; nth++) {
    simt_fail(nullptr, nth, cudaErrorMemoryAllocation);
    const cudaError_t error = right_cases[0].run(&right, &digest);
    /* The last two calls free memory, in destructors, which do not tell. */
    ok &= nth > calls - 2 ? error == cudaSuccess : error == cudaErrorMemoryAllocation;
    ok &= simt_allocated() == 0;
    (void)cudaGetLastError();
  }
  say(ok && calls > 5, "each of " + std::to_string(calls) + " calls fails in turn");
  simt_fail("cudaMalloc", 2, cudaErrorMemoryAllocation);
  ok = right_cases[0].run(&right, &digest) == cudaErrorMemoryAllocation;
  ok &= cudaGetLastError() == cudaErrorMemoryAllocation && cudaGetLastError() == cudaSuccess;
  say(ok && simt_allocated() == 0, "the second cudaMalloc fails");
  simt_reset();
}

static void try_memory() {
  void *address = &address;
  size_t left = 0, total = 0;
  cudaDeviceProp properties;
  simt_memory(10000);
  bool ok = cudaMalloc(&address, 10001) == cudaErrorMemoryAllocation;
  ok &= cudaMalloc(&address, 4000) == cudaSuccess && (size_t)address % 256 == 0;
  ok &= cudaMemGetInfo(&left, &total) == cudaSuccess && left == 6000 && total == 10000;
  ok &= cudaGetDeviceProperties(&properties, 0) == cudaSuccess;
  ok &= properties.totalGlobalMem == 10000 && properties.sharedMemPerBlockOptin == 227 * 1024;
  ok &= cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice;
  ok &= cudaFree(address) == cudaSuccess && cudaFree(nullptr) == cudaSuccess;
  say(ok && simt_allocated() == 0, "memory of the device is as large as it is told");
  simt_memory((size_t)1 << 30);
  simt_reset();
}

/* What a library is said to touch; the race check knows, too, what was written. */
static void try_libraries(bool race) {
  char *address = nullptr, host[16] = {0};
  bool ok = cudaMalloc(&address, 16) == cudaSuccess;
  simt_library_reads(address, 16);
  ok &= simt_reports() == (race ? 1 : 0);
  ok &= cudaMemset(address, 7, 8) == cudaSuccess;
  simt_library_reads(address, 8);
  ok &= address[7] == 7; /* what was launched is done */
  simt_library_writes(address + 8, 8);
  simt_library_reads(address, 16);
  ok &= simt_reports() == (race ? 1 : 0);
  simt_reset();
  ok &= cudaMalloc(&address, 16) == cudaSuccess;
  simt_library_writes(address, 17);
  simt_library_reads(address + 16, 1);
  simt_library_writes(host, 1);
  simt_library_writes(host, 0);
  ok &= simt_reports() == 3;
  say(ok, "libraries: what they read and write is device memory");
  simt_reset();
}

/* Functions that a C library lacks, at places where they are exact. */
static void try_functions() {
  double sine, cosine;
  bool ok = true;
  for (int quarter = -8; quarter <= 8; quarter++) {
    sincospi(quarter * 0.5, &sine, &cosine);
    ok &= sine == (quarter & 1 ? (quarter & 2 ? -1 : 1) : 0);
    ok &= cosine == (quarter & 1 ? 0 : (quarter & 2 ? -1 : 1));
  }
  sincospi(0x1p53 + 2, &sine, &cosine);
  ok &= sine == 0 && cosine == 1 && std::isnan(cospi(INFINITY)) && sinpif(0.5f) == 1;
  for (int i = 0; i < 20000; i++) {
    const double x = (i - 10000) / 1024.0 + 1e-5;
    const long double angle = (long double)x * 3.14159265358979323846264338327950288L;
    sincospi(x, &sine, &cosine);
    ok &= std::fabs((double)((long double)sine - sinl(angle))) < 1.5e-16;
    ok &= std::fabs((double)((long double)cosine - cosl(angle))) < 1.5e-16;
  }
  say(ok, "sincospi: exact quarters, error below 1.5e-16");

  ok = true;
  for (unsigned bits = 0; bits < 65536; bits++) {
    const __half h = __ushort_as_half((unsigned short)bits);
    const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)bits);
    ok &= std::isnan(__half2float(h)) || __half_as_ushort(__float2half(__half2float(h))) == bits;
    ok &= std::isnan(__bfloat162float(b)) ||
          __bfloat16_as_ushort(__float2bfloat16(__bfloat162float(b))) == bits;
  }
  ok &= __half_as_ushort(__float2half(65519.9f)) == 0x7bff;
  ok &= __half_as_ushort(__float2half(65520.0f)) == 0x7c00;
  ok &= __half_as_ushort(__float2half(-0x1p-25f)) == 0x8000;
  ok &= __half_as_ushort(__float2half(0x1.8p-25f)) == 0x0001;
  ok &= __half_as_ushort(__float2half(1 + 0x1p-11f)) == 0x3c00; /* ties to even */
  ok &= __half_as_ushort(__float2half(1 + 0x3p-11f)) == 0x3c02;
  ok &= __half_as_ushort(__double2half(1 + 0x1p-11 + 0x1p-40)) == 0x3c01; /* rounded once */
  ok &= __bfloat16_as_ushort(__float2bfloat16(0x1.fffffep127f)) == 0x7f80;
  ok &= __bfloat16_as_ushort(__float2bfloat16(NAN)) == 0x7fff;
  say(ok, "half and bfloat16: every value there and back, rounding, overflow");

  ok = __float2int_rn(2.5f) == 2 && __float2int_rz(-2.9f) == -2 && __float2int_rd(-2.1f) == -3;
  ok &= __float2int_rn(3e9f) == INT32_MAX && __float2int_rn(NAN) == 0;
  ok &= __double2uint_rn(-1) == 0 && __double2ll_rn(-1e30) == INT64_MIN;
  ok &= __double2ull_rz(0x1p64) == UINT64_MAX && __umul64hi(1ull << 63, 6) == 3;
  ok &= __mul64hi(-1, 1) == -1 && __umulhi(1u << 31, 4) == 2 && __clz(1) == 31 && __clz(0) == 32;
  ok &= __funnelshift_l(0x80000000u, 1, 1) == 3 && __popcll(~0ull) == 64 && __ffs(8) == 4;
  ok &= min(NAN, 1.0) == 1 && max(2, 3u) == 3;
  say(ok, "conversions saturate, high halves of products, bits");
}

int main(int argc, char **argv) {
  const char *const build = argc > 1 ? argv[1] : "plain";
  setvbuf(stdout, nullptr, _IOLBF, 0);
  for (int i = 0; i < right_count; i++)
    try_right(right_cases[i]);
  simt_order("forward");
  try_driver_errors();
  try_failures();
  try_memory();
  try_libraries(!strcmp(build, "race"));
  try_functions();
  for (int i = 0; i < wrong_count; i++) {
    const wrong_case &one = wrong_cases[i];
    const char *const expected = !strcmp(build, "race")      ? one.race
                                 : !strcmp(build, "address") ? one.address
                                                             : one.plain;
    if (expected) try_wrong(one, expected);
  }
  printf("1..%d\n", tests);
  return failed > 0;
}
