#!/usr/bin/env python3
"""What one device that floods costs a hundred normal ones beside it.

    swift build -c release --product fathom
    python3 Tests/Faults/flood.py --binary .build/release/fathom [--seconds 30] [--rounds 2] [--short] [--loads bulk,motion,gaps]
                                 [--off] [--scale 1] [--window 200] [--json FILE]

One broker, one gateway, a hundred normal devices (new boots, crossings, gaps, plain), all on loopback. For each load a calibration finds how
many frames a second the lane takes from a full queue; then the normal devices are measured alone and beside the flood, in turns:

- `bulk`, `motion`: one device sends three times that many; what is over its budget is refused;
- `submersion`: one device sends half of that many, which is never refused;
- `above`: one device sends one and a half times what the safety lane takes. There is no goal: what happens is printed.

A device that means harm needs no such rate. Without a calibration, one device sends 4,700 frames a second (about 1 MB)

- `gaps`: of submersion, of which every second `seq` is missing;
- `boots`: of submersion, each of a new boot;
- `rejections`: of three streams, which are refused for eleven reasons;
- `commands`: `command`, `workout` and `status` in turn, which every lane reads.

Before it plain relays take the gateway's place, one for each stream, which read the same flood and forget it. Where a normal device waits long for a
relay, broker, library and sender fill the machine, and no gateway could do better: then the flood is made smaller until a relay's p99 is at most
CARRIED ms. The gateway is measured with both floods, and judged by the smaller one.

Exit code 1 when the p99 of the normal devices on any lane is more than --goal times that without the flood, what a busy lane waits for more frames
(GATHERED) and what the flood adds for a plain relay of that stream, when a frame of theirs is refused or leads to nothing. By how much the state directory grew in a second is printed. With --off there is no budget and devices take no turns.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import typing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import processes  # noqa: E402
from broker import Broker  # noqa: E402
from flood_fleet import TOPICS  # noqa: E402
from gateway import Gateway  # noqa: E402
from latency_report import percentile  # noqa: E402
from subscriber import Subscriber  # noqa: E402


class Load(typing.NamedTuple):
    """What one device sends: a kind of `flood_fleet.FLOODS`, so many times what the lane of its stream takes, or a number of frames a second."""

    kind: str
    part: float = 0.0
    rate: float = 0.0
    has_goal: bool = True
    stream: str = "submersion"  # where a plain relay's neighbours would notice it first


HARM = 4700  # frames a second
LOADS = {"bulk": Load("batched-imu", part=3.0, stream="batched-imu"), "motion": Load("headphone-motion", part=3.0, stream="headphone-motion"),
         "submersion": Load("submersion", part=0.5), "above": Load("submersion", part=1.5, has_goal=False),
         "gaps": Load("gaps", rate=HARM), "boots": Load("boots", rate=HARM), "rejections": Load("rejections", rate=HARM),
         "commands": Load("commands", rate=HARM)}
FULL = {"batched-imu": 8000, "headphone-motion": 30000, "submersion": 40000}  # frames of a full queue
GATHERED = {"submersion": 5, "headphone-motion": 20, "batched-imu": 100}  # ms that a busy lane waits for more frames: LanePlan.gatherMilliseconds
CALIBRATIONS = 3  # of which the one in the middle counts
FILLERS = 1000  # devices that fill a queue: each stays within its budget, and all within limits.unregisteredDevices
WARM_UP = 8  # seconds; a head pose needs some for its reference
LONGEST = 60  # seconds that what is left over may take
QUEUE = 200_000_000  # bytes that the broker keeps for a lane
NICENESS = {"submersion": 0, "headphone-motion": 10, "batched-imu": 10}  # of a gateway's lanes
CARRIED = 8  # ms
SMALLER = 0.85  # of the flood before
# glibc keeps the pages of a burst. Without it a sender that falls behind once takes three times the processor time, and stays behind.
KEEPS_PAGES = {"MALLOC_TRIM_THRESHOLD_": "1000000000", "MALLOC_MMAP_THRESHOLD_": "1000000000"}
NORMAL = 400  # frames a second that are fewer than those of a flood: the normal devices send 170


class Bench:
    """A broker, the normal devices and what reads them."""

    def __init__(self, options):
        self.options, self.directory = options, tempfile.mkdtemp(prefix="fathom-flood-")
        self.readers = []

    def __enter__(self):
        self.broker = Broker(self.directory)
        processes.adjust(self.broker.configuration, "max_queued_messages 1000000", f"max_queued_messages 1000000\nmax_queued_bytes {QUEUE}")
        self.broker.start()
        self.readers = self.start_readers()
        return self

    def __exit__(self, *_):
        for process in (*self.readers, self.broker.process):
            processes.end(process)
        if self.options.keep:
            print("kept", self.directory)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _source(self, mode, *arguments):
        return processes.spawn([sys.executable, os.path.join(HERE, "flood_fleet.py"), mode, str(self.broker.port),
                                *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **KEEPS_PAGES})

    def settle(self):
        """Waits until what is left over was read; how long that took."""
        time.sleep(1)
        return 0.0

    def measure(self, flood=None):
        """The normal devices for some seconds, beside a flood of (kind, frames a second) or alone."""
        path = os.path.join(self.directory, f"results-{time.monotonic()}.ndjson")
        fleet = self._source("fleet", path)
        time.sleep(WARM_UP)
        source = self._source("flood", flood[0], flood[1], self.options.seconds) if flood else None
        began = time.monotonic() + (1 if flood else 0)
        time.sleep(self.options.seconds + (1 if flood else 0))
        ended = time.monotonic()
        done = json.loads(source.communicate(timeout=200)[0]) if source else None
        took = self.settle() if source else 0
        fleet.stdin.close()
        fleet.wait(40)
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        return {"lines": [line for line in lines if began <= line[2] < ended - 1], "flood": done, "left": took}


class Plain(Bench):
    """With a plain relay for each stream."""

    def start_readers(self):
        program = processes.compile_relay(os.path.join(HERE, "flood_relay.c"), self.directory)
        return [processes.spawn(["nice", "-n", str(NICENESS[stream]), program, str(self.broker.port), stream, kind, str(self.options.window)])
                for kind, stream in TOPICS.items()]


class Fathom(Bench):
    """With a gateway."""

    def __init__(self, options):
        super().__init__(options)
        self.status, self.refused = [], 0

    def start_readers(self):
        Subscriber(self.broker.port, "observer", ["fathom/gw/status", "wearables/+/out/access/+"], self._hear, clean=True)
        settings = "limits: {device: {unitsPerSecond: 0}}\n" if self.options.off else ""
        self.gateway = Gateway(self.options.binary, self.directory, self.broker.gateway_ports, settings=settings,
                               mqtt=f"  receiveMaximum: {self.options.window}\n")
        processes.adjust(self.gateway.configuration, "statusSeconds: 1", "statusSeconds: 0.1")
        self.gateway.start()
        if not processes.eventually(lambda: self.status and self.status[-1].get("ingress") == "connected", 20):
            raise RuntimeError("the gateway does not connect: " + " / ".join(self.gateway.log_since()[-3:]))
        return [self.gateway.process]

    def _hear(self, topic, payload, retained):
        if topic == "fathom/gw/status":
            self.status.append(json.loads(payload))
        elif topic.startswith("wearables/n") and payload and not retained:
            self.refused += json.loads(payload)["allowed"] is False

    def counter(self, name):
        """A counter of the gateway, not older than a tenth of a second."""
        return self.status[-1].get("counters", {}).get(name, 0)

    def _refusals(self):
        return self.counter("refused").get("overBudget", 0)

    def settle(self):
        """Waits until the gateway takes no more than the normal devices send; how long that took."""
        began = time.monotonic()
        while time.monotonic() - began < LONGEST:
            before = self.counter("received")
            time.sleep(1)
            if self.counter("received") - before < NORMAL:
                break
        return max(0.0, time.monotonic() - began - 1)

    def capacity(self, stream):
        """Frames a second of many devices that the lane takes from a queue that was filled while the gateway was stopped."""
        count = FULL[stream]
        before = self.counter("received")
        self.gateway.process.send_signal(19)
        filler = self._source("flood", stream, count, 0, FILLERS)
        done = json.loads(filler.communicate(timeout=120)[0])
        began = time.monotonic()
        self.gateway.process.send_signal(18)
        if not processes.eventually(lambda: self.counter("received") >= before + done["written"], 120, 0.02):
            raise RuntimeError(f"the gateway took {self.counter('received') - before} of {done['written']} frames")
        took = time.monotonic() - began
        self.settle()
        return done["written"] / took

    def measure(self, flood=None):
        refused, before, stored = self.refused, self._refusals(), self.gateway.stored_bytes()
        found = super().measure(flood)
        return {**found, "refusedOfNormal": self.refused - refused, "refused": self._refusals() - before,
                "stored": self.gateway.stored_bytes() - stored}


def figures(phases):
    """{stream: {p50, p99, worst, frames, missing}} in ms."""
    found = {}
    for stream in TOPICS.values():
        values = [line[3] for phase in phases for line in phase["lines"] if line[0] == stream]
        found[stream] = {"frames": len(values), "missing": values.count(None),
                         **{name: percentile(values, part) * 1000 for name, part in (("p50", 0.5), ("p99", 0.99), ("worst", 1))}}
    return found


def carried(options, load, rate):
    """The greatest flood of at most `rate` frames a second that plain relays carry, its figures alone and beside it, and what was tried."""
    stream, tried = load.stream, []
    with Plain(options) as bench:
        alone = figures([bench.measure()])
        while not tried or tried[-1][1] > CARRIED:
            rate = tried[-1][0] * SMALLER if tried else rate
            beside = figures([bench.measure((load.kind, rate))])
            tried.append((rate, beside[stream]["p99"]))
            print(f"  plain relays: {rate:.0f} frames/s; p99 of {stream} {alone[stream]['p99']:.1f} ms alone, "
                  f"{beside[stream]['p99']:.1f} ms beside the flood", flush=True)
    return rate, (alone, beside), tried


def compare(bench, name_of_load, kind, rate, plain):
    """The gateway beside one flood: its figures, and what is wrong with them, beside those of plain relays."""
    options, (alone, beside) = bench.options, ([], [])
    for _ in range(options.rounds):  # in turns: what else the machine does weighs on both
        alone.append(bench.measure())
        beside.append(bench.measure((kind, rate)))
    written, refused, left = (sum(each) for each in zip(*((phase["flood"]["written"], phase["refused"], phase["left"]) for phase in beside)))
    took = sum(phase["flood"]["seconds"] for phase in beside)
    found = {"rate": rate, "sent": written / took, "refused": refused, "leftOverSeconds": left, "alone": figures(alone), "beside": figures(beside),
             "bytesPerSecond": sum(phase["flood"]["bytes"] for phase in beside) / took,
             "storedPerSecond": sum(phase["stored"] for phase in beside) / took}
    print(f"  the gateway: {rate:.0f} frames/s, sent {found['sent']:.0f} ({found['bytesPerSecond'] / 1e6:.1f} MB/s), refused {refused} of {written}; "
          f"what was left over took {left:.0f} s; the state directory grew by {found['storedPerSecond'] / 1e6:.2f} MB/s", flush=True)
    problems = []
    for name in TOPICS.values():
        before, after = found["alone"][name], found["beside"][name]
        ratio, added = after["p99"] / before["p99"], max(0.0, plain[1][name]["p99"] - plain[0][name]["p99"]) if plain else 0.0
        print(f"    {name:16} p99 {before['p99']:7.1f} ms alone, {after['p99']:7.1f} ms beside the flood ({ratio:.2f}x); "
              f"p50 {before['p50']:.1f} and {after['p50']:.1f} ms; {after['missing']} of {after['frames']} frames led to nothing; "
              f"the flood adds {added:.1f} ms for a relay", flush=True)
        if not after["p99"] <= options.goal * before["p99"] + GATHERED[name] + added:
            problems.append(f"{name_of_load}, {rate:.0f} frames/s: the p99 of {name} is {ratio:.2f} times that without the flood")
        if after["missing"] > before["missing"]:
            problems.append(f"{name_of_load}, {rate:.0f} frames/s: {after['missing']} frames of {name} led to nothing")
    if any(phase["refusedOfNormal"] for phase in beside):
        problems.append(f"{name_of_load}, {rate:.0f} frames/s: frames of normal devices were refused")
    return found, problems


def row(kind, capacity, found):
    """A row of the table in docs/reference/performance.md."""
    share = f"{found['rate'] / capacity:.1f} x" if capacity else "1 device"
    latencies = (f"{found['alone'][name]['p99']:.2g}, {found['beside'][name]['p99']:.2g}" for name in TOPICS.values())
    return f"| `{kind}` | {share} | {found['sent']:,.0f} | {found['refused'] or 'none'} | {' | '.join(latencies)} |"


def measure(options, name):
    """One load: its figures, and what is wrong with those that are judged."""
    load, found, problems = LOADS[name], {"floods": []}, []
    rate = load.rate * options.scale
    if load.part:
        with Fathom(options) as bench:
            capacity = found["capacity"] = statistics.median(bench.capacity(load.kind) for _ in range(CALIBRATIONS))
        rate = capacity * load.part * options.scale
        print(f"{name}: the lane takes {capacity:.0f} frames/s of {load.kind}", flush=True)
    print(f"{name}: one device is to send {rate:.0f} frames/s, {options.rounds} times {options.seconds} s", flush=True)
    smaller, plain, found["plain"] = carried(options, load, rate) if load.has_goal else (rate, None, [])
    for each in sorted({rate, smaller}, reverse=True):
        with Fathom(options) as bench:  # a gateway of its own: one flood must not weigh on the next
            figures_of, wrong = compare(bench, name, load.kind, each, plain)
        print(row(load.kind, found.get("capacity"), figures_of), flush=True)
        found["floods"].append(figures_of)
        if load.has_goal and each == smaller:
            problems += wrong
    return found, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the fathom program, a release build")
    parser.add_argument("--seconds", type=int, default=30, help="how long each phase lasts (30)")
    parser.add_argument("--rounds", type=int, default=2, help="phases alone and beside the flood (2 each)")
    parser.add_argument("--short", action="store_true", help="one round of 10 s")
    parser.add_argument("--loads", default=",".join(LOADS), help="which loads, of " + ", ".join(LOADS))
    parser.add_argument("--off", action="store_true", help="without a budget and without turns")
    parser.add_argument("--window", type=int, default=200, help="mqtt.receiveMaximum of the gateway (200)")
    parser.add_argument("--scale", type=float, default=1, help="sends that many times what the loads ask for (1)")
    parser.add_argument("--goal", type=float, default=1.5, help="the greatest ratio of the p99s (1.5)")
    parser.add_argument("--json", help="writes the figures as JSON")
    parser.add_argument("--keep", action="store_true", help="keeps logs and latencies")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if options.short:
        options.seconds, options.rounds = 10, 1
    found, problems = {}, []
    for load in options.loads.split(","):
        found[load], wrong = measure(options, load)
        problems += wrong
    if options.json:
        with open(options.json, "w") as file:
            json.dump(found, file, indent=1)
    for problem in problems:
        print("FAILED:", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
