"""The measuring client: publishes small frames on three ways in turn and notes when each comes back.

    python3 latency_probe.py PORT RESULTS.ndjson

- `hop`: publisher, broker, this client;
- `relay`: publisher, broker, a plain relay, broker, this client;
- `gateway`: publisher, broker, gateway, broker, this client: from a submersion frame to the `depth-state` that it leads to.

All carry the same frame, at the same rate, shifted against each other and by chance. Ends with standard input. The label of a result is
the way.
"""

import json
import os
import random
import sys
import time

import wire
from measuring import MeasuringClient

TICK = 0.1  # seconds between two frames of one way
DIVERS = 5
LEVELS = (0.4, 1.6)  # m; the threshold is 1 m with 0.2 m hysteresis; 2.4 m/s
TOPICS = {"hop": "probe/hop", "relay": "probe/to", "gateway": "wearables/+/out/depth-state"}
PATIENCE = 20.0


class Diver:
    """A device that changes its depth state with every frame."""

    def __init__(self, number):
        self.name, self.seq = f"probe-diver{number}", 0

    def frame(self):
        now, wall = time.monotonic(), time.time()
        depth = LEVELS[self.seq % 2]
        text = (f'{{"schema":"wearables/1","boot":"p{os.getpid()}","seq":{self.seq},"uptime":{now:.6f},"sent":{wall:.6f},'
                f'"measurements":[{{"timestamp":{now - 0.002:.6f},"depth":{{"value":{depth},"unit":"m"}}}}]}}')
        self.seq += 1
        return text.encode()


class Probe(MeasuringClient):
    """Sockets and schedule. The frames of the plain ways are distinguished by order, as they carry no device."""

    def __init__(self, port, results):
        self.ways = {wire.connect(port, f"probe-{way}-in", [topic]): way for way, topic in TOPICS.items()}
        super().__init__(results, PATIENCE, {way: wire.connect(port, f"probe-{way}-out") for way in TOPICS}, self.ways)
        self.divers = {way: [Diver(number) for number in range(DIVERS)] for way in TOPICS}
        self.schedule = {way: time.monotonic() + 0.5 + TICK * place / len(TOPICS) for place, way in enumerate(TOPICS)}
        self.sent = 0

    def send_next(self, turn):
        diver = self.divers[turn][self.sent // len(TOPICS) % DIVERS]
        key = (turn, diver.name, diver.seq)
        topic = {"hop": "probe/hop", "relay": "probe/from", "gateway": f"wearables/{diver.name}/in/submersion"}[turn]
        self.publish(turn, topic, diver.frame(), key, (turn,))
        self.sent += 1
        self.schedule[turn] += TICK
        return self.schedule[turn] + random.uniform(0, TICK / 3)

    def key(self, source, topic, payload):
        way, message = self.ways[source], json.loads(payload)
        if way == "gateway":
            source = message["source"]
            return (way, message["device"], source["seq"][1]) if source else None
        return next((key for key in self.waiting if key[0] == way and key[2] == message["seq"]), None)


if __name__ == "__main__":
    probe = Probe(int(sys.argv[1]), sys.argv[2])
    probe.run(dict(probe.schedule))
