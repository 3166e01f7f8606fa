#!/usr/bin/env python3
"""Watches what a gateway takes over an hour and a half of load: memory of its own, descriptors, threads, and the size of its files.

    python3 Tests/Faults/soak.py --binary .build/release/fathom [--minutes 90] [--devices 240] [--harm 0] [--json FILE]

Every 10 s the figures are taken. Growth is that of a line through the last third of the time: SQLite fills its caches before, of 16 MiB a
lane, which takes 55 minutes with 240 devices. Exit code 1 when memory grows by more than 1 MB an hour (judged of 15 minutes and more), or when
there are more descriptors or threads at the end than before the last third. Files grow by the messages that are stored for the query `events`, until `history.days`
are over: their growth is shown, not judged.

With --harm three devices that mean harm send so many frames a second each, beside the others: one leaves out every second `seq`, one sends new boots
and frames that are refused in turns, one forges days of recorded acceleration and times years ahead. The state directory may then grow to what its
limits say (--megabytes of histories and stored messages), and every impact of the others must be answered in the end, and no gap.

    python3 Tests/Faults/soak.py --binary .build/release/fathom --minutes 60 --devices 60 --harm 500
    python3 Tests/Faults/soak.py --binary .build/release/fathom --minutes 3 --devices 60 --harm 500 --megabytes 32
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import harm  # noqa: E402
import processes  # noqa: E402
from broker import Broker  # noqa: E402
from gateway import Gateway  # noqa: E402
from load import Load, mix, rate  # noqa: E402
from subscriber import Subscriber  # noqa: E402

INTERVAL = 10.0
MEGABYTE = 1 << 20
LIMIT = 1.0  # MB an hour
SETTLING = 300.0  # s that the last third takes at least, or growth is not judged
QUIET = 3.0  # s until what is open is decided


def sample(gateway, began):
    """The figures of one instant."""
    with open(f"/proc/{gateway.pid}/statm") as statm:
        resident, shared = map(int, statm.read().split()[1:3])  # pages; shared are those of files, the program's own among them
    return {"seconds": round(time.monotonic() - began, 1), "memory": (resident - shared) * os.sysconf("SC_PAGE_SIZE"),
            "descriptors": len(os.listdir(f"/proc/{gateway.pid}/fd")), "threads": len(os.listdir(f"/proc/{gateway.pid}/task")),
            "files": gateway.stored_bytes()}


def growth(samples, name):
    """The slope in MB an hour of a line through the samples, by least squares."""
    times, values = [row["seconds"] / 3600 for row in samples], [row[name] / MEGABYTE for row in samples]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((at - middle) ** 2 for at in times)
    return sum((at - middle) * (value - mean) for at, value in zip(times, values)) / spread


def await_connection(port):
    """Waits until the gateway reads: what is sent before that is missing."""
    states = []
    reader = Subscriber(port, "soak-status", ["fathom/gw/status"], lambda _topic, payload, _retained: states.append(json.loads(payload)), clean=True)
    try:
        if not processes.eventually(lambda: states and states[-1].get("ingress") == "connected", 20):
            raise SystemExit("the gateway does not connect")
    finally:
        reader.stop()


def watch(options, directory):
    broker = Broker(directory)
    broker.start()
    gateway = Gateway(options.binary, directory, broker.gateway_ports, settings=harm.settings(options.megabytes) if options.harm else "")
    load, rogues, problems = None, [], []
    try:
        gateway.start()
        await_connection(broker.port)
        load = Load(directory, broker.port, 1, mix(options.devices))
        began, samples = time.monotonic(), []
        if options.harm:
            rogues = harm.start(broker.port, options.harm, options.minutes * 60)
        while time.monotonic() - began < options.minutes * 60:
            time.sleep(INTERVAL)
            if not gateway.alive():
                raise SystemExit("the gateway has ended: " + " / ".join(gateway.log_since()[-3:]))
            samples.append(sample(gateway, began))
            if len(samples) % 30 == 0:
                print(samples[-1], flush=True)
        if options.harm:
            problems = judge_harm(options, broker, load, rogues, samples)
        return samples, problems
    finally:
        for process in (load and load.process, gateway.process, broker.process, *rogues):
            if process:
                processes.end(process)


def judge_harm(options, broker, load, rogues, samples):
    """What the devices that mean harm have done to the others and to the disk, as a list of texts."""
    for kind, done in harm.sent(rogues).items():
        print(f"{kind}: {done['written']} frames, {done['bytes'] / done['seconds'] / 1e6:.2f} MB/s")
    load.quiet()
    time.sleep(QUIET)
    if not load.finish():
        return ["the broker did not acknowledge every frame"]
    wrong, wanted = harm.differences(broker.port, load)
    largest, limit = max(row["files"] for row in samples) / MEGABYTE, options.megabytes + harm.BESIDE
    print(f"of {wanted} events of the others {len(wrong)} are missing, or gaps; the state directory had at most {largest:.1f} MB, {limit} are allowed")
    return ([f"{len(wrong)} events of the others, such as {wrong[0]}"] if wrong else []) + (
        [f"the state directory, {largest:.1f} MB"] if largest > limit else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--minutes", type=float, default=90)
    parser.add_argument("--devices", type=int, default=240)
    parser.add_argument("--harm", type=float, default=0, help="frames a second of each of three devices that mean harm (0)")
    parser.add_argument("--megabytes", type=int, default=256, help="history.maximumMegabytes, with --harm (256)")
    parser.add_argument("--json", help="writes the samples")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    directory = tempfile.mkdtemp(prefix="fathom-soak-")
    try:
        samples, problems = watch(options, directory)
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
    bad = ["memory"] if slopes["memory"] > LIMIT and last["seconds"] - first["seconds"] >= SETTLING else []
    bad += [name for name in ("descriptors", "threads") if last[name] > first[name]] + problems
    print("failed: " + ", ".join(bad) if bad else "neither memory nor descriptors nor threads grow" + (", and the others lost nothing" if options.harm else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
