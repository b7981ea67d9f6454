/* A plug-in for the tests of the loader. The environment variable FAKE_PLUGIN says what is wrong
   with it: "version", "size", "table" (none), "device" (none), "limits" (it knows some, and says
   that everything takes a nanosecond), or nothing. Its one operation makes numbers that no other
   backend makes. */
#include <stdlib.h>
#include <string.h>

#include "kernels/plugin.h"

static int is(const char *fault) {
  const char *asked = getenv("FAKE_PLUGIN");
  return asked && !strcmp(asked, fault);
}

static int fake_open(int index, struct error *error) {
  (void)index;
  if (!is("device")) return OK;
  if (error) {
    error->code = ERROR_FAILED;
    strcpy(error->message, "the fake has none");
  }
  return ERROR_FAILED;
}

static void fake_close(void) {}

static const char *fake_name(void) {
  return "fake GPU";
}

static int fake_gaussian(const struct gaussian_batch *batch, struct error *error) {
  (void)error;
  for (size_t i = 0; i < batch->count; i++)
    batch->output[i] = 42;
  return OK;
}

static int fake_phase_map(const struct phase_map_batch *batch, struct error *error) {
  (void)batch;
  (void)error;
  return OPERATION_DECLINED;
}

static int fake_limit(const struct limit_batch *batch, struct error *error) {
  (void)error;
  const size_t each =
      batch->limit == LIMIT_PRODUCT ? batch->rows * batch->columns * batch->inner : 1;
  if (batch->seconds) *batch->seconds = 1e-9 * (double)(batch->count * each);
  return OK;
}

plugin_function ropetool_operations;

const struct backend_operations *ropetool_operations(void) {
  static struct backend_operations operations;
  operations = (struct backend_operations){
      .abi = OPERATIONS_ABI + is("version"),
      .size = sizeof operations - 8 * (size_t)is("size"),
      .open = fake_open,
      .close = fake_close,
      .name = fake_name,
      .phase_map = fake_phase_map,
      .gaussian = fake_gaussian,
      .limit = is("limits") ? fake_limit : NULL,
  };
  return is("table") ? NULL : &operations;
}
