#!/usr/bin/env python3
"""Processor time per frame of `fathom replay` with few and with many devices.

    python3 Benchmarks/replay.py --binary .build/release/fathom [--few 20] [--many 2000]

Divers, each for whole cycles of 40 s, so that both recordings hold the same mix of frames. The time of a replay of the first frame
is subtracted. Figures are the least of the runs of each recording, three or as many as fit into 10 s. The goal is a ratio of at
most 1.3 and at most 12 us per frame.
"""

import argparse
import os
import subprocess
import tempfile
import time

from recordings import Recording

CYCLE = 40  # s of a simulated diver


def processor_seconds(binary, path):
    """User and system time of one replay."""
    with subprocess.Popen([binary, "replay", path], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"replay of {path} failed")
    return usage.ru_utime + usage.ru_stime


def least(binary, path):
    began, seconds = time.monotonic(), []
    while not seconds or (len(seconds) < 3 or time.monotonic() - began < 2) and time.monotonic() - began < 10:
        seconds.append(processor_seconds(binary, path))
    return min(seconds)


def measure(binary, few, many):
    """[{"devices", "frames", "microseconds" per frame}] for few and for many devices."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="fathom-replay-") as directory:
        for devices, cycles in ((few, 20), (many, 1)):
            recording = Recording(binary, directory, "diver", devices, CYCLE * cycles)
            spent = least(binary, recording.path) - least(binary, recording.first())
            rows.append({"devices": devices, "frames": recording.frames, "microseconds": spent / (recording.frames - 1) * 1e6})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--few", type=int, default=20, help="devices of the small recording")
    parser.add_argument("--many", type=int, default=2000, help="devices of the large recording")
    options = parser.parse_args()

    rows = measure(options.binary, options.few, options.many)
    print(f"{'devices':>8}{'frames':>9}{'us per frame':>14}")
    for row in rows:
        print(f"{row['devices']:8}{row['frames']:9}{row['microseconds']:14.1f}")
    print(f"ratio {rows[1]['microseconds'] / rows[0]['microseconds']:.2f}")


if __name__ == "__main__":
    main()
