#!/usr/bin/env python3
"""Prints the depth state of every device: depth_states.py HOST PORT [USER PASSWORD]. Needs paho-mqtt 2."""
import json
import sys
import time

import paho.mqtt.client as mqtt

REMEMBERED = 10_000  # ids: more than a gateway publishes again after a crash
seen = {}  # id -> None, oldest first
epochs = {}  # topic -> the highest epoch on it
valid_until = {}  # device -> unix time until which its last state holds


def show(device, text):
    print(f"{device}: {text}", flush=True)


def take(client, userdata, message):
    device = message.topic.split("/")[1]
    if not message.payload:  # the topic was cleared: the device is gone
        valid_until.pop(device, None)
        return show(device, "removed")
    state = json.loads(message.payload)
    if (epoch := state.get("epoch")) is not None:
        if epoch < epochs.get(message.topic, 0):  # late, of a gateway that another has replaced
            return
        epochs[message.topic] = epoch
    if state["id"] in seen:  # at least once: the same message again
        return
    seen[state["id"]] = None
    if len(seen) > REMEMBERED:
        del seen[next(iter(seen))]
    valid_until[device] = state.get("validUntil", float("inf"))
    depth = "?" if state["depth"] is None else f"{state['depth']:.2f} m"
    if state["quality"] != "valid" or time.time() > valid_until[device]:
        return show(device, f"unknown, was {state['state']} {depth}")
    show(device, f"{state['state']} {depth}")


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="depth-states", clean_session=False)
client.on_connect = lambda client, userdata, flags, reason, properties: client.subscribe("wearables/+/out/depth-state", qos=1)
client.on_message = take
if len(sys.argv) > 4:
    client.username_pw_set(sys.argv[3], sys.argv[4])
client.connect(sys.argv[1], int(sys.argv[2]))
client.loop_start()  # reconnects by itself; the session keeps what is missed
while True:
    time.sleep(0.5)
    for device in [device for device, until in list(valid_until.items()) if until < time.time()]:
        del valid_until[device]  # nothing has confirmed the state: it does not hold any more
        show(device, "unknown, no message in time")
