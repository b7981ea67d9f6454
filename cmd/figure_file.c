#include "cmd/figure_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/figure/gnuplot.h"
#include "lib/figure/provenance.h"

enum { FIGURE_LIMIT = 1 << 30 };

int figure_file_read(const char *path, struct meta **provenance, int *intact, struct error *error) {
  char *data;
  size_t size;
  *provenance = NULL;
  *intact = 0;
  int status = file_read(path, FIGURE_LIMIT, &data, &size, error);
  if (status) return status;
  status = provenance_read(data, size, provenance, intact, error);
  free(data);
  if (status) error_prefix(error, "'%s'", path);
  return status;
}

/* Whether both have the same text under `name`. */
static bool same_text(const struct meta *a, const struct meta *b, const char *name) {
  const char *texts[] = {meta_text(a, name), meta_text(b, name)};
  return texts[0] && texts[1] && !strcmp(texts[0], texts[1]);
}

/* Whether the TeX file includes the PDF that has its name: both may have been renamed. */
static bool includes_companion(const char *path) {
  char *data, *name = text_with_extension(file_name(path), "");
  size_t size;
  struct error unread;
  bool includes = false;
  if (name && !file_read(path, FIGURE_LIMIT, &data, &size, &unread)) {
    includes = gnuplot_tex_includes(data, size, name);
    free(data);
  }
  free(name);
  return includes;
}

const char *figure_file_companion_fault(const char *path, const struct meta *provenance) {
  char extension[8];
  text_extension(path, extension);
  if (strcmp(extension, ".tex")) return NULL;
  struct meta *other = NULL;
  int intact = 0;
  char *pdf = text_with_extension(path, ".pdf");
  if (!pdf) return "the PDF beside it cannot be looked at: out of memory";
  struct error unread;
  struct stat status;
  const bool missing = stat(pdf, &status) != 0;
  const bool read =
      !missing && S_ISREG(status.st_mode) && !figure_file_read(pdf, &other, &intact, &unread);
  const bool same = read && same_text(other, provenance, "command") &&
                    same_text(other, provenance, "data_sha256");
  meta_destroy(other);
  free(pdf);
  if (missing) return "the PDF beside it is MISSING";
  if (!same || !intact) return "the PDF beside it is CHANGED";
  return includes_companion(path) ? NULL : "the PDF beside it is NOT the one that it includes";
}
