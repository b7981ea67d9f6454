/* Knobs of the simulator for tests, in C. A test that has opened a simulated plug-in finds them
   with dlsym(). Each is preset by the environment variable named beside it, when the program
   starts. */
#ifndef ROPETOOL_SIMT_CONTROL_H
#define ROPETOOL_SIMT_CONTROL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Order of threads and blocks: "forward", "reverse" or a number that seeds it (SIMT_ORDER). */
void simt_order(const char *order);

/* How many devices there are (SIMT_DEVICES, 1), the bytes of memory each has (SIMT_MEMORY, 1 GiB),
   the most dynamic shared memory a kernel may ask for (SIMT_SHARED, 227 KiB). */
void simt_device_count(int count);
void simt_memory(size_t bytes);
void simt_shared(size_t bytes);

/* Every call fails with this error, as without a driver (35), with the stub library (34), without a
   device (100); 0: none (SIMT_ERROR). */
void simt_driver_error(int error);

/* The nth call from now of the function named, of any function for NULL or "", of a launch for
   "launch", fails once with `error`; nth 0: none does (SIMT_FAIL=name:nth:error). */
void simt_fail(const char *call, unsigned long nth, int error);

unsigned long simt_calls(void);   /* calls and launches so far: how far `nth` can go */
size_t simt_allocated(void);      /* bytes of device memory not yet freed */
unsigned long simt_reports(void); /* faults found so far */

/* For stand-ins of libraries that work on the device: all that was launched before is done, and
   what they read and write must be device memory; under the race check, read what was written. */
void simt_library_reads(const void *address, size_t bytes);
void simt_library_writes(const void *address, size_t bytes);

/* Forgets faults found, errors of the device, pending work: for tests that provoke them. */
void simt_reset(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
