#include "tests/twins/twins.h"

#include <dlfcn.h>
#include <inttypes.h>

#include "tests/simt/control.h"

struct backend *twin[TWINS];
const char *const twin_name[TWINS] = {"cpu", "cuda"};
struct error error;

/* ---- The record -------------------------------------------------------------------------------
 */

enum { LABELS = 64 };
static struct record {
  const char *label;
  size_t count[TWINS];
  double largest[TWINS], share[TWINS],
      bound[TWINS]; /* largest error, and where it is nearest its bound */
} records[LABELS];

static struct record *record_of(const char *label) {
  for (size_t i = 0; i < LABELS; i++) {
    if (!records[i].label) records[i].label = label;
    if (!strcmp(records[i].label, label)) return &records[i];
  }
  fail_msg("more than %d labels", LABELS);
  return NULL;
}

/* FNV-1a of the bits of all values that the CUDA side gave: the same for every order of threads. */
static uint64_t digest = UINT64_C(0xcbf29ce484222325);

static void digest_add(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (isnan(value)) bits = 1;
  for (int byte = 0; byte < 8; byte++)
    digest = (digest ^ (bits >> 8 * byte & 0xff)) * UINT64_C(0x100000001b3);
}

void twins_compare(const char *label, size_t which, double value, double expected, double bound) {
  struct record *record = record_of(label);
  record->count[which]++;
  if (which == 1) digest_add(value);
  if ((isnan(value) && isnan(expected)) || value == expected) return;
  const double off = fabs(value - expected);
  if (off > record->largest[which]) record->largest[which] = off;
  if (off > record->share[which] * bound) {
    record->share[which] = off / bound;
    record->bound[which] = bound;
  }
  if (!(off <= bound))
    fail_msg("%s on %s: %.17g, expected %.17g within %.3g (off by %.3g)", label, twin_name[which],
             value, expected, bound, off);
}

static void print_records(void) {
  for (size_t i = 0; i < LABELS && records[i].label; i++)
    for (size_t t = 0; t < TWINS; t++)
      if (records[i].count[t])
        printf("# %-28s %-4s %9zu values, largest error %.2e, at most %5.1f %% of the bound%s\n",
               records[i].label, twin_name[t], records[i].count[t], records[i].largest[t],
               100 * records[i].share[t], records[i].largest[t] > 0 ? "" : " (none)");
  printf("# digest of what cuda gave: %016" PRIx64 "\n", digest);
}

/* ---- The device --------------------------------------------------------------------------------
 */

bool twins_brief(void) {
  return getenv("TWINS_BRIEF") != NULL;
}

void twins_limit(size_t memory_bytes, size_t blocks) {
  char text[32];
  snprintf(text, sizeof text, "%zu", memory_bytes);
  assert_int_equal(setenv("ROPETOOL_CUDA_MEMORY", memory_bytes ? text : "", 1), 0);
  snprintf(text, sizeof text, "%zu", blocks);
  assert_int_equal(setenv("ROPETOOL_CUDA_BLOCKS", blocks ? text : "", 1), 0);
}

/* The knobs of the simulator; NULL each on a real device. */
static struct {
  void (*fail_call)(const char *call, unsigned long nth, int failure);
  unsigned long (*calls)(void);
  size_t (*allocated)(void);
  unsigned long (*reports)(void);
  void (*reset)(void);
} simulator;

static void find_simulator(void) {
  const char *path = getenv("ROPETOOL_CUDA_PLUGIN");
  void *plugin = path && *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  if (!plugin) return;
  *(void **)&simulator.fail_call = dlsym(plugin, "simt_fail");
  *(void **)&simulator.calls = dlsym(plugin, "simt_calls");
  *(void **)&simulator.allocated = dlsym(plugin, "simt_allocated");
  *(void **)&simulator.reports = dlsym(plugin, "simt_reports");
  *(void **)&simulator.reset = dlsym(plugin, "simt_reset");
}

void twins_inject(int (*operation)(void)) {
  enum { OUT_OF_MEMORY = 2 };
  static const char *const calls[] = {
      "cudaMalloc",      "cudaMemcpy",      "cudaMemGetInfo",       "launch",
      "cudaEventCreate", "cudaEventRecord", "cudaEventSynchronize", "cudaEventElapsedTime"};
  if (!simulator.fail_call) skip();
  assert_done(operation());
  assert_int_equal(simulator.allocated(), 0);
  size_t failed = 0;
  for (size_t c = 0; c < COUNT_OF(calls); c++)
    for (unsigned long nth = 1;; nth++) {
      simulator.fail_call(calls[c], nth, OUT_OF_MEMORY);
      error.message[0] = '\0';
      const int status = operation();
      simulator.fail_call(NULL, 0, 0);
      simulator.reset();
      if (simulator.allocated())
        fail_msg("%s %lu: %zu bytes of the device are left behind", calls[c], nth,
                 simulator.allocated());
      if (status == OK) break; /* there is no nth call */
      failed++;
      assert_int_equal(status, ERROR_FAILED);
      if (strncmp(error.message, "cannot ", 7) || !strstr(error.message, " on the GPU: "))
        fail_msg("%s %lu: message '%s'", calls[c], nth, error.message);
    }
  assert_true(failed >= 3);
  assert_done(operation()); /* all is well afterwards */
}

static int open_twins(void **state) {
  (void)state;
  for (size_t t = 0; t < TWINS; t++)
    assert_done(backend_open(twin_name[t], &twin[t], &error));
  printf("# cuda is '%s'\n", backend_name(twin[1]));
  find_simulator();
  return 0;
}

/* The simulator has found no fault, and no operation left anything. */
static int close_twins(void **state) {
  (void)state;
  print_records();
  for (size_t t = 0; t < TWINS; t++)
    backend_close(twin[t]);
  if (!simulator.reports) return 0;
  if (simulator.reports()) printf("# the simulator reports %lu faults\n", simulator.reports());
  if (simulator.allocated()) printf("# %zu bytes of the device are left\n", simulator.allocated());
  return simulator.reports() || simulator.allocated() ? 1 : 0;
}

int twins_run(const struct CMUnitTest *tests, size_t count) {
  return _cmocka_run_group_tests("twins", tests, count, open_twins, close_twins);
}
