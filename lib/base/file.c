#include "lib/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/memory.h"

enum { OPEN_OUTPUTS = 256 };

struct file_output {
  FILE *stream;    /* NULL once finished */
  char *target;    /* where the file shall be, links followed */
  char *temporary; /* where it is written; NULL when written straight through */
  int slot;        /* of `temporary` in `partial`, -1 when none */
  bool failed;     /* something is missing in it: it must not be put in place */
};

/* The names that file_remove_partial() must remove; read by a signal handler, hence atomic. */
static _Atomic(char *) partial[OPEN_OUTPUTS];

int file_guard(char *path) {
  for (int i = 0; i < OPEN_OUTPUTS; i++) {
    char *empty = NULL;
    if (atomic_compare_exchange_strong(&partial[i], &empty, path)) return i;
  }
  return -1;
}

void file_forget(int slot) {
  if (slot >= 0) atomic_store(&partial[slot], NULL);
}

void file_remove_partial(void) {
  int (*const ways[])(const char *) = {unlink, rmdir};
  for (int way = 0; way < 2; way++)
    for (int i = 0; i < OPEN_OUTPUTS; i++) {
      const char *name = atomic_load(&partial[i]);
      if (name) ways[way](name);
    }
}

/* Reading from a stream that is open for writing alone sets its error indicator; nothing else that
   is portable does. */
void file_mark_failed(FILE *stream) {
  (void)fgetc(stream);
}

const char *file_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *file_last_part(const char *path, size_t length, size_t *size) {
  size_t above = 0; /* ".." that the part before them does away with */
  for (size_t end = length, start; end > 0; end = start) {
    while (end > 0 && path[end - 1] == '/')
      end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
      start--;
    *size = end - start;
    if (!*size) break;
    const bool dots = path[start] == '.' && (*size == 1 || (*size == 2 && path[start + 1] == '.'));
    if (dots)
      above += *size - 1;
    else if (above)
      above--;
    else
      return path + start;
  }
  *size = 0;
  return path;
}

static int cannot_read(const char *path, const char *reason, struct error *error) {
  return error_set(error, ERROR_INPUT, "cannot read '%s': %s", path, reason);
}

/* Makes room for more in *data. */
static int grow(const char *path, char **data, size_t *room, size_t wanted, struct error *error) {
  if (memory_require(wanted, 1, "the file", error)) return error_prefix(error, "'%s'", path);
  char *larger = realloc(*data, wanted);
  if (!larger) return error_set(error, ERROR_FAILED, "out of memory while reading '%s'", path);
  *data = larger;
  *room = wanted;
  return OK;
}

/* Reads to the end; the size of the file, if it is known, is only where to begin. */
static int read_all(FILE *file, const char *path, size_t limit, char **data, size_t *size,
                    struct error *error) {
  struct stat status;
  if (fstat(fileno(file), &status)) return cannot_read(path, strerror(errno), error);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, "it is a folder", error);
  const bool known = S_ISREG(status.st_mode) && status.st_size > 0;
  bool large = known && (uintmax_t)status.st_size > limit;
  size_t used = 0, room = 0, wanted = known && !large ? (size_t)status.st_size + 2 : 65536;
  while (!large) {
    if (used + 1 >= room) {
      const int failed = grow(path, data, &room, wanted, error);
      if (failed) return failed;
      wanted = room * 2;
    }
    const size_t got = fread(*data + used, 1, room - used - 1, file);
    if (!got) break;
    used += got;
    large = used > limit;
  }
  if (large)
    return error_set(error, ERROR_INPUT, "'%s' is larger than the %zu bytes such a file may have",
                     path, limit);
  if (ferror(file)) return cannot_read(path, strerror(errno), error);
  (*data)[used] = '\0';
  *size = used;
  return OK;
}

int file_read(const char *path, size_t limit, char **data, size_t *size, struct error *error) {
  *data = NULL;
  *size = 0;
  FILE *file = fopen(path, "rbe");
  if (!file) return cannot_read(path, strerror(errno), error);
  const int status = read_all(file, path, limit, data, size, error);
  fclose(file);
  if (status) {
    free(*data);
    *data = NULL;
  }
  return status;
}

/* The descriptor that `name` stands for ("/dev/fd/1"), -1 when it is a file like others. Such a
   file must be shared, not opened again: whoever gave it to us may write to it before and after. */
