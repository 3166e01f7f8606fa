"""U: a gateway starts on the state directory that an earlier version left when it was killed, and goes on.

The fixture is Tests/Fixtures/state-1: `state` is the directory, as of another machine; `frames.ndjson.gz` has what devices sent before and
after the kill, as the generator's log does; `arrivals.ndjson.gz` has what was published until then; `about.json` says which frames were
committed. `faults.py --make-fixture` writes it.
"""

import gzip
import json
import os
import shutil
import sqlite3
import time

import pahoclient
import processes
from load import HERE
from report import Outcome
from rig import Rig
from scenarios.clock import Recorder, WallClock, samples

FIXTURE = os.path.join(HERE, os.pardir, "Fixtures", "state-1")
FLEET = {"divers": 6, "batters": 2, "pods": 2, "parked": 1}
WATCH = "watch-1"
AGAIN = 5  # frames of each device that were committed and come again, as where an acknowledgement was lost
SETTINGS = "  publishCommitted: true\n"
MACHINE = "fixture"  # in place of the machine's boot id: the states are of another machine wherever they are read
# Not of the states: a lock, what a crash is found by, and what SQLite makes anew.
LEFT_OUT = ("lock", ".mark", "-shm")


def from_fixture(options):
    times = 2 if options.short else 5
    outcome = Outcome("U", "start on the states of the first version, which was killed, and kill -9 of this one", options.seed, n=times)
    with open(os.path.join(FIXTURE, "about.json")) as file:
        about = json.load(file)
    published_twice = 0
    for _ in range(times):
        with Rig(options, outcome, settings=SETTINGS) as rig:
            shutil.copytree(os.path.join(FIXTURE, "state"), rig.gateway.state)
            frames = Frames(rig, about["committed"])
            # A year later everything would be too old.
            clock = WallClock(rig.directory)
            rig.checker.ahead = about["end"] + 2 - time.time()
            clock.move(round(rig.checker.ahead))
            rig.gateway.environment = clock.environment
            _read_arrivals(rig.checker)
            rig.start_gateway()
            restored = [line for line in rig.gateway.log_since() if "restored" in line]
            left_out = [line for line in rig.gateway.log_since() if "left out" in line or "moved aside" in line]
            outcome.require(restored and not left_out, f"{len(restored)} lanes say that they restored states; {left_out[:2]}")
            frames.publish(rig.random.uniform(0.2, 0.8))
            rig.gateway.kill()
            rig.gateway.start()
            frames.publish(1.0)
            _expectation, comparison = rig.settle([frames])
            both = [(known, json.loads(body)) for known, body in rig.checker.conflicts]
            same = {known.id for known, body in both if _without_versions(json.loads(known.body)) == _without_versions(body)}
            comparison.duplicate = [entry for entry in comparison.duplicate if entry[0].id not in same]
            rig.judge(comparison)
            published_twice += len(same)
            outcome.require(samples(rig) == about["samples"], f"of {about['samples']} recorded samples {samples(rig)} are stored")
    outcome.notes.append(f"{published_twice} messages were published by both versions, under one id and with the same values")
    return outcome


def _without_versions(message):
    """A message without what an upgrade may change."""
    return {name: value for name, value in message.items() if name not in ("epoch", "received", "derivation")}


def _read_arrivals(checker):
    with gzip.open(os.path.join(FIXTURE, "arrivals.ndjson.gz"), "rt") as file:
        for line in file:
            arrival = json.loads(line)
            checker.take(arrival["topic"], json.dumps(arrival["payload"]).encode(), False)


