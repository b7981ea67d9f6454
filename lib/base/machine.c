#include "lib/base/machine.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void machine_system(char text[MACHINE_TEXT]) {
  struct utsname system;
  if (uname(&system))
    text[0] = '\0';
  else
    snprintf(text, MACHINE_TEXT, "%.40s %.80s %.32s", system.sysname, system.release,
             system.machine);
}

void machine_c_library(char text[MACHINE_TEXT]) {
  snprintf(text, MACHINE_TEXT, "glibc %s", gnu_get_libc_version());
}

/* Linux names it so on x86; where there is no such line, or no /proc, nothing is known. */
void machine_processor(char text[MACHINE_TEXT]) {
  static const char key[] = "model name";
  char line[512];
  text[0] = '\0';
  FILE *file = fopen("/proc/cpuinfo", "re");
  while (file && !*text && fgets(line, sizeof line, file)) {
    const char *value = strncmp(line, key, sizeof key - 1) ? NULL : strchr(line, ':');
    if (!value) continue;
    value += 1 + strspn(value + 1, " \t");
    snprintf(text, MACHINE_TEXT, "%.*s", (int)strcspn(value, "\n"), value);
  }
  if (file) fclose(file);
}

int machine_cores(void) {
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  return cores > 0 ? (int)cores : 1;
}
