/* What may stand behind an option, as far as it has a name: from the option's own table, or from
   the registry of what it names. For completions. */
#ifndef ROPETOOL_CMD_OPTION_VALUES_H
#define ROPETOOL_CMD_OPTION_VALUES_H

#include <argp.h>
#include <stdbool.h>

/* The names, with a space between them and none of their own: "fp64 fp32 tf32"; "" where the option
   takes none. free() it; NULL: out of memory. */
char *option_values(const struct argp_option *option);

/* Whether a file's name may stand there; whether the name of a folder alone. */
bool option_takes_file(const struct argp_option *option);
bool option_takes_folder(const struct argp_option *option);
/* Whether several may, with commas between them. */
bool option_takes_list(const struct argp_option *option);

#endif
