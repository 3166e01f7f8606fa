"""The measuring client: publishes small frames on three ways in turn and notes when each comes back.

    python3 latency_probe.py PORT RESULTS.ndjson

- `hop`: publisher, broker, this client;
- `relay`: publisher, broker, a plain relay, broker, this client;
- `gateway`: publisher, broker, gateway, broker, this client: from a submersion frame to the `depth-state` that it leads to.

All carry the same frame, at the same rate, shifted against each other and by chance. Publishing and receiving have a socket each,
and each way its own, so that none waits for another's TCP acknowledgement. Ends with standard input; what has not come by then has
null for a latency. A line of the results: [way, instant of publishing (monotonic), seconds].
"""

import json
import os
import random
import select
import sys
import time

import latency_wire as wire
from subscriber import packets

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


class Probe:
    """Sockets, schedule and what is under way."""

    def __init__(self, port, results):
        self.publishers = {way: wire.connect(port, f"probe-{way}-out") for way in TOPICS}
        self.receivers = {wire.connect(port, f"probe-{way}-in", [topic]): way for way, topic in TOPICS.items()}
        self.buffers = {receiver: bytearray() for receiver in self.receivers}
        self.results = open(results, "w", buffering=1)
        self.divers = {way: [Diver(number) for number in range(DIVERS)] for way in TOPICS}
        self.waiting = {way: {} for way in TOPICS}
        self.packet = 0

    def run(self):
        schedule = {way: time.monotonic() + 0.5 + TICK * place / len(TOPICS) for place, way in enumerate(TOPICS)}
        due, turn = dict(schedule), 0
        stopping = None
        while stopping is None or (any(self.waiting.values()) and time.monotonic() < stopping):
            way = min(due, key=due.get)
            left = due[way] - time.monotonic()
            sources = [*self.receivers, *self.publishers.values()] + ([sys.stdin] if stopping is None else [])
            ready, _, _ = select.select(sources, [], [], max(0.0, left) if stopping is None else 0.2)
            now = time.monotonic()
            for source in ready:
                if source is sys.stdin:
                    stopping = now + PATIENCE
                else:
                    self._receive(source, now)
            if stopping is None and now >= due[way]:
                self._publish(way, turn)
                turn += 1
                schedule[way] += TICK
                due[way] = schedule[way] + random.uniform(0, TICK / 3)
        for way, waiting in self.waiting.items():
            for began in waiting.values():
                self._note(way, began, None)

    def _publish(self, way, turn):
        diver = self.divers[way][turn // len(TOPICS) % DIVERS]
        key = (diver.name, diver.seq)
        payload = diver.frame()
        topic = {"hop": "probe/hop", "relay": "probe/from", "gateway": f"wearables/{diver.name}/in/submersion"}[way]
        self.packet = self.packet % 65535 + 1
        packet = wire.publish(topic, payload, self.packet)
        self.waiting[way][key] = time.monotonic()
        self.publishers[way].sendall(packet)

    def _receive(self, source, now):
        data = source.recv(1 << 16)
        if not data:
            raise RuntimeError("the broker closed a connection")
        if source not in self.receivers:
            return  # receipts
        buffer, way = self.buffers[source], self.receivers[source]
        buffer += data
        for first, body in packets(buffer):
            if first >> 4 != 3:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            source.sendall(b"\x40\x02" + body[end:end + 2])
            message = json.loads(body[end + 2:])
            key = self._key(way, message)
            if key in self.waiting[way] and not first & 1:
                began = self.waiting[way].pop(key)
                self._note(way, began, now - began)

    def _key(self, way, message):
        """What frame a message comes from; the frames of the plain ways are distinguished by order, as they carry no device."""
        if way == "gateway":
            source = message["source"]
            return (message["device"], source["seq"][1]) if source else None
        return next((key for key in self.waiting[way] if key[1] == message["seq"]), None)

    def _note(self, way, began, latency):
        self.results.write(json.dumps([way, round(began, 6), latency and round(latency, 6)]) + "\n")


if __name__ == "__main__":
    Probe(int(sys.argv[1]), sys.argv[2]).run()
