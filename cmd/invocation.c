#include "cmd/invocation.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/groups.h"
#include "lib/base/file.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/io/tensor.h"

/* What a group's parser needs: argp hands it over as the input of the root or of a child. */
struct group_input {
  struct invocation *invocation;
  const struct argp_option *options;
  bool canonical;
};

struct parse {
  struct group_input inputs[OPTION_GROUPS]; /* the command's own, then its children's */
  struct argp parsers[OPTION_GROUPS];
  struct argp_child children[OPTION_GROUPS];
  size_t count;
  struct argp root;
  struct error *error;
  int status;
  FILE *silent;
};

/* The help text of an option says whether each of its values counts. */
bool option_is_repeatable(const struct argp_option *option) {
  return option->doc && strstr(option->doc, "may be repeated");
}

/* Forgets what an option replaces: all of an earlier parse, and where one value counts all of this
 * one. */
static void forget_replaced(struct invocation *invocation, const struct argp_option *option) {
  size_t kept = 0;
  for (size_t i = 0; i < invocation->count; i++) {
    const struct option_entry *entry = &invocation->entries[i];
    const bool adds = entry->pass == invocation->pass && option_is_repeatable(option);
    if (adds || strcmp(entry->name, option->name)) invocation->entries[kept++] = *entry;
  }
  invocation->count = kept;
}

/* FILE, or KEY=FILE as the option's argument is called. */
static const char *find_path(const struct argp_option *option, const char *value) {
  if (!option->arg || !strstr(option->arg, "FILE")) return NULL;
  const char *equal = strstr(option->arg, "=FILE") ? strchr(value, '=') : NULL;
  return equal ? equal + 1 : value;
}

static int record(struct invocation *invocation, const struct group_input *group, int key,
                  const char *value) {
  const struct argp_option *option = group->options;
  while (option->name && option->key != key)
    option++;
  if (!option->name) return -1;
  forget_replaced(invocation, option);
  struct option_entry *larger =
      realloc(invocation->entries, (invocation->count + 1) * sizeof *larger);
  if (!larger) return -1;
  invocation->entries = larger;
  larger[invocation->count++] = (struct option_entry){
      .name = option->name,
      .value = value,
      .canonical = group->canonical,
      .path = find_path(option, value),
      .pass = invocation->pass,
  };
  return 0;
}

static error_t parse_child(int key, char *value, struct argp_state *state) {
  const struct group_input *group = state->input;
  if (key == ARGP_KEY_INIT || !group) return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
  return record(group->invocation, group, key, value) ? ARGP_ERR_UNKNOWN : 0;
}

static error_t parse_root(int key, char *value, struct argp_state *state) {
  struct parse *parse = state->input;
  struct invocation *invocation = parse->inputs[0].invocation;
  if (key == ARGP_KEY_INIT) {
    for (size_t i = 1; i < parse->count; i++)
      state->child_inputs[i - 1] = &parse->inputs[i];
    state->err_stream =
        parse->silent; /* getopt has said what is wrong; argp would add a second line */
    return 0;
  }
  if (key == ARGP_KEY_ARG) {
    if (!invocation->command->arguments || invocation->argument)
      parse->status = error_set(parse->error, ERROR_INPUT, "unexpected argument '%s'", value);
    else
      invocation->argument = value;
    return parse->status ? EINVAL : 0;
  }
  return record(invocation, &parse->inputs[0], key, value) ? ARGP_ERR_UNKNOWN : 0;
}

static const struct argp_option *output_group(const struct command *command) {
  if (command->groups & GROUP_FIGURE) return group_output;
  return command->groups & GROUP_TENSOR ? group_output_tensor : group_output_data;
}

size_t invocation_groups(const struct command *command, struct option_group groups[OPTION_GROUPS]) {
  static const struct argp_option none[] = {{0}};
  size_t count = 0;
  groups[count++] = (struct option_group){NULL, command->options ? command->options : none, true};
  if (command->groups & GROUP_SPECTRUM)
    groups[count++] = (struct option_group){"Which RoPE:", group_spectrum, true};
  if (command->groups & GROUP_ENCODING)
    groups[count++] = (struct option_group){"Encodings:", group_encoding, true};
  if (command->groups & GROUP_FIGURE) {
    groups[count++] = (struct option_group){"Figure:", group_figure, true};
    groups[count++] = (struct option_group){"Drawing:", group_drawing, false};
  }
  if (command->groups & GROUP_OUTPUT)
    groups[count++] = (struct option_group){"Output:", output_group(command), false};
  groups[count++] = (struct option_group){"Running:", group_run, false};
  return count;
}

