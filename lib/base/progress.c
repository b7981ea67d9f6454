#include "lib/base/progress.h"

#include <stddef.h>

static void (*shown)(uint64_t done, uint64_t total);

void progress_set(void (*show)(uint64_t done, uint64_t total)) {
  shown = show;
}

void progress_report(uint64_t done, uint64_t total) {
  if (!shown) return;
#pragma omp critical(progress)
  shown(done, total);
}
