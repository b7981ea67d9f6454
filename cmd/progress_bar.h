/* The bar that shows on stderr how far a long command is. */
#ifndef ROPETOOL_CMD_PROGRESS_BAR_H
#define ROPETOOL_CMD_PROGRESS_BAR_H

#include <stdint.h>

/* For progress_set(), of a stderr that is a terminal. The bar appears once the work has lasted a
   second, stays within one line, and goes away at the end. */
void progress_bar_show(uint64_t done, uint64_t total);

#endif
