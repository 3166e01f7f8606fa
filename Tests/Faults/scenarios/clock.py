"""F11 and F27: the wall clock of the gateway's machine is wrong, by another amount after each restart, or moves while the gateway runs."""

import json
import os
import signal
import struct
import subprocess
import threading
import time

import pahoclient
import processes
from load import HERE
from recording import Recording
from refusals import judge_lateness
from report import Outcome
from rig import SHELVED, Rig
from scenarios.identity import write_registry
from twins import rows

HOUR, DAY = 3600, 86400
STORED, RETIRED, RECORDING = "watch-1", "watch-2", "watch-3"  # have a history; was removed from the registry; records meanwhile


def _offsets():
    """(name, seconds)"""
    return [("+1 h", HOUR), ("-1 h", -HOUR), ("+10 y", 3652 * DAY), ("1970", DAY - int(time.time()))]


def _steps():
    """(name, seconds). A device that was removed is kept for a day: two of them end that, too."""
    return [("+2 d", 2 * DAY), ("+30 d", 30 * DAY), ("-30 d", -30 * DAY), ("1970", DAY - int(time.time())), ("2100", 4102444800 - int(time.time()))]


class WallClock:
    """The wall clock of a gateway, which can be moved while it runs."""

    def __init__(self, directory):
        self.library, self._file = os.path.join(directory, "clockskew.so"), os.path.join(directory, "skew")
        self.move(0)
        subprocess.run([processes.c_compiler(), "-O1", "-shared", "-fPIC", "-o", self.library, os.path.join(HERE, "clockskew.c"), "-ldl"],
                       check=True)

    @property
    def environment(self):
        """What a gateway is started with."""
        return {"LD_PRELOAD": self.library, "CLOCK_SKEW_FILE": self._file}

    def move(self, seconds):
        """Sets how far the clock is off, at once. The file is written in place: it is mapped."""
        with open(self._file, "r+b" if os.path.exists(self._file) else "wb", buffering=0) as file:
            file.write(struct.pack("=q", seconds))


def jumps(options):
    outcome = Outcome("F11", "wall clock of the gateway at +1 h, -1 h, +10 y, 1970, by restart", options.seed, n=4)
    with Rig(options, outcome) as rig:
        clock = WallClock(rig.directory)
        rig.begin()
        for name, seconds in _offsets():
            time.sleep(2.0)
            rig.gateway.kill()
            clock.move(seconds)
            rig.gateway.environment = clock.environment
            rig.gateway.start()
            began = time.monotonic()
            while time.monotonic() - began < 10 and not _told(rig, began):
                time.sleep(0.02)
            rig.say(f"{name}: " + (f"derives, with its clock {_off(rig):+.0f} s off" if _told(rig, began) else "derives nothing"))
            outcome.require(_told(rig, began), f"{name}: nothing derived within 10 s")
            outcome.require(abs(_off(rig) - seconds) < 60, f"{name}: the clock was not moved")
        time.sleep(2.0)
        rig.gateway.kill()
        rig.gateway.environment = {}
        rig.gateway.start()
        rig.recover()
        rig.finish()
    return outcome


def _told(rig, since):
    """Whether a data message arrived since an instant."""
    return any(at > since for at, _ in rig.checker.data[-20:])


def _off(rig):
    """How far the gateway's clock is off, by its newest status, in s."""
    return (rig.checker.status().get("at") or 0) - time.time()


