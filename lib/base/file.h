/* Files: whole reads, and writes that are complete or did not happen. */
#ifndef ROPETOOL_BASE_FILE_H
#define ROPETOOL_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/error.h"

/* Reads `path` whole into *data (with a NUL behind it; free() it). Refuses a file of more than
   `limit` bytes; one whose size is known, before allocating. Errors are ERROR_INPUT (the file was
   named by the user), or ERROR_FAILED when memory is out. */
int file_read(const char *path, size_t limit, char **data, size_t *size, struct error *error);

/* A file being written beside its target under a temporary name; one that is replaced keeps its
   mode and owner. A target that exists and is not a regular file (a device, a pipe, an open
   descriptor such as /dev/stdout) is written straight through; a symbolic link is followed. */
struct file_output;

/* Opens. ERROR_FAILED when the folder is missing, or it or the target is not writable; nothing is
   left behind. */
int file_output_open(const char *path, struct file_output **result, struct error *error);

/* Where to write. Write errors need not be looked at: close reports them. */
FILE *file_output_stream(struct file_output *output);

/* Flushes and checks everything that can fail (full disk included); the target is untouched still,
   and the stream is gone. After an error commit fails, too. */
int file_output_finish(struct file_output *output, struct error *error);

/* Gives files that are finished, or NULL, one time of modification, the latest of theirs: by it
   they are known to be of one run. Those that are written straight through keep theirs, and so do
   all where the file system refuses. */
void file_outputs_date(struct file_output *const *list, size_t count);

/* Puts the finished file in its place (rename) and releases `output`, also on error. */
int file_output_commit(struct file_output *output, struct error *error);

/* Drops what was written and releases `output`. NULL is allowed. */
void file_output_discard(struct file_output *output);

/* Marks a stream that is open for writing alone as failed, so that its end reports it: for writers
   that run out of memory. */
void file_mark_failed(FILE *stream);

/* Makes a temporary file or folder known to file_remove_partial() until file_forget(); `path` must
   live so long. The slot it has, or -1 when too many are known. */
int file_guard(char *path);
void file_forget(int slot); /* -1 is allowed */

/* Removes every temporary file that is open or guarded now, then the guarded folders. For signal
   handlers: async-signal-safe. */
void file_remove_partial(void);

/* The file that `path` leads to through symbolic links, where a file_output of it is put; it need
   not be there. free() it. NULL with errno. */
char *file_follow_links(const char *path);

/* Names the file that `path` leads to, so that two paths of one file ("a.csv", "./a.csv", a link to
   it) give the same text, whether it is there or not. free() it. NULL with errno. */
char *file_identity(const char *path);

/* The part of `path` after its last '/'. */
const char *file_name(const char *path);

/* The last part of the first `length` bytes of `path` that names something, whether it is a file or
   a folder: "mdl" of "/abs/mdl", "/abs/mdl//" and "/abs/mdl/sub/../.". `*size` is how long it is, 0
   where there is none, as in "/" and "..". Looks at the text alone. */
const char *file_last_part(const char *path, size_t length, size_t *size);

#endif
