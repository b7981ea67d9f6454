/* xPos (Sun et al. 2022, arXiv:2212.10554): RoPE whose queries grow and keys shrink with their
   position, so that scores decay with distance. Queries at position m are multiplied by
   ζ_i^(m/scale_base), keys at n by ζ_i^(−n/scale_base), pair by pair. The frequencies stay, so this
   is no scaling rule, and norms are not kept. */
#ifndef ROPETOOL_ROPE_XPOS_H
#define ROPETOOL_ROPE_XPOS_H

#include <stddef.h>
#include <stdint.h>

#define XPOS_GAMMA      0.4   /* of microsoft/torchscale */
#define XPOS_SCALE_BASE 512.0 /* tokens; the same */

/* ζ_i = (2i/d + gamma)/(1 + gamma) of pair i; in (0, 1) for gamma > 0 and i < d/2. */
double xpos_zeta(size_t pair, size_t rotary_dim, double gamma);

/* ζ^(position/scale_base): the amplitude of queries; keys have it at −position, a score at distance
   m = query − key has it at m. Infinite far below 0, where it is beyond double. */
double xpos_amplitude(double zeta, int64_t position, double scale_base);

#endif
