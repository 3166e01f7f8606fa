#!/usr/bin/env python3
"""Instructions per frame of `fathom replay`, counted by valgrind's callgrind, against the figures of instructions.json.

    python3 Benchmarks/instructions.py --binary .build/release/fathom [--update] [--only LOAD]

Each load is a recording by `fathom simulate`. The instructions of a replay of its first frame are subtracted, so that the cost of
starting does not count. With --derivations the same is done for single derivations: each is off in one replay and on in another,
and the difference is what it costs. Hashing is seeded the same, and simdjson's implementation is named, so a count repeats to about 0.01 %.

Exit code 1 when a figure differs from the recorded one by more than 5 %, up or down, or when too many of the functions that the linker
places (function-order.txt) no longer exist. Figures depend on the tools and the processor:
where those differ from the recorded ones, the command reports the figures and what differs, and its exit code is 0.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

from recordings import Recording

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "instructions.json")
TOLERANCE = 0.05
ORDER = os.path.join(os.path.dirname(HERE), "Sources", "fathom", "function-order.txt")
FEWEST_ORDERED = 0.8  # of the functions in the order
# Kind of device, devices, seconds, encoding.
LOADS = {"divers": ("diver", 20, 40), "headphones": ("headphones", 10, 20), "batches": ("batter", 5, 40),
         "divers, protobuf": ("diver", 20, 40, "protobuf"), "headphones, protobuf": ("headphones", 10, 20, "protobuf"),
         "batches, protobuf": ("batter", 5, 40, "protobuf"), "batches, packed": ("batter", 5, 40, "protobuf-packed")}
# Derivations: the kind of device, devices, seconds, and the keys that switch it on.
DERIVATIONS = {
    "repetition": ("lifter", 5, 60, ["derive.repetition.enabled=true"]),
    "punch": ("boxer", 5, 60, ["derive.punch.enabled=true"]),
    "pose": ("yogi", 5, 60, ["derive.bodyPose.enabled=true"]),
    "posture": ("headphones", 10, 20, ["derive.posture.enabled=true"]),
    "tremor": ("lifter", 5, 60, ["derive.tremor.enabled=true"]),
    "bat speed": ("batter", 5, 40, ["derive.swing.bat.lengthMeters=0.84", "derive.swing.bat.pointMeters=0.7"]),
}
SIMDJSON = {"x86_64": "haswell", "aarch64": "arm64"}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def features():
    """What valgrind passes on of the processor and the C library chooses functions by."""
    if platform.machine() != "x86_64":
        return ""
    with open("/proc/cpuinfo") as file:
        flags = next(line for line in file if line.startswith("flags")).split()
    return " ".join(flag for flag in ("avx2", "f16c", "rdrand", "rdseed") if flag in flags)


def tools(swift):
    """Everything besides the sources that a figure depends on."""
    return {"architecture": platform.machine(), "processor": features(), "libc": " ".join(platform.libc_ver()),
            "libsimdjson": output("pkg-config", "--modversion", "simdjson"),
            "simdjson implementation": SIMDJSON.get(platform.machine(), "fallback"),
            "swift": re.search(r"Swift version \S+( \([^)]*\))?", output(swift, "--version")).group(0),
            "valgrind": output("valgrind", "--version")}


def without_debug(binary, directory):
    """A copy of a program without its debug information, which valgrind 3.19 cannot read."""
    copy = os.path.join(directory, os.path.basename(binary))
    subprocess.run(["strip", "--strip-debug", "-o", copy, binary], check=True)
    return copy


class Counter:
    """Counts the instructions of replays."""

    def __init__(self, binary, directory):
        self.binary, preload = without_debug(binary, directory), os.path.join(directory, "sigsuspend.so")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", os.path.join(HERE, "sigsuspend.c"), "-o", preload], check=True)
        self.environment = {"PATH": os.environ["PATH"], "LANG": "C", "LD_PRELOAD": preload, "SWIFT_DETERMINISTIC_HASHING": "1",
                            "SIMDJSON_FORCE_IMPLEMENTATION": SIMDJSON.get(platform.machine(), "fallback")}
        if "LD_LIBRARY_PATH" in os.environ:
            self.environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]

    def instructions(self, path, settings=()):
        overrides = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", self.binary, "replay", path, *overrides],
                              env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=600)
        total = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not total:
            raise SystemExit(f"valgrind failed on {path}:\n{done.stderr[-4000:]}")
        return int(total.group(1))

    def per_frame(self, recording, settings=()):
        spent = self.instructions(recording.path, settings) - self.instructions(recording.first(), settings)
        return round(spent / (recording.frames - 1))


def measure(binary, loads):
    figures = {}
    with tempfile.TemporaryDirectory(prefix="fathom-instructions-") as directory:
        counter = Counter(binary, directory)
        for load in loads:
            recording = Recording(binary, directory, *LOADS[load])
            figures[load] = {"frames": recording.frames, "instructionsPerFrame": counter.per_frame(recording)}
    return figures


def measure_derivations(binary):
    """What each derivation adds to the frames of a device that it is for, and what such a frame costs without it."""
    figures = {}
    with tempfile.TemporaryDirectory(prefix="fathom-instructions-") as directory:
        counter = Counter(binary, directory)
        for name, (kind, devices, seconds, keys) in DERIVATIONS.items():
            recording = Recording(binary, directory, kind, devices, seconds)
            registry = os.path.join(directory, f"{name}.yaml")
            with open(registry, "w") as file:
                file.write("devices:\n")
                file.writelines(f"  {device}: {{ consent: [tremor] }}\n" for device in recording.devices())
            common = [f"registry.file={registry}"]
            off = [key.replace("=true", "=false") for key in keys if key.endswith("=true")]
            without = counter.per_frame(recording, [*common, *off])
            figures[name] = {"frames": recording.frames, "without": without,
                             "adds": counter.per_frame(recording, [*common, *keys]) - without}
    return figures


def show_derivations(figures, recorded):
    print(f"{'derivation':12}{'frames':>8}{'adds to a frame':>18}{'of':>12}{'recorded':>12}")
    for name, now in figures.items():
        before = recorded.get(name)
        print(f"{name:12}{now['frames']:8}{now['adds']:18,}{now['without']:12,}" + (f"{before['adds']:12,}" if before else ""))


def compare(figures, recorded):
    """Prints a line for each load; the loads whose figure differs."""
    differing = []
    print(f"{'load':22}{'frames':>8}{'instructions per frame':>24}{'recorded':>12}{'change':>9}")
    for load, now in figures.items():
        before = recorded.get(load)
        line = f"{load:22}{now['frames']:8}{now['instructionsPerFrame']:24,}"
        if before:
            change = now["instructionsPerFrame"] / before["instructionsPerFrame"] - 1
            line += f"{before['instructionsPerFrame']:12,}{change:+9.1%}"
            if now["frames"] != before["frames"]:
                line += f"  the recording had {before['frames']} frames"
        if not before or abs(change) > TOLERANCE or now["frames"] != before["frames"]:
            differing.append(load)
        print(line)
    return differing


def is_order_stale(binary):
    """Prints how many of the functions that the linker places beside each other exist; whether these are too few."""
    with open(ORDER) as file:
        ordered = set(file.read().split())
    symbols = {line.split(" ", 1)[0] for line in output("nm", "--defined-only", "--format=posix", binary).splitlines()}
    found = len(ordered & symbols)
    print(f"{found} of {len(ordered)} functions of function-order.txt exist")
    if found >= FEWEST_ORDERED * len(ordered):
        return False
    print("run 'make function-order' and commit the list")
    return True


def write(figures):
    with open(FIGURES, "w") as file:
        json.dump(figures, file, indent=2)
        file.write("\n")
    print("written:", FIGURES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--swift", default="swift", help="the compiler that built it")
    parser.add_argument("--only", choices=LOADS, help="one load alone")
    parser.add_argument("--derivations", action="store_true", help="instead, what single derivations cost")
    parser.add_argument("--update", action="store_true", help="write the figures; the commit says why they changed")
    options = parser.parse_args()

    recorded = {"tools": {}, "loads": {}}
    if os.path.exists(FIGURES):
        with open(FIGURES) as file:
            recorded = json.load(file)
    here = tools(options.swift)
    if options.derivations:
        figures = measure_derivations(options.binary)
        show_derivations(figures, recorded.get("derivations", {}))
        if options.update:
            write({**recorded, "derivations": figures})
        return 0
    figures = measure(options.binary, [options.only] if options.only else LOADS)
    differing = compare(figures, recorded["loads"])
    is_stale = is_order_stale(options.binary)
    if options.update:
        write({**recorded, "tools": here, "loads": {**recorded["loads"], **figures}})
        return 0
    others = [f"{name}: {here[name]!r}, recorded with {recorded['tools'].get(name)!r}"
              for name in here if here[name] != recorded["tools"].get(name)]
    if others:
        print("not compared, for the figures were recorded with other tools:", *others, sep="\n  ")
        return 1 if is_stale else 0
    if differing:
        print(f"changed by more than {TOLERANCE:.0%}: {', '.join(differing)}. If that is meant, run "
              "'make bench-instructions UPDATE=1' and give the reason in the commit.")
    return 1 if differing or is_stale else 0


if __name__ == "__main__":
    sys.exit(main())
