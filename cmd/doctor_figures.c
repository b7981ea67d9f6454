/* doctor: fonts, gnuplot, and a tiny figure by each of its terminals. */
#include <time.h>

#include "cmd/doctor_parts.h"
#include "lib/figure/figure.h"
#include "lib/figure/style.h"
#include "lib/figure/trial.h"

static void examine_fonts(struct doctor *doctor) {
  static const char package[] = "install the package fonts-dejavu-core";
  char family[FIGURE_FONT_NAME], text[48];
  struct style style;
  struct error error;
  const int version = figure_fontconfig_version();
  snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
  if (version)
    doctor_add(doctor, "fontconfig", DOCTOR_OK, text, "%s", "");
  else
    doctor_add(doctor, "fontconfig", DOCTOR_ABSENT, "", "%s",
               "libfontconfig.so.1 is not found: whether a font is there cannot be told; it comes "
               "with the package gnuplot-nox");
  if (!version || style_find("default", &style, &error)) return;
  switch (figure_font_find(style.font, family)) {
  case FIGURE_FONT_SAME:
    doctor_add(doctor, "default", DOCTOR_OK, family, "%s", "");
    break;
  case FIGURE_FONT_OTHER:
    doctor_add(doctor, "default", DOCTOR_ABSENT, family,
               "stands for '%s', which is not installed; %s", style.font, package);
    break;
  default:
    doctor_add(doctor, "default", DOCTOR_FAIL, "",
               "no fonts found: PNG, PDF and TeX figures cannot be drawn; %s", package);
  }
}

static const char too_slow[] = "not tried: gnuplot does not end in time (--time-limit)";

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The program and its version. Why its terminals need not be tried; NULL: they do. */
static const char *examine_program(struct doctor *doctor) {
  char path[GNUPLOT_PATH], version[64];
  struct error error;
  if (gnuplot_find(path, &error)) {
    doctor_add(doctor, "program", DOCTOR_FAIL, "",
               "%s, or let ROPETOOL_GNUPLOT name the program; data, previews and heatmap --raster "
               "do without",
               error.message);
    return "not tried: there is no gnuplot";
  }
  doctor_add(doctor, "program", DOCTOR_OK, path, "%s", "");
  const double start = seconds();
  if (gnuplot_version(version, &error))
    doctor_add(doctor, "version", DOCTOR_FAIL, "", "%s", error.message);
  else
    doctor_add(doctor, "version", DOCTOR_OK, version, "%s", "");
  return seconds() - start < doctor->time_limit ? NULL : too_slow;
}

/* One terminal; returns what examine_program() does. */
static const char *examine_terminal(struct doctor *doctor, enum figure_format format) {
  static const char *const files[] = {
      [FIGURE_PNG] = ".png", [FIGURE_PDF] = ".pdf", [FIGURE_SVG] = ".svg", [FIGURE_TEX] = ".tex"};
  struct error error;
  size_t size;
  const double start = seconds();
  if (figure_trial(format, &size, &error))
    doctor_add(doctor, figure_terminal(format), DOCTOR_FAIL, "", "no %s figures: %s", files[format],
               error.message);
  else
    doctor_add(doctor, figure_terminal(format), DOCTOR_OK, "drawn",
               "%s figures: one of %zu bytes, checked", files[format], size);
  return seconds() - start < doctor->time_limit ? NULL : too_slow;
}

/* After one run that did not end no other is begun, so that the time is spent once. */
static void examine_gnuplot(struct doctor *doctor) {
  gnuplot_set_time_limit(doctor->time_limit);
  const char *untried = examine_program(doctor);
  for (int format = FIGURE_PNG; format <= FIGURE_TEX; format++)
    if (untried)
      doctor_add(doctor, figure_terminal((enum figure_format)format), DOCTOR_FAIL, "", "%s",
                 untried);
    else
      untried = examine_terminal(doctor, (enum figure_format)format);
  gnuplot_set_time_limit(0);
}

const struct doctor_part doctor_fonts = {"fonts", examine_fonts},
                         doctor_gnuplot = {"gnuplot", examine_gnuplot};
