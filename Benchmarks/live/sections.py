"""What is measured: each section is a list of turns, which are measured one after the other."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import loads
import usage
from gateways import ROOT, processes
from loads import LOADS

sys.path.insert(0, os.path.join(ROOT, "Benchmarks"))

import replay  # noqa: E402

FATHOM = ("Fathom durable", "Fathom in memory")
FLEETS = (100, 1000, 10_000)  # devices
FLEET_WARMUP = 10  # s, in which each of the most devices sends two frames
ACTIVE = {"divers": (400, 4000), "headphones": (200, 2000), "batches": (100, 1000)}  # devices, few and many
ACTIVE_SECONDS = 10  # of the warm-up, in which each of the many sends about ten frames
TRACED = 4  # s under strace
LATENCY = 30  # s of the overload


@dataclasses.dataclass
class Turn:
    load: str
    gateway: str
    name: str
    measure: object  # () -> {figure: value}


@dataclasses.dataclass
class Section:
    name: str
    turns: object  # (rig) -> turns
    line: object  # (result of a turn) -> its most important figure
    repeats: bool = False  # whether it is measured in each round


def _figures(found, before, after):
    frames, used = found["frames"], after.processor_seconds_since(before)
    return {
        "frames": frames, "kinds": found["kinds"], "answers": found["answers"], "p50": found["p50"], "p99": found["p99"],
        "microseconds": 1e6 * used["gateway"] / frames, "brokerMicroseconds": 1e6 * used["broker"] / frames,
        "switches": after.switches_since(before, "gateway") / frames,
        "written": (after.written["gateway"] - before.written["gateway"]) / frames, "others": after.others_since(before)}


def _loads(rig):
    def observe(run):
        idle = run.idle_wake_ups() if run.load is LOADS[0] else None
        return {**_figures(*run.paced()), "idleWakeUps": idle}

    return [Turn(load.name, name, f"{load.name}, {name}", lambda load=load, name=name: rig.run(load, name, observe))
            for load in LOADS for name in load.gateways]


def _saturation(rig):
    def observe(run):
        found, before, after = run.burst()
        return {**_figures(found, before, after), "rate": found["rate"]}

    return [Turn(load.name, name, f"{load.name}, {name}", lambda load=load, name=name: rig.run(load, name, observe))
            for load in LOADS if load.burst for name in load.gateways
            if name not in ("relay", "Fathom durable, default refresh")]  # nothing shows how far a relay is that publishes nothing


def _fleets(rig):
    def turn(count, name):
        def observe(run):
            return {"devices": count, **_figures(*run.paced(seconds=2 * rig.options.seconds, warmup=FLEET_WARMUP))}
        return Turn("fleet", name, f"{count} devices, {name}", lambda: rig.run(loads.fleet(count), name, observe))

    return [turn(count, name) for count in FLEETS for name in FATHOM]


def _memory(rig):
    def observe(run):
        run.paced(seconds=2, warmup=ACTIVE_SECONDS)
        run.settle()
        return {"devices": run.load.devices, "bytes": usage.anonymous_bytes(run.pids["gateway"])}

    def turn(kind, count, most):
        return Turn(kind, "Fathom durable", f"{count} devices of {kind}",
                    lambda: rig.run(loads.active(kind, count, most // 4), "Fathom durable", observe))

    return [turn(kind, count, counts[-1]) for kind, counts in ACTIVE.items() for count in counts]


def _calls(rig):
    """Under strace a gateway is slower, so what it does per frame is counted but not timed."""
    def observe(run):
        with tempfile.NamedTemporaryFile("r", dir=rig.directory) as summary:
            counted = {}

            def trace():
                began = time.monotonic()
                tracer = processes.spawn(["strace", "-f", "-qq", "-c", "-U", "calls,name", "-o", summary.name,
                                          "-p", str(run.pids["gateway"])])
                time.sleep(TRACED)
                processes.end(tracer, signal.SIGINT)
                counted["seconds"] = time.monotonic() - began

            run.paced(seconds=TRACED + 3, meanwhile=trace)
            for line in summary.read().splitlines():
                if found := re.fullmatch(r"\s*(\d+)\s+(\w+)", line):
                    counted[found[2]] = int(found[1])
        frames = counted.pop("seconds") * run.load.devices / run.load.period
        total = counted.pop("total", sum(counted.values()))
        most = sorted(counted, key=counted.get, reverse=True)[:6]
        return {"calls": total / frames, "most": {name: counted[name] / frames for name in most}}

    return [Turn(load.name, name, f"{load.name}, {name}", lambda load=load, name=name: rig.run(load, name, observe))
            for load in LOADS if load.burst for name in load.gateways if name in FATHOM]


def _latency(rig):
    def measure():
        with tempfile.NamedTemporaryFile("r", dir=rig.directory) as figures:
            subprocess.run([sys.executable, os.path.join(ROOT, "Tests", "Faults", "latency.py"), "--binary", rig.binary,
                            "--seconds", str(LATENCY), "--json", figures.name], stdout=subprocess.DEVNULL)
            found = json.load(figures)
        return {key: found[key] for key in ("latencies", "ratios", "times", "cpuOfOthers", "memory", "residentBytes")}

    return [Turn("latency", "Fathom durable", "depth states", measure)]


def _replay(rig):
    return [Turn("replay", "fathom replay", "divers", lambda: {"rows": replay.measure(rig.binary, 100, 10_000)})]


SECTIONS = [
    Section("loads", _loads, lambda found: f"{found['microseconds']:.0f} us per frame", repeats=True),
    Section("saturation", _saturation, lambda found: f"{found['rate']:.0f} frames per second", repeats=True),
    Section("fleets", _fleets, lambda found: f"{found['microseconds']:.0f} us per frame"),
    Section("memory", _memory, lambda found: f"{found['bytes'] / 1e6:.1f} MB"),
    Section("calls", _calls, lambda found: f"{found['calls']:.1f} system calls per frame"),
    Section("latency", _latency, lambda found: f"p99 {found['ratios']['with bulk']['relay']['p99']:.2f} times the relay's"),
    Section("replay", _replay, lambda found: ", ".join(f"{row['microseconds']:.1f} us" for row in found["rows"])),
]
