"""Simulated devices whose derived events leave no room for interpretation.

Every device is a source of frames on a fixed schedule of its own clock: `due` is when the next frame is sent (device seconds since
its start), `frame()` makes it. All sample times are multiples of 10 us. The margins around every threshold are wide: at least 0.04 m
of depth, 20 G over the impact threshold, 0.025 s over the shortest interval between two poses. `quiet` ends what needs later frames
to be published: no more changes of depth, no more impacts.
"""

import json
import math
import random

SHORTEST_BOOT = 25.0  # s: more than three boots within a minute are two devices of one name
CLOCK = 200_000.0  # s between the clocks of two boots of a device, so that no two instants are the same


class Device:
    """What all share: name, clock, schedule, sequence number."""

    stream = ""
    period = 1.0
    sequenced = True  # whether the gateway can tell the order of its frames

    def __init__(self, name, seed, wall):
        self.name, self.random, self.seq, self.quiet = name, random.Random(f"{seed}/{name}"), 0, False
        self.phase = self.random.randrange(0, 32) / 32 * min(self.period, 1.0)
        self.base = 1000.0 + self.random.randrange(0, 100000)  # the device's uptime at its start
        self.offset = round(wall, 3) - self.base  # unix time of uptime 0
        self.made, self.boot, self.booted, self.reboots = 0, 1, self.base, None
        self.stored = []  # frames that are made and not published yet

    @property
    def due(self):
        return self.phase + (self.made + 1) * self.period

    @property
    def topic(self):
        return f"wearables/{self.name}/in/{self.stream}"

    def payload(self, text):
        """What is published of a frame."""
        return text

    def route(self, frame):
        """The frames that are published when a frame is made, in order."""
        return [frame]

    def frame(self, note=""):
        """The next frame as JSON text."""
        if self.reboots and not self.quiet and self.may_reboot and self.reboots.random() < self.period / 10:
            self._reboot()
        uptime = self.base + (self.made + 1) * self.period
        text = (f'{{"schema":"wearables/1","boot":"b{self.boot}","seq":{self.seq},"uptime":{uptime!r},"sent":{self.offset + uptime!r},'
                f'{note}{self.body(uptime)}}}')
        self.seq, self.made = self.seq + 1, self.made + 1
        return text

    @property
    def may_reboot(self):
        """Whether a boot that ends now leaves nothing open that later frames would decide."""
        return self.base + self.made * self.period - self.booted > SHORTEST_BOOT

    def _reboot(self):
        """Begins another boot: clock and sequence begin anew."""
        self.base, self.offset = self.base + CLOCK, self.offset - CLOCK
        self.boot, self.seq, self.booted = self.boot + 1, 0, self.base + self.made * self.period

    def body(self, uptime):
        raise NotImplementedError


class Diver(Device):
    """Bobs between levels 0.7 m apart from 0.45 m, ends dives at the surface, reports the temperature about once a second.

    One that is `deep` stays near its limit and passes it, so that alarms are raised and cleared."""

    stream, period = "submersion", 0.34375

    def __init__(self, name, seed, wall, deep=False):
        super().__init__(name, seed, wall)
        self.highest, self.deepest = (45, 58) if deep else (0, 2)
        self.level = self.goal = 49 if deep else 0
        self.hold, self.surface = 2, 0

    def _move(self):
        """One sample on: -1 is out of the water."""
        if self.quiet:
            return
        if self.surface:
            self.surface -= 1
            self.level = -1 if self.surface else 0
        elif self.level != self.goal:
            self.level += 1 if self.goal > self.level else -1
        elif self.hold:
            self.hold -= 1
        else:
            self.goal, self.hold = self.random.randint(self.highest, self.deepest), self.random.randint(1, 5)
            if self.level == 0 and self.random.random() < 0.2:
                self.level, self.goal, self.surface = -1, 0, self.random.randint(4, 9)

    def body(self, uptime):
        before, instant = self.level, uptime - 0.03125
        self._move()
        parts = []
        if (before < 0) != (self.level < 0):
            state = "notSubmerged" if self.level < 0 else "submerged"
            parts.append(f'"events":[{{"timestamp":{uptime - 0.0625!r},"state":"{state}"}}]')
        if self.level < 0:
            parts.append(f'"measurements":[{{"timestamp":{instant!r},"submersionState":"notSubmerged"}}]')
        else:
            depth = round(0.45 + 0.7 * self.level, 2)
            parts.append(f'"measurements":[{{"timestamp":{instant!r},"depth":{{"value":{depth!r},"unit":"m"}}}}]')
            if self.seq % 3 == 0:
                value = round(self.random.uniform(4, 28), 2)
                parts.append(f'"temperatures":[{{"timestamp":{instant!r},"temperature":{{"value":{value!r},"unit":"C"}},'
                             '"temperatureUncertainty":{"value":0.3,"unit":"C"}}]')
        return ",".join(parts)


