"""Broker, gateway, load and checker of one fault, in a directory of their own."""

import json
import shutil
import tempfile
import time

import pahoclient
import processes
from broker import Broker
from checker import SILENCE, Checker, Comparison, judge_runs
from gateway import SERIES, Gateway
from load import Load, mix, rate
from order import out_of_order
from proxy import Proxy
from reference import REFRESH, Expectation

# A device that sends all the time must not be silent after a restart, however short its time of silence is, in s.
SHORT_SILENCE = 5.0
SHORT_SILENCE_SETTINGS = f"derive: {{connection: {{device: {{silenceSeconds: {SHORT_SILENCE}}}}}}}\n"
SHELVED = 2  # devices of the usual load that were last out of the water and send nothing more
QUIET = 1.6  # seconds of frames after the last change, so that everything can be published


class Rig:
    """A context: whatever happens inside, nothing is left running, and the directory goes unless the fault failed."""

    def __init__(self, options, outcome, autosave=10, passwords=None, settings="", mqtt="", proxies=0, state=None,
                 access_list=None, make_broker=Broker, user=None, silence=SILENCE, runs=False, series=False):
        """The gateway reaches the broker through so many `proxies`, where there are any.

        With `silence` = None devices may be silent at any time, as where the fault keeps their frames from the gateway for that long.

        Only where a fault's devices set clocks back, `runs`, may the gateway find that one did. With `series` it publishes the head poses
        of each frame, too.
        """
        self.options, self.outcome, self.random = options, outcome, options.random(outcome.fault)
        self.directory = tempfile.mkdtemp(prefix="fathom-faults-" + outcome.fault.split()[0] + "-", dir=options.directory)
        try:
            self.broker = make_broker(self.directory, autosave, passwords, access_list)
        except processes.Unavailable:
            shutil.rmtree(self.directory)
            raise
        self.broker.start()
        self.checker_user = ("checker", passwords["checker"]) if passwords else None
        # Where an account is a client id, the prober would disconnect the checker.
        self.prober_user = ("prober", passwords["prober"]) if passwords and "prober" in passwords else self.checker_user
        if user:  # a broker that demands an account, of which `user` makes one
            self.checker_user, self.prober_user = user("checker"), user("prober")
        self.checker = Checker(self.directory, self.broker.port, self.checker_user)
        self.proxies = [Proxy(self.broker.port) for _ in range(proxies)]
        ports = [proxy.port for proxy in self.proxies] or self.broker.gateway_ports
        self.gateway = Gateway(options.binary, self.directory, ports, settings=settings, mqtt=mqtt, state=state)
        if series:
            self.gateway.defaults |= SERIES
        self.loads, self.silence, self.runs, self.series = [], silence, runs, series

    def __enter__(self):
        if not self.checker.subscriber.subscribed.wait(10):
            raise RuntimeError("the checker cannot subscribe")
        return self

    def __exit__(self, kind, *_):
        self.gateway.supervise(False)
        for load in self.loads:
            processes.end(load.process)
        if self.gateway.process:
            processes.end(self.gateway.process, within=5)
        for proxy in self.proxies:
            proxy.close()
        self.checker.stop()
        self.broker.stop()
        if not self.runs and not kind:
            judge_runs(self.outcome, self.checker)
        if kind not in (None, processes.Unavailable) or self.outcome.failures or self.options.keep:
            self.options.say(f"{self.outcome.fault}: kept {self.directory}")
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def say(self, text):
        self.options.say(f"{self.outcome.fault}: {text}")

    def start_gateway(self, within=20):
        """Starts the gateway and waits until every lane has its session at the broker, by frames of probe devices."""
        if not self.gateway.alive():
            self.gateway.start()
        client = pahoclient.make_client("prober")
        if self.prober_user:
            client.username_pw_set(*self.prober_user)
        with pahoclient.connected(client, self.broker.port):
            for attempt in range(int(within / 0.5)):
                if not self.gateway.alive():
                    raise RuntimeError("the gateway ends at once: " + " / ".join(self.gateway.log_since()[-3:]))
                self._probe(client, f"probe{attempt}")
                if processes.eventually(lambda: any(map(self._probed, range(attempt + 1))), 0.5):
                    return
            raise RuntimeError("the gateway derives nothing: " + " / ".join(self.gateway.log_since()[-3:]))

    def _probed(self, number):
        """Whether every stream of a probe device was answered."""
        return all(self.checker.seen(f"probe{number}", f"access/{stream}") for stream in PROBES)

    def _probe(self, client, device):
        now = time.time()
        # A boot of its own: another start of the gateway must not find one that was used before.
        boot = f"p{int(now * 1000)}"
        for stream, body in PROBES.items():
            frame = {"schema": "wearables/1", "boot": boot, "seq": 0, "uptime": 100.0, "sent": now, **body}
            client.publish(f"wearables/{device}/in/{stream}", json.dumps(frame), 1)

    def load(self, devices=None, parked=SHELVED, prefix="", port=None, numbers=None, **keywords):
        """Starts a fleet, of `numbers` of each kind where given, and notes the load in the outcome."""
        numbers = numbers or mix(devices or self.options.devices, parked)
        load = Load(self.directory, port or self.broker.port, self.options.seed, numbers, prefix, **keywords)
        self.loads.append(load)
        if not self.outcome.load:
            self.outcome.load = f"{sum(numbers.values())} devices, {rate(numbers):.0f} frames/s"
        return load

    def begin(self, *devices, within=20, **keywords):
        """Starts the gateway and then a fleet, as `load` does."""
        self.start_gateway(within)
        return self.load(*devices, **keywords)

    def settle(self, loads=None, prefix="", backlog=0.0, refresh=REFRESH):
        """Ends the loads, waits for what must arrive, and compares. Returns (expectation, comparison)."""
        loads = self.loads if loads is None else loads
        for load in loads:
            load.quiet()
        time.sleep(QUIET)
        for load in loads:
            if not load.finish(90 + backlog):
                self.outcome.fail("the broker did not acknowledge every frame to the generator")
        expectation = Expectation([load.log for load in loads], refresh=refresh, series=self.series)
        self.say(f"{expectation.frames} frames sent, {len(expectation.events)} events expected; draining")
        _missing, stuck = self.checker.drain(expectation, backlog=backlog)
        time.sleep(0.7)  # whatever comes too much
        comparison = Comparison(self.checker, expectation, prefix, self.silence)
        stuck = [event for event in stuck if event.key in comparison.expected]
        keys = {event.key for event in stuck}
        self.outcome.frames += expectation.frames
        self.outcome.events += len(expectation.events)
        self.outcome.stuck += sum(event.key in keys for event in comparison.lost)
        self.outcome.wire = self.checker.duplicates
        comparison.lost = [event for event in comparison.lost if event.key not in keys]
        comparison.stuck = stuck
        return expectation, comparison

    def judge(self, comparison, gaps_allowed=False):
        """Takes over a comparison's figures; anything but zeros fails."""
        outcome = self.outcome
        wrong = list(comparison.wrong)
        if not gaps_allowed:
            wrong += [(arrival, "a gap where nothing was lost") for arrival, _ in comparison.gaps]
        outcome.lost += len(comparison.lost)
        outcome.duplicate += len(comparison.duplicate)
        outcome.wrong += len(wrong)
        if comparison.rejected:
            outcome.notes.append(f"{len(comparison.rejected)} rejected messages; first: {comparison.rejected[0]}")
        for name, found in (("lost", comparison.lost), ("stuck", comparison.stuck), ("duplicate by id", comparison.duplicate),
                            ("wrong", wrong)):
            if found:
                outcome.fail(f"{len(found)} {name}")
                outcome.samples += [f"{name}: " + (f"{entry[0]} -- {entry[1]}" if isinstance(entry, tuple) else repr(entry))
                                    for entry in found[:3]]

    def finish(self, backlog=0.0):
        """The usual end: settle, judge."""
        _expectation, comparison = self.settle(backlog=backlog)
        self.judge(comparison)

    def require_running(self, *gateways):
        """Of each gateway that it goes on; without any, of the rig's."""
        for gateway in gateways or [self.gateway]:
            self.outcome.require(gateway.alive(), f"{gateway.name} has ended: " + " / ".join(gateway.log_since()[-2:]))

    def require_announced(self):
        """Of a load as large as this some device is under water when its owner changes."""
        causes = {body.get("cause") for _arrival, body in self.checker.depths()}
        self.outcome.require("handover" in causes, "no depth was published as handed over")

    def require_order(self, timed=True):
        """Within a device and kind, events arrive for the first time in the order of their instants: also after a kill."""
        swapped = out_of_order(self.checker.snapshot(), timed)
        self.outcome.require(not swapped, f"{len(swapped)} out of order: {swapped[:2]}")

    def restart(self):
        """Kills the gateway, starts it again, and waits until it derives."""
        self.gateway.kill()
        self.gateway.start()
        self.recover()

    def recover(self, within=10.0, since=None, after="a restart"):
        """Waits for the first data message after the gateway's last start, or an instant of both clocks, and notes how long it took."""
        def first():
            return self.checker.first_data_after(*(since or (self.gateway.started_at, self.gateway.started_wall)))

        processes.eventually(lambda: first() is not None, within, 0.01)
        taken = first()
        if self.outcome.require(taken is not None, f"no data message within {within:.0f} s after {after}"):
            self.outcome.recovery.append(taken)
        return taken


COLUMN = {"timestamp": [99.9], "x": [0], "y": [0], "z": [-1]}
ROTATION = {"x": [0], "y": [0], "z": [0]}
PROBES = {
    "submersion": {"events": [{"timestamp": 99.9, "state": "notSubmerged"}]},
    "headphone-motion": {"samples": {
        "timestamp": [99.9], "attitude": {**ROTATION, "w": [1]}, "rotationRate": ROTATION, "userAcceleration": ROTATION,
        "gravity": {"x": [0], "y": [0], "z": [-1]}, "sensorLocation": "headphoneLeft"}},
    "batched-imu": {"accelerometer": COLUMN},
}
