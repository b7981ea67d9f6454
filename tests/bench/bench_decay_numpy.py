#!/usr/bin/env python3
"""The decay bound as one writes it in NumPy, beside the engine's, on one core.

    bench_decay_numpy.py ENGINE_BENCH [DIM [DISTANCES]]

ENGINE_BENCH is the built bench_decay. Prints the rates in terms per second, and their ratio.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import subprocess
import sys
import time

import numpy

BLOCK = 4096  # distances at a time: all of them at once would need 2 GiB


def bound(dim, count):
    theta = 10000.0 ** (-2 * numpy.arange(dim // 2) / dim)
    result = numpy.empty(count)
    for first in range(0, count, BLOCK):
        distance = numpy.arange(first, min(first + BLOCK, count))
        sums = numpy.cumsum(numpy.exp(1j * numpy.outer(distance, theta)), axis=1)
        result[first : first + BLOCK] = numpy.abs(sums).sum(axis=1)
    return result


def main():
    bench = sys.argv[1]
    dim = int(sys.argv[2]) if len(sys.argv) > 2 else 128
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1048576
    engine = subprocess.run([bench, str(dim), str(count)], check=True, capture_output=True, text=True)
    rate = float(next(line for line in engine.stdout.splitlines() if "decay bound" in line).split()[2])
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        last = bound(dim, count)[-1]
        best = min(best, time.perf_counter() - start)
    numpy_rate = dim // 2 * count / best
    print(f"NumPy {numpy.__version__:8}{numpy_rate:.4g} terms/s  (last bound {last:.17g})")
    print(f"decay bound   {rate:.4g} terms/s  {rate / numpy_rate:.1f} times NumPy {numpy.__version__}")


if __name__ == "__main__":
    main()
