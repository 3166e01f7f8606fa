"""Frames of sensors without fusion, as a device publishes them or as a recording holds them."""

import dataclasses
import json
import math
import secrets
import time

import numpy
import numpy.typing

STREAMS = ("device-motion", "headphone-motion")
MAXIMUM_SAMPLES = 4096


@dataclasses.dataclass
class RawMotion:
    """Samples of an accelerometer and a gyroscope. Vectors are rows of x, y and z in the device's axes.

    `timestamp` is in seconds of the clock of `uptime`, and rises. `acceleration` is total, in G, with Core Motion's sign: (0, 0, -1) at rest
    face up, so that of most chips has to be negated. `rotation_rate` is in rad/s, as the gyroscope reports it; `magnetic_field` in microtesla.
    """

    timestamp: numpy.typing.ArrayLike
    acceleration: numpy.typing.ArrayLike
    rotation_rate: numpy.typing.ArrayLike
    magnetic_field: numpy.typing.ArrayLike | None = None
    sensor_location: str = "default"

    def samples(self) -> dict:
        """The samples as columns of the wire contract. Raises ValueError for what the gateway would reject."""
        times = numpy.asarray(self.timestamp, dtype=float)
        if times.ndim != 1 or not 1 <= len(times) <= MAXIMUM_SAMPLES:
            raise ValueError(f"timestamp: a list of 1 to {MAXIMUM_SAMPLES} times is needed")
        if not numpy.isfinite(times).all() or (numpy.diff(times) <= 0).any():
            raise ValueError("timestamp: the times have to be finite and to rise")
        vectors = {"acceleration": self.acceleration, "rotationRate": self.rotation_rate}
        if self.magnetic_field is not None:
            vectors["magneticField"] = self.magnetic_field
        return {"timestamp": times.tolist()} | {
            key: columns(key, rows, len(times)) for key, rows in vectors.items()} | {"sensorLocation": self.sensor_location}


def columns(key, rows, count):
    """Rows of x, y and z as three columns."""
    array = numpy.asarray(rows, dtype=float)
    if array.shape != (count, 3):
        raise ValueError(f"{key}: {count} rows of x, y and z are needed, found {array.shape}")
    if not numpy.isfinite(array).all():
        raise ValueError(f"{key}: not finite")
    return {axis: array[:, index].tolist() for index, axis in enumerate("xyz")}


@dataclasses.dataclass(frozen=True)
class Message:
    """A message to publish at QoS 1, with the content type application/json."""

    topic: str
    payload: bytes

    def line(self, at: float) -> str:
        """The message as a line of a recording, received at unix time `at`."""
        return json.dumps({"at": at, "topic": self.topic, "retain": False, "payload": json.loads(self.payload)}) + "\n"


class FrameWriter:
    """Numbers the frames of one device in one boot. Make a new one whenever the clock of `uptime` begins anew."""

    def __init__(self, device: str, boot: str | None = None, root: str = "wearables"):
        self.device, self.root = device, root
        self.boot = boot or secrets.token_hex(8)
        self.next = dict.fromkeys(STREAMS, 0)

    def frame(self, motion: RawMotion, stream: str = "device-motion", *, uptime: float | None = None,
              sent: float | None = None) -> Message:
        """A frame of raw motion. `uptime` and `sent` are the device's clock and its unix time, read together when the frame is sent; by default
        those of this computer. Raises ValueError for what the gateway would reject; no number is used up then."""
        if stream not in STREAMS:
            raise ValueError(f"stream: {stream} is none of {', '.join(STREAMS)}")
        uptime = time.monotonic() if uptime is None else uptime
        sent = time.time() if sent is None else sent
        if not (math.isfinite(uptime) and uptime >= 0 and math.isfinite(sent)):
            raise ValueError("uptime and sent have to be finite, and uptime not negative")
        samples = motion.samples()
        if samples["timestamp"][0] < 0 or samples["timestamp"][-1] > uptime + 5:
            raise ValueError("timestamp: not a time of the clock of uptime")
        payload = {"schema": "wearables/1", "boot": self.boot, "seq": self.next[stream], "uptime": uptime, "sent": sent, "samples": samples}
        self.next[stream] += 1
        return Message(f"{self.root}/{self.device}/in/{stream}", json.dumps(payload, separators=(",", ":")).encode())
