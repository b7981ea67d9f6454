/* What the door says when there is no GPU to use, and which plug-in it takes. On the simulator
   only: a real device has its driver. */
#include "tests/twins/twins.h"

#include <dlfcn.h>

#include "lib/analysis/self_check.h"
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

static void expect_state(enum cuda_state state) {
  static struct cuda_survey survey;
  backend_survey_cuda(&survey, &error);
  assert_int_equal(survey.state, state);
  assert_int_equal(survey.devices, 0);
  assert_true(survey.runtime > 0);
}

/* The survey knows the versions, and each device; one of them can be chosen. */
static void surveys(void **state) {
  (void)state;
  static struct cuda_survey survey;
  struct backend *backend;
  if (!device_count) {
    skip();
    return;
  }
  driver_error(35);
  expect_state(CUDA_NO_DRIVER);
  driver_error(34);
  expect_state(CUDA_BROKEN);
  driver_error(100);
  expect_state(CUDA_NO_DEVICE);
  driver_error(0);
  device_count(3);
  backend_survey_cuda(&survey, &error);
  assert_int_equal(survey.state, CUDA_WORKS);
  assert_int_equal(survey.devices, 3);
  assert_true(survey.driver >= 12000 && survey.runtime >= 12000);
  for (size_t i = 0; i < survey.devices; i++) {
    assert_string_equal(survey.device[i].name, backend_name(twin[1]));
    assert_true(survey.device[i].major >= 7 && survey.device[i].memory > 0);
  }
  assert_done(backend_open_gpu(2, &backend, &error));
  backend_close(backend);
  assert_refused(backend_open_gpu(3, &backend, &error), ERROR_FAILED, "invalid device");
  device_count(1);
  assert_done(backend_open_gpu(0, &backend, &error));
  backend_close(backend);
}

/* What `ropetool doctor` runs, on both. */
static void self_checks(void **state) {
  (void)state;
  struct self_check_result result;
  for (size_t t = 0; t < TWINS; t++)
    for (size_t i = 0; self_check_name(i); i++) {
      assert_done(self_check_run(i, twin[t], &result, &error));
      twins_compare("self-check", t, result.error, 0, result.tolerance);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(errors_in_words, find_simulator),
      cmocka_unit_test(no_device),
      cmocka_unit_test(hidden_devices),
      cmocka_unit_test(device_is_taken),
      cmocka_unit_test(surveys),
      cmocka_unit_test(self_checks),
  };
  return twins_main(tests);
}
