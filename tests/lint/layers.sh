#!/bin/sh
# layers.sh [ROOT]: checks the shape of the sources and prints FILE:LINE: MESSAGE for every fault.
#
# layers.awk: dependencies point one way, cmd -> lib -> kernels/backend.h -> lib/base, and within lib from
# the later to the earlier of base, io, rope, model, encoding, analysis, figure; no circles. A foreign
# header has one user, and none stands in a header of ours (but cmd's <argp.h>, and CUDA's in
# kernels/cuda_*.h, which only CUDA sources include). Library code does not
# print, exit or start processes.
# budgets.awk: files and functions stay short.
set -u
lint=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 1
status=0
find cmd lib kernels -name '*.[ch]' -o -name '*.cu' | LC_ALL=C sort | xargs awk -f "$lint/layers.awk" || status=1
find cmd lib kernels tests -name '*.[ch]' -o -name '*.cu' | LC_ALL=C sort | xargs awk -f "$lint/budgets.awk" || status=1
exit $status
