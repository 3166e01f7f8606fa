"""H36: 36 h of recorded acceleration at 50 Hz, each frame twice and shuffled, through three kills of the gateway; beside a second gateway
that receives each frame once and in order, and is not disturbed. Both must store the same rows and publish the same days, wear and sleep.
"""

import os
import sqlite3
import threading
import time

import pahoclient
import processes
from recording import Recording
from report import Outcome
from rig import Rig
from twins import DERIVED, REFERENCE, ROOT, SLEEPER, Twins

HOURS, RATE, KILLS = 36, 50, 3
# Frames of 180 kB that the broker may hold for a gateway that is slower than what is sent.
AHEAD = 200
WITHIN = 1200.0  # seconds for both gateways to store everything; a debug build of both on two processors takes a quarter of that
# What was recorded 36 h ago must not become too old while it is sent.
HISTORY = "history: {windowHours: 48}\n"


def _minutes(gateway):
    """How many minutes a gateway has stored; 0 while it has no file."""
    try:
        database = sqlite3.connect(f"file:{os.path.join(gateway.state, 'bulk.sqlite')}?mode=ro", uri=True, timeout=10)
    except sqlite3.OperationalError:
        return 0
    try:
        return database.execute("SELECT count(*) FROM history").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


class Sender(threading.Thread):
    """Publishes frames at QoS 1, no more than `AHEAD` before what the gateway has stored."""

    def __init__(self, port, root, recording, order, gateway):
        super().__init__(daemon=True)
        self.root, self.recording, self.order, self.gateway, self.failure = root, recording, order, gateway, None
        self.client = pahoclient.make_client(f"phone-{root}")
        self.client.max_inflight_messages_set(20)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def run(self):
        try:
            self._send()
        except Exception as error:  # noqa: BLE001: reported by the scenario
            self.failure = f"{type(error).__name__}: {error}"
        finally:
            self.client.loop_stop()

    def _send(self):
        sent, receipts = set(), []
        for number, seq in enumerate(self.order):
            sent.add(seq)
            if number % 20 == 0:
                if not processes.eventually(lambda: len(sent) - _minutes(self.gateway) < AHEAD, WITHIN):
                    raise RuntimeError("the gateway stores nothing")
                for receipt in receipts:
                    receipt.wait_for_publish(120)
                receipts = []
            payload = self.recording.frame(seq, time.time())
            receipts.append(self.client.publish(f"{self.root}/{SLEEPER}/in/recorded-accelerometer", payload, 1))
        for receipt in receipts:
            receipt.wait_for_publish(120)


def recorded(options):
    outcome = Outcome("H36", f"kill -9 of the gateway while {HOURS} h at {RATE} Hz come twice and shuffled; beside an undisturbed one",
                      options.seed, n=KILLS)
    with Rig(options, outcome) as rig, Twins(rig, HISTORY) as twins:
        _run(twins)
    return outcome


def _run(twins):
    rig, outcome, main, reference = twins.rig, twins.outcome, twins.main, twins.reference
    # Whole minutes, so that each frame is one row.
    start = float((int(time.time()) - HOURS * 3600) // 60 * 60)
    recording = Recording(start, HOURS, RATE, outcome.seed)
    order = list(range(recording.frames))
    shuffled = order + order
    rig.random.shuffle(shuffled)
    senders = [Sender(rig.broker.port, REFERENCE, recording, order, twins.reference_gateway),
               Sender(rig.broker.port, ROOT, recording, shuffled, rig.gateway)]
    began = time.monotonic()
    for sender in senders:
        sender.start()
    for number in range(KILLS):
        share = (number + rig.random.uniform(0.3, 0.9)) / KILLS
        reached = processes.eventually(lambda: _minutes(rig.gateway) >= share * recording.frames, WITHIN)
        outcome.require(reached, f"{_minutes(rig.gateway)} of {recording.frames} minutes are stored")
        rig.gateway.kill()
        stored = _minutes(rig.gateway)
        outcome.require(stored > main.committed, f"{main.committed + 1} frames were acknowledged as stored, {stored} are")
        rig.gateway.start()
    for sender in senders:
        sender.join(WITHIN)
        outcome.require(not sender.is_alive() and not sender.failure, f"{sender.root} could not be sent: {sender.failure}")
    last = recording.frames - 1
    processes.eventually(lambda: main.committed == reference.committed == last, WITHIN)
    outcome.require(main.committed == last, f"{main.committed + 1} of {last + 1} frames are committed")
    took = time.monotonic() - began
    # A minute after the burst; repeated frames that wait at the broker are part of it.
    complete = processes.eventually(lambda: {"day", "wear"} <= {key[0] for key in reference.of(DERIVED)}, 300)
    outcome.require(complete, "the undisturbed gateway derives no day or wear")
    processes.eventually(lambda: main.of(DERIVED).keys() >= reference.of(DERIVED).keys(), 300)
    history = twins.compare_rows()
    outcome.frames += len(shuffled) + len(order)
    samples = sum(row[0] for row in history.values())
    outcome.notes.append(f"{len(history)} rows of history with {samples} samples, stored by both gateways after {took:.0f} s; "
                         f"{twins.compare_messages(DERIVED)}")
