#!/usr/bin/env python3
"""Writes the order in which a release places the functions that frames are processed by.

    python3 Benchmarks/function_order.py --binary .build/release/fathom

A frame that comes alone is processed by functions that no cache holds any more, and the fewer pages and lines they are spread over, the
less that takes. For each kind of device a gateway runs under valgrind's callgrind, beside a broker, and simulated devices publish to it.
What it calls for every other frame or more often is listed: first the functions that all kinds need, last those that one needs. The linker
places what the list names in this order, and ignores names that no longer exist, so an old list only does less.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "live")]

import gateways  # noqa: E402
from gateways import processes  # noqa: E402
from instructions import ORDER, without_debug  # noqa: E402
from recordings import Recording  # noqa: E402

KINDS = ["diver", "headphones", "batter", "watch", "runner"]
DEVICES, SECONDS = 2, 30
CONFIGURATION = """\
mqtt: {{host: 127.0.0.1, port: {port}}}
gateway: {{name: gw, stateDirectory: {directory}/state}}
registry: {{unknownDevices: allow}}
http: {{port: null}}
"""
POSITION = re.compile(r"c?fn=\((\d+)\)(?: (.*))?")
OBJECT = re.compile(r"c?ob=\((\d+)\)(?: (.*))?")


def calls(path, program):
    """{function of `program`: how often it was called}, from callgrind's output."""
    names, objects, counts = {}, {}, collections.Counter()
    here = there = callee = None

    def named(match, table):
        number, name = match.groups()
        if name:
            table[number] = name
        return table[number]

    with open(path) as file:
        for line in file:
            if line.startswith("ob="):
                here = named(OBJECT.match(line), objects)
            elif line.startswith("cob="):
                there = named(OBJECT.match(line), objects)
            elif line.startswith("fn="):
                named(POSITION.match(line), names)
            elif line.startswith("cfn="):
                callee = named(POSITION.match(line), names)
            elif line.startswith("calls="):
                # The object of a callee is left out where it is that of the caller.
                if os.path.basename(there or here) == program:
                    counts[callee.split("'")[0]] += int(line[6:].split()[0])
                there = None
    return counts


def observe(binary, kind, directory):
    """How often a gateway that processes the frames of devices of one kind calls each function, per frame."""
    frames = Recording(binary, directory, kind, DEVICES, SECONDS).frames
    broker, port, log = gateways.start_broker(directory)
    configuration, output = os.path.join(directory, "fathom.yaml"), os.path.join(directory, "callgrind.out")
    with open(configuration, "w") as file:
        file.write(CONFIGURATION.format(port=port, directory=directory))
    running = [broker]
    try:
        with open(os.path.join(directory, "gateway.log"), "w") as file:
            gateway = processes.spawn(
                ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--demangle=no", f"--callgrind-out-file={output}",
                 binary, "run", "--config", configuration], stdout=file, stderr=file)
        running.append(gateway)

        def subscribed():
            with open(log) as file:
                return "wearables/" in file.read()

        if not processes.eventually(subscribed, 60, 0.1):
            raise SystemExit("the gateway does not subscribe")
        subprocess.run(["callgrind_control", "-i", "on", str(gateway.pid)], check=True, capture_output=True)
        subprocess.run([binary, "simulate", "--kinds", kind, "--count", str(DEVICES), "--duration", str(SECONDS),
                        "--config", configuration], check=True, capture_output=True, timeout=10 * SECONDS)
        subprocess.run(["callgrind_control", "-i", "off", str(gateway.pid)], check=True, capture_output=True)
        # Its end writes what was counted.
        processes.end(gateway, within=60)
    finally:
        for process in reversed(running):
            processes.end(process)
    return {function: count / frames for function, count in calls(output, os.path.basename(binary)).items()}


def order(observed):
    """Functions: those that most kinds need first, those of the same kinds together."""
    kinds = collections.defaultdict(list)
    for kind, counts in observed.items():
        for function, count in counts.items():
            if count >= 0.5:
                kinds[function].append(KINDS.index(kind))

    def place(function):
        return -len(kinds[function]), kinds[function], function

    return sorted((function for function in kinds if not function.startswith(("0x", "("))), key=place)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--output", default=ORDER)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fathom-order-") as directory:
        binary = without_debug(options.binary, directory)
        observed = {}
        for kind in KINDS:
            with tempfile.TemporaryDirectory(dir=directory) as here:
                observed[kind] = observe(binary, kind, here)
    functions = order(observed)
    with open(options.output, "w") as file:
        file.writelines(function + "\n" for function in functions)
    print(f"{len(functions)} functions in {options.output}")


if __name__ == "__main__":
    main()
