/* ropetool doctor: what works here, what is missing, and what to do about it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/doctor_parts.h"
#include "cmd/groups.h"
#include "lib/base/text.h"
#include "lib/base/thread.h"

enum { KEY_PART = 256, KEY_TIME_LIMIT };

static const struct argp_option options[] = {
    {"part", KEY_PART, "NAME[,NAME...]", 0,
     "what to look at: program, libraries, machine, folders, environment, fonts, gnuplot, cpu, "
     "cuda (default: all)",
     0},
    {"time-limit", KEY_TIME_LIMIT, "SECONDS", 0,
     "how long gnuplot may take for one picture (default 30)", 0},
    {0},
};

static const struct doctor_part *const parts[] = {
    &doctor_program, &doctor_libraries, &doctor_machine, &doctor_folders, &doctor_environment,
    &doctor_fonts,   &doctor_gnuplot,   &doctor_cpu,     &doctor_cuda,
};
enum { PARTS = sizeof parts / sizeof *parts };

const char *doctor_part_at(size_t index) {
  return index < PARTS ? parts[index]->name : NULL;
}

enum { PART, ITEM, STATUS, VALUE, DETAIL, COLUMNS };

static const char *const columns[COLUMNS] = {"part", "item", "status", "value", "detail"};

static const char *const status_names[] = {"ok", "absent", "fail"};

static int add_row(struct doctor *doctor, const char *const cells[COLUMNS]) {
  const size_t row = table_rows(doctor->table);
  if (table_add_rows(doctor->table, 1, doctor->error)) return ERROR_FAILED;
  for (size_t c = 0; c < COLUMNS; c++)
    if (table_set_text(doctor->table, row, c, cells[c], doctor->error)) return ERROR_FAILED;
  return OK;
}

void doctor_add(struct doctor *doctor, const char *item, enum doctor_status status,
                const char *value, const char *detail, ...) {
  char shown[1024], text[2048], line[sizeof text + 256];
  va_list arguments;
  va_start(arguments, detail);
  vsnprintf(text, sizeof text, detail, arguments);
  va_end(arguments);
  snprintf(shown, sizeof shown, "%s", value ? value : "");
  text_repair(shown); /* values of the environment may be anything */
  text_repair(text);
  const char *const cells[COLUMNS] = {doctor->part, item, status_names[status], shown, text};
  if (!doctor->status) doctor->status = add_row(doctor, cells);
  doctor->failed += status == DOCTOR_FAIL;
  if (status != DOCTOR_FAIL) return;
  snprintf(line, sizeof line, "%s, %s: %s", doctor->part, item, text);
  meta_append_text(table_meta(doctor->table), "failed", line);
}

void doctor_size_text(uint64_t bytes, char text[DOCTOR_SIZE]) {
  snprintf(text, DOCTOR_SIZE, "%.4g %s", (double)bytes / (bytes >> 30 ? 1073741824.0 : 1048576.0),
           bytes >> 30 ? "GiB" : "MiB");
}

/* ---- For people --------------------------------------------------------------------------------
 */

