/* What the tests of lib/base and lib/io share: a folder of their own, whole files, error messages.
 */
#ifndef ROPETOOL_TESTS_GROUND_H
#define ROPETOOL_TESTS_GROUND_H

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"

static char folder[] = "/tmp/ropetool-test-XXXXXX";

static inline int folder_create(void **state) {
  (void)state;
  strcpy(strrchr(folder, '-') + 1, "XXXXXX");
  return mkdtemp(folder) && !chmod(folder, 0777) ? 0 : -1;
}

/* Runs a command line in a shell. */
static inline int run_command(const char *command) {
  fflush(NULL);
  return system(command);
}

static inline int folder_remove(void **state) {
  (void)state;
  char command[sizeof folder + 16];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return run_command(command);
}

/* The path of `name` in the folder, in one of a few buffers taken in turn. */
static inline const char *path_of(const char *name) {
  static char paths[8][PATH_MAX];
  static unsigned turn;
  char *path = paths[turn++ % 8];
  snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return path;
}

static inline void write_whole(const char *path, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static inline const char *write_text(const char *name, const char *text) {
  const char *path = path_of(name);
  write_whole(path, text, strlen(text));
  return path;
}

/* The bytes of a file with a NUL behind them, to be released with free(). */
static inline char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("no file '%s'", path);
  char *data = NULL;
  size_t used = 0;
  for (size_t got = 1; got; used += got) {
    data = realloc(data, used + 65537);
    assert_non_null(data);
    got = fread(data + used, 1, 65536, file);
  }
  fclose(file);
  data[used] = '\0';
  if (size) *size = used;
  return data;
}

static inline void assert_file_holds(const char *path, const char *expected) {
  char *text = read_whole(path, NULL);
  assert_string_equal(text, expected);
  free(text);
}

/* Files in the folder, "." and ".." left out. */
static inline int folder_count(void) {
  DIR *listing = opendir(folder);
  assert_non_null(listing);
  int count = -2;
  while (readdir(listing))
    count++;
  closedir(listing);
  return count;
}

/* What `write` prints to a stream, to be released with free(). */
static inline char *printed(void (*write)(const void *, FILE *), const void *what, size_t *size) {
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  assert_non_null(out);
  write(what, out);
  assert_false(ferror(out));
  assert_int_equal(fclose(out), 0);
  if (size) *size = length;
  return text;
}

/* Runs `body` in a child without the rights of root and returns its exit status: 0 when it returns
   true. A child so left has no part in the parent's leak check. */
static inline int as_nobody(bool (*body)(void)) {
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (geteuid() == 0 && (setgid(65534) || setuid(65534))) _exit(99);
    _exit(body() ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static inline bool same_bits(double a, double b) {
  return !memcmp(&a, &b, sizeof a);
}

/* A pseudo-random number, the same in every run (xorshift64*). */
static inline uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1d;
}

/* One line that says `part`. */
static inline void assert_message(const struct error *error, const char *part) {
  if (!strstr(error->message, part)) fail_msg("no \"%s\" in: %s", part, error->message);
  for (const char *c = error->message; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      fail_msg("a control character in: %s", error->message);
  assert_true(strlen(error->message) < sizeof error->message);
}

#endif
