#!/usr/bin/env python3
"""The engine beside NumPy and PyTorch: the same work, the same shapes, one thread each.

    compare.py ROPETOOL [--rounds N] [--json FILE]

A round measures each piece of work once in every library, one after the other, so that all see the
same machine; ratios are medians over the rounds. Times are the processor's, which other programs disturb
little. The engine's are those of `ropetool bench`.
NumPy's and PyTorch's ways are the quickest that one writes in them without a compiler: vectorised,
in blocks that fit into the cache, in place where that helps. Their results are held against each
other, and those of the bound and the cosine sum against the engine's.
"""

import os

for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[name + "_NUM_THREADS"] = "1"
# Settings for another processor would slow everybody.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)

import argparse
import csv
import io
import json
import statistics
import subprocess
import sys
import time

import numpy as np

try:
    import torch
except ImportError:
    torch = None

DIM = 128
THETA = 10000.0 ** (-2 * np.arange(DIM // 2) / DIM)
DISTANCES = 1 << 20
BLOCK = 2048  # distances at a time
TURN = 2 * np.pi


def blocks():
    return [(first, first + BLOCK) for first in range(0, DISTANCES, BLOCK)]


def numpy_angles(first, end, dtype):
    """Angles in double; in float, reduced before they are rounded."""
    angle = np.outer(np.arange(first, end), THETA)
    return angle if dtype == np.float64 else np.remainder(angle, TURN, out=angle).astype(dtype)


def torch_angles(first, end, dtype):
    angle = torch.outer(torch.arange(first, end, dtype=torch.float64), torch.from_numpy(THETA))
    return angle if dtype == torch.float64 else angle.remainder_(TURN).to(dtype)


class DecayBound:
    operation = "decay_bound"

    def __init__(self, precision):
        self.dtype = precision

    def numpy(self):
        result = np.empty(DISTANCES, self.dtype)
        for first, end in blocks():
            angle = numpy_angles(first, end, self.dtype)
            real = np.cos(angle)
            imaginary = np.sin(angle, out=angle)
            np.cumsum(real, axis=1, out=real)
            np.cumsum(imaginary, axis=1, out=imaginary)
            real *= real
            imaginary *= imaginary
            real += imaginary
            result[first:end] = np.sqrt(real, out=real).sum(axis=1)
        return result

    def torch(self):
        dtype = getattr(torch, self.dtype)
        result = torch.empty(DISTANCES, dtype=dtype)
        for first, end in blocks():
            angle = torch_angles(first, end, dtype)
            real = angle.cos().cumsum_(1)
            imaginary = angle.sin_().cumsum_(1)
            real.mul_(real).addcmul_(imaginary, imaginary)
            torch.sum(real.sqrt_(), 1, out=result[first:end])
        return result.numpy()


class CosineSum:
    operation = "cosine_sum"

    def __init__(self, precision):
        self.dtype = precision

    def numpy(self):
        result = np.empty(DISTANCES, self.dtype)
        for first, end in blocks():
            angle = numpy_angles(first, end, self.dtype)
            np.cos(angle, out=angle).sum(axis=1, out=result[first:end])
        return result

    def torch(self):
        dtype = getattr(torch, self.dtype)
        result = torch.empty(DISTANCES, dtype=dtype)
        for first, end in blocks():
            torch.sum(torch_angles(first, end, dtype).cos_(), 1, out=result[first:end])
        return result.numpy()


class CosineSumFactorised(CosineSum):
    """What the engine does, written in the library: one product of two tables."""

    variant = "factorised by hand"
    side = 1024

    def numpy(self):
        row, lane = (
            np.outer(step * np.arange(self.side), THETA) for step in (self.side, 1)
        )
        row = np.concatenate((np.cos(row), np.sin(row)), 1).astype(self.dtype)
        lane = np.concatenate((np.cos(lane), -np.sin(lane)), 1).astype(self.dtype)
        return (row @ lane.T).ravel()

    def torch(self):
        theta = torch.from_numpy(THETA)
        step = torch.arange(self.side, dtype=torch.float64)
        row, lane = torch.outer(self.side * step, theta), torch.outer(step, theta)
        dtype = getattr(torch, self.dtype)
        row = torch.cat((row.cos(), row.sin()), 1).to(dtype)
        lane = torch.cat((lane.cos(), lane.sin().neg_()), 1).to(dtype)
        return (row @ lane.T).flatten().numpy()


class PhaseMap:
    operation = "phase_map"
    rows = 1 << 17

    def __init__(self, precision):
        self.output = np.empty((self.rows, DIM // 2), precision)

    def numpy(self):
        for first in range(0, self.rows, BLOCK):
            output = self.output[first : first + BLOCK]
            np.multiply.outer(np.arange(first, first + BLOCK), THETA, out=output)
            np.cos(output, out=output)
        return self.output

    def torch(self):
        all_rows = torch.from_numpy(self.output)
        for first in range(0, self.rows, BLOCK):
            output = all_rows[first : first + BLOCK]
            position = torch.arange(first, first + BLOCK, dtype=torch.float64)
            torch.outer(position, torch.from_numpy(THETA), out=output)
            output.cos_()
        return self.output


class Gaussian:
    operation = "gaussian"
    count = 1 << 22
    deterministic = False

    def __init__(self, precision):
        self.output = np.empty(self.count, precision)
        self.generator = np.random.default_rng(1)

    def numpy(self):
        self.generator.standard_normal(out=self.output)
        return self.output

    def torch(self):
        torch.from_numpy(self.output).normal_()
        return self.output


class Rotate:
    """Tables are made anew each time, as the engine makes them."""

    shape = (4, 1024, 32, DIM)

    def __init__(self, precision):
        self.input = np.random.default_rng(1).standard_normal(self.shape, precision)
        self.output = np.empty_like(self.input)
        self.spare = np.empty(self.input[0, :, :, : DIM // 2].shape, precision)

    def numpy_angles(self):
        return np.outer(np.arange(self.shape[1]), THETA)

    def torch_angles(self):
        return torch.from_numpy(self.numpy_angles())


class RotateHalves(Rotate):
    operation = "rotate_halves"

    def numpy(self):
        angle = self.numpy_angles()[:, None]
        cosine = np.cos(angle).astype(self.input.dtype)
        sine = np.sin(angle).astype(self.input.dtype)
        half = DIM // 2
        for x, y in zip(self.input, self.output):
            a, b = x[..., :half], x[..., half:]
            np.multiply(a, cosine, out=y[..., :half])
            y[..., :half] -= np.multiply(b, sine, out=self.spare)
            np.multiply(b, cosine, out=y[..., half:])
            y[..., half:] += np.multiply(a, sine, out=self.spare)
        return self.output

    def torch(self):
        x, y = torch.from_numpy(self.input), torch.from_numpy(self.output)
        angle = self.torch_angles()[:, None]
        cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        (a, b), (p, q) = x.chunk(2, -1), y.chunk(2, -1)
        torch.mul(a, cosine, out=p).addcmul_(b, sine, value=-1)
        torch.mul(b, cosine, out=q).addcmul_(a, sine)
        return self.output


class RotateInterleaved(Rotate):
    operation = "rotate_interleaved"

    def numpy(self):
        turn = np.exp(1j * self.numpy_angles()[:, None]).astype(np.complex64)
        np.multiply(self.input.view(np.complex64), turn, out=self.output.view(np.complex64))
        return self.output

    def torch(self):
        angle = self.torch_angles()[:, None]
        turn = torch.polar(torch.ones_like(angle), angle).to(torch.complex64)
        x, y = (torch.view_as_complex(torch.from_numpy(array).unflatten(-1, (-1, 2)))
                for array in (self.input, self.output))  # fmt: skip
        torch.mul(x, turn, out=y)
        return self.output


class Scores:
    """Queries and keys are rotated, multiplied, and reduced to a quarter of the rows and columns."""

    draws, length, cells = 4, 4096, 1024

    def __init__(self, precision):
        generator = np.random.default_rng(1)
        shape = self.draws, self.length, DIM
        self.query, self.key = (generator.standard_normal(shape, precision) for _ in "qk")
        self.future = np.triu(np.ones((self.length, self.length), bool), 1)

    def numpy_rotated(self):
        turn = np.exp(1j * np.outer(np.arange(self.length), THETA)).astype(np.complex64)
        return ((x.view(np.complex64) * turn).view(x.dtype) for x in (self.query, self.key))

    def torch_rotated(self):
        angle = torch.outer(torch.arange(self.length, dtype=torch.float64), torch.from_numpy(THETA))
        turn = torch.polar(torch.ones_like(angle), angle).to(torch.complex64)
        for x in (self.query, self.key):
            pairs = torch.view_as_complex(torch.from_numpy(x).unflatten(-1, (-1, 2)))
            yield torch.view_as_real(pairs * turn).flatten(-2)

    def numpy_tiles(self, scores):
        return scores.reshape(self.cells, 4, -1).max(1).reshape(self.cells, self.cells, 4).max(2)

    def torch_tiles(self, scores):
        return scores.view(self.cells, 4, -1).amax(1).view(self.cells, self.cells, 4).amax(2).numpy()


class ScoresMax(Scores):
    """The mean over the draws is one product."""

    operation = "scores_max"

    def numpy(self):
        query, key = (x.transpose(1, 0, 2).reshape(self.length, -1) for x in self.numpy_rotated())
        query *= np.float32(1 / self.draws)
        return self.numpy_tiles(query @ key.T)

    def torch(self):
        query, key = (x.transpose(0, 1).flatten(1) for x in self.torch_rotated())
        return self.torch_tiles(query.mul_(1 / self.draws) @ key.T)


class ScoresCausalSoftmax(Scores):
    operation = "scores_causal_softmax"
    scale = DIM**-0.5

    def numpy(self):
        total = np.zeros((self.length, self.length), self.query.dtype)
        for query, key in zip(*self.numpy_rotated()):
            scores = (query * np.float32(self.scale)) @ key.T
            scores[self.future] = -np.inf
            scores -= scores.max(1, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(1, keepdims=True)
            total += scores
        total[self.future] = -np.inf
        return self.numpy_tiles(total) / self.draws

    def torch(self):
        future = torch.from_numpy(self.future)
        total = torch.zeros(self.length, self.length)
        for query, key in zip(*self.torch_rotated()):
            scores = ((query * self.scale) @ key.T).masked_fill_(future, float("-inf"))
            total += torch.softmax(scores, 1)
        return self.torch_tiles(total.masked_fill_(future, float("-inf"))) / self.draws


WORKS = [
    (DecayBound, "float64"),
    (DecayBound, "float32"),
    (CosineSum, "float64"),
    (CosineSumFactorised, "float64"),
    (CosineSum, "float32"),
    (RotateHalves, "float32"),
    (RotateInterleaved, "float32"),
    (ScoresMax, "float32"),
    (ScoresCausalSoftmax, "float32"),
    (PhaseMap, "float64"),
    (Gaussian, "float64"),
]
NAMES = {"float64": "fp64", "float32": "fp32"}


def engine_seconds(ropetool, operation, precision):
    command = [ropetool, "bench", "--device", "cpu", "--threads", "1", "--runs", "3", "--json"]
    run = subprocess.run(command + ["--operation", operation], check=True, capture_output=True)
    rows = json.loads(run.stdout)["table"]
    return next(row["seconds_median"] for row in rows if row["precision"] == NAMES[precision])


def engine_curve(ropetool, column, stride):
    """The bound, not divided, or the cosine sum at every stride-th distance."""
    command = [ropetool, "decay", "--device", "cpu", "--dim", str(DIM), "--normalise", "sum"]
    command += ["--distance", f"0:{DISTANCES - 1}:{stride}", "--format", "csv"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return np.array([float(row[column]) for row in csv.DictReader(io.StringIO(run.stdout))])


def check(ropetool, name, work, precision, results):
    """Whoever computes something else is not compared."""
    tolerance = {"float64": 1e-8, "float32": 1e-4}[precision]
    if isinstance(work, (DecayBound, CosineSum)):
        stride = 4099
        column = "bound" if isinstance(work, DecayBound) else "cosine_sum"
        results = {library: result[::stride] for library, result in results.items()}
        results["the engine"] = engine_curve(ropetool, column, stride)
    first, *others = results.items()
    for library, result in others:
        scale = np.abs(first[1][np.isfinite(first[1])]).max()
        if not np.allclose(result, first[1], rtol=0, atol=tolerance * scale):
            sys.exit(f"compare.py: {name}: {library} and {first[0]} compute different things")


def measure(ropetool, kind, precision, rounds):
    work = kind(precision)
    ways = {"numpy": work.numpy} | ({"torch": work.torch} if torch else {})
    row = {
        "operation": kind.operation,
        "precision": NAMES[precision],
        "variant": getattr(kind, "variant", ""),
    }
    results = {library: np.array(way()) for library, way in ways.items()}  # and warms up
    if getattr(kind, "deterministic", True):
        check(ropetool, row["operation"], work, precision, results)
    del results
    times = {library: [] for library in ["engine", *ways]}
    for _ in range(rounds):
        times["engine"].append(engine_seconds(ropetool, kind.operation, precision))
        for library, way in ways.items():
            start = time.process_time()
            way()
            times[library].append(time.process_time() - start)
    for library, values in times.items():
        row[library] = {
            "seconds_median": statistics.median(values),
            "seconds_min": min(values),
            "seconds_max": max(values),
            "ratio": statistics.median(t / e for t, e in zip(values, times["engine"])),
        }
    return row


def describe(row):
    line = f"{row['operation']:22}{row['precision']:5}{1e3 * row['engine']['seconds_median']:10.2f} ms"
    for library in ("numpy", "torch"):
        if library in row:
            line += f"{1e3 * row[library]['seconds_median']:12.2f} ms {row[library]['ratio']:7.2f}"
    return f"{line}  {row['variant']}"


def main():
    parser = argparse.ArgumentParser(description="the engine beside NumPy and PyTorch")
    parser.add_argument("ropetool")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE", help="writes the numbers there, too")
    arguments = parser.parse_args()
    versions = {"numpy": np.__version__, "torch": None}
    if torch:
        torch.set_num_threads(1)
        versions["torch"] = torch.__version__
    header = f"{'one thread, medians':27}{'engine':>13}{'NumPy ' + versions['numpy']:>15}{'times':>8}"
    if torch:
        header += f"{'PyTorch ' + versions['torch'].split('+')[0]:>15}{'times':>8}"
    print(header, flush=True)
    rows = []
    for kind, precision in WORKS:
        rows.append(measure(arguments.ropetool, kind, precision, arguments.rounds))
        print(describe(rows[-1]), flush=True)
    if not torch:
        print("PyTorch: skipped, not installed for this Python")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"versions": versions, "rounds": arguments.rounds, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
