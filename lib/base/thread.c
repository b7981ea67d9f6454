#include "lib/base/thread.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

int thread_available(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return omp_get_num_procs();
  return CPU_COUNT(&set);
}

void thread_use(int count) {
  omp_set_dynamic(0);
  omp_set_num_threads(count);
}

/* Waits until nobody holds the gate. */
static void *pass(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int thread_startable(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t *thread = calloc((size_t)count, sizeof *thread);
  int started = 1;
  pthread_mutex_lock(&gate);
  while (thread && started < count && !pthread_create(&thread[started], NULL, pass, &gate))
    started++;
  pthread_mutex_unlock(&gate);
  for (int i = 1; i < started; i++)
    pthread_join(thread[i], NULL);
  pthread_mutex_destroy(&gate);
  free(thread);
  return started;
}
