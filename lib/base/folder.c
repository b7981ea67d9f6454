#include "lib/base/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

const char *folder_temporary(void) {
  const char *folder = getenv("TMPDIR");
  return folder && folder[0] == '/' ? folder : "/tmp";
}

int folder_check(const char *path, uint64_t *free_bytes, struct error *error) {
  struct stat status;
  struct statvfs room;
  *free_bytes = UINT64_MAX;
  int number = stat(path, &status) ? errno : S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  if (!number && faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS)) number = errno;
  if (number)
    return error_set(error, ERROR_FAILED, "cannot make files in '%s': %s", path, strerror(number));
  if (!statvfs(path, &room) && room.f_blocks) *free_bytes = (uint64_t)room.f_bavail * room.f_frsize;
  return OK;
}
