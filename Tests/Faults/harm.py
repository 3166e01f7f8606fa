"""Devices that mean harm beside others, for `soak.py`: what they send, and whether the others lost something by it."""

import json
import os
import queue
import subprocess
import sys
import time

import pahoclient
import processes
from reference import SCALE, Expectation

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"gaps": 1, "turns": 1, "days": 0.1}  # of `flood_fleet.FLOODS`, a device of each: its part of the frames, as those of history are long
STORED = "impact"  # of what is known of the good devices, what is kept for the query `events`
# What the state directory has beside histories and stored messages, which alone have a limit: states, journals and write-ahead logs of three lanes.
BESIDE = 96
PAGE = 300  # messages: a reply has at most 256 KiB
DRAIN = 60.0  # s
DAY = 86_400.0


def settings(megabytes):
    """The limit of what is kept, and room for the requests of this program."""
    return f"history: {{maximumMegabytes: {megabytes}}}\nrequests: {{perSecond: 100}}\n"


def start(port, rate, seconds):
    """One process for each device; they end by themselves."""
    program = [sys.executable, os.path.join(HERE, "flood_fleet.py"), "flood", str(port)]
    return [processes.spawn([*program, kind, str(rate * part), str(seconds), "1", f"rogue-{kind}-"], stdout=subprocess.PIPE, text=True)
            for kind, part in KINDS.items()]


def sent(sources):
    """What became of their frames, by kind."""
    return {kind: json.loads(source.communicate(timeout=60)[0]) for kind, source in zip(KINDS, sources)}


class Asker:
    """Asks for the events that are stored of a device."""

    def __init__(self, port):
        self.replies = queue.Queue()
        self.client = pahoclient.make_client("soak-asker")
        self.client.on_connect = lambda client, *_: client.subscribe("fathom/gw/reply/soak/1", 1)
        self.client.on_message = lambda _client, _data, message: self.replies.put(json.loads(message.payload))
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def stop(self):
        self.client.disconnect()
        self.client.loop_stop()

    def events(self, device):
        """The keys of the impacts and gaps that are stored of a device."""
        now, found = time.time(), set()
        query = {"reply": "soak/1", "from": now - DAY, "to": now + DAY, "limit": PAGE, "kinds": [STORED, "gap"]}
        while True:
            reply = self._ask(device, query)
            found |= {(device, message["kind"], round(message["deviceTime"] * SCALE)) for message in reply["messages"]}
            if not reply.get("next"):
                return found
            query["after"] = reply["next"]

    def _ask(self, device, query):
        reply = None
        for _attempt in range(20):
            time.sleep(0.06)  # all users together are sent 20 replies a second
            self.client.publish(f"wearables/{device}/query/events", json.dumps(query), 1)
            try:
                reply = self.replies.get(timeout=5)
            except queue.Empty:
                continue
            if "error" not in reply:
                return reply
        raise RuntimeError(f"the events of {device} are not answered: {reply}")


def differences(port, load):
    """What is stored of the good devices and must not be, or the reverse, and how much must be; the load has ended."""
    wanted = {}
    for event in Expectation([load.log]).events.values():
        keys = wanted.setdefault(event.device, set())
        if event.kind == STORED:
            keys.add(event.key)
    asker, deadline, left = Asker(port), time.monotonic() + DRAIN, list(wanted)
    try:
        while True:
            found = {device: asker.events(device) ^ wanted[device] for device in left}
            left = [device for device in left if found[device]]
            if not left or time.monotonic() > deadline:
                return [key for device in left for key in found[device]], sum(map(len, wanted.values()))
    finally:
        asker.stop()
