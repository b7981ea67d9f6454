/* ropetool bench: how fast the engine is here, beside what the machine can do. */
#include <math.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/analysis/bench.h"
#include "lib/base/progress.h"
#include "lib/base/thread.h"

enum { KEY_OPERATION = 256, KEY_QUICK, KEY_RUNS, KEY_JSON };

static const struct argp_option options[] = {
    {"operation", KEY_OPERATION, "NAME[,NAME...]", 0,
     "what to measure: decay_bound, cosine_sum, phase_map, rotate, gaussian, scores, "
     "profile_tiles, quantiles; the limits multiply_add, roots, copy, product (default: all)",
     0},
    {"quick", KEY_QUICK, NULL, 0, "small shapes: shows that all of it works, not how fast it is",
     0},
    {"runs", KEY_RUNS, "N", 0, "how often each is timed (default 9; with --quick 3)", 0},
    {"json", KEY_JSON, NULL, 0, "as --format json", 0},
    {0},
};

/* --json says what stdout gets, not what is measured: it becomes the option that all commands have
   for that. */
static int prepare(struct invocation *invocation, int count, char *const *words,
                   struct error *error) {
  if (invocation_parse(invocation, count, words, error)) return error->code;
  for (size_t i = 0; i < invocation->count; i++) {
    struct option_entry *entry = &invocation->entries[i];
    if (strcmp(entry->name, "json")) continue;
    entry->name = "format";
    entry->value = "json";
    entry->canonical = false;
  }
  return OK;
}

static double real(const struct table *table, size_t row, const char *column) {
  return table_real(table, row, (size_t)table_find_column(table, column));
}

static const char *text(const struct table *table, size_t row, const char *column) {
  return table_text(table, row, (size_t)table_find_column(table, column));
}

static void print_row(const struct table *table, size_t row, FILE *out) {
  const double middle = real(table, row, "seconds_median"), share = real(table, row, "share");
  const double spread = real(table, row, "seconds_max") - real(table, row, "seconds_min");
  fprintf(out, "%-21s %-5s %7.0f  %9.2f ms  %4.0f %%  %10.4g", text(table, row, "operation"),
          text(table, row, "precision"), real(table, row, "threads"), 1e3 * middle,
          100 * spread / middle, 1e-6 * real(table, row, "elements_per_second"));
  if (!isnan(share)) fprintf(out, "  %6.3f of %s", share, text(table, row, "limit"));
  fputc('\n', out);
}

static void summary(const struct result *result, FILE *out) {
  const struct table *table = result->table;
  fprintf(out, "%-21s %-5s %7s  %12s  %6s  %10s  %s\n", "operation", "in", "threads", "median",
          "spread", "million/s", "share");
  for (size_t row = 0; row < table_rows(table); row++)
    print_row(table, row, out);
  const struct meta *meta = table_meta(table);
  fprintf(out, "\non %s; %s (shapes, rates and memory: --format csv)\n", meta_text(meta, "backend"),
          meta_text(meta, "blas"));
  if (meta_text(meta, "limits"))
    fputs("limits are of the device alone; operations are timed with their arrays' way to it and "
          "back\n",
          out);
}

static int compute(const struct invocation *invocation, struct result *result,
                   struct error *error) {
  const bool quick = option_given(invocation, "quick");
  int64_t runs = quick ? 3 : 9, threads = thread_available();
  if (option_integer(invocation, "runs", 1, 10000, &runs, error)) return error->code;
  if (option_integer(invocation, "threads", 1, 4096, &threads, error)) return error->code;
  struct bench_request request = {
      .operations = option_text(invocation, "operation", NULL),
      .quick = quick,
      .threads = (int)threads,
      .runs = (size_t)runs,
  };
  progress_set(NULL); /* drawing a bar would be measured, too */
  result->summary = summary;
  int status = run_options_backend(invocation, &request.backend, error);
  if (!status) status = bench_run(&request, &result->table, error);
  backend_close(request.backend);
  return status;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "measure the engine beside the machine's limits",
    .description = "Times every heavy loop, and in the same run what limits it on this machine: as "
                   "many square roots, a copy of the same bytes, the matrix product alone. With "
                   "more than one thread each is timed against one thread, too.",
    .options = options,
    .groups = GROUP_OUTPUT,
    .prepare = prepare,
    .compute = compute,
};