static void prepare(struct parse *parse, struct invocation *invocation,
                    const struct command *command) {
  struct option_group groups[OPTION_GROUPS];
  *parse = (struct parse){.count = invocation_groups(command, groups)};
  for (size_t i = 0; i < parse->count; i++) {
    const struct option_group *group = &groups[i];
    parse->inputs[i] = (struct group_input){invocation, group->options, group->canonical};
    if (!i) continue;
    parse->parsers[i] = (struct argp){.options = group->options, .parser = parse_child};
    parse->children[i - 1] = (struct argp_child){&parse->parsers[i], 0, group->title, (int)i};
  }
  /* argp leaks the help of a table without options; NULL is none. */
  parse->root = (struct argp){.options = command->options,
                              .parser = parse_root,
                              .args_doc = command->arguments,
                              .doc = command->description,
                              .children = parse->children};
}

void invocation_help(const struct command *command, FILE *out) {
  struct parse parse;
  struct invocation none = {.command = command};
  prepare(&parse, &none, command);
  char name[64];
  snprintf(name, sizeof name, "ropetool %s", command->name);
  argp_help(&parse.root, out, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
}

/* getopt quotes an unknown option in its message as it stands. */
static int check_words(int count, char *const *words, struct error *error) {
  for (int i = 0; i < count; i++)
    if (words[i][0] == '-' && strcspn(words[i], "\n\r\t\033") < strcspn(words[i], "="))
      return error_set(error, ERROR_INPUT, "unknown option '%s'", words[i]);
  return OK;
}

/* The canonical command is kept as text, inside of figures too. */
static int check_text(const struct invocation *invocation, struct error *error) {
  for (size_t i = 0; i < invocation->count; i++) {
    const struct option_entry *entry = &invocation->entries[i];
    if (entry->canonical && entry->value && !text_is_utf8(entry->value, strlen(entry->value)))
      return error_set(error, ERROR_INPUT, "--%s '%s' is not UTF-8", entry->name, entry->value);
  }
  const char *argument = invocation->argument;
  if (argument && !invocation->command->prepare && !text_is_utf8(argument, strlen(argument)))
    return error_set(error, ERROR_INPUT, "'%s' is not UTF-8", argument);
  return OK;
}

int invocation_parse(struct invocation *invocation, int count, char *const *words,
                     struct error *error) {
  if (check_words(count, words, error)) return error->code;
  struct parse parse;
  prepare(&parse, invocation, invocation->command);
  parse.error = error;
  parse.silent = fopen("/dev/null", "we");
  char name[1024];
  snprintf(name, sizeof name, "%s%s", invocation->label ? invocation->label : "ropetool ",
           invocation->label ? "" : invocation->command->name);
  char **argv = malloc(((size_t)count + 2) * sizeof *argv);
  if (!argv || !parse.silent) {
    free(argv);
    return error_set(error, ERROR_FAILED, "out of memory: the command line");
  }
  argv[0] = name;
  for (int i = 0; i <= count; i++)
    argv[i + 1] = i < count ? words[i] : NULL;
  invocation->pass++;
  argp_err_exit_status = ERROR_INPUT;
  const error_t failed = argp_parse(&parse.root, count + 1, argv, ARGP_NO_HELP, NULL, &parse);
  if (failed && !parse.status) parse.status = error_set(error, ERROR_INPUT, "bad command line");
  invocation->help = option_given(invocation, "help");
  if (!parse.status) parse.status = check_text(invocation, error);
  fclose(parse.silent);
  free(argv);
  return parse.status;
}

int invocation_parse_command(struct invocation *invocation, const char *line, struct error *error) {
  char **words;
  const int count = text_split_shell(line, &words);
  if (count < 2 || strcmp(words[0], "ropetool") ||
      !(invocation->command = command_find(words[1]))) {
    free(words);
    return error_set(error, ERROR_INPUT, "'%s' is not a ropetool command", line);
  }
  for (size_t i = 0; i < sizeof invocation->owned / sizeof *invocation->owned; i++)
    if (!invocation->owned[i]) {
      invocation->owned[i] = words;
      break;
    }
  return invocation_parse(invocation, count - 2, words + 2, error);
}

void invocation_release(struct invocation *invocation) {
  free(invocation->entries);
  meta_destroy(invocation->made_from);
  for (size_t i = 0; i < sizeof invocation->owned / sizeof *invocation->owned; i++)
    free(invocation->owned[i]);
  *invocation = (struct invocation){0};
}

bool invocation_forget(struct invocation *invocation, const char *name) {
  size_t kept = 0;
  for (size_t i = 0; i < invocation->count; i++)
    if (strcmp(invocation->entries[i].name, name))
      invocation->entries[kept++] = invocation->entries[i];
  const bool any = kept < invocation->count;
  invocation->count = kept;
  return any;
}

static bool same(const char *a, const char *b) {
  return a && b && !strcmp(a, b);
}

const char *invocation_changed_input(const struct invocation *invocation, const struct meta *meta,
                                     size_t *cursor) {
  const struct meta *then;
  while ((then = meta_item(invocation->made_from, "inputs", *cursor))) {
    const char *name = meta_text(then, "name");
    bool named = false, there = false;
    ++*cursor;
    for (size_t i = 0; i < meta_count(meta, "inputs"); i++) {
      const struct meta *now = meta_item(meta, "inputs", i);
      const bool it = same(meta_text(now, "name"), name);
      named |= it;
      there |= it && same(meta_text(now, "sha256"), meta_text(then, "sha256"));
    }
    if (named && !there) return name;
  }
  return NULL;
}

/* Length of PATH in "PATH[:REST]"; PATH may be a folder that ends in a slash. */
static size_t path_length(const char *text) {
  const size_t length = tensor_path_length(text);
  const char *folder = text[length] ? NULL : strstr(text, "/:");
  return folder ? (size_t)(folder + 1 - text) : length;
}

/* The value, with the last part alone of an absolute path; free() it. */
static char *short_value(const struct option_entry *entry) {
  char *value;
  size_t size = 0;
  const size_t length = entry->path && entry->path[0] == '/' ? path_length(entry->path) : 0;
  const char *part = file_last_part(entry->path, length, &size);
  if (!size) return strdup(entry->value);
  const int front = (int)(entry->path - entry->value);
  if (asprintf(&value, "%.*s%.*s%s", front, entry->value, (int)size, part, entry->path + length) <
      0)
    return NULL;
  return value;
}

char *invocation_canonical(const struct invocation *invocation) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fprintf(out, "ropetool %s", invocation->command->name);
  for (size_t i = 0; i < invocation->count; i++) {
    const struct option_entry *entry = &invocation->entries[i];
    if (!entry->canonical) continue;
    fprintf(out, " --%s", entry->name);
    if (!entry->value) continue;
    char *value = short_value(entry);
    if (!value) break;
    /* A value that starts with a dash would read as an option of its own. */
    fputc(value[0] == '-' ? '=' : ' ', out);
    text_quote_shell(out, value);
    free(value);
  }
  if (invocation->argument) {
    fputc(' ', out);
    text_quote_shell(out, tensor_short_name(invocation->argument));
  }
  fclose(out);
  return text;
}

