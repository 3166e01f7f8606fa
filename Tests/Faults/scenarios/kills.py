"""F1, F2, the negative control and the run without a fault."""

import json
import math
import os
import signal
import sys
import time

import processes
from checker import Comparison
from gateway import Gateway
from load import HERE
from reference import Event, Expectation
from report import Outcome
from rig import SHORT_SILENCE, SHORT_SILENCE_SETTINGS, Rig
from scenarios.identity import write_registry

POINTS = ["uncommitted", "ahead", "processed", "settled", "committing", "committed", "acknowledged"]


def _schedule(rig, process, kills):
    """Kills and starts again, `kills` times, 50 to 2000 ms after each start. Returns the recovery times."""
    recovered = []
    for number in range(kills):
        time.sleep(rig.random.uniform(0.05, 2.0))
        if number:
            taken = rig.checker.first_data_after(process.started_at, process.started_wall)
            if taken is not None:
                recovered.append(taken)
        code = process.kill()
        rig.outcome.require(code == -signal.SIGKILL, f"the process had ended by itself with {code} before kill {number + 1}")
        time.sleep(0.1)  # what systemd waits before a restart by default
        process.start()
        if (number + 1) % 10 == 0:
            rig.say(f"{number + 1} of {kills} kills")
    return recovered


def baseline(options):
    """No fault: the two implementations must agree to begin with."""
    outcome = Outcome("none", "no fault", options.seed)
    with Rig(options, outcome) as rig:
        rig.begin()
        time.sleep(5.0 if options.short else 30.0)
        rig.finish()
        outcome.require(outcome.wire == 0, f"{outcome.wire} messages came twice")
    return outcome


def random_kills(options):
    outcome = Outcome("F1", "kill -9 of the gateway, 50-2000 ms after each start", options.seed, n=options.kills)
    return _random_kills(options, outcome)


def disordered(options):
    """What devices do beside a kill: each reboots about once in half a minute, at any depth."""
    outcome = Outcome("F1d", "kill -9 as in F1; devices reboot, one frame in ten comes behind the next, one in ten twice", options.seed,
                      n=max(10, options.kills // 2))
    return _random_kills(options, outcome, reboots=True, disorder=True)


def older_protocol(options):
    outcome = Outcome("F1o", "kill -9 as in F1, over MQTT 3.1.1", options.seed, n=max(10, options.kills // 2))
    return _random_kills(options, outcome, mqtt='  version: "3.1.1"\n', series=False)


def _random_kills(options, outcome, mqtt="", series=True, **behaviour):
    with Rig(options, outcome, silence=SHORT_SILENCE, series=series) as rig:
        # Of a device in the registry a restart may say something, though it never sent anything.
        settings = f"{SHORT_SILENCE_SETTINGS}registry: {{file: {write_registry(rig, ['shelved'])}}}\n"
        rig.gateway.configure(rig.broker.gateway_ports, settings, mqtt)
        load = rig.begin(**behaviour)
        time.sleep(1.5)
        outcome.recovery += _schedule(rig, rig.gateway, outcome.n)
        rig.recover()
        rig.finish()
        rig.require_order()
        if behaviour:
            boots = Expectation([load.log]).boot_count
            outcome.notes.append(f"{boots} boots of {sum(load.numbers.values())} devices")
        early = outcome.n - len(outcome.recovery)
        outcome.notes.append(f"recovery: from the start of the process to its first derived message; {early} of {outcome.n} starts "
                             "were killed before it")
        if len(outcome.recovery) >= 10:
            p99 = sorted(outcome.recovery)[math.ceil(0.99 * len(outcome.recovery)) - 1]
            outcome.require(p99 < 2.0, "recovery p99 is not under 2 s")
    return outcome


def named_points(options):
    times = 1 if options.short else max(2, options.kills // 20)
    outcome = Outcome("F2", "SIGKILL by the gateway itself at " + ", ".join(POINTS), options.seed, n=times * len(POINTS))
    with Rig(options, outcome) as rig:
        rig.begin()
        time.sleep(1.0)
        rig.gateway.kill()
        plan = [(point, rig.random.randint(1, 20)) for point in POINTS for _ in range(times)]
        rig.random.shuffle(plan)
        missed = []
        for point, count in plan:
            rig.gateway.start({"FATHOM_FAULT": f"{point}:{count}"})
            code = rig.gateway.wait(8)
            if code != -signal.SIGKILL:
                missed.append(point)
                rig.say(f"{point}:{count} " + ("was not reached in 8 s" if code is None else f"ended with {code}"))
                rig.gateway.kill()
        for point in sorted(set(missed)):
            outcome.fail(f"{point}: not killed there {missed.count(point)} of {times} times")
        rig.gateway.start()
        rig.recover()
        rig.finish()
        rig.require_order()
    return outcome


class Control(Gateway):
    """The plain client, started and killed like a gateway."""

    def start(self, environment=None):
        self.started_at, self.started_wall = time.monotonic(), time.time()
        with open(self.log, "a") as log:
            self.process = processes.spawn([sys.executable, os.path.join(HERE, "control.py"), self.binary], stdout=log, stderr=log)


class Echoes:
    """What the plain client must have published: one message a frame."""

    def __init__(self, logs):
        self.events, self.frames = {}, 0
        for log in logs:
            with open(log) as file:
                for record in map(json.loads, file):
                    if "frame" in record:
                        self.frames += 1
                        frame = record["frame"]
                        event = Event(record["device"], "echo", frame["uptime"], {"kind": "echo"}, record["stream"], frame["seq"])
                        self.events[event.key] = event

    def state(self, *_):
        return None

    def offset(self, *_):
        return None

    def may_come(self):
        return set()


def control(options):
    """Passes when it loses: proof that this harness sees a loss."""
    kills = min(max(options.kills, 40), 60)  # at 0.2 to 1 lost a kill, fewer could lose nothing by chance
    outcome = Outcome("control", "kill -9 of a plain MQTT client, 50-2000 ms after each start", options.seed, n=kills)
    with Rig(options, outcome) as rig:
        rig.gateway = plain = Control(str(rig.broker.port), rig.directory, rig.broker.gateway_ports, folder="control")
        plain.start()
        time.sleep(1.0)
        load = rig.load(devices=max(options.devices, 60))
        time.sleep(1.0)
        outcome.recovery += _schedule(rig, plain, kills)
        time.sleep(1.0)
        load.finish()
        expectation = Echoes([load.log])
        rig.checker.drain(expectation, within=15)
        comparison = Comparison(rig.checker, expectation)
        outcome.frames, outcome.events = expectation.frames, len(expectation.events)
        outcome.lost, outcome.duplicate = len(comparison.lost), len(comparison.duplicate)
        outcome.wrong, outcome.wire = len(comparison.wrong), rig.checker.duplicates
        outcome.require(outcome.lost > 0, "the control lost nothing: this harness might not see a loss")
        outcome.require(outcome.lost < outcome.events / 2, "the control did not work at all")
        outcome.notes.append("the loss here is what the same kills do to a client that acknowledges first")
    return outcome
