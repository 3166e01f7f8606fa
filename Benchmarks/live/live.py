#!/usr/bin/env python3
"""Fathom beside small gateways in Node and Python and a relay in C, under four loads: processor time per frame, context switches,
idle wake-ups, and how long a derived message takes.

    python3 Benchmarks/live/live.py --binary .build/release/fathom [--rounds 3] [--seconds 8] [--json FILE] [--markdown FILE]

Every measurement has a broker, a gateway and a generator of its own, all on loopback. Gateways take turns within a round, and the
table holds the median over the rounds. See README.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import gateways
import table
from gateways import processes
from loads import LOADS
from usage import Usage

WARMUP, IDLE, HURRY = 6, 3, 4  # s, s, how much faster the generator sends in the warm-up


class Bench:
    def __init__(self, options, directory):
        self.options, self.directory = options, directory
        self.generator = gateways.compile_c(directory, "generator", "generator.c", "connection.c", "results.c")
        self.gateways, divers_only = gateways.all_gateways(options.binary, directory)
        self.loads = [load for load in LOADS if not options.only or load.name in options.only]
        self.scripts = {load.name: load.write(options.binary, directory, HURRY * WARMUP + options.seconds) for load in self.loads}
        self.turns = [(load, name) for load in self.loads for name in self.gateways
                      if (load.name == "divers" or name not in divers_only) and (not options.gateways or name in options.gateways)]

    def run(self):
        results = []
        for number in range(self.options.rounds):
            for load, name in self.turns if number % 2 == 0 else reversed(self.turns):
                result = {"round": number, "load": load.name, "gateway": name, **self.measure(load, name)}
                results.append(result)
                print(f"round {number + 1}: {load.name}, {name}: {result['microseconds']:.0f} us per frame", file=sys.stderr)
        return results

    def measure(self, load, name):
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            broker, port, log = gateways.start_broker(directory)
            running = [broker]
            try:
                gateway = self.start(name, directory, port, log, running)
                return self.observe(load, {"gateway": gateway.pid, "broker": broker.pid}, port, running)
            finally:
                for process in reversed(running):
                    processes.end(process)

    def start(self, name, directory, port, log, running):
        """Starts a gateway and waits until it has been subscribed for half a second."""
        with open(os.path.join(directory, "gateway.log"), "w") as output:
            gateway = processes.spawn(self.gateways[name].command(directory, port, self.loads), stdout=output, stderr=output,
                                      env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
        running.append(gateway)
        sizes = [0, 0]

        def settled():
            with open(log) as file:
                text = file.read()
            sizes.append(len(text))
            return gateway.poll() is not None or "wearables/" in text and sizes[-1] == sizes[-6 if len(sizes) > 5 else 0]

        if not processes.eventually(settled, 20, 0.1) or gateway.poll() is not None:
            with open(os.path.join(directory, "gateway.log")) as file:
                raise RuntimeError(f"{name} does not subscribe: {file.read()[-2000:]}")
        return gateway

    @staticmethod
    def idle(pids):
        """Wake-ups per second while nothing is sent."""
        before = Usage(pids)
        time.sleep(IDLE)
        return Usage(pids).switches_since(before, "gateway", voluntary=True) / IDLE

    def observe(self, load, pids, port, running):
        idle = self.idle(pids) if load is self.loads[0] else None
        command = [self.generator, port, load.stream, load.device, load.devices, load.period, WARMUP, self.options.seconds,
                   load.spread, self.scripts[load.name]]
        generator = processes.spawn([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        running.append(generator)
        pids = {**pids, "generator": generator.pid}
        usages = []
        for expected in ("measuring", "measured"):
            if generator.stdout.readline().strip() != expected:
                raise RuntimeError(f"the generator ended with {generator.wait(10)}")
            usages.append(Usage(pids))
        found = json.loads(generator.communicate(timeout=30)[0])
        before, after, frames = *usages, found["frames"]
        spent = {name: 1e6 * seconds / frames for name, seconds in after.processor_seconds_since(before).items()}
        return {
            "frames": frames, "kinds": found["kinds"], "answers": found["answers"], "p50": found["p50"], "p99": found["p99"],
            "microseconds": spent["gateway"], "brokerMicroseconds": spent["broker"], "generatorMicroseconds": spent["generator"],
            "switches": after.switches_since(before, "gateway") / frames, "idleWakeUps": idle,
            "others": after.others_since(before)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="fathom, a release build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8, help="of each measurement, after the warm-up")
    parser.add_argument("--only", nargs="*", choices=[load.name for load in LOADS], help="these loads")
    parser.add_argument("--gateways", nargs="*", help="these gateways, as the table names them")
    parser.add_argument("--json", help="where every measurement goes")
    parser.add_argument("--markdown", help="where the table goes; else standard output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fathom-bench-") as directory:
        results = Bench(options, directory).run()
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=1)
    text = table.markdown(results)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
