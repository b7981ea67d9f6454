/* doctor: the variables of the environment that change what the program does, and what the terminal
   will show. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor_parts.h"
#include "lib/base/number.h"
#include "lib/figure/preview.h"

extern char **environ;

/* In the order of docs/commands.md; only those that are set become rows. */
static const struct variable {
  const char *name, *meaning;
} variables[] = {
    {"ROPETOOL_GNUPLOT", "the gnuplot that is run"},
    {"ROPETOOL_PREVIEW", "how previews are drawn"},
    {"ROPETOOL_CUDA_PLUGIN", "the CUDA plug-in that is opened"},
    {"ROPETOOL_CUBLAS", "the cuBLAS that is opened; 'no': none"},
    {"ROPETOOL_CUDA_MEMORY", "bytes of a GPU that an operation may use"},
    {"ROPETOOL_CUDA_BLOCKS", "blocks that a GPU is given at a time"},
    {"CUDA_VISIBLE_DEVICES", "the GPUs that there are"},
    {"PATH", "where gnuplot is looked for"},
    {"TMPDIR", "where TeX figures are made"},
    {"SOURCE_DATE_EPOCH", "the date of PDFs"},
    {"TERM", "the terminal of previews"},
    {"COLORTERM", "its colours"},
    {"COLUMNS", "its width, where it does not say itself"},
    {"NO_COLOR", "not empty: no colours in previews"},
    {"LC_ALL", "the characters of previews"},
    {"LC_CTYPE", "the characters of previews, unless LC_ALL is set"},
    {"LANG", "the characters of previews, unless LC_ALL or LC_CTYPE is set"},
    {"FONTCONFIG_FILE", "where fonts are looked for"},
    {"FONTCONFIG_PATH", "where fonts are looked for"},
    {"FONTCONFIG_SYSROOT", "where fonts are looked for"},
    {"XDG_DATA_HOME", "where fonts are looked for"},
    {"XDG_CONFIG_HOME", "where fonts are looked for"},
    {"XDG_CACHE_HOME", "where the list of fonts is kept"},
    {"OMP_NUM_THREADS", "not used: --threads is"},
    {"OMP_THREAD_LIMIT", "no more threads run"},
    {"OMP_STACKSIZE", "of each thread"},
    {"OMP_WAIT_POLICY", "'passive' is best where cores are shared"},
    {"LD_LIBRARY_PATH", "where libraries are looked for first"},
    {"LD_PRELOAD", "libraries that come before all others"},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* What is wrong with a value, into `fault`; false when nothing is known to be. */
static bool find_fault(const char *name, const char *value, struct error *fault) {
  struct preview_terminal terminal;
  int64_t number;
  if (!strcmp(name, "ROPETOOL_PREVIEW")) return preview_terminal_of(-1, &terminal, fault);
  if (strcmp(name, "SOURCE_DATE_EPOCH") || !*value) return false;
  if (!number_integer(value, name, 0, INT64_C(253402300799), &number, fault)) return false;
  error_set(fault, ERROR_INPUT, "not seconds since 1970: PDFs will have no date");
  return true;
}

static void add_variable(struct doctor *doctor, const struct variable *variable) {
  struct error fault;
  const char *value = getenv(variable->name);
  if (!value) return;
  const bool wrong = find_fault(variable->name, value, &fault);
  doctor_add(doctor, variable->name, wrong ? DOCTOR_FAIL : DOCTOR_OK, value, "%s",
             wrong ? fault.message : variable->meaning);
}

/* A name of ours that nothing reads is misspelt. */
static void add_unknown(struct doctor *doctor, const char *entry) {
  static const char ours[] = "ROPETOOL_";
  char name[64];
  const size_t length = strcspn(entry, "=");
  if (strncmp(entry, ours, sizeof ours - 1)) return;
  snprintf(name, sizeof name, "%.*s", (int)length, entry);
  for (size_t i = 0; i < VARIABLES; i++)
    if (!strcmp(name, variables[i].name)) return;
  doctor_add(doctor, name, DOCTOR_FAIL, entry[length] ? entry + length + 1 : "", "%s",
             "not known, and without effect: is it misspelt?");
}

/* What `auto` leads to, where there is a terminal. */
static void add_preview(struct doctor *doctor) {
  static const char *const colours[] = {"no", "256", "24-bit"};
  char value[96];
  struct preview_terminal terminal;
  struct error error;
  if (preview_terminal_of(STDOUT_FILENO, &terminal, &error)) return; /* said above */
  if (terminal.off)
    snprintf(value, sizeof value, "none");
  else if (terminal.sixel)
    snprintf(value, sizeof value, "sixel");
  else
    snprintf(value, sizeof value, "%s, %s colours", terminal.blocks ? "half blocks" : "ASCII",
             colours[terminal.colour]);
  if (isatty(STDOUT_FILENO))
    doctor_add(doctor, "preview", DOCTOR_OK, value, "on this terminal of %u columns",
               terminal.columns);
  else
    doctor_add(doctor, "preview", DOCTOR_OK, value, "%s",
               "on a terminal; stdout is none now, so that nothing is drawn");
}

static void examine_environment(struct doctor *doctor) {
  for (size_t i = 0; i < VARIABLES; i++)
    add_variable(doctor, &variables[i]);
  for (char **entry = environ; *entry; entry++)
    add_unknown(doctor, *entry);
  add_preview(doctor);
}

const struct doctor_part doctor_environment = {"environment", examine_environment};
