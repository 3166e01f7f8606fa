"""The four loads: how many devices, how often, and what each frame holds."""

import dataclasses
import json
import math
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from recordings import Recording  # noqa: E402

BASE = 5321.25  # a device's uptime at its first frame, s
HEADER = re.compile(rb'"uptime":([0-9.]+),"sent":[0-9.]+,')
THRESHOLDS = ((6.6, "sensorDepthError"), (6, "pastMaxDepth"), (5.25, "approachingMaxDepth"))


@dataclasses.dataclass
class Load:
    name: str
    title: str
    stream: str
    device: str
    devices: int
    period: float  # s between two frames of a device
    spread: int  # devices begin at this many different lines of the script
    node: float  # Node's processor time by the relay's, as measured on a quiet machine with another generator
    bodies: object = None

    def write(self, binary, directory, seconds):
        """The path of a script for some seconds."""
        count, path = math.ceil(seconds / self.period) + self.spread, os.path.join(directory, f"{self.name}.script")
        with open(path, "wb") as file:
            for uptime, body in self.bodies(binary, directory, count):
                file.write(uptime + b" " + body + b"\n")
        return path


def _frame(uptime, **body):
    return f"{uptime:.6f}".encode(), json.dumps(body, separators=(",", ":")).encode()[1:]


def divers(_binary, _directory, count):
    """Down to 6.8 m and up to 0.6 m in 40 s under a limit of 6 m: eight changes of state, none faster than 0.5 m/s."""
    for second in range(count):
        time, depth = BASE + second, round(3.7 + 3.1 * math.sin(math.tau * second / 40), 3)
        state = next((name for limit, name in THRESHOLDS if depth > limit), "submergedDeep" if depth >= 1 else "submergedShallow")
        yield _frame(time + 0.05, measurements=[{
            "timestamp": round(time, 6), "depth": {"value": depth, "unit": "m"},
            "pressure": {"value": round(101.325 + 10.0518 * depth, 4), "unit": "kPa"},
            "surfacePressure": {"value": 101.325, "unit": "kPa"}, "submersionState": state}])


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
    found = 0
    with open(Recording(binary, directory, "batter", 1, count + 3).path, "rb") as file:
        for line in file:
            header = HEADER.search(line)
            if b"/in/batched-imu" in line and found < count:
                yield header.group(1), line[header.end():].rstrip()[:-1]
                found += 1


LOADS = [
    Load("divers", "600 divers, a 300-byte frame per second each", "submersion", "diver", 600, 1, 40, 3.1, divers),
    Load("headphones", "200 headphones, 25 samples per frame, a frame per second", "headphone-motion", "pods", 200, 1, 8, 10,
         headphones),
    Load("singles", "10 headphones, 100 single-sample frames per second", "headphone-motion", "pods", 10, 0.01, 1, 2.6,
         single_samples),
    Load("batches", "50 watches, 800 + 200 samples per frame (56 kB JSON)", "batched-imu", "watch", 50, 1, 8, 35, batches),
]
