#include "lib/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/memory.h"

enum { OPEN_OUTPUTS = 32 };

struct file_output {
  FILE *stream;
  char *target;    /* where the file shall be, links resolved */
  char *temporary; /* where it is written; NULL when written straight through */
  int slot;        /* in `partial`, -1 when none */
};

/* The names that file_remove_partial() must remove; read by a signal handler, hence atomic. */
static _Atomic(char *) partial[OPEN_OUTPUTS];

void file_remove_partial(void) {
  for (int i = 0; i < OPEN_OUTPUTS; i++) {
    const char *name = atomic_load(&partial[i]);
    if (name) unlink(name);
  }
}

const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

int file_read(const char *path, size_t limit, char **data, size_t *size, struct error *error) {
  *data = NULL;
  FILE *file = fopen(path, "rbe");
  if (!file) return error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, strerror(errno));
  struct stat status;
  if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode)) {
    fclose(file);
    return error_set(error, ERROR_INPUT, "cannot read '%s': it is a folder", path);
  }
  size_t used = 0, room = 0;
  for (;;) {
    if (used + 1 >= room) {
      char *larger = realloc(*data, room = room ? room * 2 : 65536);
      if (!larger) {
        error_set(error, ERROR_FAILED, "out of memory while reading '%s'", path);
        break;
      }
      *data = larger;
    }
    const size_t got = fread(*data + used, 1, room - used - 1, file);
    used += got;
    if (used > limit) {
      error_set(error, ERROR_INPUT, "'%s' is larger than the %zu bytes such a file may have", path,
                limit);
      break;
    }
    if (!got) {
      if (ferror(file)) {
        error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, strerror(errno));
        break;
      }
      (*data)[used] = '\0';
      *size = used;
      fclose(file);
      return OK;
    }
  }
  fclose(file);
  free(*data);
  *data = NULL;
  return error->code;
}

static int output_failed(struct file_output *output, const char *path, int number,
                         struct error *error) {
  file_output_discard(output);
  return error_set(error, ERROR_FAILED, "cannot write '%s': %s", path, strerror(number));
}

/* A temporary name in the folder of `target`: the target's own name may already be as long as
 * allowed. */
static char *temporary_name(const char *target) {
  const size_t folder = (size_t)(file_name(target) - target);
  static const char pattern[] = ".ropetool-XXXXXX";
  char *name = malloc(folder + sizeof pattern);
  if (!name) return NULL;
  memcpy(name, target, folder);
  memcpy(name + folder, pattern, sizeof pattern);
  return name;
}

static int open_beside(struct file_output *output) {
  output->temporary = temporary_name(output->target);
  if (!output->temporary) return -1;
  const int descriptor = mkostemp(output->temporary, O_CLOEXEC);
  if (descriptor < 0) {
    free(output->temporary);
    output->temporary = NULL;
    return -1;
  }
  for (int i = 0; i < OPEN_OUTPUTS && output->slot < 0; i++) {
    char *empty = NULL;
    if (atomic_compare_exchange_strong(&partial[i], &empty, output->temporary)) output->slot = i;
  }
  const mode_t mask = umask(0);
  umask(mask);
  struct stat old;
  const mode_t mode = stat(output->target, &old) ? 0666 & ~mask : old.st_mode & 07777;
  fchmod(descriptor, mode);
  return descriptor;
}

int file_output_open(const char *path, struct file_output **result, struct error *error) {
  *result = NULL;
  struct file_output *output = memory_array(1, sizeof *output, "an output file", error);
  if (!output) return error->code;
  output->slot = -1;
  if (!*path) return output_failed(output, path, ENOENT, error);
  struct stat status;
  const int exists = !stat(path, &status);
  if (exists && S_ISDIR(status.st_mode)) return output_failed(output, path, EISDIR, error);
  const int straight = exists && !S_ISREG(status.st_mode);
  output->target = exists && !straight ? realpath(path, NULL) : strdup(path);
  if (!output->target) return output_failed(output, path, errno, error);
  const int descriptor = straight ? open(path, O_WRONLY | O_CLOEXEC) : open_beside(output);
  if (descriptor < 0) return output_failed(output, path, errno, error);
  output->stream = fdopen(descriptor, "wb");
  if (!output->stream) {
    const int number = errno;
    close(descriptor);
    return output_failed(output, path, number, error);
  }
  *result = output;
  return OK;
}

FILE *file_output_stream(struct file_output *output) {
  return output->stream;
}

int file_output_finish(struct file_output *output, struct error *error) {
  int failed = ferror(output->stream) || fflush(output->stream);
  int number = failed ? errno : 0;
  /* A pipe cannot be synchronised (EINVAL); that is no failure. */
  if (!failed && output->temporary && fsync(fileno(output->stream)) && errno != EINVAL)
    failed = 1, number = errno;
  if (fclose(output->stream) && !failed) failed = 1, number = errno;
  output->stream = NULL;
  if (failed)
    return error_set(error, ERROR_FAILED, "cannot write '%s': %s", output->target,
                     strerror(number ? number : EIO));
  return OK;
}

static void synchronise_folder(const char *target) {
  const size_t folder = (size_t)(file_name(target) - target);
  char path[PATH_MAX] = ".";
  if (folder && folder < sizeof path) {
    memcpy(path, target, folder);
    path[folder] = '\0';
  }
  const int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

int file_output_commit(struct file_output *output, struct error *error) {
  int status = OK;
  if (output->stream) status = file_output_finish(output, error);
  if (!status && output->temporary) {
    if (rename(output->temporary, output->target))
      status =
          error_set(error, ERROR_FAILED, "cannot write '%s': %s", output->target, strerror(errno));
    else {
      synchronise_folder(output->target);
      if (output->slot >= 0) atomic_store(&partial[output->slot], NULL);
      output->slot = -1;
      free(output->temporary);
      output->temporary = NULL;
    }
  }
  file_output_discard(output);
  return status;
}

void file_output_discard(struct file_output *output) {
  if (!output) return;
  if (output->stream) fclose(output->stream);
  if (output->temporary) unlink(output->temporary);
  if (output->slot >= 0) atomic_store(&partial[output->slot], NULL);
  free(output->temporary);
  free(output->target);
  free(output);
}