class Frames:
    """The frames of the fixture, as a load: those that were not committed are published, and the last that were."""

    def __init__(self, rig, committed):
        self.log = os.path.join(rig.directory, "frames.ndjson")
        with gzip.open(os.path.join(FIXTURE, "frames.ndjson.gz")) as source, open(self.log, "wb") as target:
            shutil.copyfileobj(source, target)
        with open(self.log) as file:
            self._lines = [line for line in map(json.loads, file) if "frame" in line
                           and line["frame"]["seq"] > committed.get(f"{line['device']}/{line['stream']}", -1) - AGAIN]
        self._published, self._port = 0, rig.broker.port
        self.numbers = FLEET

    def publish(self, part):
        """Publishes the frames up to that part of them; returns once the broker has them."""
        lines = self._lines[self._published:round(len(self._lines) * part)]
        self._published += len(lines)
        client = pahoclient.make_client("fixture")
        with pahoclient.connected(client, self._port):
            sent = [client.publish(f"wearables/{line['device']}/in/{line['stream']}", json.dumps(line["frame"]), 1) for line in lines]
            for receipt in sent:
                receipt.wait_for_publish(30)

    def quiet(self):
        """The recorded frames end with a time without changes."""

    def finish(self, _within):
        return self._published == len(self._lines)


def make_fixture(options, folder):
    """Writes the fixture to a folder in place of what is there."""
    outcome = Outcome("fixture", "", options.seed)
    with Rig(options, outcome, settings=SETTINGS) as rig:
        rig.start_gateway()
        recorder = Recorder(rig.broker.port, options.seed)
        recorder.store(WATCH, 3)
        load = rig.load(numbers=FLEET)
        time.sleep(6.0)
        stored = processes.eventually(lambda: samples(rig) == recorder.sent, 30)
        recorder.client.loop_stop()
        rig.gateway.kill()
        time.sleep(2.0)
        with rig.checker.lock:
            rig.checker.log.flush()
        arrivals = [arrival for arrival in _lines(rig.checker.log.name) if _belongs(arrival)]
        committed = {}
        for arrival in arrivals:
            _root, device, _out, *kind = arrival["topic"].split("/")
            if kind[0] == "committed":
                committed[f"{device}/{kind[1]}"] = arrival["payload"]["seq"]
        load.quiet()
        time.sleep(2.0)
        if not (load.finish() and stored and len(committed) > sum(FLEET.values())):
            raise RuntimeError("the load is not whole")
        frames = list(_lines(load.log))
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "state"))
        for name in sorted(os.listdir(rig.gateway.state)):
            if not name.endswith(LEFT_OUT):
                _copy(os.path.join(rig.gateway.state, name), os.path.join(folder, "state", name))
        for name in sorted(os.listdir(os.path.join(folder, "state"))):
            _settle(os.path.join(folder, "state", name))
        _write(os.path.join(folder, "frames.ndjson.gz"), frames)
        _write(os.path.join(folder, "arrivals.ndjson.gz"), arrivals)
        with open(os.path.join(folder, "about.json"), "w") as file:
            end = max(line["at"] for line in frames if "at" in line)
            json.dump({"end": end, "samples": recorder.sent, "committed": committed}, file)
            file.write("\n")
    options.say(f"{folder}: {len(frames)} lines of frames, {len(arrivals)} arrivals")


def _belongs(arrival):
    topic = arrival["topic"].split("/")
    return topic[0] == "wearables" and not topic[1].startswith("probe") and not arrival["retained"] and arrival["payload"] is not None


def _lines(path):
    with open(path) as file:
        yield from map(json.loads, file)


def _write(path, lines):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode())


def _copy(source, target):
    (shutil.copytree if os.path.isdir(source) else shutil.copyfile)(source, target)


def _settle(path):
    """Puts what a log has into its database, and another machine into the file."""
    with open("/proc/sys/kernel/random/boot_id") as file:
        machine = file.read().strip()
    if path.endswith(".sqlite"):
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'clock'").fetchone():
            database.execute("UPDATE clock SET machine = ?", [MACHINE])
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
    elif os.path.isfile(path):
        with open(path, "rb") as file:
            content = file.read()
        with open(path, "wb") as file:
            file.write(content.replace(machine.encode(), MACHINE.encode()))
