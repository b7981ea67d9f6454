/* Progress of long loops. The library reports, cmd decides whether anyone is shown it. */
#ifndef ROPETOOL_BASE_PROGRESS_H
#define ROPETOOL_BASE_PROGRESS_H

#include <stdint.h>

/* `show` is called from one thread at a time with done <= total; NULL (the start) shows nothing. */
void progress_set(void (*show)(uint64_t done, uint64_t total));

/* For work of `count` equal parts that may report themselves: called before part `index` = 0, 1,
   ... from outside of parallel loops, and once with index = count at the end, whether it was
   reached or not. What is reported in between is then a share of that part. */
void progress_part(uint64_t index, uint64_t count);

/* Called by a loop after a step; cheap when nobody watches. */
void progress_report(uint64_t done, uint64_t total);

#endif