def stepped(options):
    span = 12  # the gateway looks every 10 s for what is too old
    steps = _steps()[1:4:2] if options.short else _steps()
    outcome = Outcome("F27", f"wall clock of the running gateway at {', '.join(name for name, _ in steps)} for {span} s each, and back", options.seed,
                      n=len(steps))
    with Rig(options, outcome) as rig:
        clock = WallClock(rig.directory)
        rig.gateway.environment = clock.environment
        rig.gateway.configure(rig.broker.gateway_ports, f"registry: {{file: {write_registry(rig, [STORED, RETIRED, RECORDING])}}}\n")
        rig.start_gateway()
        # No batters: the gateway looks for what is too old while that lane has nothing else to store.
        rig.load(numbers={"divers": options.devices // 2, "pods": options.devices // 5, "parked": SHELVED})
        recorder = Recorder(rig.broker.port, options.seed)
        for device in (STORED, RETIRED):
            recorder.store(device, 10 if options.short else 60)
        arrived = processes.eventually(lambda: samples(rig) == recorder.sent, 60)
        outcome.require(arrived, f"of {recorder.sent} samples before any step {samples(rig)} are stored")
        write_registry(rig, [STORED, RECORDING])
        rig.gateway.process.send_signal(signal.SIGHUP)
        recorder.start()
        time.sleep(3.0)
        kept = set()
        for name, seconds in steps:
            for label, off in ((name, seconds), (f"{name} and back", 0)):
                clock.move(off)
                time.sleep(span if off else 4.0)
                kept = _compare_store(rig, recorder, kept, label)
                outcome.require(abs(_off(rig) - off) < 60, f"{label}: the clock was not moved")
                # The clock is looked at with each deletion by age, every ten seconds.
                said = processes.eventually(lambda off=off: bool(rig.checker.status().get("warnings")) == bool(off), 12)
                outcome.require(said, f"{label}: " + ("the status says nothing of the clock" if off else "the status warns"))
        recorder.stop()
        complete = processes.eventually(lambda: samples(rig) == recorder.sent, 30)
        outcome.require(complete, f"of {recorder.sent} samples {samples(rig)} are stored")
        expectation, comparison = rig.settle()
        rig.judge(comparison)
        judge_lateness(outcome, rig.checker.snapshot(), expectation)
        _compare_dives(rig, kept)
        history = rig.checker.status().get("history", {})
        outcome.require(not history.get("erased") and not history.get("discardedDays"), f"erased and discarded are counted: {history}")
        outcome.notes.append(f"{recorder.sent} samples and {len(kept)} events were stored")
    return outcome


def samples(rig):
    return sum(row[0] for row in rows(rig.gateway).values())


def _compare_store(rig, recorder, kept, label):
    """No sample that was stored and no event of `kept` may be gone; returns the ids of the events that are stored now."""
    least, found, events = recorder.committed, samples(rig), stored_events(rig.gateway)
    rig.outcome.require(found >= least, f"{label}: {least} samples were acknowledged as stored, {found} are")
    rig.outcome.require(kept <= events, f"{label}: {len(kept - events)} of {len(kept)} stored events are gone")
    rig.say(f"{label}: {found} samples, {len(events)} events")
    return kept | events


def _compare_dives(rig, kept):
    """Every dive that was published is stored."""
    kept = kept | stored_events(rig.gateway)
    dives = [arrival for arrival in rig.checker.snapshot() if arrival.kind == "dive"]
    missing = [arrival for arrival in dives if arrival.id not in kept]
    rig.outcome.require(dives and not missing, f"of {len(dives)} dives {len(missing)} are not stored")


def stored_events(gateway):
    """The ids of the messages that a gateway keeps for requests, over all of its lanes."""
    return {name for (name,) in gateway.stored("SELECT id FROM events")}


class Recorder:
    """Publishes recorded acceleration: minutes of the past at once, and then a second each second of one device."""

    RATE = 50

    def __init__(self, port, seed):
        self.sent = self.committed = 0
        self.seed, self._stopping = seed, threading.Event()
        self._samples = {}  # (device, seq) -> samples up to that frame
        self._covered = {}  # device -> samples that the gateway said are stored
        self.client = pahoclient.make_client("recorder")
        self.client.on_message = self._hear
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("wearables/+/out/committed/recorded-accelerometer", 1)
        self.client.loop_start()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _hear(self, _client, _data, message):
        if message.payload:
            device = message.topic.split("/")[1]
            self._covered[device] = self._samples.get((device, json.loads(message.payload)["seq"]), 0)
            self.committed = sum(self._covered.values())

    def store(self, device, minutes):
        recording = Recording(float((int(time.time()) - (minutes + 5) * 60) // 60 * 60), minutes / 60, self.RATE, self.seed)
        for seq in range(recording.frames):
            self._publish(device, seq, recording.frame(seq, time.time()), (seq + 1) * 60 * self.RATE)

    def _publish(self, device, seq, frame, total):
        before = self._samples.get((device, seq - 1), 0)
        self._samples[device, seq] = total
        self.sent += total - before
        self.client.publish(f"wearables/{device}/in/recorded-accelerometer", frame, 1).wait_for_publish(30)

    def start(self):
        self._thread.start()

    def _run(self):
        size, start = self.RATE, float(int(time.time()))
        zeros = "[" + ",".join(["0"] * size) + "]"
        for seq in range(100_000):
            if self._stopping.wait(max(0.0, start + seq + 1 - time.time())):
                return
            dates = [round(start + seq + index / size, 6) for index in range(size)]
            frame = {"schema": "wearables/1", "boot": "b", "seq": seq, "uptime": 1e6 + seq, "sent": time.time(), "samples": {
                "identifier": list(range(1000 + seq * size, 1000 + (seq + 1) * size)), "startDate": dates}}
            text = json.dumps(frame)[:-2] + f',"x":{zeros},"y":{zeros},"z":{zeros}}}}}'
            self._publish(RECORDING, seq, text, (seq + 1) * size)

    def stop(self):
        self._stopping.set()
        self._thread.join(35)
        self.client.loop_stop()
