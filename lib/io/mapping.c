#include "lib/io/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/memory.h"

void mapping_close(struct mapping *mapping) {
  if (mapping->mapped)
    munmap(mapping->data, mapping->size);
  else
    free(mapping->data);
  *mapping = (struct mapping){0};
}

int mapping_open(const char *path, struct mapping *mapping, struct error *error) {
  *mapping = (struct mapping){0};
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status)) {
    const int number = errno;
    if (descriptor >= 0) close(descriptor);
    return error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, strerror(number));
  }
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
    close(descriptor);
    return error_set(error, ERROR_INPUT, "cannot read '%s': it is a device, which may have no end",
                     path);
  }
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    void *map =
        mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    if (map != MAP_FAILED) *mapping = (struct mapping){map, (size_t)status.st_size, true};
  }
  close(descriptor);
  if (mapping->mapped) return OK;
  char *data;
  size_t size;
  const int failed = file_read(path, memory_limit(), &data, &size, error);
  if (!failed) *mapping = (struct mapping){data, size, false};
  return failed;
}
