/* The CUDA plug-in: a shared object with the GPU's operations, opened only when a GPU is wanted, so
   that the program starts and works where neither CUDA nor a driver is. */
#ifndef ROPETOOL_KERNELS_PLUGIN_H
#define ROPETOOL_KERNELS_PLUGIN_H

#include "kernels/operations.h"

#define PLUGIN_FILE "ropetool_cuda.so"

/* The one symbol that a plug-in exports: a plugin_function that returns its table. */
#define PLUGIN_SYMBOL "ropetool_operations"
typedef const struct backend_operations *plugin_function(void);

/* Where the plug-in lies: where the environment variable ROPETOOL_CUDA_PLUGIN says, if that is set;
   else beside the program, then in ../lib/ropetool/ from there. ERROR_FAILED when it is nowhere. */
int plugin_find(char path[CUDA_PLUGIN_PATH], struct error *error);

/* The table of the plug-in at `path`, checked for its version but not open yet; operations that it
   lacks are NULL. NULL with the error filled when it does not fit. */
const struct backend_operations *plugin_load(const char *path, struct error *error);

#endif
