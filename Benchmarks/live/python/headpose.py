"""Head pose relative to the first calm attitude: so many a second, and all of a frame together where that is asked for."""

import math

CALM_SECONDS = 0.3 - 1e-6
CALM_ACCELERATION = 0.15  # G
AGREEMENT = math.radians(2)
SILENCE = 2  # s


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)


def conjugate(q):
    return -q[0], -q[1], -q[2], q[3]


def turn(x, y, z):
    angle = math.sqrt(x * x + y * y + z * z)
    scale = math.sin(angle / 2) / angle if angle > 1e-12 else 0.5
    return x * scale, y * scale, z * scale, math.cos(angle / 2)


def angles(q):
    x, y, z, w = q
    return {"roll": math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)),
            "pitch": math.asin(min(1, max(-1, 2 * (w * x + y * z)))),
            "yaw": math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z))}


class HeadPose:
    def __init__(self, publish, rate, series):
        self.publish, self.rate, self.series = publish, rate, series
        self.reset()

    def reset(self):
        self.previous = self.reference = self.calm_since = None
        self.held, self.period = False, -1

    def take(self, frame):
        samples = frame["samples"]
        q, rate, acceleration = samples["attitude"], samples["rotationRate"], samples["userAcceleration"]
        location, self.rows = samples.get("sensorLocation"), []
        for time, x, y, z, w, *rest in zip(samples["timestamp"], q["x"], q["y"], q["z"], q["w"], rate["x"], rate["y"], rate["z"],
                                           acceleration["x"], acceleration["y"], acceleration["z"]):
            norm = math.sqrt(x * x + y * y + z * z + w * w)
            size = math.sqrt(rest[3] * rest[3] + rest[4] * rest[4] + rest[5] * rest[5])
            if 0.9 <= norm <= 1.1 and math.isfinite(size):
                self.step((time, (x / norm, y / norm, z / norm, w / norm), rest[:3], size), location)
        if self.rows:
            self.publish_series(location, frame["sent"] - frame["uptime"])

    def publish_series(self, location, offset):
        times, poses, agreements = zip(*self.rows)
        turned = [angles(pose) for pose in poses]
        self.publish("head-pose/series", times[-1], "valid", {
            "timestamp": [round(time + offset, 6) for time in times],
            "attitude": {axis: [round(part, 6) for part in column] for axis, column in zip("xyzw", zip(*poses))},
            **{name: [round(each[name], 6) for each in turned] for name in ("roll", "pitch", "yaw")}, "sensorLocation": location,
            "referenceAt": self.reference[0], "sampleQuality": [int(each) for each in agreements]})

    def step(self, sample, location):
        time, attitude, _, size = sample
        previous = self.previous
        if previous and time <= previous[0]:
            return
        agrees = bool(previous) and self.agrees(previous, sample)
        if previous and time - previous[0] > SILENCE:
            self.held = True
        elif agrees:
            self.held = False
        self.previous = sample
        if size >= CALM_ACCELERATION:
            self.calm_since = None
        elif not agrees or self.calm_since is None:
            self.calm_since = time
        if not self.reference and self.calm_since is not None and time - self.calm_since > CALM_SECONDS:
            self.reference = sample
        if self.held or not self.reference:
            return
        period = round(time * 1e6) * self.rate // 1_000_000
        if period <= self.period and not self.series:
            return
        pose = product(conjugate(self.reference[1]), attitude)
        if self.series:
            self.rows.append((time, pose, agrees))
        if period <= self.period:
            return
        self.period = period
        self.publish("head-pose", time, "valid", {"attitude": dict(zip("xyzw", pose)), **angles(pose), "sensorLocation": location,
                                                  "referenceAt": self.reference[0]})

    @staticmethod
    def agrees(previous, sample):
        half = (sample[0] - previous[0]) / 2
        step = turn(*((a + b) * half for a, b in zip(previous[2], sample[2])))
        x, y, z, w = product(conjugate(product(previous[1], step)), sample[1])
        return 2 * math.atan2(math.sqrt(x * x + y * y + z * z), abs(w)) <= AGREEMENT
