"""F29: devices whose clock or application is wrong, held against the second implementation of the rule of runs."""

import os
import time

import misbehaving
from refusals import judge_lateness
from report import Outcome
from rig import Rig
from runs_checker import judge_devices

PLAIN = [f"diver{number}" for number in range(4)]  # whose clocks are right, beside the others
MAPPING = """\
mappings:
  - name: pool
    topic: pool/{device}/raw
    stream: submersion
    layout: flat
    time: { pointer: /t, unit: s, clock: unix }
    fields: { depth: { pointer: /depth, unit: m } }
"""


def misbehaved(options):
    """Nobody kills the gateway: the rule alone decides."""
    return _run(options, "F29", "clocks set back at depth and at the surface, boots used again, measurements repeated, stored and live mixed", 0)


def killed(options):
    """What waits to be decided is kept over a kill."""
    return _run(options, "F29k", "the same, and kill -9 of the gateway", 2 if options.short else 8)


def _run(options, fault, how, kills):
    rounds = 1 if options.short else 4
    numbers = {kind: 1 if options.short else 2 for kind in misbehaving.KINDS}
    outcome = Outcome(fault, how, options.seed, n=kills or rounds)
    with Rig(options, outcome, runs=True) as rig:
        producers = os.path.join(rig.directory, "producers.yaml")
        with open(producers, "w") as file:
            file.write(MAPPING)
        rig.gateway.configure(rig.broker.gateway_ports, f"producers: {{file: {producers}}}\n")
        load = rig.begin(numbers={"divers": len(PLAIN), "batters": 1, "pods": 1, **numbers})
        times, end = [], time.monotonic() + misbehaving.FIRST + (rounds - 1) * misbehaving.EVERY + 10.0
        while time.monotonic() < end:
            time.sleep(min(rig.random.uniform(2.0, 10.0) if kills else 60.0, max(0.0, end - time.monotonic())))
            if len(times) < kills:
                times.append(time.time())
                rig.restart()
        load.quiet()
        time.sleep(misbehaving.SETTLED)
        expectation, comparison = rig.settle()
        rig.judge(comparison)
        judge_devices(outcome, rig.checker.snapshot(), expectation, times)
        plain = [arrival for arrival in rig.checker.snapshot() if arrival.device in PLAIN]
        outcome.require(plain, "no message of a device that is right")
        judge_lateness(outcome, plain, expectation, kills=times)
        begun = sum(len(runs.begun) for runs in expectation.runs.values())
        outcome.require(begun >= 6 * rounds, f"only {begun} runs began: this fault shows little")
        outcome.notes.append(f"{begun} new runs began, {sum(runs.late for runs in expectation.runs.values())} frames were late")
    return outcome
