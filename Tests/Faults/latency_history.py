"""Recorded acceleration beside which `latency.py` measures: histories that are sent, and requests for one that is stored.

    python3 latency_history.py send PORT DEVICE UNTIL [--count N]
    python3 latency_history.py request PORT DEVICE UNTIL FROM TO [--at-work N]

`send` publishes 36 h at 50 Hz of DEVICE-0, as fast as the gateway stores them, then of DEVICE-1 and so on, until the unix time UNTIL or until
COUNT devices have sent all. Where the broker drops frames, and the gateway waits for them, `send` goes on after a second. `request` asks for the samples of DEVICE between the unix times FROM and TO, so that N requests
are at work at all times, each of another user, until UNTIL. Both print what became of it as JSON.
"""

import argparse
import json
import sys
import threading
import time

import pahoclient
from recording import Recording

HOURS, RATE, INFLIGHT, AHEAD = 36, 50, 100, 400


class Sender:
    def __init__(self, options):
        self.options, self.written, self.bytes, self.devices = options, 0, 0, 0
        self.client = pahoclient.make_client("history")
        self.client.max_inflight_messages_set(INFLIGHT)
        self.committed = -1
        self.client.on_message = self.hear
        self.client.connect("127.0.0.1", options.port)
        self.client.loop_start()

    def hear(self, _client, _data, message):
        if message.payload:
            self.committed = json.loads(message.payload)["seq"] or -1

    def run(self):
        start = float((int(time.time()) - HOURS * 3600) // 60 * 60)
        recording = Recording(start, HOURS, RATE, 1)
        while time.time() < self.options.until and self.devices < (self.options.count or sys.maxsize):
            self.send(recording, f"{self.options.device}-{self.devices}")
        self.client.loop_stop()
        return {"devices": self.devices, "written": self.written, "bytes": self.bytes, "from": start, "to": start + HOURS * 3600}

    def send(self, recording, device):
        flying, self.committed = [], -1
        self.client.subscribe(f"wearables/{device}/out/committed/recorded-accelerometer")
        for seq in range(recording.frames):
            waited = time.monotonic()
            while seq - self.committed > AHEAD and time.monotonic() < waited + 1:
                time.sleep(0.005)
            if time.time() >= self.options.until:
                return
            frame = recording.frame(seq, round(time.time(), 6))
            flying.append(self.client.publish(f"wearables/{device}/in/recorded-accelerometer", frame, 1))
            if len(flying) > INFLIGHT:
                flying.pop(0).wait_for_publish(60)
            self.written += 1
            self.bytes += len(frame)
        for receipt in flying:
            receipt.wait_for_publish(60)
        self.devices += 1


class Requester:
    def __init__(self, options):
        self.options, self.users, self.bytes, self.errors = options, 0, 0, []
        self.begun, self.seconds, self.changed = {}, [], threading.Condition()
        self.client = pahoclient.make_client("analyst")
        self.client.on_message = self.hear
        self.client.connect("127.0.0.1", options.port)
        self.client.subscribe("fathom/gw/reply/+/#", 0)
        self.client.loop_start()

    def run(self):
        for _ in range(self.options.at_work):
            self.ask()
        with self.changed:
            while time.time() < self.options.until and not self.errors:
                self.changed.wait(max(0.01, self.options.until - time.time()))
            done = {"answered": len(self.seconds), "underWay": len(self.begun), "bytes": self.bytes,
                    "greatest": max(self.seconds, default=None), "errors": self.errors}
        self.client.loop_stop()
        return done

    def ask(self):
        """A request of another user: what one is sent in an hour is limited."""
        with self.changed:
            user, self.users = f"user-{self.users}", self.users + 1
            self.begun[user] = time.monotonic()
        query = {"reply": f"{user}/1", "stream": "recorded-accelerometer", "from": self.options.start, "to": self.options.end}
        self.client.publish(f"wearables/{self.options.device}/query/samples", json.dumps(query), 1)

    def hear(self, _client, _data, message):
        head = message.payload[:400]
        self.bytes += len(message.payload)
        if b'"error"' not in head and b'"last":true' not in head:
            return
        user = message.topic.split("/")[3]
        with self.changed:
            if b'"error"' in head:
                self.errors.append(message.payload.decode()[:300])
            begun = self.begun.pop(user, None)
            if begun is not None:
                self.seconds.append(time.monotonic() - begun)
            self.changed.notify()
        if time.time() < self.options.until:
            self.ask()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=("send", "request"))
    parser.add_argument("port", type=int)
    parser.add_argument("device")
    parser.add_argument("until", type=float)
    parser.add_argument("start", type=float, nargs="?")
    parser.add_argument("end", type=float, nargs="?")
    parser.add_argument("--count", type=int)
    parser.add_argument("--at-work", type=int, default=4)
    options = parser.parse_args()
    print(json.dumps((Sender if options.mode == "send" else Requester)(options).run()))


if __name__ == "__main__":
    main()
