"""What the gateway must publish for a log of frames, computed a second time.

Written from the wire contract and the description of the algorithms, not from the gateway's sources; it knows only what the simulated
devices do (no faults, no silence, no units but m and C) and asserts that they stay clear of every threshold. Which frames of a device whose
clock falls or whose sequence begins anew count is decided by `runs.py`.
"""

import bisect
import collections
import copy
import json
import math

from alarms import AlarmReference
from runs import Runs

SCALE = 100_000  # instants are compared at 10 us; all sample times are multiples of it

STATES = {"unknown": 0, "notSubmerged": 100, "submergedShallow": 200, "submergedDeep": 300, "approachingMaxDepth": 400,
          "pastMaxDepth": 500, "sensorDepthError": 600}
MAXIMUM_DEPTH, HYSTERESIS, REFRESH = 40.0, 0.2, 1.0


class Event:
    """One expected derived event: its key, the values it must have, and the frame that brings it.

    `offset` is the unix time of uptime 0 by that frame, `run` that of its boot.
    """

    __slots__ = ("device", "kind", "instant", "fields", "stream", "seq", "published", "offset", "run")

    def __init__(self, device, kind, instant, fields, stream, seq):
        self.device, self.kind, self.instant, self.fields = device, kind, round(instant * SCALE), fields
        self.stream, self.seq, self.offset, self.run = stream, seq, None, 1

    @property
    def key(self):
        return (self.device, self.kind, self.instant)

    def __repr__(self):
        return f"{self.device} {self.kind} at device time {self.instant / SCALE} ({self.stream} seq {self.seq}): {self.fields}"


def bare_state(depth):
    """The state of a depth without hysteresis."""
    for state, limit in (("sensorDepthError", 1.1 * MAXIMUM_DEPTH), ("pastMaxDepth", MAXIMUM_DEPTH),
                         ("approachingMaxDepth", 0.875 * MAXIMUM_DEPTH)):
        assert abs(depth - limit) >= 0.04 and abs(depth + HYSTERESIS - limit) >= 0.04, depth
        if depth > limit:
            return state
    return "submergedDeep" if depth >= 1.0 else "submergedShallow"


class DepthReference:
    """Depth states, dives and water temperatures of one device."""

    def __init__(self, device, states, refresh=REFRESH):
        """`states` collects, by the instant of a measurement or event, the state in force from it on and the unix time of uptime 0."""
        self.device, self.states, self.state, self.refresh = device, states, "unknown", refresh
        self.deepest = self.last_temperature = self.published = None
        self.latest = [-1.0] * 3  # of each list

    def step(self, frame):
        """Takes the entries of all lists in order of time; at one instant events come first, then measurements, then temperatures.

        An entry that is not later than the latest one of its list repeats it, and says nothing.
        """
        self.offset = frame["sent"] - frame["uptime"]
        entries = [(entry["timestamp"], order, entry) for order, name in enumerate(("events", "measurements", "temperatures"))
                   for entry in frame.get(name, []) if entry["timestamp"] > self.latest[order]]
        for instant, order, _entry in entries:
            self.latest[order] = max(self.latest[order], instant)
        for instant, order, entry in sorted(entries, key=lambda entry: entry[:2]):
            yield from (self._event, self._measurement, self._temperature)[order](instant, entry, frame["seq"])

    def _event(self, instant, event, seq):
        wet = event["state"] == "submerged"
        yield from self._change(instant, "submergedShallow" if wet else "notSubmerged", "event", None, seq)
        if not wet:
            if self.deepest is not None and self.deepest >= 1.0:
                yield Event(self.device, "dive", instant, {"deepest": self.deepest}, "submersion", seq)
            self.deepest = None

    def _measurement(self, instant, measurement, seq):
        if "depth" in measurement:
            depth = measurement["depth"]["value"]
            self.deepest = max(self.deepest or 0.0, depth)
            yield from self._change(instant, self._next(depth), "sample", depth, seq)
        self.states[round(instant * SCALE)] = (self.state, self.offset)

    def _temperature(self, instant, entry, seq):
        if self.state == "notSubmerged":
            return
        assert self.last_temperature is None or instant - self.last_temperature >= 1.02
        self.last_temperature = instant
        yield Event(self.device, "water-temperature", instant, {
            "temperature": entry["temperature"]["value"], "uncertainty": entry["temperatureUncertainty"]["value"],
            "converged": entry["temperatureUncertainty"]["value"] <= 0.5}, "submersion", seq)

    def _next(self, depth):
        """Deeper at once, shallower only when the depth is past the threshold by the hysteresis."""
        bare = bare_state(depth)
        if STATES[bare] >= STATES[self.state]:
            return bare
        held = bare_state(depth + HYSTERESIS)
        return min(self.state, held, key=STATES.get)

    def _change(self, instant, state, cause, depth, seq):
        self.states[round(instant * SCALE)] = (state, self.offset)
        # Under water an unchanged state is published again with the first measurement of each second of the device's clock.
        is_refresh = (cause == "sample" and state == self.state and STATES[state] > STATES["notSubmerged"]
                      and math.floor(instant / self.refresh) > math.floor(self.published / self.refresh))
        if state != self.state or is_refresh:
            self.published = instant
            fields = {"state": state, "rawValue": STATES[state], "previous": self.state, "cause": cause, "quality": "valid"}
            if cause == "sample":
                fields["depth"] = depth
            self.state = state
            yield Event(self.device, "depth-state", instant, fields, "submersion", seq)


