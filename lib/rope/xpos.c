#include "lib/rope/xpos.h"

#include <math.h>

double xpos_zeta(size_t pair, size_t rotary_dim, double gamma) {
  return (2 * (double)pair / (double)rotary_dim + gamma) / (1 + gamma);
}

double xpos_amplitude(double zeta, int64_t position, double scale_base) {
  return pow(zeta, (double)position / scale_base);
}
