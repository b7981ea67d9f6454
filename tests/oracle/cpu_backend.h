/* The CPU's backend for all tests of a file: hand both functions to cmocka_run_group_tests. */
#ifndef ROPETOOL_TESTS_CPU_BACKEND_H
#define ROPETOOL_TESTS_CPU_BACKEND_H

#include "tests/oracle/harness.h"

static struct backend *backend;

static int open_backend(void **state) {
  (void)state;
  backend = open_cpu();
  return 0;
}

static int close_backend(void **state) {
  (void)state;
  backend_close(backend);
  return 0;
}

#endif
