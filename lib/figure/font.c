/* Whether a font is there: the one user of fontconfig, which the text library of gnuplot asks too.
   It is opened when it is wanted, so that the program does without where it is not. */
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/figure/figure.h"

static const char *const generic[] = {"sans", "sans-serif", "serif", "mono", "monospace"};

/* What is used of the library, as <fontconfig/fontconfig.h> declares it: FcBool is an int, FcChar8
   an unsigned char, the enumerations FcMatchKind and FcResult start at 0. */
enum { MATCH_PATTERN = 0, RESULT_MATCH = 0 };
struct pattern; /* FcPattern */
struct config;  /* FcConfig */

struct fontconfig {
  void *library;
  struct config *(*load)(void);
  void (*unload)(struct config *);
  struct pattern *(*create)(void);
  int (*add_string)(struct pattern *, const char *object, const unsigned char *value);
  int (*substitute)(struct config *, struct pattern *, int kind);
  void (*complete)(struct pattern *);
  struct pattern *(*match)(struct config *, struct pattern *, int *result);
  int (*get_string)(const struct pattern *, const char *object, int index, unsigned char **value);
  void (*destroy)(struct pattern *);
  void (*end)(void);
  int (*version)(void);
};

static void fontconfig_close(struct fontconfig *fc) {
  if (fc->library) dlclose(fc->library);
  fc->library = NULL;
}

static bool fontconfig_open(struct fontconfig *fc) {
  fc->library = dlopen("libfontconfig.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!fc->library) return false;
  const struct {
    const char *name;
    void *place;
  } symbols[] = {
      {"FcInitLoadConfigAndFonts", &fc->load},
      {"FcConfigDestroy", &fc->unload},
      {"FcPatternCreate", &fc->create},
      {"FcPatternAddString", &fc->add_string},
      {"FcConfigSubstitute", &fc->substitute},
      {"FcDefaultSubstitute", &fc->complete},
      {"FcFontMatch", &fc->match},
      {"FcPatternGetString", &fc->get_string},
      {"FcPatternDestroy", &fc->destroy},
      {"FcFini", &fc->end},
      {"FcGetVersion", &fc->version},
  };
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    void *symbol = dlsym(fc->library, symbols[i].name);
    if (!symbol) {
      fontconfig_close(fc);
      return false;
    }
    memcpy(symbols[i].place, &symbol, sizeof symbol);
  }
  return true;
}

/* Names of families are the same without blanks and in any case. */
static bool same_family(const char *a, const char *b) {
  for (;;) {
    while (*a == ' ')
      a++;
    while (*b == ' ')
      b++;
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    if (!*a) return true;
    a++;
    b++;
  }
}

static enum figure_font best_match(const struct fontconfig *fc, struct config *config,
                                   const char *font, char shown[FIGURE_FONT_NAME]) {
  struct pattern *wanted = fc->create(), *found = NULL;
  enum figure_font match = FIGURE_FONT_NONE;
  int result;
  unsigned char *family;
  if (wanted && fc->add_string(wanted, "family", (const unsigned char *)font) &&
      fc->substitute(config, wanted, MATCH_PATTERN)) {
    fc->complete(wanted);
    found = fc->match(config, wanted, &result);
  }
  for (int i = 0; found && fc->get_string(found, "family", i, &family) == RESULT_MATCH; i++) {
    if (match == FIGURE_FONT_NONE) snprintf(shown, FIGURE_FONT_NAME, "%s", (const char *)family);
    if (match != FIGURE_FONT_SAME)
      match = same_family(font, (const char *)family) ? FIGURE_FONT_SAME : FIGURE_FONT_OTHER;
  }
  if (found) fc->destroy(found);
  if (wanted) fc->destroy(wanted);
  return match;
}

enum figure_font figure_font_find(const char *font, char family[FIGURE_FONT_NAME]) {
  struct fontconfig fc;
  *family = '\0';
  if (!fontconfig_open(&fc)) return FIGURE_FONT_UNKNOWN;
  struct config *config = fc.load();
  const enum figure_font match =
      config ? best_match(&fc, config, font, family) : FIGURE_FONT_UNKNOWN;
  if (config) fc.unload(config);
  fc.end();
  fontconfig_close(&fc);
  return match;
}

int figure_fontconfig_version(void) {
  struct fontconfig fc;
  if (!fontconfig_open(&fc)) return 0;
  const int version = fc.version();
  fontconfig_close(&fc);
  return version;
}

int figure_font_known(const char *font, char instead[FIGURE_FONT_NAME]) {
  *instead = '\0';
  for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
    if (same_family(font, generic[i])) return 1;
  const enum figure_font match = figure_font_find(font, instead);
  return match < FIGURE_FONT_OTHER ? -1 : match == FIGURE_FONT_SAME;
}

/* Families of narrow faces, and how wide their texts are at most: the widths of digits and of small
   letters that Adobe's metrics of Times-Roman and Helvetica state, with some room for capitals. */
static const struct face {
  const char *family;
  double width;
} faces[] = {
    {"Times", 0.86},
    {"Times New Roman", 0.86},
    {"Nimbus Roman", 0.86},
    {"Nimbus Roman No9 L", 0.86},
    {"Liberation Serif", 0.86},
    {"TeX Gyre Termes", 0.86},
    {"Tinos", 0.86},
    {"Helvetica", 0.93},
    {"Arial", 0.93},
    {"Nimbus Sans", 0.93},
    {"Nimbus Sans L", 0.93},
    {"Liberation Sans", 0.93},
    {"TeX Gyre Heros", 0.93},
    {"Arimo", 0.93},
};

static double face_width(const char *family) {
  for (size_t i = 0; i < sizeof faces / sizeof *faces; i++)
    if (same_family(family, faces[i].family)) return faces[i].width;
  return 1;
}

double figure_font_width(const char *font) {
  char instead[FIGURE_FONT_NAME];
  if (!(face_width(font) < 1)) return 1;
  const int known = figure_font_known(font, instead);
  return known < 0 ? 1 : face_width(known ? font : instead);
}
