#include "kernels/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program that runs, without the slash at its end. */
static int program_folder(char *folder, size_t size) {
  const ssize_t length = readlink("/proc/self/exe", folder, size);
  if (length < 1 || (size_t)length >= size) return ERROR_FAILED;
  folder[length] = '\0';
  char *slash = strrchr(folder, '/');
  if (!slash) return ERROR_FAILED;
  *slash = '\0';
  return OK;
}

/* The plug-in of this program, into `path`. */
static int search(char *path, size_t size, struct error *error) {
  static const char *const places[] = {"", "/../lib/ropetool"};
  char folder[PATH_MAX];
  if (!program_folder(folder, sizeof folder))
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      const int length = snprintf(path, size, "%s%s/%s", folder, places[i], PLUGIN_FILE);
      if (length > 0 && (size_t)length < size && !access(path, F_OK)) return OK;
    }
  return error_set(
      error, ERROR_FAILED,
      "the plug-in '%s' is neither beside the program nor in ../lib/ropetool/ (a build "
      "without CUDA); device 'cpu' works everywhere",
      PLUGIN_FILE);
}

/* A library that is no plug-in of ours has not called CUDA yet, so it may be closed again; closing
   one that has would run CUDA's code after its end. */
static const struct backend_operations *refuse(void *library, const char *path, const char *why,
                                               struct error *error) {
  error_set(error, ERROR_FAILED,
            "cannot use the plug-in '%s': %s; the one built with this program fits", path, why);
  dlclose(library);
  return NULL;
}

const struct backend_operations *plugin_load(const char *path, struct error *error) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    error_set(error, ERROR_FAILED, "cannot load the plug-in '%s': %s", path, dlerror());
    return NULL;
  }
  plugin_function *function;
  *(void **)&function = dlsym(library, PLUGIN_SYMBOL);
  if (!function) return refuse(library, path, "it does not export " PLUGIN_SYMBOL, error);
  const struct backend_operations *operations = function();
  if (!operations) return refuse(library, path, "it has no table of operations", error);
  char why[96];
  snprintf(why, sizeof why, "it is of version %u, this program needs version %u", operations->abi,
           OPERATIONS_ABI);
  if (operations->abi != OPERATIONS_ABI) return refuse(library, path, why, error);
  snprintf(why, sizeof why, "its table has %u bytes, this program needs %zu", operations->size,
           sizeof *operations);
  if (operations->size != sizeof *operations) return refuse(library, path, why, error);
  return operations;
}

int plugin_find(char path[CUDA_PLUGIN_PATH], struct error *error) {
  const char *named = getenv("ROPETOOL_CUDA_PLUGIN");
  if (!named || !*named) return search(path, CUDA_PLUGIN_PATH, error);
  if (snprintf(path, CUDA_PLUGIN_PATH, "%s", named) < CUDA_PLUGIN_PATH) return OK;
  return error_set(error, ERROR_FAILED, "cannot load the plug-in '%.60s...': its name is too long",
                   named);
}
