/* How an axis of a map of scores is cut, so that blocks of threads can reduce it to cells.

   Cells may be anything from one position to all of them; blocks make tiles of a fixed size, and
   the threads of a block take strips of a tile. The finest cut is a piece: where a cell ends, or a
   strip. Pieces form segments, which end where a cell does, or a tile: what a block gives for each
   pair of segments, one of rows and one of columns, is one number, and the numbers of a cell are
   joined in a second step. */
#ifndef ROPETOOL_KERNELS_CUDA_AXIS_H
#define ROPETOOL_KERNELS_CUDA_AXIS_H

#include "kernels/cuda_device.h"

struct device_axis {
  size_t tiles, segments, cells;
  const uint32_t *piece;        /* (pieces + 1) where it starts */
  const uint32_t *strip_piece;  /* (strips + 1) the first piece of a strip */
  const uint32_t *segment;      /* (segments + 1) its first piece */
  const uint32_t *tile_segment; /* (tiles + 1) the first segment of a tile */
  const uint32_t *cell_segment; /* (cells + 1) the first segment of a cell */
};

/* Counts above, and the same arrays on the host. */
struct axis_cut {
  device_axis axis;
  uint32_t *tile_segment, *cell_segment;
};

/* Cuts positions 0 .. length − 1 with cells between `edge` (cells + 1): tiles of `tile` positions,
   strips of `strip`, which divides that. */
static inline axis_cut axis_make(device_work &work, const size_t *edge, size_t cells, size_t tile,
                                 size_t strip) {
  const size_t length = edge[cells], tiles = device_ceil(length, tile),
               strips = tiles * (tile / strip);
  axis_cut cut = {};
  cut.axis.tiles = tiles;
  cut.axis.cells = cells;
  uint32_t *piece = work.host<uint32_t>(cells + strips + 1, "the cut of the map"),
           *segment = work.host<uint32_t>(cells + tiles + 1, "the cut of the map"),
           *strip_piece = work.host<uint32_t>(strips + 1, "the cut of the map");
  cut.tile_segment = work.host<uint32_t>(tiles + 1, "the cut of the map");
  cut.cell_segment = work.host<uint32_t>(cells + 1, "the cut of the map");
  if (!work.ok()) return cut;
  size_t pieces = 0, segments = 0, cell = 0;
  for (size_t m = 0; m < length;) {
    const bool cell_starts = m == edge[cell];
    if (m % strip == 0) strip_piece[m / strip] = (uint32_t)pieces;
    if (m % tile == 0) cut.tile_segment[m / tile] = (uint32_t)segments;
    if (cell_starts) cut.cell_segment[cell++] = (uint32_t)segments;
    if (cell_starts || m % tile == 0) segment[segments++] = (uint32_t)pieces;
    piece[pieces++] = (uint32_t)m;
    m = least(edge[cell], (m / strip + 1) * strip);
  }
  for (size_t s = device_ceil(length, strip); s <= strips; s++)
    strip_piece[s] = (uint32_t)pieces;
  piece[pieces] = (uint32_t)length;
  segment[segments] = (uint32_t)pieces;
  cut.tile_segment[tiles] = cut.cell_segment[cells] = (uint32_t)segments;
  cut.axis.segments = segments;
  cut.axis.piece = work.upload(piece, pieces + 1, "the cut of the map");
  cut.axis.segment = work.upload(segment, segments + 1, "the cut of the map");
  cut.axis.strip_piece = work.upload(strip_piece, strips + 1, "the cut of the map");
  cut.axis.tile_segment = work.upload(cut.tile_segment, tiles + 1, "the cut of the map");
  cut.axis.cell_segment = work.upload(cut.cell_segment, cells + 1, "the cut of the map");
  return cut;
}

#endif