const char *option_next(const struct invocation *invocation, const char *name, size_t *cursor) {
  while (*cursor < invocation->count) {
    const struct option_entry *entry = &invocation->entries[(*cursor)++];
    if (!strcmp(entry->name, name)) return entry->value ? entry->value : "";
  }
  return NULL;
}

const char *option_text(const struct invocation *invocation, const char *name,
                        const char *otherwise) {
  const char *last = otherwise, *value;
  for (size_t cursor = 0; (value = option_next(invocation, name, &cursor));)
    last = value;
  return last;
}

bool option_given(const struct invocation *invocation, const char *name) {
  return option_text(invocation, name, NULL) != NULL;
}

/* "--name", as messages call an option. */
struct option_label {
  char text[64];
};

static struct option_label label_of(const char *name) {
  struct option_label label;
  snprintf(label.text, sizeof label.text, "--%s", name);
  return label;
}

int option_check_needs(const struct invocation *invocation, const struct option_need *needs,
                       struct error *error) {
  for (; needs->option; needs++)
    if (!needs->met && option_given(invocation, needs->option))
      return error_set(error, ERROR_INPUT, "--%s goes with %s", needs->option, needs->wanted);
  return OK;
}

int option_positive(const struct invocation *invocation, const char *name, double *value,
                    struct error *error) {
  const char *text = option_text(invocation, name, NULL);
  return text ? number_positive(text, label_of(name).text, value, error) : OK;
}

int option_integer(const struct invocation *invocation, const char *name, int64_t lowest,
                   int64_t highest, int64_t *value, struct error *error) {
  const char *text = option_text(invocation, name, NULL);
  return text ? number_integer(text, label_of(name).text, lowest, highest, value, error) : OK;
}

int option_tokens(const struct invocation *invocation, const char *name, int64_t lowest,
                  int64_t highest, int64_t *value, struct error *error) {
  const char *text = option_text(invocation, name, NULL);
  return text ? number_tokens(text, label_of(name).text, lowest, highest, value, error) : OK;
}

bool list_next(const char **list, char *item, size_t size) {
  if (!*list) return false;
  const size_t length = strcspn(*list, ",");
  snprintf(item, size, "%.*s", (int)length, *list);
  *list = (*list)[length] ? *list + length + 1 : NULL;
  return true;
}
