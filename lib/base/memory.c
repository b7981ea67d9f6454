#include "lib/base/memory.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t limit_bytes; /* 0: not asked for yet */

/* Requests up to here are not held against what is in use: asking for that costs as much as making
   them. */
static const uint64_t small_request = UINT64_C(1) << 20;

/* Bytes as a person reads them: "512 KiB", "26.82 GiB", "29802 GiB". */
enum { SIZE_TEXT = 40 };

static const char *size_text(double bytes, char text[SIZE_TEXT]) {
  static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; unit < 3 && bytes >= 1024; unit++)
    bytes /= 1024;
  snprintf(text, SIZE_TEXT, bytes < 1000 ? "%.4g %s" : "%.0f %s", bytes, units[unit]);
  return text;
}

/* The number behind `key` in the first line of `path` that has one; `otherwise` when none has. */
static uint64_t number_in_file(const char *path, const char *key, uint64_t otherwise) {
  FILE *file = fopen(path, "re");
  if (!file) return otherwise;
  char line[256];
  uint64_t value = otherwise;
  const size_t skip = strlen(key);
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, key, skip) && sscanf(line + skip, " %" SCNu64, &value) == 1) break;
  fclose(file);
  return value;
}

/* The two versions of control groups: where they are listed, and what their files are called. */
struct group_version {
  const char *key, *root, *limit, *used, *files;
};

static const struct group_version group_versions[] = {
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file "},
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "},
};

/* What the group in `folder` may still use. What it holds of files can be had back. */
static uint64_t group_free(const struct group_version *version, const char *folder) {
  char path[768];
  snprintf(path, sizeof path, "%s/%s", folder, version->limit);
  const uint64_t limit = number_in_file(path, "", UINT64_MAX);
  snprintf(path, sizeof path, "%s/%s", folder, version->used);
  const uint64_t used = number_in_file(path, "", 0);
  snprintf(path, sizeof path, "%s/memory.stat", folder);
  const uint64_t files = number_in_file(path, version->files, 0);
  const uint64_t held = files < used ? used - files : 0;
  if (limit == UINT64_MAX) return limit;
  return held < limit ? limit - held : 0;
}

/* The least that the group of this process and those above it may still use. In a container the
   path may be the host's: then only the root is there. */
static uint64_t groups_free(const struct group_version *version) {
  FILE *file = fopen("/proc/self/cgroup", "re");
  if (!file) return UINT64_MAX;
  char line[512], folder[600];
  uint64_t least = UINT64_MAX;
  while (fgets(line, sizeof line, file)) {
    const char *group = strstr(line, version->key);
    if (!group) continue;
    group += strlen(version->key);
    snprintf(folder, sizeof folder, "%s%.*s", version->root, (int)strcspn(group, "\n"), group);
    while (strlen(folder) >= strlen(version->root)) {
      const uint64_t free_here = group_free(version, folder);
      if (free_here < least) least = free_here;
      *strrchr(folder, '/') = '\0';
    }
  }
  fclose(file);
  return least;
}

/* All memory of the machine, where /proc does not say what of it is available. */
static uint64_t memory_installed(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX / 2;
}

static uint64_t memory_available(void) {
  const uint64_t machine =
      number_in_file("/proc/meminfo", "MemAvailable:", memory_installed() / 1024);
  uint64_t least = machine * 1024;
  for (size_t i = 0; i < sizeof group_versions / sizeof *group_versions; i++) {
    const uint64_t groups = groups_free(&group_versions[i]);
    if (groups < least) least = groups;
  }
  return least ? least : 1;
}

/* What this process has of its heap; 0 where another allocator stands in for the system's. */
static uint64_t memory_in_use(void) {
  const struct mallinfo2 heap = mallinfo2();
  return (uint64_t)heap.uordblks + heap.hblkhd;
}

void memory_set_limit(uint64_t bytes) {
  limit_bytes = bytes;
}

uint64_t memory_limit(void) {
  if (!limit_bytes) limit_bytes = memory_available() + memory_in_use();
  return limit_bytes;
}

int memory_require(uint64_t count, uint64_t size, const char *what, struct error *error) {
  char wanted[SIZE_TEXT], held[SIZE_TEXT], allowed[SIZE_TEXT];
  uint64_t bytes;
  const bool countless = __builtin_mul_overflow(count, size, &bytes);
  const uint64_t limit = memory_limit();
  if (!countless && bytes <= small_request && bytes <= limit) return OK;
  size_text((double)count * (double)size, wanted);
  size_text((double)limit, allowed);
  if (countless || bytes > limit)
    return error_set(error, ERROR_FAILED, "not enough memory: %s would need %s; %s are allowed",
                     what, wanted, allowed);
  const uint64_t in_use = memory_in_use();
  if (in_use <= limit - bytes) return OK;
  return error_set(error, ERROR_FAILED,
                   "not enough memory: %s would need %s beside %s in use; %s are allowed", what,
                   wanted, size_text((double)in_use, held), allowed);
}

void *memory_array(size_t count, size_t size, const char *what, struct error *error) {
  if (memory_require(count, size, what, error)) return NULL;
  void *array = calloc(count ? count : 1, size ? size : 1);
  char text[SIZE_TEXT];
  if (!array)
    error_set(error, ERROR_FAILED, "out of memory: %s needs %s", what,
              size_text((double)count * (double)size, text));
  return array;
}

char *memory_text(const char *text, struct error *error) {
  const size_t size = strlen(text) + 1;
  char *copy = memory_array(size, 1, "a text", error);
  if (copy) memcpy(copy, text, size);
  return copy;
}