class ImpactReference:
    """Impacts of one boot of a device: a second-order Butterworth high-pass at 20 Hz, peaks of its magnitude over 5 G, the greatest raw sample in 0.3 s.

    For one period of its corner after the first sample the filter settles, and nothing is an impact.
    """

    def __init__(self, device, rate=800.0, corner=20.0):
        self.device = device
        warped = math.tan(math.pi * corner / rate)
        norm = 1 / (1 + math.sqrt(2) * warped + warped * warped)
        self.b = norm
        self.a1, self.a2 = 2 * (warped * warped - 1) * norm, (1 - math.sqrt(2) * warped + warped * warped) * norm
        self.x1 = self.x2 = None
        self.y1 = self.y2 = 0.0
        self.first = self.best = None
        self.settling, self.begin = 1 / corner - 1e-9, None

    def step(self, frame):
        column, timestamps = frame["accelerometer"], frame["accelerometer"]["timestamp"]
        start, interval = timestamps["start"], timestamps["interval"]
        z = column["z"]
        if self.first is None and self._settled(z):
            return
        for index, parts in enumerate(zip(column["x"], column["y"], z)):
            instant, x = start + index * interval, math.sqrt(sum(part * part for part in parts))
            if self.x1 is None:
                self.x1 = self.x2 = x  # as if it had always been so
                self.begin = instant
            y = self.b * (x - 2 * self.x1 + self.x2) - self.a1 * self.y1 - self.a2 * self.y2
            self.x2, self.x1, self.y2, self.y1 = self.x1, x, self.y1, y
            if self.first is not None and instant - self.first[0] > 0.3 - 1e-9:
                yield Event(self.device, "impact", self.best[1], {"peakAcceleration": self.best[0], "axis": "magnitude"},
                            "batched-imu", self.best[2])
                self.first = None
            if self.first is None and y > 5 and instant - self.begin >= self.settling:
                self.first, self.best = (instant,), (x, instant, frame["seq"])
            elif self.first is not None and x > self.best[0]:
                self.best = (x, instant, frame["seq"])

    def _settled(self, z):
        """Whether a frame is all stillness after stillness: nothing can pass the filter then."""
        return (self.x1 == self.x2 == 1.0 and abs(self.y1) < 1e-6 and abs(self.y2) < 1e-6 and min(z) == max(z) == -1)


