"""A small gateway with paho, orjson and numpy: the same derivations as the one in Node.

    python3 gateway.py PORT [POSES A SECOND] [series]
"""

import functools
import socket
import sys
import threading
import time

import orjson
import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from bat import Bat
from depth import Depth
from headpose import HeadPose

RETAINED = {"depth-state", "head-pose"}
RATE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
SERIES = sys.argv[3:] == ["series"]
DERIVATIONS = {"submersion": Depth, "headphone-motion": functools.partial(HeadPose, rate=RATE, series=SERIES), "batched-imu": Bat}


class Device:
    """The newest frame of a stream and its derivation."""

    def __init__(self, name, stream):
        self.name, self.stream, self.boot, self.seq = name, stream, None, -1
        self.derivation = DERIVATIONS[stream](self.publish)

    def take(self, frame):
        if frame["boot"] == self.boot and frame["seq"] <= self.seq:
            return
        if frame["boot"] != self.boot:
            self.derivation.reset()
        self.boot, self.seq = frame["boot"], frame["seq"]
        self.offset, self.received = frame["sent"] - frame["uptime"], time.time()
        self.derivation.take(frame)

    def publish(self, kind, instant, quality, fields):
        message = {"schema": "wearables/1", "id": f"{self.name}/{kind}/{self.boot}/{instant}", "device": self.name, "kind": kind,
                   "at": round(instant + self.offset, 6), "deviceTime": instant, "received": self.received,
                   "source": {"stream": self.stream, "boot": self.boot, "seq": [self.seq, self.seq]},
                   "derivation": {"version": 1}, "quality": quality, **fields}
        client.publish(f"wearables/{self.name}/out/{kind}", orjson.dumps(message), 1, kind in RETAINED)


def is_frame(frame):
    return (isinstance(frame, dict) and frame.get("schema") == "wearables/1" and isinstance(frame.get("boot"), str)
            and isinstance(frame.get("seq"), int) and isinstance(frame.get("uptime"), (int, float))
            and isinstance(frame.get("sent"), (int, float)))


def on_message(_client, _data, message):
    _, name, _, stream = message.topic.split("/")
    if stream not in DERIVATIONS:
        return
    try:
        frame = orjson.loads(message.payload)
    except orjson.JSONDecodeError:
        return
    if not is_frame(frame):
        return
    device = devices.get((name, stream))
    if not device:
        device = devices[name, stream] = Device(name, stream)
    device.take(frame)


def on_connect(*_):
    client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.subscribe("wearables/+/in/+", 1)


def watch_silence():
    while True:
        time.sleep(1)
        now = time.time()
        for device in list(devices.values()):
            if isinstance(device.derivation, Depth):
                device.derivation.silence(now - device.received)


devices = {}
client = mqtt.Client("python", protocol=mqtt.MQTTv5)
client.max_inflight_messages_set(200)
client.on_connect, client.on_message = on_connect, on_message
client.on_subscribe = lambda *_: print("ready", flush=True)
window = Properties(PacketTypes.CONNECT)
window.ReceiveMaximum = 200
client.connect("127.0.0.1", int(sys.argv[1]), 60, properties=window)
threading.Thread(target=watch_silence, daemon=True).start()
client.loop_forever()
