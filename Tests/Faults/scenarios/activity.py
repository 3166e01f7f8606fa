"""H: a runner and a sleeper beside the usual load, with the gateway killed; held against a second gateway that is not disturbed.

Their frames are those of `fathom simulate`. The second gateway publishes below another root of the same broker, and receives each frame
once and in order; the first one receives the sleeper's frames twice and shuffled. Both must store the same rows of history and publish
the same segments, hills and sessions and, in the long form, the same days, wear and sleep.
"""

import json
import os
import sqlite3
import subprocess
import threading
import time

import pahoclient
import processes
from gateway import Gateway
from report import Outcome
from rig import Rig
from subscriber import Subscriber

REFERENCE = "reference"
SLEEPER, RUNNER = "sleeper-1", "runner-1"
REGISTRY = f"devices:\n  {SLEEPER}: {{consent: [sleep]}}\n"
# What does not depend on when the gateway ran. The others are states that a restart interrupts.
SUMMED = {"segment", "hill", "session/distance"}
DERIVED = {"day", "wear", "sleep"}
POINTS = ["processed", "committing", "committed"]


def _recording(options, kind, seconds, start):
    """(delay, topic, payload, retained) of one simulated device's messages, in order."""
    command = [options.binary, "simulate", "--kinds", kind, "--count", "1", "--duration", f"{seconds}", "--start", f"{start!r}",
               "--seed", str(options.seed), "--record", "-"]
    lines = subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
    messages = []
    for line in lines:
        at = json.loads(line)["at"]
        head, payload = line[:-1].split(b'"payload":', 1)
        fields = json.loads(head.rstrip(b",") + b"}")
        messages.append((at - start, fields["topic"], payload, fields["retain"]))
    return messages


def rows(gateway):
    """The minutes of history that a gateway has stored, over all of its lanes."""
    rows = {}
    for name in sorted(os.listdir(gateway.state)):
        if not name.endswith(".sqlite"):
            continue
        database = sqlite3.connect(f"file:{os.path.join(gateway.state, name)}?mode=ro", uri=True, timeout=10)
        try:
            found = database.execute("SELECT device, minute, count, first, last, data FROM history").fetchall()
        except sqlite3.OperationalError:
            found = []  # a file without such a table
        finally:
            database.close()
        rows.update({row[:2]: row[2:] for row in found})
    return rows


class Collector:
    """The messages of one root: by kind and id, without what depends on when the gateway ran."""

    def __init__(self, port, root):
        self.messages, self.changed, self.committed = {}, [], -1
        self.subscriber = Subscriber(port, f"collector-{root}", [f"{root}/{device}/out/#" for device in (SLEEPER, RUNNER)], self._take)

    def _take(self, topic, payload, retained):
        kind = topic.split("/out/", 1)[1]
        if not payload or retained:
            return
        body = json.loads(payload)
        if kind == "committed/recorded-accelerometer":
            self.committed = max(self.committed, body["seq"])
        if kind not in SUMMED | DERIVED or body.get("state") in ("running", "paused"):
            return
        for name in ("received", "skew", "validUntil"):
            body.pop(name, None)
        known = self.messages.setdefault((kind, body["id"]), body)
        if known != body:
            self.changed.append(f"{kind} {body['id']}: {known} became {body}")

    def of(self, kinds):
        return {key: body for key, body in dict(self.messages).items() if key[0] in kinds}


def _publish(client, messages, root, paced):
    """Publishes at QoS 1; returns once the broker has all."""
    began, receipts = time.monotonic(), []
    for delay, topic, payload, retained in messages:
        if paced:
            time.sleep(max(0.0, began + delay - time.monotonic()))
        receipts.append(client.publish(topic.replace("wearables/", root + "/", 1), payload, 1, retained))
    for receipt in receipts:
        receipt.wait_for_publish(60)


def activity(options):
    seconds, kills = (24, 3) if options.short else (100, 10)
    outcome = Outcome("H", "kill -9 of the gateway while a runner runs and a night is sent twice and shuffled; beside an undisturbed one",
                      options.seed, n=kills)
    with Rig(options, outcome) as rig:
        registry = os.path.join(rig.directory, "registry.yaml")
        with open(registry, "w") as file:
            file.write(REGISTRY)
        settings = f"registry: {{file: {registry}, unknownDevices: allow}}\n"
        rig.gateway.configure(rig.broker.port, settings)
        other = Gateway(options.binary, rig.directory, rig.broker.port, name="other", folder="other",
                        settings=f"  root: {REFERENCE}\n" + settings)
        main, reference = Collector(rig.broker.port, "wearables"), Collector(rig.broker.port, REFERENCE)
        client = pahoclient.make_client("phones")
        client.max_inflight_messages_set(50)
        try:
            _run(options, rig, outcome, other, main, reference, client, seconds, kills)
        finally:
            client.loop_stop()
            for collector in (main, reference):
                collector.subscriber.stop()
            if other.process:
                processes.end(other.process, within=5)
    return outcome