static void write_text(const char *text, FILE *out) {
  for (; *text; text++)
    fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

/* The widest of the part's cells from `row` on; those wider than `most` stick out. */
static int width_of(const struct table *table, size_t row, size_t column, size_t most) {
  const char *part = table_text(table, row, PART);
  size_t width = 0;
  for (; row < table_rows(table) && !strcmp(table_text(table, row, PART), part); row++) {
    const size_t wide = strlen(table_text(table, row, column));
    if (wide > width && wide <= most) width = wide;
  }
  return (int)width;
}

static void print_row(const struct table *table, size_t row, int item_width, int value_width,
                      FILE *out) {
  const char *value = table_text(table, row, VALUE), *detail = table_text(table, row, DETAIL);
  fprintf(out, "  %-6s  %-*s", table_text(table, row, STATUS), item_width,
          table_text(table, row, ITEM));
  fputs(*value || *detail ? "  " : "", out);
  write_text(value, out);
  const int blanks = value_width - (int)strlen(value);
  if (*detail && value_width) fprintf(out, "%*s  ", blanks > 0 ? blanks : 0, "");
  write_text(detail, out);
  fputc('\n', out);
}

static void summary(const struct result *result, FILE *out) {
  enum { WIDEST = 32 };
  const struct table *table = result->table;
  const char *part = "";
  size_t absent = 0, failed = 0;
  int item = 0, value = 0;
  for (size_t row = 0; row < table_rows(table); row++) {
    const char *status = table_text(table, row, STATUS);
    if (strcmp(part, table_text(table, row, PART))) {
      part = table_text(table, row, PART);
      item = width_of(table, row, ITEM, WIDEST);
      value = width_of(table, row, VALUE, WIDEST);
      fprintf(out, "%s\n", part);
    }
    print_row(table, row, item, value, out);
    absent += !strcmp(status, status_names[DOCTOR_ABSENT]);
    failed += !strcmp(status, status_names[DOCTOR_FAIL]);
  }
  fprintf(out, "%zu looked at: %zu fail, %zu absent\n", table_rows(table), failed, absent);
}

/* ---- The command -------------------------------------------------------------------------------
 */

/* "program, libraries, ... cpu or cuda", of the parts that there are. */
static void list_parts(char *text, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < PARTS && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s",
                             i == 0           ? ""
                             : i == PARTS - 1 ? " or "
                                              : ", ",
                             parts[i]->name);
}

static bool is_wanted(const char *list, const char *name) {
  char item[32];
  if (!list) return true;
  while (list_next(&list, item, sizeof item))
    if (!strcmp(item, name)) return true;
  return false;
}

static int check_parts(const char *list, struct error *error) {
  char item[32], known[160];
  while (list && list_next(&list, item, sizeof item)) {
    size_t i = 0;
    while (i < PARTS && strcmp(item, parts[i]->name) != 0)
      i++;
    if (i < PARTS) continue;
    list_parts(known, sizeof known);
    return error_set(error, ERROR_INPUT, "unknown part '%s' of --part: %s", item, known);
  }
  return OK;
}

static int make_table(struct doctor *doctor) {
  doctor->table = table_create(doctor->error);
  if (!doctor->table) return ERROR_FAILED;
  for (size_t c = 0; c < COLUMNS; c++)
    if (table_add_column(doctor->table, columns[c], COLUMN_TEXT, doctor->error) < 0)
      return ERROR_FAILED;
  meta_add_list(table_meta(doctor->table), "failed");
  return OK;
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  const char *list = option_text(invocation, "part", NULL);
  int64_t threads = thread_available(), seconds = 30;
  if (check_parts(list, error)) return error->code;
  if (option_integer(invocation, "threads", 1, 4096, &threads, error)) return error->code;
  if (option_integer(invocation, "time-limit", 1, 3600, &seconds, error)) return error->code;
  struct doctor doctor = {.device = option_text(invocation, "device", "auto"),
                          .threads = (int)threads,
                          .time_limit = (int)seconds,
                          .error = error};
  /* OpenMP ends the program for a thread that it cannot start. */
  doctor.started = thread_startable(doctor.threads);
  thread_use(doctor.started);
  if (!make_table(&doctor))
    for (size_t i = 0; i < PARTS; i++) {
      if (!is_wanted(list, parts[i]->name)) continue;
      doctor.part = parts[i]->name;
      parts[i]->examine(&doctor);
    }
  else
    doctor.status = ERROR_FAILED;
  result->table = doctor.table;
  result->summary = summary;
  result->checked = true;
  result->check_status = doctor.failed ? ERROR_FAILED : OK;
  return doctor.status;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what works here, what is missing, and what to do about it",
    .description = "Looks at all that the program needs or can use: draws a tiny figure with each "
                   "terminal of gnuplot and checks it, runs each operation of the engine on the "
                   "CPU and on every GPU and compares it with its definition. Leaves no files. "
                   "Exit status 1 when something fails.",
    .options = options,
    .groups = GROUP_OUTPUT,
    .reports_devices = true,
    .compute = compute,
};
