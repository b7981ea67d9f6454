/* The CUDA plug-in: a shared object with the GPU's operations, opened only when a GPU is wanted, so
   that the program starts and works where neither CUDA nor a driver is. */
#ifndef ROPETOOL_KERNELS_PLUGIN_H
#define ROPETOOL_KERNELS_PLUGIN_H

#include "kernels/operations.h"

#define PLUGIN_FILE "ropetool_cuda.so"

/* The one symbol that a plug-in exports: a plugin_function that returns its table. */
#define PLUGIN_SYMBOL "ropetool_operations"
typedef const struct backend_operations *plugin_function(void);

/* The table of the plug-in, checked for its version but not open yet; operations that it lacks are
   NULL. It is looked for where the environment variable ROPETOOL_CUDA_PLUGIN says, if that is set;
   else beside the program, then in ../lib/ropetool/ from there. NULL with the error filled when
   there is none that fits. */
const struct backend_operations *plugin_load(struct error *error);

#endif