class Parked(Device):
    """Says once that it is out of the water and then nothing: its retained state must stay."""

    stream = "submersion"

    @property
    def due(self):
        return 1.0 if self.seq == 0 else 1e9

    def body(self, uptime):
        return (f'"events":[{{"timestamp":{uptime - 0.0625!r},"state":"notSubmerged"}}],'
                f'"measurements":[{{"timestamp":{uptime - 0.03125!r},"submersionState":"notSubmerged"}}]')


class Batter(Device):
    """800 Hz in frames of 80 samples; an impact of up to 31 G every 0.6 to 1.8 s, at any place in a frame."""

    stream, period, count = "batched-imu", 0.1, 80
    zeros = "[" + ",".join(["0"] * 80) + "]"
    still = "[" + ",".join(["-1"] * 80) + "]"

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        self.countdown = self.random.randrange(480, 1000)  # samples until the next impulse
        self.pending = []
        self.calm = 0  # frames since the last impulse

    @property
    def may_reboot(self):
        return self.calm > 5 and not self.pending and super().may_reboot

    def body(self, uptime):
        start = round(uptime - 0.1, 6)
        column, values = self.still, None
        self.calm += 1
        if self.countdown < self.count or self.pending:
            values = [-1.0] * self.count
            for index in range(self.count):
                if self.countdown == index and not self.quiet:
                    peak = round(self.random.uniform(26, 31), 2)
                    self.pending, self.calm = [-9.0, -peak, -7.5], 0
                    self.countdown = index + self.random.randrange(480, 1440)
                if self.pending:
                    values[index] = self.pending.pop(0)
            column = json.dumps(values, separators=(",", ":"))
        self.countdown = max(self.countdown - self.count, 0) if not self.quiet else 10**9
        return (f'"accelerometer":{{"timestamp":{{"start":{start!r},"interval":0.00125}},"x":{self.zeros},"y":{self.zeros},'
                f'"z":{column}}}')


def _product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


class Pod(Device):
    """Headphones at 8 Hz: a still second, then a head that turns evenly about an axis of its own."""

    stream, period, count, interval = "headphone-motion", 0.5, 4, 0.125

    def __init__(self, name, seed, wall):
        super().__init__(name, seed, wall)
        tilt, axis = self.random.uniform(-0.4, 0.4), [self.random.uniform(-1, 1) for _ in range(3)]
        norm = math.sqrt(sum(part * part for part in axis))
        self.start = (math.sin(tilt / 2), 0.0, 0.0, math.cos(tilt / 2))
        self.axis, self.rate = [part / norm for part in axis], self.random.uniform(0.1, 0.5)

    def body(self, uptime):
        instants = [uptime - self.period + index * self.interval for index in range(self.count)]
        rows, moving = [], []
        for instant in instants:
            angle = max(0.0, instant - self.booted - 1.0) * self.rate
            half = math.sin(angle / 2)
            rows.append(_product(self.start, (self.axis[0] * half, self.axis[1] * half, self.axis[2] * half, math.cos(angle / 2))))
            moving.append(angle > 0)
        return '"samples":' + json.dumps({
            "timestamp": instants,
            "rotationRate": {name: [self.axis[index] * self.rate if moves else 0.0 for moves in moving]
                             for index, name in enumerate("xyz")},
            **self.sensed(rows),
            "sensorLocation": "headphoneLeft"}, separators=(",", ":"))

    def sensed(self, rows):
        """The fields of samples with these attitudes."""
        nought = [0.0] * self.count
        return {
            "attitude": {name: [row[index] for row in rows] for index, name in enumerate("xyzw")},
            "userAcceleration": {"x": nought, "y": nought, "z": nought},
            "gravity": {"x": nought, "y": nought, "z": [-1.0] * self.count}}


class RawPod(Pod):
    """The same head with headphones that do not fuse: what the accelerometer of a sensor feels that is turned and not moved."""

    def sensed(self, rows):
        gravity = [(-2 * (x * z - w * y), -2 * (y * z + w * x), 2 * (x * x + y * y) - 1) for x, y, z, w in rows]
        return {"acceleration": {name: [row[index] for row in gravity] for index, name in enumerate("xyz")}}
