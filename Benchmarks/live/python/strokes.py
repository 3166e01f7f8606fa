"""Forehand and backhand: the rotation about gravity in a window of 1 s, of every other sample of 200 Hz."""

import math
from collections import deque


class Strokes:
    def __init__(self, publish):
        self.publish, self.newest, self.held = publish, -math.inf, False
        self.counts = {"forehand": 0, "backhand": 0}
        self.clear()

    def clear(self):
        self.times, self.rates, self.sum, self.held = deque(), deque(), 0.0, False

    def take(self, times, rates):
        for time, rate in zip(times, rates):
            interval = time - self.newest
            if interval < 0.007:
                continue
            if interval > 0.125:
                self.clear()
            self.newest = time
            self.times.append(time)
            self.rates.append(rate)
            self.sum += rate
            while len(self.times) > 1 and time - self.times[0] >= 1 - interval / 2:
                self.times.popleft()
                self.sum -= self.rates.popleft()
            duration = time - self.times[0] + interval
            if duration >= 1 - interval / 2:
                self.judge(self.sum / len(self.rates) * duration)

    def judge(self, yaw):
        if not self.held and abs(yaw) > 1.95:
            self.turn(yaw)
        if self.held:
            rates = list(self.rates)
            half = rates[len(rates) // 2:]
            if abs(sum(half) / len(half)) < 0.275:
                self.clear()

    def turn(self, yaw):
        peak = max(self.rates) if yaw > 0 else min(self.rates)
        if not (peak if yaw > 0 else -peak) > 5.5:
            return
        self.held, stroke = True, "forehand" if yaw > 0 else "backhand"
        self.counts[stroke] += 1
        self.publish("stroke", self.times[self.rates.index(peak)], "valid", {
            "stroke": stroke, "accumulatedRotation": yaw, "peakRotationRate": peak,
            "forehandCount": self.counts["forehand"], "backhandCount": self.counts["backhand"]})
