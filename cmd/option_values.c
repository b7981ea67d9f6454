#include "cmd/option_values.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/doctor_parts.h"
#include "cmd/invocation.h"
#include "lib/analysis/bench.h"
#include "lib/analysis/certificate.h"
#include "lib/analysis/content.h"
#include "lib/analysis/map.h"
#include "lib/encoding/encoding.h"
#include "lib/figure/legend.h"
#include "lib/figure/palette.h"
#include "lib/figure/style.h"
#include "lib/io/axes.h"
#include "lib/model/model.h"
#include "lib/model/weights.h"
#include "lib/rope/engine.h"
#include "lib/rope/scaling.h"

static const char *model_at(size_t index) {
  const struct builtin_model *model = builtin_model_at(index);
  return model ? model->name : NULL;
}

/* The rules that need no list: those come from files alone. */
static const char *scaling_at(size_t index) {
  const struct scaling_rule *rule;
  for (size_t i = 0; (rule = scaling_rule_at(i)); i++)
    if (!rule->lists[0] && index-- == 0) return rule->name;
  return NULL;
}

static const char *method_at(size_t index) {
  return index ? scaling_at(index - 1) : "base";
}

static const char *encoding_name_at(size_t index) {
  const struct encoding *encoding = encoding_at(index);
  return encoding ? encoding->name : NULL;
}

static const char *engine_name_at(size_t index) {
  const struct engine *engine = engine_at(index);
  return engine ? engine->name : NULL;
}

static const char *axis_at(size_t index) {
  return index < AXES ? axis_name((enum axis)index) : NULL;
}

static const char *map_at(size_t index) {
  const struct map_kind *kind = map_kind_at(index);
  return kind ? map_kind_name(kind) : NULL;
}

/* The checks that have curves. */
static const char *check_at(size_t index) {
  const char *name;
  for (size_t i = 0; (name = certificate_check_name(i)); i++)
    if (certificate_quantity(i) && index-- == 0) return name;
  return NULL;
}

enum { FIGURE_OPTIONS = 256 };
struct option_names {
  const char *name[FIGURE_OPTIONS];
  size_t count;
};

static void add_names(const struct argp_option *options, struct option_names *names) {
  for (; options->name; options++) {
    size_t i = 0;
    while (i < names->count && strcmp(names->name[i], options->name))
      i++;
    if (i == names->count && i < FIGURE_OPTIONS) names->name[names->count++] = options->name;
  }
}

/* The options that the command inside a figure can have, each once. */
static const char *figure_option_at(size_t index) {
  static struct option_names names;
  struct option_group groups[OPTION_GROUPS];
  const struct command *command;
  for (size_t i = 0; !index && (command = command_at(i)); i++) {
    if (!(command->groups & GROUP_FIGURE)) continue;
    const size_t count = invocation_groups(command, groups);
    for (size_t j = 0; j < count; j++)
      if (groups[j].canonical) add_names(groups[j].options, &names);
  }
  return index < names.count ? names.name[index] : NULL;
}

/* Which registry an option names an entry of; the last is NULL at its end. An argument of a command
   that is no option stands here under the command's name. */
static const struct registry {
  const char *option;
  const char *(*name_at)(size_t index);
} registries[] = {
    {"model", model_at},
    {"explain", model_at},
    {"scaling", scaling_at},
    {"methods", method_at},
    {"emit", method_at},
    {"encoding", encoding_name_at},
    {"encodings", encoding_name_at},
    {"reference", encoding_name_at},
    {"diff", engine_name_at},
    {"what", map_at},
    {"axes", axis_at},
    {"content", content_name_at},
    {"learned", weights_builtin_at},
    {"checkpoint", weights_builtin_at},
    {"operation", bench_name_at},
    {"part", doctor_part_at},
    {"plot", check_at},
    {"style", style_name_at},
    {"palette", palette_name_at},
    {"legend", legend_place_at},
    {"without", figure_option_at},
};

static void write_registry(const struct argp_option *option, FILE *out) {
  for (size_t i = 0; i < sizeof registries / sizeof *registries; i++) {
    if (strcmp(registries[i].option, option->name)) continue;
    const char *name;
    for (size_t entry = 0; (name = registries[i].name_at(entry)); entry++)
      fprintf(out, "%s%s", entry ? " " : "", name);
  }
}

/* The alternatives of "linear|log" or "gaussian|aligned[:RHO]" that stand for themselves: capitals
   stand for something else. */
static size_t write_alternatives(const char *argument, FILE *out) {
  size_t written = 0;
  for (const char *word = argument; *word;) {
    const size_t length = strcspn(word, "|"), name = strcspn(word, "|[");
    bool itself = strchr(argument, '|') && name > 0;
    for (size_t i = 0; i < name; i++)
      itself = itself && (islower((unsigned char)word[i]) || isdigit((unsigned char)word[i]) ||
                          (i && strchr("-:", word[i])));
    if (itself) fprintf(out, "%s%.*s", written++ ? " " : "", (int)name, word);
    word += length + (word[length] == '|');
  }
  return written;
}

char *option_values(const struct argp_option *option) {
  char *words = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&words, &size);
  if (!out) return NULL;
  if (option->arg && !write_alternatives(option->arg, out)) write_registry(option, out);
  if (!fclose(out)) return words;
  free(words);
  return NULL;
}

bool option_takes_file(const struct argp_option *option) {
  static const char *const files[] = {"FILE", "FIG", "RECIPE"};
  for (size_t i = 0; option->arg && i < sizeof files / sizeof *files; i++)
    if (strstr(option->arg, files[i])) return true;
  return false;
}

bool option_takes_folder(const struct argp_option *option) {
  return option->arg && !strcmp(option->arg, "DIR");
}

bool option_takes_list(const struct argp_option *option) {
  return option->arg && (strstr(option->arg, "[,") || strstr(option->arg, "LIST"));
}
