#!/usr/bin/env python3
"""Nanoseconds per sample of the filter of raw motion, beside the authors' C++ on the same samples.

    python3 Benchmarks/fusion/fusion.py --vqf VENV [--swift swiftc] [--data FILE.csv.gz] [--rounds 7]

VENV is a virtual environment with the Python package `vqf`, which holds the C++ sources. Both programs are compiled with optimization and
run one after the other in each round; a figure is the least of the rounds. The samples are those of a recording of BROAD, or of a sensor
that turns to and fro, an hour each. The goal is a ratio of at most 1; exit code 1 when it is missed.
"""

import argparse
import array
import csv
import glob
import gzip
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.join(HERE, "..", "..", "Sources", "SignalProcessing")
SAMPLES = 360_000


def recorded(path):
    """interval, specific force in G, rotation in rad/s, field in microtesla of each row."""
    with gzip.open(path, "rt") as file:
        rows = [[float(cell) for cell in row[:10]] for row in list(csv.reader(file))[1:]]
    return [[row[0] - before[0]] + row[1:] for before, row in zip(rows, rows[1:])]


def simulated():
    """The same of a sensor that turns about x only: gravity and field follow from the angle."""
    rows, angle = [], 0.0
    for index in range(SAMPLES):
        rate = 2 * math.sin(0.013 * index)
        angle += 0.01 * rate
        sine, cosine = math.sin(angle), math.cos(angle)
        field = [1, 20 * cosine - 44 * sine, -20 * sine - 44 * cosine]
        rows.append([0.01, 0.1 * math.sin(0.3 * index), sine, cosine, rate, 0.003, -0.002] + field)
    return rows


def compiled(folder, swift, vqf):
    """The two programs, by name."""
    sources = glob.glob(os.path.join(vqf, "lib", "python*", "site-packages", "vqf", "cpp", "vqf.cpp"))
    if not sources:
        sys.exit(f"{vqf} is no virtual environment with vqf: python3 -m venv {vqf} && {vqf}/bin/pip install vqf")
    programs = {"Fathom": os.path.join(folder, "swift"), "authors' C++": os.path.join(folder, "cpp")}
    main = os.path.join(folder, "main.swift")
    with open(os.path.join(HERE, "time.swift"), encoding="utf-8") as source, open(main, "w", encoding="utf-8") as copy:
        copy.write(source.read())
    swift_sources = glob.glob(os.path.join(SOURCES, "**", "*.swift"), recursive=True)
    subprocess.run(
        [swift, "-O", "-wmo", "-package-name", "fathom", "-enable-upcoming-feature", "InternalImportsByDefault",
         "-enable-upcoming-feature", "MemberImportVisibility", main, *swift_sources, "-o", programs["Fathom"]], check=True)
    subprocess.run(
        ["g++", "-O3", "-DNDEBUG", "-std=c++17", "-I", os.path.dirname(sources[0]), os.path.join(HERE, "time.cpp"), sources[0],
         "-o", programs["authors' C++"]], check=True)
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vqf", required=True)
    parser.add_argument("--swift", default="swiftc")
    parser.add_argument("--data")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()

    rows = recorded(options.data) if options.data else simulated()
    rows = (rows * (SAMPLES // len(rows) + 1))[:SAMPLES]
    with tempfile.TemporaryDirectory(prefix="fathom-fusion-") as folder:
        path = os.path.join(folder, "samples")
        with open(path, "wb") as file:
            array.array("d", (number for row in rows for number in row)).tofile(file)
        programs = compiled(folder, options.swift, options.vqf)
        worst = 0
        print(f"{'':8}" + "".join(f"{name + ', ns':>20}" for name in programs) + f"{'ratio':>10}")
        for mode in ("6D", "9D"):
            least = {name: math.inf for name in programs}
            for _ in range(options.rounds):
                for name, program in programs.items():
                    result = subprocess.run([program, mode, path], check=True, capture_output=True, text=True)
                    least[name] = min(least[name], float(result.stdout.split()[0]))
            ratio = least["Fathom"] / least["authors' C++"]
            worst = max(worst, ratio)
            print(f"{mode:8}" + "".join(f"{value:20.0f}" for value in least.values()) + f"{ratio:10.2f}")
    sys.exit(worst > 1)


if __name__ == "__main__":
    main()
