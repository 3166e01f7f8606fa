"""F22: devices that are handed over to gateways with other partitions."""

import functools
import os
import signal
import subprocess
import time

import processes
from broker import Nats
from gateway import Gateway
from report import Outcome
from rig import SHORT_SILENCE, SHORT_SILENCE_SETTINGS, Rig
from scenarios.partitions import COUNT, MAPPING, REDELIVERY, settings_of


def _settings(partitions):
    return settings_of(partitions) + SHORT_SILENCE_SETTINGS


def on_nats(options, fault="F22n", broker="NATS", make_broker=Nats, devices=None):
    """Four gateways hand over to two, and those to four; `devices` are those of the usual load, unless told otherwise."""
    how = f"{COUNT} gateways with a partition of {broker} each hand over to two, and these to {COUNT}"
    outcome = Outcome(fault, how, options.seed, n=2)
    with Rig(options, outcome, settings=_settings(0), mqtt=REDELIVERY, make_broker=functools.partial(make_broker, mappings=MAPPING),
             silence=SHORT_SILENCE) as rig:
        def gateways(name, owned):
            return [Gateway(options.binary, rig.directory, rig.broker.gateway_ports, name=f"{name}{index}", folder=f"{name}{index}",
                            settings=_settings(partitions), mqtt=REDELIVERY) for index, partitions in enumerate(owned)]

        single = [str(number) for number in range(COUNT)]
        first = [rig.gateway] + gateways("first", single)[1:]
        pair, last = gateways("pair", ["0-1", "2-3"]), gateways("last", single)
        running = first
        try:
            for gateway in first[1:]:
                gateway.start()
            rig.begin(devices)
            time.sleep(5.0)
            running = first + pair
            _hand_over(rig, first, pair, [(index, index // 2, []) for index in range(COUNT)])
            time.sleep(5.0)
            running = pair + last
            _hand_over(rig, pair, last, [(index // 2, index, ["--only-partitions", f"{index}/{COUNT}"]) for index in range(COUNT)])
            time.sleep(5.0)
            _expectation, comparison = rig.settle()
            rig.judge(comparison)
            outcome.require(not comparison.rejected, f"{len(comparison.rejected)} frames were rejected")
            rig.require_order(timed=False)
            rig.require_announced()
            rig.require_running(*last)
        finally:
            for gateway in running:
                if gateway.process:
                    processes.end(gateway.process, within=5)
    return outcome


def on_mosquitto(options):
    """One gateway hands over to another of another name, again and again."""
    count = 2 if options.short else 5
    outcome = Outcome("F22m", "a gateway hands all devices over to one of another name", options.seed, n=count)
    with Rig(options, outcome, settings=SHORT_SILENCE_SETTINGS, silence=SHORT_SILENCE) as rig:
        running = [rig.gateway]
        try:
            rig.begin()
            for number in range(count):
                time.sleep(rig.random.uniform(2.0, 3.0))
                name = f"next{number}"
                running.append(Gateway(options.binary, rig.directory, rig.broker.gateway_ports, name=name, folder=name,
                                       settings=SHORT_SILENCE_SETTINGS))
                _hand_over(rig, [running[-2]], [running[-1]], [(0, 0, [])])
            time.sleep(3.0)
            rig.finish()
            rig.require_order()
            rig.require_announced()
            rig.require_running(running[-1])
        finally:
            if running[-1].process:
                processes.end(running[-1].process, within=5)
    return outcome


def _hand_over(rig, old, new, files):
    """The steps of docs/scale.md; `files` are the exports, by the places of the old and new gateway and the options of the export."""
    begun = time.monotonic()
    for gateway in new:
        _run(rig, gateway, ["run", "--subscribe-only"])
    for gateway in old:
        # Before it reads it refuses to.
        if not processes.eventually(lambda gateway=gateway: any(" ready: " in line for line in gateway.log_since()), 60, 0.1):
            raise RuntimeError(f"{gateway.name} does not read: " + " / ".join(gateway.log_since()[-3:]))
        os.kill(gateway.pid, signal.SIGUSR1)
    for gateway in old:
        # It reads for 30 s, waits for earlier frames for the 60 s of redelivery, and ends its sessions within 60 s.
        code = gateway.wait(150)
        if code != 0:
            raise RuntimeError(f"{gateway.name} has not handed over ({code}): " + " / ".join(gateway.log_since()[-3:]))
    for number, (source, target, chosen) in enumerate(files):
        file = os.path.join(new[target].directory, f"{number}.state")
        _run(rig, old[source], ["state", "export", *chosen, "--output", file])
        _run(rig, new[target], ["state", "import", file])
    for gateway in new:
        gateway.start()
    rig.say(f"{len(old)} gateways have handed over to {len(new)} within {time.monotonic() - begun:.1f} s")


def _run(rig, gateway, command):
    """Runs the program with the configuration of a gateway; it must succeed."""
    ended = subprocess.run([rig.options.binary, *command, "--config", gateway.configuration], capture_output=True, text=True,
                           env={**os.environ, **gateway.defaults}, timeout=60, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{gateway.name}: {' '.join(command)}: {ended.returncode}: {ended.stderr[-500:]}")
