#!/usr/bin/env python3
"""Measures everything that docs/performance.md states, and writes its tables anew.

    performance.py ROPETOOL [--runs N] [--rounds N] [--page FILE]

The page's text stays; what lies between `<!-- NAME -->` and `<!-- end -->` is replaced.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

# Settings for another processor would slow products.
for setting in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(setting, None)

# What is promised: operation, precision, in words, least share of the limit.
PROMISES = [
    ("decay_bound", "fp64", "decay bound, d = 128, 1,048,576 distances, double", 0.6),
    ("decay_bound", "fp32", "the same in single", 0.6),
    ("cosine_sum", "fp64", "cosine sums, d = 128, 1,048,576 distances, double", 0.7),
    ("rotate_halves", "fp32", "rotate (4, 1024, 32, 128) float32, halves", 0.7),
    ("rotate_interleaved", "fp32", "the same, interleaved", 0.7),
    ("scores_max", "fp32", "scores, N = 4096, d = 128, batch 4, max-reduced, single", 0.7),
    ("scores_causal_softmax", "fp32", "the same as causal softmax, against the full product", 1.0),
]
SPEED_UP = 1.8  # of two threads
BUSY = """The machine was busy. Times on one thread are the processor's and hardly suffer; those on two threads are the clock's,
and say nothing here."""
LIMITS = {
    "roots": "square roots",
    "product": "the product alone",
    "copy": "memcpy",
    "multiply_add": "multiply-adds",
}


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def bench(ropetool, threads, runs):
    command = [ropetool, "bench", "--device", "cpu", "--json"]
    return json.loads(output(command + ["--threads", str(threads), "--runs", str(runs)]))


def compare(ropetool, rounds):
    script = os.path.join(os.path.dirname(__file__), "compare.py")
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        output([sys.executable, script, ropetool, "--rounds", str(rounds), "--json", file.name])
        return json.load(file)


def processor():
    lines = dict(re.findall(r"^([^:]+):\s*(.*)$", output(["lscpu"]), re.MULTILINE))
    caches = ", ".join(f"{name} {lines[name + ' cache']}" for name in ("L2", "L3") if name + " cache" in lines)
    family = f"family {lines.get('CPU family', '?')} model {lines.get('Model', '?')}"
    vectors = "AVX-512" if "avx512f" in lines.get("Flags", "") else "AVX2" if "avx2" in lines.get("Flags", "") else "-"
    return f"{lines.get('Model name', platform.machine())} ({family}), {vectors}, {os.cpu_count()} cores, {caches}"


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def milliseconds(row):
    return f"{1e3 * row['seconds_median']:.3g} ({1e3 * row['seconds_min']:.3g} to {1e3 * row['seconds_max']:.3g})"


def mebibytes(row):
    return "" if row["working_memory"] is None else f"{row['working_memory'] / 2**20:.2g}"


def rate(value):
    return "" if value is None else f"{1e-9 * value:.3g}"


def mark(value, least):
    return f"{value:.2f}" if value >= least else f"**{value:.2f}, missed**"


def find(rows, operation, precision, limit=None):
    for row in rows:
        if (row["operation"], row["precision"]) == (operation, precision) and not row.get("variant"):
            if limit is None or row["limit"] == limit:
                return row
    return None


def machine_block(one, versions, load):
    meta = one["meta"]
    torch = f", PyTorch {versions['torch']}" if versions["torch"] else ""
    facts = [
        ("date", f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC"),
        ("processor", processor()),
        ("load before", f"{load[0]:.1f} runnable programs on {os.cpu_count()} cores over the last minute"),
        ("system", f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}, {' '.join(platform.libc_ver())}"),
        ("compiler", f"gcc {meta['compiler']}"),
        ("products", meta["blas"]),
        ("beside", f"NumPy {versions['numpy']}{torch}, Python {platform.python_version()}"),
        ("command", "`make performance`"),
    ]
    busy = load[0] > os.cpu_count() / 2
    return table(["", ""], facts) + ("\n\n" + BUSY if busy else "")


def promises_block(one, two, beside):
    rows = []
    for operation, precision, words, least in PROMISES:
        row = find(one["table"], operation, precision)
        other = find(beside["rows"], operation, precision)
        speed_up = find(two["table"], operation, precision, "one thread") if two else None
        rows.append(
            [
                words,
                LIMITS[row["limit"]],
                f"{least:.2f}",
                mark(row["share"], least),
                milliseconds(row),
                mark(speed_up["share"], SPEED_UP) if speed_up else "one core here",
                *(mark(other[name]["ratio"], 1) if other and name in other else "" for name in ("numpy", "torch")),
                mebibytes(row),
            ]
        )
    header = ["work", "limit", "at least", "share", "ms (range)", f"2 threads (at least {SPEED_UP})"]
    return table(header + ["times NumPy", "times PyTorch", "MiB beside arrays"], rows)


def operations_block(result):
    rows = [
        [
            f"`{row['operation']}`",
            row["precision"] or "",
            row["shape"],
            milliseconds(row),
            rate(row["elements_per_second"]),
            f"`{row['limit']}`" if row["limit"] else "",
            rate(row["limit_per_second"]),
            "" if row["share"] is None else f"{row['share']:.3g}",
            mebibytes(row),
        ]
        for row in result["table"]
        if row["limit"] != "one thread"
    ]
    header = ["operation", "in", "shape", "ms (range)", "10⁹/s", "limit", "its 10⁹/s", "share", "MiB"]
    return table(header, rows)


def threads_block(two):
    if not two:
        return "One core: not measured."
    rows = [
        [f"`{row['operation']}`", row["precision"] or "", f"{row['share']:.2f}"]
        for row in two["table"]
        if row["limit"] == "one thread"
    ]
    return table(["operation", "in", "2 threads against 1"], rows)


def libraries_block(beside):
    rows = []
    for row in beside["rows"]:
        cells = [f"`{row['operation']}`", row["precision"], row["variant"], f"{1e3 * row['engine']['seconds_median']:.3g}"]
        for name in ("numpy", "torch"):
            cells += [f"{1e3 * row[name]['seconds_median']:.3g}", mark(row[name]["ratio"], 1)] if name in row else ["", ""]
        rows.append(cells)
    header = ["operation", "in", "the library's way", "engine, ms", "NumPy, ms", "times", "PyTorch, ms", "times"]
    return table(header, rows)


def replace(page, name, text):
    pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        sys.exit(f"performance.py: the page has no place '{name}'")
    return pattern.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page)


def main():
    parser = argparse.ArgumentParser(description="writes the tables of docs/performance.md")
    parser.add_argument("ropetool")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--page", default="docs/performance.md")
    arguments = parser.parse_args()
    load = os.getloadavg()
    one = bench(arguments.ropetool, 1, arguments.runs)
    two = bench(arguments.ropetool, 2, arguments.runs) if len(os.sched_getaffinity(0)) > 1 else None
    beside = compare(arguments.ropetool, arguments.rounds)
    with open(arguments.page, encoding="utf-8") as file:
        page = file.read()
    page = replace(page, "machine", machine_block(one, beside["versions"], load))
    page = replace(page, "promises", promises_block(one, two, beside))
    page = replace(page, "operations", operations_block(one))
    page = replace(page, "threads", threads_block(two))
    page = replace(page, "libraries", libraries_block(beside))
    with open(arguments.page, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
