#include "cmd/version.h"

#include <gsl/gsl_version.h>
#include <jansson.h>
#include <nettle/version.h>

#include "kernels/backend.h"
#include "lib/figure/gnuplot.h"
#include "lib/figure/raster.h"

void version_print(FILE *out) {
  struct error error;
  char gnuplot[64];
  fprintf(out, "ropetool %s\n", ROPETOOL_VERSION);
  fprintf(out, "build: %s %s, OpenMP %d\n", __VERSION__, ROPETOOL_FLAGS, _OPENMP);
  fprintf(out, "gsl: %s\n", gsl_version);
  fprintf(out, "blas: %s\n", backend_blas());
  fprintf(out, "libpng: %s\n", raster_library_version());
  fprintf(out, "jansson: %s\n", JANSSON_VERSION);
  fprintf(out, "nettle: %d.%d\n", NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
  fprintf(out, "gnuplot: %s\n", gnuplot_version(gnuplot, &error) ? error.message : gnuplot);
  struct backend *cuda;
  if (backend_open("cuda", &cuda, &error))
    fprintf(out, "cuda: %s\n", error.message);
  else {
    fprintf(out, "cuda: %s\n", backend_name(cuda));
    backend_close(cuda);
  }
}
