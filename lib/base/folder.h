/* Folders: where files can be made, and how much room there is. */
#ifndef ROPETOOL_BASE_FOLDER_H
#define ROPETOOL_BASE_FOLDER_H

#include <stdint.h>

#include "lib/base/error.h"

/* Where temporary files go: TMPDIR where that is an absolute path, else "/tmp". */
const char *folder_temporary(void);

/* Whether this process may make files in `path`, without making one. *free_bytes: what is left to
   it there; UINT64_MAX where the file system does not say. ERROR_FAILED with the reason. */
int folder_check(const char *path, uint64_t *free_bytes, struct error *error);

#endif
