#include "lib/base/large.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/memory.h"

/* Arrays that lie on file, by which addresses are known. Few: one for each map. */
enum { MOST = 16 };
static struct on_file {
  char *data;
  size_t size;
} list[MOST];
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Of a folder whose files are on a disk that has room; −1: there is none. */
static int open_in(const char *folder, size_t size) {
  static const uint64_t times = 4; /* so that others are not left without room */
  struct statfs disk;
  char path[4096];
  if (snprintf(path, sizeof path, "%s/ropetool.XXXXXX", folder) >= (int)sizeof path) return -1;
  if (statfs(folder, &disk) || disk.f_type == TMPFS_MAGIC || disk.f_type == RAMFS_MAGIC) return -1;
  if (disk.f_bavail / times < size / (uint64_t)disk.f_bsize + 1) return -1;
  const int descriptor = mkostemp(path, O_CLOEXEC);
  if (descriptor < 0) return -1;
  unlink(path);
  /* All of it at once: a page without room would be a signal later. */
  if (!fallocate(descriptor, 0, 0, (off_t)size)) return descriptor;
  close(descriptor);
  return -1;
}

static void *map_file(size_t size) {
  const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    if (!folders[i] || folders[i][0] != '/') continue;
    const int descriptor = open_in(folders[i], size);
    if (descriptor < 0) continue;
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (map != MAP_FAILED) return map;
  }
  return NULL;
}

/* The entry that holds `data`, which for NULL is a free one; NULL: there is none. */
static struct on_file *find(const void *data) {
  for (size_t i = 0; i < MOST; i++) {
    const char *start = list[i].data;
    if (data ? start && (const char *)data >= start && (const char *)data < start + list[i].size
             : !start)
      return &list[i];
  }
  return NULL;
}

static void *array_on_file(size_t size) {
  pthread_mutex_lock(&list_lock);
  struct on_file *entry = find(NULL);
  void *map = entry ? map_file(size) : NULL;
  if (map) *entry = (struct on_file){map, size};
  pthread_mutex_unlock(&list_lock);
  return map;
}

void *large_array(size_t count, size_t size, const char *what, struct error *error) {
  size_t bytes;
  const bool countless = __builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX;
  void *array = !countless && bytes > LARGE_LEAST ? array_on_file(bytes) : NULL;
  return array ? array : memory_array(count, size, what, error);
}

void large_release(void *array) {
  if (!array) return;
  pthread_mutex_lock(&list_lock);
  struct on_file *entry = find(array);
  const bool mapped = entry;
  if (mapped) munmap(entry->data, entry->size);
  if (mapped) *entry = (struct on_file){0};
  pthread_mutex_unlock(&list_lock);
  if (!mapped) free(array);
}

void large_set_aside(const void *data, size_t bytes) {
  pthread_mutex_lock(&list_lock);
  const bool mapped = data && find(data);
  pthread_mutex_unlock(&list_lock);
  if (!mapped) return;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)data;
  /* The pages at the ends are their neighbours', too. */
  const uintptr_t from = (start + page - 1) / page * page, to = (start + bytes) / page * page;
  if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
}
