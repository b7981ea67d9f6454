#include "lib/base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t limit_bytes; /* 0: not asked for yet */

/* The first unsigned number of the first line of `path` that starts with `key`; 0 when there is
 * none. */
static uint64_t number_in_file(const char *path, const char *key) {
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  char line[256];
  uint64_t value = 0;
  const size_t skip = strlen(key);
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, key, skip) && sscanf(line + skip, " %" SCNu64, &value) == 1) break;
  fclose(file);
  return value;
}

static uint64_t memory_available(void) {
  uint64_t available = number_in_file("/proc/meminfo", "MemAvailable:") * 1024;
  const uint64_t group = number_in_file("/sys/fs/cgroup/memory.max", "");
  if (group && (!available || group < available)) available = group;
  return available ? available : UINT64_MAX;
}

void memory_set_limit(uint64_t bytes) {
  limit_bytes = bytes;
}

uint64_t memory_limit(void) {
  if (!limit_bytes) limit_bytes = memory_available();
  return limit_bytes;
}

int memory_require(uint64_t count, uint64_t size, const char *what, struct error *error) {
  const double gib = (double)count * (double)size / 1073741824.0;
  uint64_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > memory_limit())
    return error_set(error, ERROR_FAILED,
                     "not enough memory: %s would need %.4g GiB; %.4g GiB are allowed", what, gib,
                     (double)memory_limit() / 1073741824.0);
  return OK;
}

void *memory_array(size_t count, size_t size, const char *what, struct error *error) {
  if (memory_require(count, size, what, error)) return NULL;
  void *array = calloc(count ? count : 1, size ? size : 1);
  if (!array)
    error_set(error, ERROR_FAILED, "out of memory: %s needs %.4g GiB", what,
              (double)count * (double)size / 1073741824.0);
  return array;
}

char *memory_text(const char *text, struct error *error) {
  const size_t size = strlen(text) + 1;
  char *copy = memory_array(size, 1, "a text", error);
  if (copy) memcpy(copy, text, size);
  return copy;
}
