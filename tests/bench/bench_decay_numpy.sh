#!/bin/sh
# The decay bound beside NumPy's, where there is a NumPy.
bench=${BUILD:-build}/tests/bench/bench_decay
if python3 -c 'import numpy' 2>/dev/null; then
  exec python3 tests/bench/bench_decay_numpy.py "$bench"
fi
echo "bench_decay_numpy: skipped, no NumPy for python3"
