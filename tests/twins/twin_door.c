/* What the door says when there is no GPU to use, and which plug-in it takes. On the simulator
   only: a real device has its driver. */
#include "tests/twins/twins.h"

#include <dlfcn.h>

#include "tests/simt/control.h"

static void (*driver_error)(int failure);
static void (*device_count)(int count);

static int find_simulator(void **state) {
  (void)state;
  const char *path = getenv("ROPETOOL_CUDA_PLUGIN");
  void *plugin = path && *path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  if (plugin) {
    *(void **)&driver_error = dlsym(plugin, "simt_driver_error");
    *(void **)&device_count = dlsym(plugin, "simt_device_count");
  }
  return 0;
}

static void expect_none(const char *part) {
  struct backend *backend;
  assert_refused(backend_open("cuda", &backend, &error), ERROR_FAILED, part);
  assert_int_equal(strncmp(error.message, "no CUDA device: ", 16), 0);
  assert_done(backend_open("auto", &backend, &error));
  assert_string_equal(backend_name(backend), "cpu");
  assert_non_null(strstr(backend_reason(backend), part));
  double number;
  assert_done(
      backend_gaussian(backend, &(struct gaussian_batch){.count = 1, .output = &number}, &error));
  backend_close(backend);
}

static void errors_in_words(void **state) {
  (void)state;
  static const struct {
    int failure;
    const char *part;
  } cases[] = {{35, "driver"}, {34, "stub"}, {100, "shows no GPU"}};
  if (!driver_error) {
    skip();
    return;
  }
  for (size_t c = 0; c < COUNT_OF(cases); c++) {
    driver_error(cases[c].failure);
    expect_none(cases[c].part);
    driver_error(0);
  }
}

static void no_device(void **state) {
  (void)state;
  if (!device_count) {
    skip();
    return;
  }
  device_count(0);
  expect_none("shows no GPU");
  device_count(1);
}

/* With an empty list of devices the driver finds none: the message says whose doing it is. */
static void hidden_devices(void **state) {
  (void)state;
  if (!driver_error) {
    skip();
    return;
  }
  assert_int_equal(setenv("CUDA_VISIBLE_DEVICES", "", 1), 0);
  driver_error(100);
  expect_none("CUDA_VISIBLE_DEVICES is ''");
  driver_error(0);
  assert_int_equal(unsetenv("CUDA_VISIBLE_DEVICES"), 0);
}

static void device_is_taken(void **state) {
  (void)state;
  struct backend *backend;
  assert_done(backend_open("auto", &backend, &error));
  assert_string_equal(backend_name(backend), backend_name(twin[1]));
  assert_null(backend_reason(backend));
  backend_close(backend);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(errors_in_words, find_simulator),
      cmocka_unit_test(no_device),
      cmocka_unit_test(hidden_devices),
      cmocka_unit_test(device_is_taken),
  };
  return twins_main(tests);
}
