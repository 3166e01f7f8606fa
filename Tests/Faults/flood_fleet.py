"""What `flood.py` sends: a hundred normal devices, and one that floods.

    python3 flood_fleet.py fleet PORT RESULTS.ndjson
    python3 flood_fleet.py flood PORT KIND RATE SECONDS [FLEET [NAME]]

`fleet`: devices that send a frame a second each on `submersion`, half of them on `headphone-motion` too and every fifth on
`batched-imu`. A quarter of them changes its depth state with every frame, a quarter begins a new boot every fifth frame, a quarter leaves out every tenth
frame of submersion, and a quarter does nothing of that. They are not in step: each has a second of its own, and a frame leaves up to 10 ms early or late,
in every run at the same instants. A line of the results for each frame: [stream, kind, instant of publishing
(monotonic), seconds until the message that it leads to, or null]. Ends with standard input.

`flood`: RATE frames a second of one device, or of FLEET devices in turn: those of a stream, as long ones as normal devices send, or those of a
device that means harm (`FLOODS`). Names of devices begin with NAME. With SECONDS of 0, RATE frames at once. Prints what became of it as JSON.
"""

import json
import os
import random
import socket
import sys
import time

import wire
from measuring import MeasuringClient

DEVICES = 100
KINDS = ("plain", "crossings", "boots", "gaps")
TOPICS = {"depth-state": "submersion", "head-pose": "headphone-motion", "impact": "batched-imu"}
PATIENCE = 10.0
BASE = 1000  # uptime of the first frame
LATE = 0.01  # seconds


def _columns(count, names, value="0"):
    return "{" + ",".join(f'"{name}":[{",".join([value] * count)}]' for name in names) + "}"


def _still_head(uptime, count=25):
    times = ",".join(f"{uptime - 0.04 * (count - 1 - index):.3f}" for index in range(count))
    return (f'"samples":{{"timestamp":[{times}],"attitude":{{"x":[{_zeros(count)}],"y":[{_zeros(count)}],"z":[{_zeros(count)}],'
            f'"w":[{",".join(["1"] * count)}]}},"rotationRate":{_columns(count, "xyz")},"userAcceleration":{_columns(count, "xyz")},'
            f'"gravity":{{"x":[{_zeros(count)}],"y":[{_zeros(count)}],"z":[{",".join(["-1"] * count)}]}},'
            '"sensorLocation":"headphoneLeft"}')


def _zeros(count):
    return ",".join(["0"] * count)


IMPACT = ["-1"] * 400 + ["-30"] * 3 + ["-1"] * 397
BATCH = f'"x":[{_zeros(800)}],"y":[{_zeros(800)}],"z":[{",".join(IMPACT)}]}}'


def _noise():
    chance = random.Random(1)
    return ",".join(f'"{axis}":[{",".join(f"{chance.uniform(-1, 1):.4f}" for _ in range(800))}]' for axis in "xyz").encode() + b"}"


NOISE = _noise()


class Device:
    """A normal device."""

    def __init__(self, number):
        self.name, self.kind = f"n{number:03}", KINDS[number % len(KINDS)]
        self.moves, self.batches = number // 4 % 2 == 0, number % 5 == 0
        self.chance = random.Random(number)
        self.phase = self.chance.random()
        self.count, self.boot, self.sequences = 0, 0, {}

    def due(self):
        """When its next frames leave, in seconds after the start. In even steps they would never come soon after each other: a lane
        would never gather them, until something else delayed one."""
        return self.count + self.phase + self.chance.uniform(-LATE, LATE)

    def frames(self, wall):
        """The next second: (stream, is regular, payload, key)."""
        if self.kind == "boots" and self.count % 5 == 4:
            self.boot, self.sequences = self.boot + 1, {}
        uptime, frames = BASE + self.count, []
        depth = (0.4, 1.6)[self.count % 2] if self.kind == "crossings" else 3.0
        bodies = {"submersion": f'"measurements":[{{"timestamp":{uptime},"depth":{{"value":{depth},"unit":"m"}}}}]'}
        if self.moves:
            bodies["headphone-motion"] = _still_head(uptime)
        if self.batches:
            bodies["batched-imu"] = f'"accelerometer":{{"timestamp":{{"start":{uptime - 1},"interval":0.00125}},{BATCH}'
        for stream, body in bodies.items():
            seq = self.sequences.get(stream, 0)
            skips = self.kind == "gaps" and stream == "submersion" and seq % 10 == 8
            seq += skips
            self.sequences[stream] = seq + 1
            boot = f"{os.getpid()}-{self.boot}"
            payload = (f'{{"schema":"wearables/1","boot":"{boot}","seq":{seq},"uptime":{uptime},"sent":{wall:.6f},{body}}}').encode()
            # A head pose needs some seconds of a boot for its reference, and a frame behind a missing one waits for it: for a second, so
            # that the next one may wait too.
            waits = self.kind == "gaps" and stream == "submersion" and seq > 1 and seq % 10 in (9, 0)
            regular = not waits and (stream != "headphone-motion" or (self.kind != "boots" and self.count > 6))
            frames.append((stream, regular, payload, (self.name, stream, boot, seq)))
        self.count += 1
        return frames


