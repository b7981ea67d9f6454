/* doctor: the machine, and the folders that files are made in. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor_parts.h"
#include "lib/base/folder.h"
#include "lib/base/machine.h"
#include "lib/base/memory.h"
#include "lib/base/thread.h"

static void examine_threads(struct doctor *doctor) {
  char text[32];
  snprintf(text, sizeof text, "%d", doctor->started);
  if (doctor->started == doctor->threads)
    doctor_add(doctor, "threads", DOCTOR_OK, text, "%s", "started");
  else
    doctor_add(doctor, "threads", DOCTOR_FAIL, text,
               "no more than %d of %d threads can be started: raise the limit of processes or of "
               "memory (ulimit -u, -v; the container's), or give --threads %d to every command",
               doctor->started, doctor->threads, doctor->started);
}

static void examine_machine(struct doctor *doctor) {
  char text[MACHINE_TEXT], size[DOCTOR_SIZE];
  machine_system(text);
  doctor_add(doctor, "system", DOCTOR_OK, text, "%s", "");
  machine_processor(text);
  doctor_add(doctor, "processor", DOCTOR_OK, *text ? text : "not known",
             "loops compiled for %s run", backend_vectors());
  snprintf(text, sizeof text, "%d", thread_available());
  doctor_add(doctor, "cores", DOCTOR_OK, text, "of %d, for this process", machine_cores());
  examine_threads(doctor);
  doctor_size_text(memory_limit(), size);
  doctor_add(doctor, "memory", DOCTOR_OK, size, "%s",
             "for this process; work that needs more is refused");
}

static void add_folder(struct doctor *doctor, const char *item, const char *path,
                       enum doctor_status otherwise, const char *remedy) {
  char size[DOCTOR_SIZE];
  uint64_t bytes;
  struct error error;
  if (folder_check(path, &bytes, &error)) {
    doctor_add(doctor, item, otherwise, path, "%s; %s", error.message, remedy);
    return;
  }
  if (bytes == UINT64_MAX) {
    doctor_add(doctor, item, DOCTOR_OK, path, "%s", "files can be made");
    return;
  }
  doctor_size_text(bytes, size);
  if (bytes >> 20)
    doctor_add(doctor, item, DOCTOR_OK, path, "%s free", size);
  else
    doctor_add(doctor, item, otherwise, path, "full: %s free; %s", size, remedy);
}

static void examine_folders(struct doctor *doctor) {
  const char *named = getenv("TMPDIR");
  if (named && *named && *named != '/')
    doctor_add(doctor, "TMPDIR", DOCTOR_FAIL, named, "not an absolute path: %s is taken instead",
               folder_temporary());
  add_folder(doctor, "temporary", folder_temporary(), DOCTOR_FAIL,
             "TeX figures are made there: let TMPDIR name another folder");
  char *here = getcwd(NULL, 0);
  if (here)
    add_folder(doctor, "working", here, DOCTOR_ABSENT, "let -o name files elsewhere");
  else
    doctor_add(doctor, "working", DOCTOR_ABSENT, "", "not there: %s", strerror(errno));
  free(here);
}

const struct doctor_part doctor_machine = {"machine", examine_machine},
                         doctor_folders = {"folders", examine_folders};
