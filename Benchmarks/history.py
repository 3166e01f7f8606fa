#!/usr/bin/env python3
"""How much a recorded history costs: 36 h of one device in one burst, and a request for all of it.

    python3 Benchmarks/history.py --binary .build/release/fathom [--hours 36] [--rate 50] [--seed 1]

Starts a broker and a gateway of its own on loopback. Frames of a minute of recorded acceleration are published shuffled; then the query
`samples` asks for everything, and what comes back must be what was sent, to the last bit of 1/2048 G. Prints the processor time of the
gateway for the burst (until everything is committed, and until `day` is published), the time of the query, and the size on disk. Exit
code 1 when a goal is missed: 60 s of one core for the burst, 20 s for the query, both in proportion to 36 h.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tests", "Faults"))

import pahoclient  # noqa: E402
import processes  # noqa: E402
from broker import Broker  # noqa: E402
from gateway import Gateway  # noqa: E402
from recording import FIRST, Recording  # noqa: E402
from subscriber import Subscriber  # noqa: E402

DEVICE = "watch-1"
MOST_SECONDS, MOST_QUERY_SECONDS, HOURS = 60.0, 20.0, 36.0
# What was recorded 36 h ago must not become too old while the burst is sent.
SETTINGS = "registry: {file: null, unknownDevices: allow}\nhistory: {windowHours: 48}\n"


class Listener:
    """What the gateway has committed and derived, and the parts of the reply as they came."""

    def __init__(self, port):
        self.committed, self.days, self.parts, self.last_part = -1, 0, [], None
        self.subscriber = Subscriber(
            port, "bench", [f"wearables/{DEVICE}/out/#", "fathom/gw/reply/bench/#", "fathom/gw/status"], self.take, clean=True)
        self.online = False

    def take(self, topic, payload, _retained):
        if "/reply/" in topic:
            self.parts.append(payload)
            if b'"last":true' in payload[:400] or b'"error"' in payload[:200]:
                self.last_part = time.monotonic()
        elif topic.endswith("/committed/recorded-accelerometer") and payload:
            self.committed = json.loads(payload)["seq"]
        elif topic.endswith("/out/day") and payload:
            self.days += 1
        elif topic.endswith("/status"):
            self.online = self.online or json.loads(payload).get("ingress") == "connected"


def compare(recording, parts):
    """Why a reply differs from what was sent; None where it does not."""
    index = 0
    for payload in parts:
        part = json.loads(payload)
        if "error" in part:
            return f"{part['error']}: {part['detail']}"
        samples = part["samples"]
        dates = samples["startDate"]
        for place in range(len(dates)):
            cycle = index % len(recording.axes[0])
            if (samples["identifier"][place] != FIRST + index or dates[place] != recording.time(index)
                    or any(samples[name][place] != axis[cycle] / 2048 for name, axis in zip("xyz", recording.axes))):
                return f"sample {index} is {[samples[name][place] for name in 'xyz']} at {dates[place]}"
            index += 1
    return None if index == recording.count else f"{index} of {recording.count} samples"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--hours", type=float, default=HOURS)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="fathom-history-")
    broker = Broker(directory)
    broker.start()
    gateway = Gateway(os.path.abspath(arguments.binary), directory, broker.gateway_ports, settings=SETTINGS)
    client = pahoclient.make_client("phone")
    try:
        return measure(arguments, directory, broker, gateway, client)
    finally:
        client.loop_stop()
        for process in (gateway.process, broker.process):
            if process:
                processes.end(process, within=5)
        shutil.rmtree(directory, ignore_errors=True)


def measure(arguments, directory, broker, gateway, client):
    now = time.time()
    recording = Recording(float(int(now) - int(arguments.hours * 3600)), arguments.hours, arguments.rate, arguments.seed)
    sequence = list(range(recording.frames))
    random.Random(arguments.seed).shuffle(sequence)
    listener = Listener(broker.port)
    gateway.start()
    if not processes.eventually(lambda: listener.online, 30):
        raise SystemExit("the gateway is not online")
    client.max_inflight_messages_set(100)
    client.max_queued_messages_set(0)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    before, began, size = processes.processor_seconds(gateway.pid), time.monotonic(), 0
    flying = []
    for seq in sequence:
        frame = recording.frame(seq, round(time.time(), 6))
        size += len(frame)
        flying.append(client.publish(f"wearables/{DEVICE}/in/recorded-accelerometer", frame, 1))
        if len(flying) > 200:
            flying.pop(0).wait_for_publish(60)
    for info in flying:
        info.wait_for_publish(60)
    if not processes.eventually(lambda: listener.committed == recording.frames - 1, 1200):
        raise SystemExit(f"only {listener.committed + 1} of {recording.frames} frames are committed")
    stored = processes.processor_seconds(gateway.pid) - before
    elapsed = time.monotonic() - began
    processes.eventually(lambda: listener.days > 0, 120)
    time.sleep(2)
    whole = processes.processor_seconds(gateway.pid) - before
    share = arguments.hours / HOURS
    print(f"burst: {recording.count} samples in {recording.frames} frames, {size / 1e6:.0f} MB, shuffled, committed after {elapsed:.1f} s; "
          f"processor {stored:.1f} s until then, {whole:.1f} s with what was derived (goal {MOST_SECONDS * share:.0f} s); "
          f"days published {listener.days}")
    rows = sum(os.path.getsize(os.path.join(gateway.state, name)) for name in os.listdir(gateway.state) if ".sqlite" in name)
    print(f"on disk: {rows / 1e6:.1f} MB, {rows / recording.count:.2f} bytes a sample")
    before, began = processes.processor_seconds(gateway.pid), time.monotonic()
    query = {"reply": "bench/1", "stream": "recorded-accelerometer", "from": recording.start,
             "to": recording.start + arguments.hours * 3600}
    client.publish(f"wearables/{DEVICE}/query/samples", json.dumps(query), 1).wait_for_publish(10)
    processes.eventually(lambda: listener.last_part is not None, 1200, 0.01)
    took = (listener.last_part or time.monotonic()) - began
    difference = compare(recording, listener.parts)
    print(f"query: {len(listener.parts)} parts, {sum(map(len, listener.parts)) / 1e6:.0f} MB in {took:.1f} s "
          f"(goal {MOST_QUERY_SECONDS * share:.0f} s), processor {processes.processor_seconds(gateway.pid) - before:.1f} s; "
          + (f"DIFFERS: {difference}" if difference else "equal to what was sent"))
    missed = whole > MOST_SECONDS * share or took > MOST_QUERY_SECONDS * share or difference or not listener.days
    print("a goal is missed" if missed else "every goal is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
