/* ropetool COMMAND [OPTION...]: prints how a command ended and sets the exit status; `figures`
   reports its jobs itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/completion.h"
#include "cmd/groups.h"
#include "cmd/manual.h"
#include "cmd/output.h"
#include "cmd/progress_bar.h"
#include "cmd/version.h"
#include "kernels/backend.h"
#include "lib/base/file.h"
#include "lib/base/process.h"
#include "lib/base/progress.h"

/* OpenBLAS reads the environment when it is loaded, before main() could ask it for anything.
   Threads that it makes would be of no use, since products run in threads of our own; their memory
   is more than some limits allow, and the program would then wait for them without end. For a
   processor that it does not know it takes kernels that are several times too slow. So the program
   starts anew, with the words that it reads; where /proc is missing it goes on as it is. */
static void prepare_blas(char **argv) {
  static const char threads[] = "OPENBLAS_NUM_THREADS", kernels[] = "OPENBLAS_CORETYPE";
  const char *set = getenv(threads), *better = getenv(kernels) ? NULL : backend_blas_better();
  if (set && !strcmp(set, "1") && !better) return;
  if (setenv(threads, "1", 1) || (better && setenv(kernels, better, 1))) return;
  execv("/proc/self/exe", argv);
}

static void remove_partial_and_exit(int number) {
  process_stop_all();
  file_remove_partial();
  _exit(128 + number);
}