def product(a, b):
    """The product of two quaternions x, y, z, w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


class PoseReference:
    """Head poses of one device: relative to the first moment after 0.3 s of stillness, one for each sample (8 Hz), and with `series` those
    of a frame together."""

    def __init__(self, device, series=False):
        self.device, self.series, self.reference, self.calm_since = device, series, None, None
        self.attitude, self.instant = None, None  # of raw motion
        self.reference_at = self.latest = None

    def _fuse(self, samples, index, instant):
        """The attitude of a raw sample of a head that only turns: its first inclination, and from there the rotation. A gap longer than
        0.25 s voids the reference."""
        x, y, z = (samples["acceleration"][axis][index] for axis in "xyz")
        if self.attitude is None or instant - self.instant > 0.25:
            self.reference, self.calm_since = None, None
            norm = math.sqrt(2 * (1 - z))  # the shortest turn of -z to gravity; no head hangs upside down
            self.attitude = (-y / norm, x / norm, 0.0, norm / 2)
        else:
            rate = [samples["rotationRate"][axis][index] for axis in "xyz"]
            speed = math.sqrt(sum(part * part for part in rate))
            angle = speed * (instant - self.instant)
            share = math.sin(angle / 2) / speed if speed else 0.0
            self.attitude = product(self.attitude, (rate[0] * share, rate[1] * share, rate[2] * share, math.cos(angle / 2)))
        self.instant = instant
        return self.attitude

    def step(self, frame):
        samples = frame["samples"]
        attitude, poses = samples.get("attitude"), []
        for index, instant in enumerate(samples["timestamp"]):
            q = tuple(attitude[axis][index] for axis in "xyzw") if attitude else self._fuse(samples, index, instant)
            # Attitudes follow from the rotation; after a gap they cannot be compared.
            follows, self.latest = self.latest is not None and instant - self.latest <= 0.5, instant
            if self.reference is None:
                self.calm_since = instant if self.calm_since is None else self.calm_since
                if instant - self.calm_since < 0.3:
                    continue
                self.reference, self.reference_at = q, instant
            x, y, z, w = self._relative(q)
            pose = {
                "attitude": {"x": x, "y": y, "z": z, "w": w},
                "roll": math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)),
                "pitch": math.asin(max(-1.0, min(1.0, 2 * (w * x + y * z)))),
                "yaw": math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)),
                "sensorLocation": "headphoneLeft"}
            poses.append((instant, pose, int(follows)))
            yield Event(self.device, "head-pose", instant, pose, "headphone-motion", frame["seq"])
        if self.series and poses:
            yield self._series(poses, frame)

    def _series(self, poses, frame):
        """The poses of a frame as columns; all are relative to one reference."""
        instants, rows, follows = zip(*poses)
        offset = frame["sent"] - frame["uptime"]
        return Event(self.device, "head-pose/series", instants[-1], {
            "timestamp": [instant + offset for instant in instants],
            "attitude": {axis: [row["attitude"][axis] for row in rows] for axis in "xyzw"},
            **{angle: [row[angle] for row in rows] for angle in ("roll", "pitch", "yaw")}, "sensorLocation": "headphoneLeft",
            "referenceAt": self.reference_at + offset, "sampleQuality": list(follows)}, "headphone-motion", frame["seq"])

    def _relative(self, q):
        """The reference's conjugate times q: the rotation in the reference's own axes."""
        x, y, z, w = self.reference
        return product((-x, -y, -z, w), q)


REFERENCES = {"submersion": DepthReference, "batched-imu": ImpactReference, "headphone-motion": PoseReference}


class Expectation:
    """All that follows from a generator's log; `without` the frames of {(device, stream): {seq}}. `refresh` is the interval in s at
    which a depth state is published again; with `series` the head poses of each frame are published together, too."""

    def __init__(self, logs, without=None, refresh=REFRESH, series=False):
        self.without, self.refresh, self.series = without or {}, refresh, series
        self.events = {}
        self.frames = 0
        self.acknowledged = 0
        self.resends = []  # of a generator with "resend": {"made", "resent", "committed"} for each of its reconnections
        self.streams = {}  # (device, stream) -> the reference of its last boot
        self.boots = {}  # (device, stream) -> its last boot
        self.runs = {}  # (device, stream) -> the runs of its last boot
        self.accepted = collections.defaultdict(list)  # device -> (arrival of a frame with a new depth, the state by it)
        self.states = collections.defaultdict(dict)  # device -> instant of a sample -> the depth state from it on, unix time of uptime 0
        self.offsets = {}  # device -> [(the first uptime of a boot, unix time of its uptime 0)]
        self._walls = {}  # device -> [(unix time, state)], sorted
        self.instants = {}  # (device, stream) -> the unix time at which each frame was sent
        self.alarms = collections.defaultdict(AlarmReference)  # device -> its alarms, over all boots
        self.latest = {}  # device -> key and frame of its last depth
        for log in logs:
            self._read(log)

    def _read(self, log):
        with open(log) as file:
            for line in file:
                record = json.loads(line)
                if "acknowledged" in record:
                    self.acknowledged += len(record["acknowledged"])
                    continue
                if "resent" in record:
                    self.resends.append(record)
                    continue
                frame, key = record["frame"], (record["device"], record["stream"])
                if frame.get("seq") in self.without.get(key, ()):
                    continue
                self.frames += 1
                self.instants.setdefault(key, []).append(record.get("at", frame["sent"]))
                if self.boots.get(key) != frame["boot"]:
                    self._end_clock(key)
                    self.boots[key] = frame["boot"]
                    self.runs[key] = Runs()
                    self.streams[key] = self._reference(*key)
                    self.offsets.setdefault(key[0], []).append((frame["uptime"], frame["sent"] - frame["uptime"]))
                runs, arrival = self.runs[key], record.get("at", frame["sent"])
                before = runs.run
                for released in runs.take(frame, arrival):
                    if runs.run != before:  # a new run begins as a boot does
                        self._end_clock(key)
                        self.streams[key], before = self._reference(*key), runs.run
                    self._step(key, released, arrival)

    def _step(self, key, frame, arrival):
        stream = self.streams[key]
        latest = stream.latest[1] if isinstance(stream, DepthReference) else None
        for event in stream.step(frame):
            self._add(event, key, frame)
            if event.kind == "depth-state":
                self._add_alarms(key, frame, self.alarms[key[0]].step(event.offset + event.instant / SCALE, event.fields["state"]))
        if isinstance(stream, DepthReference):
            # A frame has what is due before its first sample fire; what is due after the last one need not come.
            first = min((entry["timestamp"] for name in ("events", "measurements", "temperatures") for entry in frame.get(name, [])),
                        default=frame["uptime"])
            self._add_alarms(key, frame, self.alarms[key[0]].advance(frame["sent"] - frame["uptime"] + first - 1 / SCALE))
            self.latest[key[0]] = key, frame
        if latest is not None and stream.latest[1] > latest:
            self.accepted[key[0]].append((arrival, stream.state))

    def may_come(self):
        """Keys of what is due after the last frame of a device: the gateway publishes it if it runs for long enough."""
        keys = set()
        for device, (key, frame) in self.latest.items():
            offset = frame["sent"] - frame["uptime"]
            for kind, at, fields in copy.deepcopy(self.alarms[device]).advance(frame["sent"] + 120):
                keys.add(Event(device, kind, at - offset, fields, key[1], frame["seq"]).key)
        return keys

    def _add(self, event, key, frame):
        event.offset, event.run = frame["sent"] - frame["uptime"], self.runs[key].run
        self.events[event.key] = event

    def _add_alarms(self, key, frame, found):
        offset = frame["sent"] - frame["uptime"]
        for kind, at, fields in found:
            self._add(Event(key[0], kind, at - offset, fields, key[1], frame["seq"]), key, frame)

    def _end_clock(self, key):
        """A boot ends: a depth under water is not known then."""
        stream = self.streams.get(key)
        if isinstance(stream, DepthReference) and stream.state not in ("unknown", "notSubmerged"):
            self.alarms[key[0]].doubt()

    @property
    def boot_count(self):
        """How many boots the devices had together."""
        return sum(map(len, self.offsets.values()))

    def _reference(self, device, stream):
        make = REFERENCES[stream]
        if make is DepthReference:
            return make(device, self.states[device], self.refresh)
        return make(device, self.series) if make is PoseReference else make(device)

    def state(self, device, instant):
        """The depth state in force from a sample on; None when there is no sample at that instant."""
        return self.states[device].get(instant, (None, None))[0]

    def was_under_water(self, device, at, within):
        """Whether some state of a device between `within` seconds before `at`, unix time, and then was none out of the water; also where
        it had none in that time, but the last one before was under water."""
        if device not in self._walls:
            self._walls[device] = sorted((offset + instant / SCALE, state)
                                         for instant, (state, offset) in self.states.get(device, {}).items())
        states = self._walls[device]
        end = bisect.bisect(states, (at, chr(0x10FFFF)))
        begin = bisect.bisect(states, (at - within, ""))
        return any(state != "notSubmerged" for _at, state in states[max(0, begin - 1):end])

    def offset(self, device, instant):
        """Unix time of uptime 0 in the boot in which an instant lies; None of a device that sent nothing."""
        # Samples are up to a second older than the frame that brings them.
        boots = [offset for uptime, offset in self.offsets.get(device, []) if uptime - 1.0 <= instant / SCALE]
        return boots[-1] if boots else None