static int inherited_descriptor(const char *name) {
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *digits = name + strlen(folders[i]);
    if (strncmp(name, folders[i], strlen(folders[i])) || !*digits) continue;
    if (!digits[strspn(digits, "0123456789")] && strlen(digits) < 9) return atoi(digits);
  }
  return -1;
}

char *file_follow_links(const char *path) {
  char *name = strdup(path);
  for (int depth = 0; name && depth < 40; depth++) {
    char link[PATH_MAX];
    const ssize_t length = inherited_descriptor(name) < 0 ? readlink(name, link, sizeof link) : -1;
    if (length < 0 || length == sizeof link) return name;
    const int folder = *link == '/' ? 0 : (int)(file_name(name) - name);
    char *next;
    if (asprintf(&next, "%.*s%.*s", folder, name, (int)length, link) < 0) next = NULL;
    free(name);
    name = next;
  }
  errno = name ? ELOOP : ENOMEM;
  free(name);
  return NULL;
}

/* Takes "NAME/.." out of a path where NAME is not there: made later, it will be a folder, and no
   link that leads elsewhere. Parts that are "." or empty go as well. */
static void drop_missing_folders(char *path) {
  struct stat status;
  char *out = path + (*path == '/'), *start = out;
  for (const char *part = out; *part;) {
    const size_t length = strcspn(part, "/"), step = length + (part[length] == '/');
    const bool up = length == 2 && !strncmp(part, "..", 2);
    bool dropped = length == 0 || (length == 1 && *part == '.');
    if (up && out > start) {
      out[-1] = '\0'; /* the '/' behind the part before */
      char *last = strrchr(start, '/');
      last = last ? last + 1 : start;
      if (strcmp(last, "..") && lstat(path, &status) && errno == ENOENT) {
        out = last;
        dropped = true;
      } else {
        out[-1] = '/';
      }
    }
    if (!dropped) {
      memmove(out, part, step);
      out += step;
    }
    part += step;
  }
  *out = '\0';
}

/* Writes the parts of `path` but ".", one '/' before each. */
static void write_parts(const char *path, FILE *out) {
  while (*path) {
    const int length = (int)strcspn(path, "/");
    if (length && !(length == 1 && *path == '.')) fprintf(out, "/%.*s", length, path);
    path += length + (path[length] == '/');
  }
}

