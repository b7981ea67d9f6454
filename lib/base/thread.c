#include "lib/base/thread.h"

#include <omp.h>
#include <sched.h>

int thread_available(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return omp_get_num_procs();
  return CPU_COUNT(&set);
}

void thread_use(int count) {
  omp_set_dynamic(0);
  omp_set_num_threads(count);
}
