"""A client that publishes small frames on a schedule and notes when what each leads to comes back."""

import json
import select
import sys
import time

import wire
from subscriber import packets


class MeasuringClient:
    """Publishing and receiving have sockets of their own, so that none waits for another's TCP acknowledgement.

    A line of the results: [*labels of the frame, instant of publishing (monotonic), seconds until its message, or null]. It ends with standard
    input, and what has not come `patience` seconds later has null.
    """

    def __init__(self, results, patience, publishers, receivers):
        self.results, self.patience = open(results, "w", buffering=1), patience
        self.publishers, self.buffers = publishers, {receiver: bytearray() for receiver in receivers}
        self.waiting, self.packet = {}, 0  # key of a frame -> (labels, instant of publishing)

    def send_next(self, turn):
        """Publishes what is due; when the next of it is."""
        raise NotImplementedError

    def key(self, source, topic, payload):
        """The frame that a message of a receiver comes from; None for none."""
        raise NotImplementedError

    def run(self, due):
        """`due` has the instant at which each is to publish first."""
        stopping = None
        while stopping is None or (self.waiting and time.monotonic() < stopping):
            turn = min(due, key=due.get)
            sources = [*self.buffers, *self.publishers.values()] + ([sys.stdin] if stopping is None else [])
            ready, _, _ = select.select(sources, [], [], max(0.0, due[turn] - time.monotonic()) if stopping is None else 0.2)
            now = time.monotonic()
            for source in ready:
                if source is sys.stdin:
                    stopping = now + self.patience
                else:
                    self._receive(source, now)
            if stopping is None and now >= due[turn]:
                due[turn] = self.send_next(turn)
        for labels, began in self.waiting.values():
            self._note(labels, began, None)

    def publish(self, publisher, topic, payload, key, labels):
        """Publishes a frame; nothing is expected of one without a key."""
        self.packet = self.packet % 65535 + 1
        packet = wire.publish(topic, payload, self.packet)
        if key is not None:
            self.waiting[key] = labels, time.monotonic()
        self.publishers[publisher].sendall(packet)

    def _receive(self, source, now):
        data = source.recv(1 << 18)
        if not data:
            raise RuntimeError("the broker closed a connection")
        if source not in self.buffers:
            return  # receipts
        self.buffers[source] += data
        answers = b""
        for first, body in packets(self.buffers[source]):
            if first >> 4 != 3:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            answers += b"\x40\x02" + body[end:end + 2]
            key = None if first & 1 else self.key(source, body[2:end].decode(), body[end + 2:])
            if key in self.waiting:
                labels, began = self.waiting.pop(key)
                self._note(labels, began, now - began)
        source.sendall(answers)

    def _note(self, labels, began, latency):
        self.results.write(json.dumps([*labels, round(began, 6), latency and round(latency, 6)]) + "\n")
