#include "lib/base/progress.h"

#include <stdbool.h>
#include <stddef.h>

static void (*shown)(uint64_t done, uint64_t total);
static uint64_t part, parts = 1; /* what is reported is part `part` of so many equal ones */

void progress_set(void (*show)(uint64_t done, uint64_t total)) {
  shown = show;
}

void progress_part(uint64_t index, uint64_t count) {
  const bool ended = index == count;
  part = ended ? 0 : index;
  parts = ended ? 1 : count;
  progress_report(ended, 1);
}

void progress_report(uint64_t done, uint64_t total) {
  if (!shown) return;
#pragma omp critical(progress)
  shown(part * total + done, parts * total);
}