def _run(options, rig, outcome, other, main, reference, client, seconds, kills):
    other.start()
    rig.start_gateway()
    if not processes.eventually(lambda: online(rig, "other"), 20):
        raise RuntimeError("the second gateway does not read")
    client.connect("127.0.0.1", rig.broker.port)
    client.loop_start()
    start = time.time() + 0.5
    run = _recording(options, "runner", seconds, start)
    night = [message for message in _recording(options, "sleeper", 40, start - 60) if message[1].endswith("/recorded-accelerometer")]
    shuffled = night + night
    rig.random.shuffle(shuffled)
    rig.load()
    threads = [threading.Thread(target=_publish, args=(client, *part)) for part in (
        (run, "wearables", True), (run, REFERENCE, True), (night, REFERENCE, False), (shuffled, "wearables", False))]
    for thread in threads:
        thread.start()
    for number in range(kills):
        if number % 2:
            code = rig.gateway.wait(8)
            if code is None:
                rig.gateway.kill()
        else:
            time.sleep(rig.random.uniform(0.5, 0.8 * seconds / kills))
            rig.gateway.kill()
        stored = sum(row[0] for row in rows(rig.gateway).values())
        acknowledged = sum(len(json.loads(night[index][2])["samples"]["x"]) for index in range(main.committed + 1))
        outcome.require(stored >= acknowledged, f"{acknowledged} samples were acknowledged, {stored} are stored")
        time.sleep(0.1)
        point = rig.random.choice(POINTS)
        rig.gateway.start({} if number % 2 or number + 1 == kills else {"FATHOM_FAULT": f"{point}:{rig.random.randint(1, 8)}"})
    for thread in threads:
        thread.join()
    # The session is published 15 s after its end, the days a minute after the last frame of the night.
    sessions = {"session/distance"}
    arrived = processes.eventually(lambda: reference.of(sessions) and len(main.of(sessions)) >= len(reference.of(sessions)), 40)
    outcome.require(arrived, "no session has ended")
    processes.eventually(lambda: main.committed == reference.committed == len(night) - 1, 20)
    outcome.require(main.committed == len(night) - 1, f"{main.committed + 1} of {len(night)} frames of the night are committed")
    kinds = set(SUMMED)
    if not options.short:
        kinds |= DERIVED
        complete = processes.eventually(lambda: len({key[0] for key in reference.of(DERIVED)}) == 3, 90)
        outcome.require(complete, "the undisturbed gateway derives no day, wear or sleep of the night")
        processes.eventually(lambda: main.of(DERIVED).keys() >= reference.of(DERIVED).keys(), 60)
    stored_rows, expected = rows(rig.gateway), rows(other)
    outcome.require(expected and stored_rows == expected, f"{sum(stored_rows.get(key) != row for key, row in expected.items())} of {len(expected)} rows "
                    f"of history differ, and {len(stored_rows.keys() - expected.keys())} are too many")
    found, wanted = main.of(kinds), reference.of(kinds)
    outcome.events += len(wanted)
    outcome.frames += len(run) + len(night)
    outcome.lost += len(wanted.keys() - found.keys())
    outcome.wrong += len(found.keys() - wanted.keys()) + sum(found[key] != wanted[key] for key in found.keys() & wanted.keys())
    outcome.duplicate += len(main.changed)
    outcome.samples += [f"lost: {key} {wanted[key]}" for key in sorted(wanted.keys() - found.keys())][:3]
    outcome.samples += [f"wrong: {found[key]}, expected {wanted.get(key)}" for key in sorted(found) if found[key] != wanted.get(key)][:3]
    outcome.samples += main.changed[:3]
    outcome.require(not (outcome.lost or outcome.wrong or outcome.duplicate), "not the same messages as without kills")
    outcome.notes.append(f"{len(expected)} rows of history; " + ", ".join(
        f"{sum(key[0] == kind for key in wanted)} {kind}" for kind in sorted(kinds)))
    rig.finish()


def online(rig, name):
    return any(status.get("gateway") == name and status.get("ingress") == "connected" for _at, status in rig.checker.statuses)
