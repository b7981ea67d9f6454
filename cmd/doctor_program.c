/* doctor: the program itself, and the libraries that it runs with. */
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor_parts.h"
#include "cmd/version.h"
#include "lib/base/machine.h"

#ifdef __clang__
static const char compiler[] = __VERSION__; /* says its name itself */
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static void examine_program(struct doctor *doctor) {
  doctor_add(doctor, "version", DOCTOR_OK, ROPETOOL_VERSION, "%s", "");
  doctor_add(doctor, "compiler", DOCTOR_OK, compiler, "%s", ROPETOOL_FLAGS);
  char text[32];
  snprintf(text, sizeof text, "%d", _OPENMP);
  doctor_add(doctor, "openmp", DOCTOR_OK, text, "%s", "");
}

static void add_kernels(struct doctor *doctor) {
  static const char item[] = "blas kernels";
  const char *kernels = backend_blas_kernels(), *better = backend_blas_better();
  if (getenv("OPENBLAS_CORETYPE"))
    doctor_add(doctor, item, DOCTOR_OK, kernels, "%s",
               "as OPENBLAS_CORETYPE says, which is set by this program where it has to be");
  else if (better)
    doctor_add(doctor, item, DOCTOR_OK, kernels,
               "slow: OpenBLAS does not know this processor; with OPENBLAS_CORETYPE=%s in the "
               "environment products are several times as fast",
               better);
  else
    doctor_add(doctor, item, DOCTOR_OK, kernels, "%s",
               "the processor that OpenBLAS takes this one for");
}

static void examine_libraries(struct doctor *doctor) {
  char c_library[MACHINE_TEXT];
  struct library library;
  machine_c_library(c_library);
  doctor_add(doctor, "libc", DOCTOR_OK, c_library, "%s", "");
  for (size_t i = 0; version_library(i, &library); i++) {
    const bool other = *library.built_with && strcmp(library.built_with, library.running);
    doctor_add(doctor, library.name, DOCTOR_OK, library.running, "%s%s", other ? "built with " : "",
               other ? library.built_with : "");
  }
  add_kernels(doctor);
}

const struct doctor_part doctor_program = {"program", examine_program},
                         doctor_libraries = {"libraries", examine_libraries};
