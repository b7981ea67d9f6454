#include "cmd/version.h"

#include <gsl/gsl_version.h>
#include <jansson.h>
#include <nettle/version.h>
#include <string.h>
#include <zlib.h>

#include "kernels/backend.h"
#include "lib/figure/gnuplot.h"
#include "lib/figure/raster.h"

static void set(struct library *library, const char *name, const char *running,
                const char *built_with) {
  library->name = name;
  snprintf(library->running, sizeof library->running, "%.*s", (int)sizeof library->running - 1,
           running);
  snprintf(library->built_with, sizeof library->built_with, "%s", built_with);
  for (size_t end = strlen(library->running); end && library->running[end - 1] == ' '; end--)
    library->running[end - 1] = '\0';
}

bool version_library(size_t index, struct library *library) {
  char running[32], built_with[32];
  switch (index) {
  case 0:
    set(library, "gsl", gsl_version, GSL_VERSION);
    break;
  case 1:
    set(library, "blas", backend_blas(), "");
    break;
  case 2:
    set(library, "libpng", raster_library_version(), "");
    break;
  case 3:
    set(library, "jansson", jansson_version_str(), JANSSON_VERSION);
    break;
  case 4:
    snprintf(running, sizeof running, "%d.%d", nettle_version_major(), nettle_version_minor());
    snprintf(built_with, sizeof built_with, "%d.%d", NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
    set(library, "nettle", running, built_with);
    break;
  case 5:
    set(library, "zlib", zlibVersion(), ZLIB_VERSION);
    break;
  default:
    return false;
  }
  return true;
}

void version_print(FILE *out) {
  struct error error;
  struct library library;
  char gnuplot[64];
  fprintf(out, "ropetool %s\n", ROPETOOL_VERSION);
  fprintf(out, "build: %s %s, OpenMP %d\n", __VERSION__, ROPETOOL_FLAGS, _OPENMP);
  for (size_t i = 0; version_library(i, &library); i++)
    fprintf(out, "%s: %s\n", library.name, library.running);
  fprintf(out, "gnuplot: %s\n", gnuplot_version(gnuplot, &error) ? error.message : gnuplot);
  struct backend *cuda;
  if (backend_open("cuda", &cuda, &error))
    fprintf(out, "cuda: %s\n", error.message);
  else {
    fprintf(out, "cuda: %s\n", backend_name(cuda));
    backend_close(cuda);
  }
}
