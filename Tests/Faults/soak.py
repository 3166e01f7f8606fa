#!/usr/bin/env python3
"""Watches what a gateway takes over an hour and a half of load: memory of its own, descriptors, threads, and the size of its files.

    python3 Tests/Faults/soak.py --binary .build/release/fathom [--minutes 90] [--devices 240] [--json FILE]

Every 10 s the figures are taken. Growth is that of a line through the last third of the time: SQLite fills its caches before, of 16 MiB a
lane, which takes 55 minutes with 240 devices. Exit code 1 when memory grows by more than 1 MB an hour, or when there are more descriptors
or threads at the end than before the last third. Files grow by the messages that are stored for the query `events`, until `history.days`
are over: their growth is shown, not judged.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import processes  # noqa: E402
from broker import Broker  # noqa: E402
from gateway import Gateway  # noqa: E402
from load import Load, mix, rate  # noqa: E402

INTERVAL = 10.0
MEGABYTE = 1 << 20
LIMIT = 1.0  # MB an hour


def sample(gateway, began):
    """The figures of one instant."""
    files = [os.path.join(parent, name) for parent, _, names in os.walk(gateway.state) for name in names]
    with open(f"/proc/{gateway.pid}/statm") as statm:
        resident, shared = map(int, statm.read().split()[1:3])  # pages; shared are those of files, the program's own among them
    return {"seconds": round(time.monotonic() - began, 1), "memory": (resident - shared) * os.sysconf("SC_PAGE_SIZE"),
            "descriptors": len(os.listdir(f"/proc/{gateway.pid}/fd")), "threads": len(os.listdir(f"/proc/{gateway.pid}/task")),
            "files": sum(os.path.getsize(path) for path in files if os.path.exists(path))}


def growth(samples, name):
    """The slope in MB an hour of a line through the samples, by least squares."""
    times, values = [row["seconds"] / 3600 for row in samples], [row[name] / MEGABYTE for row in samples]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in times)
    return sum((at - middle) * (value - mean) for at, value in zip(times, values)) / spread


def watch(options, directory):
    broker = Broker(directory)
    broker.start()
    gateway = Gateway(options.binary, directory, broker.gateway_ports)
    load = None
    try:
        gateway.start()
        load = Load(directory, broker.port, 1, mix(options.devices))
        began, samples = time.monotonic(), []
        while time.monotonic() - began < options.minutes * 60:
            time.sleep(INTERVAL)
            if not gateway.alive():
                raise SystemExit("the gateway has ended: " + " / ".join(gateway.log_since()[-3:]))
            samples.append(sample(gateway, began))
            if len(samples) % 30 == 0:
                print(samples[-1], flush=True)
        return samples
    finally:
        for process in (load and load.process, gateway.process, broker.process):
            if process:
                processes.end(process)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--devices", type=int, default=240)
    parser.add_argument("--json", help="writes the samples")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    directory = tempfile.mkdtemp(prefix="fathom-soak-")
    try:
        samples = watch(options, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(samples, file)
    settled = samples[2 * len(samples) // 3:]
    slopes = {name: growth(settled, name) for name in ("memory", "files")}
    first, last = settled[0], settled[-1]
    print(f"{options.minutes:.0f} min, {options.devices} devices, {rate(mix(options.devices)):.0f} frames/s")
    for name, slope in slopes.items():
        print(f"{name:12} {first[name] / MEGABYTE:8.1f} -> {last[name] / MEGABYTE:8.1f} MB   {slope:+.2f} MB/h")
    for name in ("descriptors", "threads"):
        print(f"{name:12} {first[name]:8} -> {last[name]:8}")
    bad = ["memory"] if slopes["memory"] > LIMIT else []
    bad += [name for name in ("descriptors", "threads") if last[name] > first[name]]
    print("failed: " + ", ".join(bad) if bad else "neither memory nor descriptors nor threads grow")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
