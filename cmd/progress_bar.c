#include "cmd/progress_bar.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Characters: of the bar, of what stands around and behind it. */
enum { BAR_WIDTH = 40, AROUND = 8 };

static const char full[] = "########################################";

/* Characters of a bar that fits into a line, whose last place stays free: some terminals go on to
   the next line there. */
static int bar_width(void) {
  struct winsize window;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) || !window.ws_col) return BAR_WIDTH;
  const int room = (int)window.ws_col - 1 - AROUND;
  return room > BAR_WIDTH ? BAR_WIDTH : room > 0 ? room : 0;
}

void progress_bar_show(uint64_t done, uint64_t total) {
  static struct timespec start;
  static int shown = -1;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!start.tv_sec) start = now;
  const int percent = total ? (int)(100.0 * (double)done / (double)total) : 100;
  if (done < total && (now.tv_sec - start.tv_sec < 1 || percent == shown)) return;
  const int width = bar_width();
  if (done < total) {
    fprintf(stderr, "\r[%-*.*s] %3d %%", width, percent * width / 100, full, percent);
    shown = percent;
  } else if (shown >= 0) {
    fprintf(stderr, "\r%*s\r", width + AROUND, "");
    shown = -1;
  }
}
