"""Runs of a boot: which frames of a device that sets its clock back, or uses a boot again, count, and what must be said of it.

The second implementation of the rule in docs/wire-contract.md: a frame whose time fell, or whose sequence began anew, waits. If the old run
goes on it is late. If nothing of the old run comes while frames with rising times arrive at their pace, they are the first of a new run.
"""

STEP = 5.0  # limits.clockStepSeconds
STALE = 5.0  # derive.depth.staleSeconds, and the least time without frames of the old run
REORDER = 5.0  # limits.reorderSeconds
USUAL = 3  # intervals of the stream without frames of the old run
BACK, REUSED = "clockSetBack", "bootReused"


class Runs:
    """The runs of one boot of one stream."""

    def __init__(self):
        self.run, self.begun = 1, []  # (reason, arrival of the first frame in doubt) of each later run
        self.late = 0
        self._next = None
        self._greatest = self._released_at = self._interval = None
        self._received = (-1.0, -1.0)  # greatest uptime and sent
        self._accepted = (-1.0, -1.0)  # of the latest sample: on the device's clock, and unix time
        self._ended = []  # first and last time of each ended run without seq
        self._first = None
        self._doubt, self._anchor = [], None

    def take(self, frame, at):
        """Takes a frame that arrived at a unix time. Returns the frames that are released by it, in order."""
        reason = self._doubts(frame, at)
        if reason is None:
            self.late += len(self._doubt)
            if self._doubt and frame["seq"] is not None:
                self._next = max(self._next, 1 + max(waiting["seq"] for waiting, _at, _reason in self._doubt))
            self._doubt, self._anchor = [], None
            if frame["seq"] is not None and self._next is not None and frame["seq"] < self._next:
                return []
            self._release(frame, at)
            return [frame]
        return self._wait(frame, at, reason)

    def _doubts(self, frame, at):
        seq, uptime, sent = frame["seq"], frame["uptime"], frame["sent"]
        if self._greatest is None:
            return None
        if self._doubt and self._doubt[-1][2] == REUSED and seq is not None and seq == self._doubt[-1][0]["seq"] + 1:
            return REUSED  # an application that was started again soon has passed the last sequence number of before
        if seq is not None and seq < self._next:
            newest = max(_instants(frame), default=-1.0)
            if uptime > self._received[0] and newest > self._accepted[0]:
                return REUSED
            return REUSED if sent > self._received[1] + STEP and newest + sent - uptime > self._accepted[1] else None
        if uptime < self._greatest - STEP:
            return BACK
        # Without a sequence a frame of an ended run is known by its time, which did not rise as frames arrived.
        inside = seq is None and any(first <= uptime <= last for first, last in self._ended)
        return BACK if inside and uptime - self._greatest > at - self._released_at + REORDER else None

    def _wait(self, frame, at, reason):
        self._doubt.append((frame, at, reason))
        if self._anchor is None:
            self._anchor = (frame["uptime"], at)
        rise, elapsed = frame["uptime"] - self._anchor[0], at - self._anchor[1]
        if rise > elapsed + min(elapsed, REORDER):
            self._anchor = (frame["uptime"], at)
        silent = min(300.0, max(STEP, STALE, USUAL * (self._interval or 0.0)))
        if rise <= 0 or at - self._anchor[1] < silent:
            return []
        waiting, self._doubt, self._anchor = self._doubt, [], None
        self._ended.append((self._first, self._greatest))
        self.run += 1
        self.begun.append((waiting[0][2], waiting[0][1]))
        self._greatest = self._interval = self._first = None
        if waiting[0][2] == REUSED:
            self._next, self._received, self._accepted = None, (-1.0, -1.0), (-1.0, -1.0)
        for waited, arrived, _reason in waiting:
            self._release(waited, arrived)
        return [waited for waited, _arrived, _reason in waiting]

    def _release(self, frame, at):
        uptime, shift = frame["uptime"], frame["sent"] - frame["uptime"]
        if self._greatest is not None and uptime > self._greatest:
            rise = uptime - self._greatest
            self._interval = rise if self._interval is None else self._interval + (rise - self._interval) / 4
        self._first = uptime if self._first is None else self._first
        self._greatest = uptime if self._greatest is None else max(self._greatest, uptime)
        self._released_at = at
        self._received = (max(self._received[0], uptime), max(self._received[1], frame["sent"]))
        newest = max(_instants(frame), default=-1.0)
        self._accepted = (max(self._accepted[0], newest), max(self._accepted[1], newest + shift))
        if frame["seq"] is not None:
            self._next = frame["seq"] + 1


def _instants(frame):
    """The times of a frame's samples."""
    for name in ("events", "measurements", "temperatures"):
        yield from (entry["timestamp"] for entry in frame.get(name, []))
    if "accelerometer" in frame:
        times = frame["accelerometer"]["timestamp"]
        yield times["start"] + times["interval"] * (len(frame["accelerometer"]["x"]) - 1)
