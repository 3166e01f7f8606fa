"""Depth states with hysteresis, faults by speed and range, silence, and dives."""

import math

STATES = ("unknown", "notSubmerged", "submergedShallow", "submergedDeep", "approachingMaxDepth", "pastMaxDepth", "sensorDepthError")
RANKS = {name: rank for rank, name in enumerate(STATES)}
LIMIT = 6  # m
HYSTERESIS = 0.2  # m
UNITS = {"m": 1, "ft": 0.3048}


def rank(depth):
    if not depth <= 1.1 * LIMIT:
        return 6
    if not depth <= LIMIT:
        return 5
    if not depth <= 0.875 * LIMIT:
        return 4
    return 2 if depth < 1 else 3


class Depth:
    def __init__(self, publish):
        self.publish = publish
        self.reset()

    def reset(self):
        self.state, self.quality = 0, "valid"
        self.last = self.dive = self.shallow_since = None

    def take(self, frame):
        for measurement in frame.get("measurements", ()):
            self.measure(measurement)

    def measure(self, measurement):
        depth, time = measurement.get("depth"), measurement["timestamp"]
        if not depth or depth.get("unit") not in UNITS:
            return
        metres, quality = depth["value"] * UNITS[depth["unit"]], "valid"
        if not math.isfinite(metres) or metres < -1:
            quality = "fault"
        if self.last and abs(metres - self.last[1]) / max(0.25, time - self.last[0]) > 4:
            quality = "fault"
        state = max(self.next(time, metres), RANKS.get(measurement.get("submersionState"), -1))
        self.last = time, metres
        self.follow(time, metres, state)
        self.change(time, state, quality, metres, "sample")

    def next(self, time, metres):
        if metres >= 0.2:
            self.shallow_since = None
        elif self.shallow_since is None:
            self.shallow_since = time
        if self.shallow_since is not None and (self.state < 2 or time - self.shallow_since >= 2):
            return 1
        return max(rank(metres), min(self.state, rank(metres + HYSTERESIS)))

    def change(self, time, state, quality, depth, cause):
        if state == self.state and quality == self.quality:
            return
        previous, self.state, self.quality = self.state, state, quality
        self.publish("depth-state", time, quality, {
            "state": STATES[state], "rawValue": 100 * state, "previous": STATES[previous], "cause": cause,
            "depth": depth if depth is not None and depth <= 1.1 * LIMIT else None, "maximumDepth": LIMIT, "surfacePressure": None})

    def follow(self, time, depth, state):
        if not self.dive and depth >= 1:
            self.dive = [time, depth, 0.0, 0]
        if not self.dive:
            return
        dive = self.dive
        dive[1], dive[2], dive[3] = max(dive[1], depth), dive[2] + depth, dive[3] + 1
        if state != 1:
            return
        self.dive = None
        self.publish("dive", time, "valid", {"start": dive[0], "end": time, "duration": time - dive[0], "deepest": dive[1],
                                             "averageDepth": dive[2] / dive[3]})

    def silence(self, seconds):
        if seconds > 5 and self.state > 1:
            self.change(self.last[0] + 5, 0, "stale", None, "silence")
