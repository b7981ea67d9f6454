#!/usr/bin/env python3
"""The decay bound and the cosine sums as one writes them in NumPy, and in PyTorch where it is
installed, beside the engine's, on one core.

    bench_decay_numpy.py BUILD [DIM [DISTANCES]]

BUILD is the folder with the built benches. Prints rates in terms per second, and ratios.
"""

import os

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import subprocess
import sys
import time

import numpy

try:
    import torch
except ImportError:
    torch = None

BLOCK = 4096  # distances at a time: all of them at once would need 2 GiB


def numpy_bound(theta, distance):
    sums = numpy.cumsum(numpy.exp(1j * numpy.outer(distance, theta)), axis=1)
    return numpy.abs(sums).sum(axis=1)


def numpy_sums(theta, distance):
    return numpy.cos(numpy.outer(distance, theta)).sum(axis=1)


def torch_bound(theta, distance):
    angle = torch.outer(torch.from_numpy(distance).double(), torch.from_numpy(theta))
    sums = torch.polar(torch.ones_like(angle), angle).cumsum(1)
    return sums.abs().sum(1).numpy()


def torch_sums(theta, distance):
    angle = torch.outer(torch.from_numpy(distance).double(), torch.from_numpy(theta))
    return angle.cos().sum(1).numpy()


def rate(function, dim, count):
    """Terms per second, the better of two runs."""
    theta = 10000.0 ** (-2 * numpy.arange(dim // 2) / dim)
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        for first in range(0, count, BLOCK):
            function(theta, numpy.arange(first, min(first + BLOCK, count)))
        best = min(best, time.perf_counter() - start)
    return dim // 2 * count / best


def engine_rate(bench, line_start, dim, count):
    run = subprocess.run([bench, str(dim), str(count)], check=True, capture_output=True, text=True)
    line = next(line for line in run.stdout.splitlines() if line.startswith(line_start))
    return float(line[len(line_start) :].split()[0])


def main():
    benches = sys.argv[1] + "/tests/bench/"
    dim = int(sys.argv[2]) if len(sys.argv) > 2 else 128
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1048576
    others = [("NumPy " + numpy.__version__, numpy_bound, numpy_sums)]
    if torch:
        torch.set_num_threads(1)
        others.append(("PyTorch " + torch.__version__, torch_bound, torch_sums))
    works = [("decay bound, double", "bench_decay"), ("cosine sums, double", "bench_cosine_sum")]
    for index, (name, bench) in enumerate(works):
        engine = engine_rate(benches + bench, name, dim, count)
        print(f"{name:28} {engine:10.4g} terms/s")
        for other in others:
            theirs = rate(other[1 + index], dim, count)
            print(f"  {other[0]:26} {theirs:10.4g} terms/s  the engine is {engine / theirs:.1f} times as fast")


if __name__ == "__main__":
    main()