class Fleet(MeasuringClient):
    """The normal devices, and what they get back."""

    def __init__(self, port, results):
        super().__init__(results, PATIENCE, {stream: wire.connect(port, f"fleet-{stream}") for stream in TOPICS.values()},
                         [wire.connect(port, "fleet-in", [f"wearables/+/out/{kind}" for kind in TOPICS])])
        self.start = time.monotonic() + 0.5

    def send_next(self, turn):
        for stream, regular, payload, key in turn.frames(time.time()):
            self.publish(stream, f"wearables/{turn.name}/in/{stream}", payload, key if regular else None, (stream, turn.kind))
        return self.start + turn.due()

    def key(self, source, topic, payload):
        """One of the gateway names it, one of a plain relay is the frame itself."""
        _, device, _, kind = topic.split("/")
        message = json.loads(payload or b"{}")
        source = message.get("source")
        if source:
            return device, source["stream"], source["boot"], source["seq"][1]
        return device, TOPICS[kind], message.get("boot"), message.get("seq")


class Frame:
    """A frame of a flood before it is written: `body` belongs to `stream`. A `payload` takes the place of header and body."""

    def __init__(self, stream, body, seq, boot="f", payload=None, ahead=0.0):
        self.stream, self.body, self.seq, self.boot, self.payload = stream, body, seq, boot, payload
        self.ahead = ahead  # s of its wall clock before ours


def _depth(number, uptime):
    return b'"measurements":[{"timestamp":%.6f,"depth":{"value":%s,"unit":"m"}}]' % (uptime, (b"0.4", b"1.6")[number % 2])


def _batch(number, uptime):
    return b'"accelerometer":{"timestamp":{"start":%.6f,"interval":0.00125},' % (uptime - 1) + NOISE


# What a decoder refuses, each for another reason; `*` is the frame without its last brace.
BROKEN = (b"*", b"{", b"*,\"seq\":1}", b'{"schema":"wearables/2"}', b'{"schema":"wearables/1"}', b"*,\"x\":1e999}", b"\xff\xfe*}", b"\x00*}",
          b"[]", b'*,"errors":[{"timestamp":"a"}]}', b'*,"x":' + b"[" * 40 + b"]" * 40 + b"}")
# What every lane reads: (stream, body); `%d` is a number that differs, `@` the time.
STEERING = (("command", b'"command":"resetCounts"'), ("command", b'"command":"learnPose","name":"p%d"'),
            ("workout", b'"state":"running","activity":"a%d","timestamp":@'),
            ("status", b'"state":"online","model":"m%d"'), ("command", b'"command":"calibratePosture"'),
            ("command", b'"command":"forgetPose","name":"p%d"'),
            ("workout", b'"state":"ended","timestamp":@'), ("status", b'"state":"offline"'))


def _broken(number, uptime):
    stream = tuple(TOPICS.values())[number % len(TOPICS)]
    whole = b'{"schema":"wearables/1","boot":"f","seq":%d,"uptime":%.6f,' % (number, uptime) + _depth(number, uptime)
    return Frame(stream, b"", number, payload=BROKEN[number % len(BROKEN)].replace(b"*", whole))


