"""H: a runner, a lifter and a sleeper beside the usual load, with the gateway killed; held against a second gateway that is not disturbed.

Their frames are those of `fathom simulate`. The second gateway receives each frame once and in order; the first one receives the
sleeper's frames twice and shuffled. Both must store the same rows of history and publish the same segments, hills, sessions and sets and, in
the long form, the same days, wear and sleep.
"""

import json
import subprocess
import threading
import time

import pahoclient
import processes
from report import Outcome
from rig import Rig
from twins import DERIVED, REFERENCE, ROOT, SUMMED, Twins, rows

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


def _publish(client, messages, root, paced):
    """Publishes at QoS 1; returns once the broker has all."""
    began, receipts = time.monotonic(), []
    for delay, topic, payload, retained in messages:
        if paced:
            time.sleep(max(0.0, began + delay - time.monotonic()))
        receipts.append(client.publish(topic.replace(f"{ROOT}/", root + "/", 1), payload, 1, retained))
    for receipt in receipts:
        receipt.wait_for_publish(60)


def activity(options):
    seconds, kills = (24, 3) if options.short else (100, 10)
    outcome = Outcome("H", "kill -9 of the gateway while a runner runs, a lifter lifts and a night is sent twice and shuffled; beside an undisturbed one",
                      options.seed, n=kills)
    with Rig(options, outcome) as rig:
        client = pahoclient.make_client("phones")
        client.max_inflight_messages_set(50)
        try:
            with Twins(rig) as twins:
                client.connect("127.0.0.1", rig.broker.port)
                client.loop_start()
                _run(options, twins, client, seconds, kills)
        finally:
            client.loop_stop()
    return outcome


def _run(options, twins, client, seconds, kills):
    rig, outcome, main, reference = twins.rig, twins.outcome, twins.main, twins.reference
    start = time.time() + 0.5
    live = _recording(options, "runner", seconds, start), _recording(options, "lifter", seconds, start)
    night = [message for message in _recording(options, "sleeper", 40, start - 60) if message[1].endswith("/recorded-accelerometer")]
    shuffled = night + night
    rig.random.shuffle(shuffled)
    rig.load()
    parts = [(messages, root, True) for messages in live for root in (ROOT, REFERENCE)]
    parts += [(night, REFERENCE, False), (shuffled, ROOT, False)]
    threads = [threading.Thread(target=_publish, args=(client, *part)) for part in parts]
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
    # A lane that the load keeps behind fires no timers, and a debug build beside another may be behind all the time.
    rig.finish()
    kinds = set(SUMMED)
    if not options.short:
        kinds |= DERIVED
        complete = processes.eventually(lambda: len({key[0] for key in reference.of(DERIVED)}) == 3, 90)
        outcome.require(complete, "the undisturbed gateway derives no day, wear or sleep of the night")
        processes.eventually(lambda: main.of(DERIVED).keys() >= reference.of(DERIVED).keys(), 60)
    history = twins.compare_rows()
    outcome.frames += sum(map(len, live)) + len(night)
    outcome.notes.append(f"{len(history)} rows of history; {twins.compare_messages(kinds)}")