/* Device and number of the innermost folder that is there, and what follows it. */
char *file_identity(const char *path) {
  char *target = file_follow_links(path), *text = NULL;
  if (!target) return NULL;
  drop_missing_folders(target);
  const size_t whole = strlen(target);
  char *folder = malloc(whole + 2);
  size_t size, length = (size_t)(file_name(target) - target);
  struct stat status = {0};
  for (;; length = (size_t)(file_name(folder) - folder)) {
    if (!folder) break;
    snprintf(folder, whole + 2, "%.*s", (int)length, target);
    if (!stat(length ? folder : ".", &status) || !length) break;
    while (length && folder[length - 1] == '/')
      folder[--length] = '\0';
  }
  FILE *out = folder ? open_memstream(&text, &size) : NULL;
  if (out) {
    fprintf(out, "%jx:%jx", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
    write_parts(target + length, out);
    if (fclose(out)) {
      free(text);
      text = NULL;
    }
  }
  free(folder);
  free(target);
  return text;
}

static void forget_temporary(struct file_output *output) {
  file_forget(output->slot);
  output->slot = -1;
  free(output->temporary);
  output->temporary = NULL;
}

/* Chooses a name in the folder of the target (whose own name may already be as long as allowed) and
   makes it known to file_remove_partial() before there is such a file. */
static int name_temporary(struct file_output *output) {
  uint64_t random;
  if (getrandom(&random, sizeof random, 0) != sizeof random) return -1;
  const int folder = (int)(file_name(output->target) - output->target);
  if (asprintf(&output->temporary, "%.*s.ropetool-%016jx", folder, output->target,
               (uintmax_t)random) < 0) {
    output->temporary = NULL;
    return -1;
  }
  output->slot = file_guard(output->temporary);
  if (output->slot < 0) errno = EMFILE;
  return output->slot < 0 ? -1 : 0;
}

/* Leaves owner, group and mode of a file that is replaced as they were, as far as we may. */
static void keep_owner(int descriptor, const struct stat *old) {
  if (fchown(descriptor, old->st_uid, old->st_gid) && fchown(descriptor, (uid_t)-1, old->st_gid))
    errno = 0; /* another user's file in a shared folder: the new one is ours */
  fchmod(descriptor, old->st_mode & 0777);
}

/* Opens a temporary file that will replace `old`, or be new when that is NULL. */
static int open_beside(struct file_output *output, const struct stat *old) {
  if (old && faccessat(AT_FDCWD, output->target, W_OK, AT_EACCESS)) return -1;
  int descriptor = name_temporary(output);
  if (descriptor == 0)
    descriptor =
        open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
  if (descriptor < 0) {
    const int number = errno;
    forget_temporary(output);
    errno = number;
    return -1;
  }
  if (old) keep_owner(descriptor, old);
  return descriptor;
}

static int open_target(struct file_output *output) {
  const int inherited = inherited_descriptor(output->target);
  if (inherited >= 0) return fcntl(inherited, F_DUPFD_CLOEXEC, 3);
  struct stat status;
  if (stat(output->target, &status)) return errno == ENOENT ? open_beside(output, NULL) : -1;
  if (S_ISREG(status.st_mode)) return open_beside(output, &status);
  return open(output->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
}

static int cannot_write(const char *path, int number, struct error *error) {
  return error_set(error, ERROR_FAILED, "cannot write '%s': %s", path,
                   number ? strerror(number) : "a part of it was refused (is the disk full?)");
}

int file_output_open(const char *path, struct file_output **result, struct error *error) {
  *result = NULL;
  if (!*path) return cannot_write(path, ENOENT, error);
  struct file_output *output = memory_array(1, sizeof *output, "an output file", error);
  if (!output) return ERROR_FAILED;
  output->slot = -1;
  output->target = file_follow_links(path);
  const int descriptor = output->target ? open_target(output) : -1;
  output->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
  if (!output->stream) {
    const int number = errno;
    if (descriptor >= 0) close(descriptor);
    file_output_discard(output);
    return cannot_write(path, number, error);
  }
  *result = output;
  return OK;
}

FILE *file_output_stream(struct file_output *output) {
  return output->stream;
}

int file_output_finish(struct file_output *output, struct error *error) {
  FILE *stream = output->stream;
  output->stream = NULL;
  /* A write that failed earlier left its mark on the stream, but its reason may be lost. */
  errno = 0;
  bool failed = fflush(stream) || ferror(stream);
  /* Some file systems cannot synchronise (EINVAL); that is no failure. */
  if (!failed && output->temporary) failed = fsync(fileno(stream)) && errno != EINVAL;
  int number = errno;
  if (fclose(stream) && !failed) {
    failed = true;
    number = errno;
  }
  output->failed = failed;
  return failed ? cannot_write(output->target, number, error) : OK;
}

static bool is_later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* The time comes from a file, not from a clock of ours: on a shared folder it is the server's. */
void file_outputs_date(struct file_output *const *list, size_t count) {
  struct timespec latest = {0};
  struct stat status;
  for (size_t i = 0; i < count; i++)
    if (list[i] && list[i]->temporary && !stat(list[i]->temporary, &status) &&
        is_later(status.st_mtim, latest))
      latest = status.st_mtim;
  for (size_t i = 0; i < count; i++)
    if (list[i] && list[i]->temporary)
      utimensat(AT_FDCWD, list[i]->temporary, (struct timespec[]){{.tv_nsec = UTIME_OMIT}, latest},
                0);
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
  if (output->stream)
    status = file_output_finish(output, error);
  else if (output->failed)
    status = cannot_write(output->target, 0, error);
  if (!status && output->temporary) {
    if (rename(output->temporary, output->target))
      status = cannot_write(output->target, errno, error);
    else {
      synchronise_folder(output->target);
      forget_temporary(output);
    }
  }
  file_output_discard(output);
  return status;
}

void file_output_discard(struct file_output *output) {
  if (!output) return;
  if (output->stream) {
    __fpurge(output->stream);
    fclose(output->stream);
  }
  if (output->temporary) unlink(output->temporary);
  forget_temporary(output);
  free(output->target);
  free(output);
}
