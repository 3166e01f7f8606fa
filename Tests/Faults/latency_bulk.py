"""Publishes batched-imu frames of many simulated devices, each a second long, made from a recording.

    python3 latency_bulk.py SPECIFICATION.json

Specification: port, recording, prefix, fleet (how many devices there are in all), devices (the numbers of those this process
plays), connections, and either burst (frames of each device, as fast as the broker takes them) or start (unix time), seconds and
rate (frames a second of each device). At a rate of 1 devices send what they measure; at a greater one they catch up on what they
recorded before. A frame that is late is sent late, never left out, until the time is over. Prints what became of it as JSON:
frames written, accepted by the broker, bytes, CPU seconds, greatest lateness.
"""

import json
import os
import random
import socket
import struct
import sys
import time

import wire

BASE = 100000.0  # a device's uptime at its first sample


class Templates:
    """The frames of a recording, cut where a number stands that differs from frame to frame; numbers as long as Core Motion's."""

    MARKS = ("seq", "uptime", "sent", "start", "start")

    def __init__(self, recording, topic_length):
        self.frames, chance = [], random.Random(1)
        with open(recording) as file:
            payloads = [json.loads(line)["payload"] for line in file if "/in/batched-imu" in line]
        for payload in payloads[:-1]:  # the last one is shorter
            parts = self._cut(payload, chance)
            filled = sum(map(len, parts)) + sum(map(len, _numbers(0, 0.0, 0.0)))
            first = b"\x32" + wire.size(2 + topic_length + 2 + filled) + struct.pack("!H", topic_length)
            self.frames.append((first, parts))

    def _cut(self, payload, chance):
        def lengthen(value):
            if isinstance(value, float):
                return round(value + chance.uniform(-5e-7, 5e-7), 9)
            if isinstance(value, list):
                return [lengthen(entry) for entry in value]
            return {key: lengthen(entry) for key, entry in value.items()} if isinstance(value, dict) else value

        head = {"schema": payload["schema"], "boot": "b", "seq": 0, "uptime": 0, "sent": 0}
        body = lengthen({"accelerometer": payload["accelerometer"], "deviceMotion": payload["deviceMotion"]})
        body["accelerometer"]["timestamp"] = {"start": 0, "interval": 0.00125}
        body["deviceMotion"]["timestamp"] = {"start": 0, "interval": 0.005}
        rest, parts = json.dumps({**head, **body}, separators=(",", ":")), []
        for mark in self.MARKS:
            before, rest = rest.split(f'"{mark}":0', 1)
            parts.append(f'{before}"{mark}":'.encode())
        return [*parts, rest.encode()]

    def packet(self, number, topic, packet, uptime, sent):
        first, parts = self.frames[number % len(self.frames)]
        seq, now, wall, start, again = _numbers(number, uptime, sent)
        return [first, topic, struct.pack("!H", packet), parts[0], seq, parts[1], now, parts[2], wall, parts[3], start, parts[4],
                again, parts[5]]


def _numbers(number, uptime, sent):
    """The five numbers of a frame, always equally long."""
    start = b"%13.6f" % (BASE + number)
    return b"%8d" % number, b"%13.6f" % uptime, b"%17.6f" % sent, start, start


class Bulk:
    """The connections and what went over them."""

    def __init__(self, specification):
        self.devices, self.fleet = specification["devices"], specification["fleet"]
        self.topics = [f"wearables/{specification['prefix']}{device:05}/in/batched-imu".encode() for device in self.devices]
        self.templates = Templates(specification["recording"], len(self.topics[0]))
        name = f"{specification['prefix']}{os.getpid()}"
        self.connections = [wire.connect(specification["port"], f"{name}-{number}")
                            for number in range(specification["connections"])]
        self.written = self.bytes = self.receipts = 0
        self.late = 0.0

    def send(self, number, index, uptime, sent):
        """Frame `number` of the device at `index`."""
        connection = self.connections[index % len(self.connections)]
        packet = self.templates.packet(number, self.topics[index], self.written % 65535 + 1, uptime, sent)
        self.bytes += connection.sendmsg(packet)  # a blocking socket takes it whole
        self.written += 1
        self._read(connection)

    def _read(self, connection, flags=socket.MSG_DONTWAIT):
        try:
            self.receipts += len(connection.recv(1 << 16, flags))
        except (BlockingIOError, TimeoutError):
            pass

    def burst(self, count):
        began = time.time()
        for number in range(count):
            for index in range(len(self.devices)):
                self.send(number, index, BASE + count + time.time() - began, time.time())

    def play(self, start, seconds, rate):
        newest = BASE + (rate - 1) * seconds + 1  # the uptime at the start, so that the last frame's samples are the present ones
        number = 0
        while True:
            for index, device in enumerate(self.devices):
                due = start + (number + device / self.fleet) / rate
                left = due - time.time()
                if left > 0:
                    time.sleep(left)
                self.late = max(self.late, -left)
                if time.time() > start + seconds:
                    return
                self.send(number, index, newest + due - start, due)
            number += 1

    def finish(self, within):
        """Waits for the receipts that are still missing."""
        deadline = time.monotonic() + within
        for connection in self.connections:
            connection.settimeout(0.05)
        while self.receipts < 4 * self.written and time.monotonic() < deadline:
            for connection in self.connections:
                self._read(connection, 0)
        for connection in self.connections:
            connection.sendall(b"\xe0\x00")


def main(specification):
    bulk = Bulk(specification)
    if "burst" in specification:
        bulk.burst(specification["burst"])
    else:
        bulk.play(specification["start"], specification["seconds"], specification["rate"])
    in_time = bulk.receipts // 4
    bulk.finish(20)
    print(json.dumps({"written": bulk.written, "acceptedInTime": in_time, "accepted": bulk.receipts // 4, "bytes": bulk.bytes,
                      "cpu": sum(os.times()[:2]), "late": round(bulk.late, 3)}), flush=True)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        main(json.load(file))
