/* Threads of the CPU engine (OpenMP). */
#ifndef ROPETOOL_BASE_THREAD_H
#define ROPETOOL_BASE_THREAD_H

/* The cores this process may use (its affinity mask). */
int thread_available(void);

/* Uses `count` threads from now on; results never depend on it. */
void thread_use(int count);

/* How many of `count` > 0 threads, this one among them, can run at a time: fewer where a limit of
   processes or of memory is in the way, which OpenMP ends the program for. */
int thread_startable(int count);

#endif
