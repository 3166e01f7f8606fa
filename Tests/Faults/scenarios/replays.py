"""F28: the gateway is killed after it replayed its journal under changed settings, and so derived what it had not published before."""

import contextlib
import json
import os
import shutil
import sqlite3
import time

import pahoclient
import processes
from dives import event, frame
from reference import SCALE
from report import Outcome
from rig import Rig
from scenarios.handover import state_command

# Under the first settings no dive begins at the depth of these divers, under the second one does.
BEFORE, AFTER = (f"derive: {{depth: {{diveStartMeters: {meters}}}}}\n" for meters in (40, 1))
DEEPEST, DIVERS = 1.2, [f"probe-diver{number}" for number in range(3)]
CONNECTED, RESTORED = "mqtt.client=gw-out ", "states restored"  # in the log
POINTS = ["processed", "settled", "committing", "committed"]
COMMITTED = 0.5  # s after which a frame is committed


def replayed(options):
    """In turn the gateway alone, and after an export and import of the states under the new settings: each replays the journal."""
    count = 3 if options.short else 21
    outcome = Outcome("F28", "kill -9 after a replay under changed settings; every other time after export and import under them",
                      options.seed, n=count)
    with Rig(options, outcome, settings=BEFORE) as rig:
        rig.begin(numbers={"batters": 5, "pods": 4, "parked": 2})
        divers = Divers(rig.broker.port)
        try:
            _round(rig, divers, "control", AFTER, lambda: None)
            if outcome.failures:
                outcome.fail("without a kill the replay publishes no dives: this fault shows nothing")
                return outcome
            for number in range(count):
                _round(rig, divers, str(number), AFTER, lambda number=number: _disturb(rig, number))
                rig.say(f"{number + 1} of {count} kills")
        finally:
            divers.close()
        _expectation, comparison = rig.settle()
        # What was published before is published again, under its id and with the fingerprint of the new settings.
        same = {known.id for known, body in rig.checker.conflicts if _values(json.loads(known.body)) == _values(json.loads(body))}
        comparison.duplicate = [entry for entry in comparison.duplicate if entry[0].id not in same]
        rig.judge(comparison)
        outcome.notes.append(f"{(count + 1) * len(DIVERS)} dives were derived by a replay; {len(same)} messages were published again under the "
                             "changed settings, with their ids")
    return outcome


def _round(rig, divers, name, after, disturb):
    """Divers dive under the settings of before, and the gateway is killed; under those of `after` their dives must arrive."""
    for _attempt in range(5):
        end, numbers = divers.dive(lambda: _written(rig.gateway))
        if numbers == _written(rig.gateway):
            break  # no state was written since the dive began: its frames are in the journal
    else:
        rig.outcome.fail(f"round {name}: the frames of no dive stayed in the journal")
    rig.gateway.kill()
    rig.gateway.configure(rig.broker.gateway_ports, after)
    disturb()
    rig.gateway.start()
    processes.eventually(lambda: len(dives_at(rig.checker.snapshot(), end)) >= len(DIVERS), 10)
    judge_dives(rig.outcome, rig.checker.snapshot(), DIVERS, end, DEEPEST, name)
    rig.gateway.kill()
    rig.gateway.configure(rig.broker.gateway_ports, BEFORE)
    rig.start_gateway()


def _written(gateway):
    """The number of the last checkpoint that the stored state of each diver includes. A timer or another lane's activity has it written."""
    with contextlib.closing(sqlite3.connect(f"file:{gateway.state}/safety.sqlite?mode=ro", uri=True, timeout=10)) as database:
        return dict(database.execute("SELECT device, number FROM state WHERE device LIKE 'probe-diver%'").fetchall())


def dives_at(arrivals, end):
    """The arrivals of dives that end at an instant."""
    return [arrival for arrival in arrivals if arrival.kind == "dive" and arrival.instant == end]


def judge_dives(outcome, arrivals, devices, end, deepest, name):
    """Of each device one dive that ends at an instant must have arrived, of that depth."""
    for device in devices:
        found = [json.loads(arrival.body)["deepest"] for arrival in dives_at(arrivals, end) if arrival.device == device]
        outcome.events += 1
        outcome.lost += not found
        outcome.duplicate += max(0, len(found) - 1)
        outcome.wrong += sum(depth != deepest for depth in found)
        outcome.require(found == [deepest], f"round {name}: {device} has {len(found)} dives, to {found} m")


def _disturb(rig, number):
    """The first start under the changed settings, and its end."""
    if number % 2 == 1:
        file = os.path.join(rig.directory, f"replayed-{number}.state")
        state_command(rig.gateway, "export", "--output", file)
        shutil.rmtree(rig.gateway.state)
        state_command(rig.gateway, "import", file)
    if number // 2 % 3 == 0:
        _start_without_receipts(rig)
    elif number // 2 % 3 == 1:
        rig.gateway.start()
        time.sleep(rig.random.uniform(0.2, 1.5))
    else:
        rig.gateway.start({"FATHOM_FAULT": f"{rig.random.choice(POINTS)}:{rig.random.randint(1, 3)}"})
        rig.gateway.wait(3)
    rig.gateway.kill()
    rig.broker.resume()


def _start_without_receipts(rig):
    """The broker stops once the gateway can publish: it replays, and nothing of it is accepted."""
    began = rig.gateway.log_size()
    rig.gateway.start()
    processes.eventually(lambda: any(CONNECTED in line for line in rig.gateway.log_since(began)), 5, 0.002)
    rig.broker.pause()
    replayed = processes.eventually(lambda: any(RESTORED in line for line in rig.gateway.log_since(began)), 5, 0.002)
    rig.outcome.require(replayed, "the gateway restored nothing while the broker was stopped")
    time.sleep(rig.random.uniform(0.0, 0.5))


def _values(message):
    return {name: value for name, value in message.items() if name not in ("epoch", "received", "derivation", "validUntil", "skew")}


class Divers:
    """Devices that dive at once, each time in few, small frames: the gateway keeps such as they are, and their state as it was before."""

    def __init__(self, port):
        self._seq, self._offset = 0, float(int(time.time()) - 5000)  # unix time of uptime 0
        self._client = pahoclient.make_client("divers")
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()

    def dive(self, read):
        """A frame at the surface and, once it is committed, a dive. Returns its end on the clock of the devices, in units of reference.SCALE,
        and what `read` returned before it."""
        self._publish(lambda now: {"events": [event(now - 0.5, "notSubmerged")]})
        before = read()
        self._publish(lambda now: {"events": [event(now - 0.1, "submerged")], "measurements": [_measured(now, 0.5)]})
        for depth in (DEEPEST, 0.5):
            self._publish(lambda now, depth=depth: {"measurements": [_measured(now, depth)]})
        return round(self._publish(lambda now: {"events": [event(now, "notSubmerged")]}) * SCALE), before

    def _publish(self, lists):
        """Publishes a frame of each device, and waits until it is committed. What is not is delivered again. Returns its uptime."""
        now = round(time.time() - self._offset, 2)
        for device in DIVERS:
            text = json.dumps(frame(self._seq, now, self._offset, **lists(now)), separators=(",", ":"))
            self._client.publish(f"wearables/{device}/in/submersion", text, 1).wait_for_publish(10)
        self._seq += 1
        time.sleep(COMMITTED)
        return now

    def close(self):
        self._client.disconnect()
        self._client.loop_stop()


def _measured(instant, depth):
    return {"timestamp": instant, "depth": {"value": depth, "unit": "m"}}
