"""The loads: how many devices, how often, and what each frame holds."""

import base64
import dataclasses
import json
import math
import os
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from recordings import Recording  # noqa: E402

BASE = 5321.25  # a device's uptime at its first frame, s
HEADER = re.compile(rb'"uptime":([0-9.]+),"sent":[0-9.]+,')
THRESHOLDS = ((6.6, "sensorDepthError"), (6, "pastMaxDepth"), (5.25, "approachingMaxDepth"))
PEERS = ("Fathom durable", "Fathom in memory", "Node", "Python", "relay")


@dataclasses.dataclass
class Load:
    name: str
    title: str
    stream: str
    device: str
    devices: int
    period: float  # s between two frames of a device
    spread: int  # devices begin at this many different frames of the script
    bodies: object  # (binary, directory, count) -> (uptime, frame without header) of count frames
    node: float = None  # Node's processor time by the relay's, as measured on a quiet machine with another generator
    encoding: str = "json"
    burst: int = 0  # frames of each device at saturation
    gateways: tuple = PEERS
    derive: dict = dataclasses.field(default_factory=dict)  # Fathom's settings below derive; of head poses also the peers'

    def write(self, binary, directory, seconds=0.0):
        """The path of a script for some seconds, or for a burst after them."""
        count = math.ceil(seconds / self.period) + self.burst + self.spread
        path = os.path.join(directory, f"{self.name}-{self.devices}-{count}.script")
        if not os.path.exists(path):
            with open(path, "wb") as file:
                for uptime, body in self.bodies(binary, directory, count):
                    file.write(b"%.6f %d\n%b\n" % (uptime, len(body), body))
        return path


def _frame(uptime, **body):
    return uptime, json.dumps(body, separators=(",", ":")).encode()[1:]


def divers_every(step, cycle):
    """Down to 6.8 m and up to 0.6 m in so many frames under a limit of 6 m, a frame each `step` seconds: eight changes of state."""
    def bodies(_binary, _directory, count):
        for number in range(count):
            time, depth = BASE + step * number, round(3.7 + 3.1 * math.sin(math.tau * number / cycle), 3)
            state = next((name for limit, name in THRESHOLDS if depth > limit), "submergedDeep" if depth >= 1 else "submergedShallow")
            yield _frame(time + 0.05, measurements=[{
                "timestamp": round(time, 6), "depth": {"value": depth, "unit": "m"},
                "pressure": {"value": round(101.325 + 10.0518 * depth, 4), "unit": "kPa"},
                "surfacePressure": {"value": 101.325, "unit": "kPa"}, "submersionState": state}])
    return bodies


def _head(first, samples, hertz):
    """A head that turns by half a radian each way on a tilted neck."""
    columns = {key: {axis: [] for axis in axes} for key, axes in
               (("attitude", "xyzw"), ("rotationRate", "xyz"), ("userAcceleration", "xyz"), ("gravity", "xyz"))}
    tilt, times = 0.12, []
    for index in range(first, first + samples):
        elapsed = index / hertz
        yaw, rate = 0.5 * math.sin(0.5 * elapsed), 0.25 * math.cos(0.5 * elapsed)
        half, lean = yaw / 2, tilt / 2
        x, y, z, w = (math.cos(half) * math.sin(lean), math.sin(half) * math.sin(lean), math.sin(half) * math.cos(lean),
                      math.cos(half) * math.cos(lean))
        values = {"attitude": (x, y, z, w), "rotationRate": (0.0001, rate * math.sin(tilt), rate * math.cos(tilt)),
                  "userAcceleration": (0.003 * math.sin(7 * elapsed), 0.004 * math.cos(9 * elapsed), 0.0021),
                  "gravity": (-2 * (x * z - w * y), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1)}
        times.append(round(BASE + elapsed, 6))
        for key, parts in values.items():
            for axis, value in zip(columns[key], parts):
                columns[key][axis].append(round(value, 9))
    return _frame(times[-1] + 0.03, samples={"timestamp": times, **columns, "sensorLocation": "headphoneLeft"})


def headphones(_binary, _directory, count):
    return (_head(25 * number, 25, 25) for number in range(count))


def single_samples(_binary, _directory, count):
    return (_head(number, 1, 100) for number in range(count))


def batches(binary, directory, count):
    """A second of a simulated batter in each frame, about 800 + 200 samples and 56 kB."""
    for line in _batter_lines(binary, directory, count, "json"):
        header = HEADER.search(line)
        yield float(header.group(1)), line[header.end():].rstrip()[:-1]


def protobuf_batches(binary, directory, count):
    """The same in Protocol Buffers with floats, 26 kB."""
    for line in _batter_lines(binary, directory, count, "protobuf"):
        yield _without_header(base64.b64decode(json.loads(line)["payloadBase64"]))


def _batter_lines(binary, directory, count, encoding):
    found = 0
    with open(Recording(binary, directory, "batter", 1, count + 3, encoding).path, "rb") as file:
        for line in file:
            if b"/in/batched-imu" in line and found < count:
                yield line
                found += 1


def _without_header(payload):
    """The uptime of a frame in Protocol Buffers (field 4), and the frame without the fields 1 to 5."""
    place, uptime, rest = 0, None, b""

    def varint():
        nonlocal place
        value, shift = 0, 0
        while True:
            byte, place = payload[place], place + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(payload):
        start, tag = place, varint()
        if tag & 7 == 0:
            varint()
        elif tag & 7 == 1:
            place += 8
            uptime = struct.unpack("<d", payload[place - 8:place])[0] if tag >> 3 == 4 else uptime
        else:
            length = varint()
            place += length
        rest += payload[start:place] if tag >> 3 > 5 else b""
    return uptime, rest


TEN_POSES = {"headPose": {"rateHertz": 10}}
LOADS = [
    Load("divers", "600 divers, a 300-byte frame per second each", "submersion", "diver", 600, 1, 40, divers_every(1, 40), 3.1,
         burst=100, gateways=(*PEERS, "Fathom durable, default refresh", "relay that publishes")),
    Load("headphones", "200 headphones, 25 samples per frame, a frame per second, ten single poses of each", "headphone-motion", "pods", 200,
         1, 8, headphones, 10, derive=TEN_POSES),
    Load("headphones-series", "200 headphones, 25 samples per frame, a frame per second, a pose and a series of each", "headphone-motion",
         "pods", 200, 1, 8, headphones, burst=60, derive={"headPose": {"seriesHertz": 100}}),
    Load("singles", "10 headphones, 100 single-sample frames per second", "headphone-motion", "pods", 10, 0.01, 1, single_samples, 2.6,
         derive=TEN_POSES),
    Load("batches", "50 watches, 800 + 200 samples per frame (56 kB JSON)", "batched-imu", "watch", 50, 1, 8, batches, 35, burst=60),
    Load("batches-protobuf", "50 watches, 800 + 200 samples per frame (26 kB Protocol Buffers)", "batched-imu", "watch", 50, 1, 8,
         protobuf_batches, encoding="protobuf", burst=60, gateways=("Fathom durable", "Fathom in memory", "relay")),
]


def fleet(devices, rate=600):
    """Divers that send so many frames per second in all, however many they are: 0.02 changes of state per frame."""
    period = devices / rate
    return Load("divers", f"{devices} divers, {rate} frames per second in all", "submersion", "diver", devices, period, 400,
                divers_every(period, 400), derive={"depth": {"staleSeconds": 60}})


def active(kind, devices, rate):
    """So many devices of a load, which send so many frames per second in all."""
    load = next(load for load in LOADS if load.name == kind)
    return dataclasses.replace(load, devices=devices, period=devices / rate, burst=0)
