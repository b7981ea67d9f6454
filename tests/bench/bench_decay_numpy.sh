#!/bin/sh
# The decay bound and the cosine sums beside NumPy's, where there is a NumPy.
if python3 -c 'import numpy' 2>/dev/null; then
  exec python3 tests/bench/bench_decay_numpy.py "${BUILD:-build}"
fi
echo "bench_decay_numpy: skipped, no NumPy for python3"
