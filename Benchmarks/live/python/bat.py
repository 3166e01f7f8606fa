"""Impacts, swings and strokes of a watch on the left wrist; numpy where samples are many, Python where they stand out."""

import math

import numpy as np

from strokes import Strokes

PATIENCE = 0.025 - 0.0025  # s


def _impulse_response(count):
    """The second-order high-pass of 20 Hz at 800 Hz; what lies past 256 samples is under 1e-12."""
    warped = math.tan(math.pi * 20 / 800)
    b0 = 1 / (1 + math.sqrt(2) * warped + warped * warped)
    a1, a2 = 2 * (warped * warped - 1) * b0, (1 - math.sqrt(2) * warped + warped * warped) * b0
    response, first, second = np.empty(count), 0.0, 0.0
    for index in range(count):
        value = 1.0 if index == 0 else 0.0
        response[index] = b0 * value + first
        first = second - 2 * b0 * value - a1 * response[index]
        second = b0 * value - a2 * response[index]
    return response


RESPONSE = _impulse_response(256)


def _clear(ratio):
    return min(1, max(0, ratio - 1))


class Bat:
    def __init__(self, publish):
        self.publish = publish
        self.reset()

    def reset(self):
        self.before = self.cluster = self.run = None
        self.last_impact = self.newest = -math.inf
        self.impacts, self.waiting, self.strokes = [], [], Strokes(self.publish)

    def take(self, frame):
        if "accelerometer" in frame:
            self.accelerate(frame["accelerometer"])
        if "deviceMotion" in frame:
            self.rotate(frame["deviceMotion"])
        while self.waiting:
            reach = self.waiting[0]["end"] + 0.025
            if self.newest < reach or self.cluster and self.cluster[1] <= reach:
                break
            self.decide(self.waiting.pop(0))
        self.impacts = [impact for impact in self.impacts if impact[0] >= self.newest - 5]

    def accelerate(self, samples):
        times, x, y, z = (np.array(samples[key]) for key in ("timestamp", "x", "y", "z"))
        values = np.sqrt(x * x + y * y + z * z)
        if self.before is None or times[0] - self.newest > 0.01:
            self.before = np.full(len(RESPONSE) - 1, values[0])
        extended = np.concatenate((self.before, values))
        output = np.convolve(extended, RESPONSE, "valid")
        self.before, self.newest = extended[1 - len(RESPONSE):], float(times[-1])
        for index in np.flatnonzero(output > 5):
            time, value = float(times[index]), float(values[index])
            if self.cluster and time - self.cluster[0] >= 0.3:
                self.strike()
            if time - self.last_impact < 0.3:
                continue
            if not self.cluster:
                self.cluster = [time, time, value]
            elif value > self.cluster[2]:
                self.cluster[1:] = time, value
        if self.cluster and self.newest - self.cluster[0] >= 0.3:
            self.strike()

    def strike(self):
        _, time, value = self.cluster
        self.cluster, self.last_impact = None, time
        self.impacts.append((time, value))
        self.publish("impact", time, "valid", {"impactAt": time, "peakAcceleration": value, "axis": "magnitude"})

    def rotate(self, samples):
        times, rate, gravity = samples["timestamp"], samples["rotationRate"], samples["gravity"]
        signal = sum(np.array(rate[axis]) * np.array(gravity[axis]) for axis in "xyz")
        rates = signal.tolist()
        self.strokes.take(times, rates)
        over = np.abs(signal) > 1
        if not self.run and not over.any():
            return
        for time, rate in zip(times, rates):
            self.follow(time, rate)

    def follow(self, time, rate):
        size, run = abs(rate), self.run
        if not run:
            if size <= 1:
                return
            run = self.run = {"start": time, "end": time, "peak": size, "peakAt": time, "times": [], "rates": []}
        run["times"].append(time)
        run["rates"].append(rate)
        if size > 1:
            run["end"] = time
        if size > run["peak"]:
            run["peak"], run["peakAt"] = size, time
        if time - run["end"] > PATIENCE or len(run["times"]) >= 800:
            if run["peak"] > 8:
                self.waiting.append(run)
            self.run = None

    def decide(self, run):
        inside = [impact for impact in self.impacts if run["start"] <= impact[0] <= run["end"] + 0.025]
        best = max(inside, key=lambda impact: impact[1], default=None)
        start, rotation = self.approach(run, best[0] if best else None)
        if not 0.8 <= rotation <= 7:
            return
        confidence = (_clear(run["peak"] / 8) + _clear(min(rotation / 0.8, 7 / rotation))) / 2
        self.publish("swing", best[0] if best else run["peakAt"], "valid", {
            "contact": best is not None, "impactAt": best and best[0], "startAt": start,
            "timeToContact": best and best[0] - start, "peakAcceleration": best and best[1], "peakRotationRate": run["peak"],
            "accumulatedRotation": rotation, "confidence": confidence, "coverage": 1})

    @staticmethod
    def approach(run, impact):
        """The start of a swing and its rotation: from the impact back, at most 0.8 s, to 25 ms under 1 rad/s; without one, all of it."""
        times, rates, first = run["times"], run["rates"], 0
        last = max(index for index, time in enumerate(times) if time <= (impact or run["end"]))
        if impact:
            first, sense = last, -1 if rates[last] < 0 else 1
            for index in range(last, -1, -1):
                if impact - times[index] > 0.8:
                    break
                if sense * rates[index] > 1:
                    first = index
                elif times[first] - times[index] > PATIENCE:
                    break
        return times[first], abs(float(np.trapz(rates[first:last + 1], times[first:last + 1])))
