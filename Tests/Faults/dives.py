"""Frames of one dive that a fault publishes itself, of a device that is no part of a load."""

import json
import time


def dive_frames(seconds, deepest, age=0.0, start=5000.0):
    """Frames of a dive of so many seconds to `deepest` metres and back, a measurement a second, ten in a frame, which ended `age` s ago."""
    offset, frames = time.time() - age - (start + seconds), []
    for seq, first in enumerate(range(0, seconds, 10)):
        last = min(first + 10, seconds)
        measurements = [{"timestamp": start + instant, "depth": {"value": depth_at(instant, seconds, deepest), "unit": "m"}}
                        for instant in range(first, last)]
        frames.append(frame(seq, start + last, offset, measurements=measurements))
    frames[0]["events"] = [event(start - 0.5, "submerged")]
    frames[-1].setdefault("events", []).append(event(start + seconds - 0.5, "notSubmerged"))
    return [json.dumps(one, separators=(",", ":")) for one in frames]


def frame(seq, uptime, offset, **lists):
    """A frame of `submersion`; `offset` is the unix time of uptime 0."""
    return {"schema": "wearables/1", "boot": "d", "seq": seq, "uptime": uptime, "sent": offset + uptime, **lists}


def event(instant, state):
    return {"timestamp": instant, "state": state}


def depth_at(instant, seconds, deepest):
    """Down and up again, never above 0.5 m."""
    return round(0.5 + (deepest - 0.5) * (1 - abs(2 * instant / (seconds - 1) - 1)), 2)