/* A program started without stdin, stdout or stderr would write its files there. */
static void keep_standard_descriptors(void) {
  for (int descriptor = 0; descriptor < 3; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", O_RDONLY) != descriptor)
      abort();
}

/* What was ignored when the program started stays so: `nohup` and a script's `&` ask for it. */
static void catch_signals(void) {
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = remove_partial_and_exit}, before;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (sigaction(ends[i], NULL, &before) || before.sa_handler != SIG_IGN)
      sigaction(ends[i], &action, NULL);
  /* Writing then fails with an error like any other: a pipe that was closed, a limit on file sizes.
   */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

static void list_commands(FILE *out) {
  fputs("usage: ropetool COMMAND [OPTION...]\n\nAnalysis and visualisation of Rotary Position "
        "Embedding (RoPE).\n\n",
        out);
  const struct command *command;
  for (size_t i = 0; (command = command_at(i)); i++)
    fprintf(out, "  %-10s %s\n", command->name, command->summary);
  fputs("  help       how to use a command: ropetool help COMMAND\n"
        "\n'ropetool COMMAND --help' lists the options; 'ropetool --version' the libraries.\n",
        out);
}

/* Ends with status 1 when stdout did not take what was printed. */
static int printed(void) {
  struct error error;
  if (!output_finish_stdout(&error)) return 0;
  fprintf(stderr, "ropetool: %s\n", error.message);
  return ERROR_FAILED;
}

static int unknown_command(const char *name) {
  struct error error;
  error_set(&error, ERROR_INPUT, "unknown command '%s'; 'ropetool help' lists them", name);
  fprintf(stderr, "ropetool: %s\n", error.message);
  return ERROR_INPUT;
}

static int help(const char *name) {
  const struct command *command = name ? command_find(name) : NULL;
  if (name && !command) return unknown_command(name);
  if (command)
    invocation_help(command, stdout);
  else
    list_commands(stdout);
  return printed();
}

/* What a build makes of the option tables: `help --man [COMMAND]`, `help --completion SHELL`. */
static int help_generate(const char *form, const char *name) {
  struct error error = {0};
  const struct command *command = name ? command_find(name) : NULL;
  if (!strcmp(form, "--man")) {
    if (name && !command) return unknown_command(name);
    manual_write(command, stdout);
  } else if (completion_write(name, stdout, &error)) {
    fprintf(stderr, "ropetool help: %s\n", error.message);
    return (int)error.code;
  }
  return printed();
}

/* What the user should know although all went well. */
static void print_notes(const struct invocation *invocation, const struct outputs *outputs,
                        const struct result *result) {
  const struct meta *meta = result_meta(result);
  const char *name = invocation->command->name;
  char note[OUTPUTS_NOTE], beyond[OUTPUTS_NOTE], flat[OUTPUTS_NOTE];
  if (option_given(invocation, "quiet") || !meta) return;
  for (size_t i = 0; i < meta_count(meta, "warnings"); i++)
    fprintf(stderr, "ropetool %s: warning: %s\n", name, meta_item_text(meta, "warnings", i));
  const char *changed;
  for (size_t cursor = 0; (changed = invocation_changed_input(invocation, meta, &cursor));) {
    struct error said; /* a figure may name anything */
    error_set(&said, OK, "'%s' is another file than the one that the figure was drawn from",
              changed);
    fprintf(stderr, "ropetool %s: warning: %s\n", name, said.message);
  }
  if (outputs_left_out(outputs, result, note)) fprintf(stderr, "ropetool %s: %s\n", name, note);
  outputs_colours(outputs, result, beyond, flat);
  if (*beyond) fprintf(stderr, "ropetool %s: %s\n", name, beyond);
  if (*flat) fprintf(stderr, "ropetool %s: warning: %s\n", name, flat);
  if (outputs_other_font(outputs, note)) fprintf(stderr, "ropetool %s: warning: %s\n", name, note);
  const char *reduced = meta_text(meta, "reduced");
  if (reduced) fprintf(stderr, "ropetool %s: reduced %s\n", name, reduced);
  if (option_given(invocation, "verbose")) {
    fprintf(stderr, "ropetool %s: command: %s\n", name, meta_text(meta, "command"));
    fprintf(stderr, "ropetool %s: backend: %s\n", name, meta_text(meta, "backend"));
  }
}

/* What the user should know of figures that were drawn. */
static void print_drawn(const struct invocation *invocation, const struct outputs *outputs) {
  const char *name = invocation->command->name, *cut = outputs_cut(outputs);
  if (outputs_legend_moved(outputs))
    fprintf(stderr,
            "ropetool %s: the legend is above: its names do not fit at the ends of the curves\n",
            name);
  if (cut) fprintf(stderr, "ropetool %s: warning: the %s does not fit and is cut\n", name, cut);
}

/* What was required and does not hold. */
static void print_failures(const struct invocation *invocation, const struct result *result) {
  const struct meta *meta = result_meta(result);
  for (size_t i = 0; i < meta_count(meta, "failed"); i++)
    fprintf(stderr, "ropetool %s: %s\n", invocation->command->name,
            meta_item_text(meta, "failed", i));
}

static int run(struct invocation *invocation, struct error *error) {
  struct result result;
  struct outputs *outputs = NULL;
  if (run_options_apply(invocation, error)) return error->code;
  if (isatty(STDERR_FILENO) && !option_given(invocation, "quiet")) progress_set(progress_bar_show);
  if (outputs_open(invocation, &outputs, error)) return error->code;
  if (command_compute(invocation, &result, error)) {
    outputs_discard(outputs);
    return error->code;
  }
  print_notes(invocation, outputs, &result);
  print_failures(invocation, &result);
  int status = outputs_write(outputs, invocation, &result, error);
  if (!status && !option_given(invocation, "quiet")) print_drawn(invocation, outputs);
  outputs_discard(outputs);
  if (!status) status = result.check_status;
  result_release(&result);
  return status;
}

static int run_command(const struct command *command, int count, char **words) {
  struct error error = {0};
  struct invocation invocation = {.command = command};
  int status =
      (command->prepare ? command->prepare : invocation_parse)(&invocation, count, words, &error);
  if (!status) status = invocation.help ? help(command->name) : run(&invocation, &error);
  if (status && error.message[0])
    fprintf(stderr, "ropetool %s: %s\n", command->name, error.message);
  invocation_release(&invocation);
  return status;
}

int main(int argc, char **argv) {
  prepare_blas(argv);
  keep_standard_descriptors();
  catch_signals();
  if (argc < 2) {
    fputs("ropetool: no command given; 'ropetool help' lists them\n", stderr);
    return ERROR_INPUT;
  }
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h")) return help(NULL);
  if (!strcmp(name, "help")) {
    const char *word = argc > 2 ? argv[2] : NULL;
    const bool generate = word && (!strcmp(word, "--man") || !strcmp(word, "--completion"));
    return generate ? help_generate(word, argv[3]) : help(word);
  }
  if (!strcmp(name, "--version")) {
    version_print(stdout);
    return printed();
  }
  const struct command *command = command_find(name);
  return command ? run_command(command, argc - 2, argv + 2) : unknown_command(name);
}
