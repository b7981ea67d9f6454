/* What the terminal of a preview can show. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

#include "lib/base/number.h"
#include "lib/figure/preview.h"

static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

/* The first of these variables that is set says which characters there are. */
static bool locale_is_utf8(void) {
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = variable(names[i]);
    if (!*value) continue;
    const char *dot = strchr(value, '.');
    return dot && (!strncasecmp(dot, ".utf-8", 6) || !strncasecmp(dot, ".utf8", 5));
  }
  return false;
}

static bool ends_with(const char *text, const char *end) {
  const size_t size = strlen(text), tail = strlen(end);
  return size >= tail && !strcmp(text + size - tail, end);
}

static void set_size(int file, struct preview_terminal *terminal) {
  struct winsize window = {0};
  int64_t columns = 0;
  if (file < 0 || ioctl(file, TIOCGWINSZ, &window)) window = (struct winsize){0};
  if (!window.ws_col && number_integer(variable("COLUMNS"), "COLUMNS", 1, 10000, &columns, NULL))
    columns = 80;
  terminal->columns = window.ws_col ? window.ws_col : (unsigned)columns;
  /* The line of the shell's prompt and the one before the picture stay in sight. */
  terminal->rows = window.ws_row > 2 ? window.ws_row - 2U : 34;
}

/* Terminals of few or no colours, and without the characters of braille. */
static bool is_simple(const char *name) {
  static const char *const names[] = {"unknown", "linux", "ansi", "cons25"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(name, names[i])) return true;
  return !strncmp(name, "vt", 2) && isdigit((unsigned char)name[2]);
}

static void set_auto(struct preview_terminal *terminal) {
  const char *name = variable("TERM"), *depth = variable("COLORTERM");
  const bool deep =
      !strcmp(depth, "truecolor") || !strcmp(depth, "24bit") || ends_with(name, "-direct");
  const bool simple = !*name || !strcmp(name, "dumb") || (is_simple(name) && !deep);
  terminal->blocks = !simple && locale_is_utf8();
  if (simple || *variable("NO_COLOR"))
    terminal->colour = PREVIEW_PLAIN;
  else if (deep)
    terminal->colour = PREVIEW_TRUECOLOR;
  else
    terminal->colour = PREVIEW_256;
}

int preview_terminal_of(int file, struct preview_terminal *terminal, struct error *error) {
  static const struct {
    const char *name;
    struct preview_terminal terminal;
  } kinds[] = {{"none", {.off = true}},
               {"ascii", {.colour = PREVIEW_PLAIN}},
               {"256", {.colour = PREVIEW_256, .blocks = true}},
               {"truecolor", {.colour = PREVIEW_TRUECOLOR, .blocks = true}},
               {"sixel", {.colour = PREVIEW_TRUECOLOR, .blocks = true, .sixel = true}}};
  const char *asked = variable("ROPETOOL_PREVIEW");
  *terminal = (struct preview_terminal){0};
  bool known = !*asked || !strcmp(asked, "auto");
  if (known) set_auto(terminal);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !known; i++)
    if ((known = !strcmp(asked, kinds[i].name))) *terminal = kinds[i].terminal;
  set_size(file, terminal);
  if (known) return OK;
  return error_set(error, ERROR_INPUT,
                   "ROPETOOL_PREVIEW '%s' is unknown; one of auto, none, ascii, 256, truecolor, "
                   "sixel",
                   asked);
}