def _steering(number, uptime):
    stream, body = STEERING[number % len(STEERING)]
    # Each stream has a sequence of its own, and nothing of it is missing.
    before = sum(name == stream for name, _body in STEERING[:number % len(STEERING)])
    seq = number // len(STEERING) * sum(name == stream for name, _body in STEERING) + before
    return Frame(stream, body.replace(b"%d", b"%d" % number).replace(b"@", b"%.6f" % uptime), seq)


def _days(number, uptime):
    """Recorded acceleration of forged days, one after the other, of which every tenth is years ahead."""
    ahead = 86_400.0 * (3_650 if number % 10 == 9 else -(number % 7))
    start = time.time() + ahead - 60 * (number // 7 % 2_000) - 60
    body = b'"samples":{"startDate":{"start":%.3f,"interval":0.02},' % start + NOISE
    return Frame("recorded-accelerometer", body, number, ahead=ahead)


# kind: the frame of a number at an uptime
FLOODS = {
    "batched-imu": lambda number, uptime: Frame("batched-imu", _batch(number, uptime), number),
    "headphone-motion": lambda number, uptime: Frame("headphone-motion", None, number),
    "submersion": lambda number, uptime: Frame("submersion", _depth(number, uptime), number),
    "gaps": lambda number, uptime: Frame("submersion", _depth(number, uptime), 2 * number),
    "boots": lambda number, uptime: Frame("submersion", _depth(number, uptime), 0, boot=f"f{number}-"),
    "rejections": _broken,
    "commands": _steering,
    "turns": lambda number, uptime: FLOODS["boots" if number % 2 else "rejections"](number, uptime),
    "days": _days,
}


class Flood:
    """Frames of one kind, as fast as is asked for."""

    def __init__(self, port, kind, fleet=1, name="f"):
        self.make, self.fleet, self.name = FLOODS[kind], fleet, name
        self.connection = wire.connect(port, f"flood-{os.getpid()}")
        self.written = self.bytes = self.receipts = 0

    def send(self, numbers, began):
        data, shared = [], None
        for number in numbers:
            wall = time.time()
            uptime = BASE + wall - began
            frame = self.make(number // self.fleet, uptime)
            body = frame.body
            if body is None:  # samples that frames written together share: the sender must leave the processor to the broker and the gateway
                body = shared = shared or _still_head(uptime).encode()
            payload = frame.payload or b'{"schema":"wearables/1","boot":"%s%d","seq":%d,"uptime":%.6f,"sent":%.6f,%s}' % (
                frame.boot.encode(), os.getpid(), frame.seq, uptime, wall + frame.ahead, body)
            data.append(wire.publish(f"wearables/{self.name}{number % self.fleet:03}/in/{frame.stream}", payload, number % 65535 + 1))
        data = b"".join(data)
        self.connection.sendall(data)
        self.written += len(numbers)
        self.bytes += len(data)
        self.read(socket.MSG_DONTWAIT)

    def read(self, flags=0):
        try:
            self.receipts += len(self.connection.recv(1 << 16, flags))
        except (BlockingIOError, TimeoutError):
            pass

    def run(self, rate, seconds):
        began, number = time.time(), 0
        while number < rate * (seconds or 1) and (not seconds or time.time() < began + seconds):
            due = int(rate) if not seconds else min(int(rate * (time.time() - began)) + 1, int(rate * seconds))
            due = min(due, number + 200)
            if due > number:
                self.send(range(number, due), began)
                number = due
            elif seconds:
                time.sleep(0.002)
        took = time.time() - began
        self.connection.settimeout(0.05)
        deadline = time.monotonic() + 20
        while self.receipts < 4 * self.written and time.monotonic() < deadline:
            self.read()
        return {"written": self.written, "bytes": self.bytes, "seconds": took, "accepted": self.receipts // 4,
                "cpu": sum(os.times()[:2])}


if __name__ == "__main__":
    mode, port = sys.argv[1], int(sys.argv[2])
    if mode == "fleet":
        fleet = Fleet(port, sys.argv[3])
        fleet.run({device: fleet.start + device.due() for device in map(Device, range(DEVICES))})
    else:
        os.nice(19)  # the sender of a real flood takes none of this machine
        flood = Flood(port, sys.argv[3], *map(int, sys.argv[6:7]), *sys.argv[7:8])
        print(json.dumps(flood.run(float(sys.argv[4]), float(sys.argv[5]))), flush=True)
