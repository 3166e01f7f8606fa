"""The generator: a process of its own that publishes a fleet's frames and writes down every one.

    python3 generator.py SPECIFICATION.json

The log has a line for each frame before it is first published ({"device", "stream", "at", "frame"}) and lines of what the broker
acknowledged ({"acknowledged": [[device, stream, seq], ...]}). Standard input steers: "poison TEXT" puts TEXT into a diver's next
frame under a key that means nothing, "quiet" ends changes, "stop" ends the frames, waits for the last PUBACK and exits.

With "disorder" every tenth frame is published behind the next of its device, and every tenth a second time behind later ones. With
"resend" it keeps every frame until the gateway's `out/committed/{stream}` covers it, and on each reconnection publishes again
every frame that is not covered, in order. The log then has a line for each reconnection ({"made", "resent", "committed"}): how many
frames were made so far, how many of them are published again, and how many `committed` messages had arrived.
"""

import collections
import heapq
import json
import os
import random
import sys
import threading
import time

import fleet
import pahoclient

WINDOW = 1000  # unacknowledged publishes inside paho; further frames wait here


class Generator:
    """Schedule, connection and log of one fleet."""

    def __init__(self, specification):
        self.specification = specification
        self.wall, self.start = time.time(), time.monotonic()
        self.devices = fleet.fleet(specification, specification["seed"], self.wall)
        self.schedule = [(device.due, index) for index, device in enumerate(self.devices)]
        heapq.heapify(self.schedule)
        self.topics = {(device.name, device.stream): device.topic for device in self.devices}
        self.log = open(specification["log"], "w", buffering=1 << 16)
        self.waiting = collections.deque()  # (device, stream, seq, text) not handed to paho yet
        self.flying = {}  # message id -> (device, stream, seq)
        self.receipts = collections.deque()
        self.kept = collections.defaultdict(collections.OrderedDict)  # resend: (device, stream) -> seq -> text
        self.covered = collections.deque()
        self.made = self.committed = 0  # frames made, `committed` messages read
        self.commands = collections.deque()
        self.resend = specification.get("resend", False)
        self.disorder = random.Random(f"{specification['seed']}/disorder") if specification.get("disorder") else None
        self.held = {}  # disorder: (device, stream) -> the frame that is published behind the next
        self.unnoted = {}  # frames without a sequence that are made and not published yet: the order in which they arrive counts
        self.repeated = collections.deque()  # disorder: frames that are published again, behind later ones
        self.poison = None
        self.generation = 0
        self.reconnected = threading.Event()
        self.connected = False
        self._connect()

    def _connect(self):
        self.generation += 1
        generation = self.generation
        self.client = client = pahoclient.make_client(self.specification["client"], clean=self.resend)
        if self.specification.get("user"):
            client.username_pw_set(*self.specification["user"])
        client.max_inflight_messages_set(500)
        client.max_queued_messages_set(0)
        client.reconnect_delay_set(0.1, 0.5)

        def on_connect(_client, _data, _flags, code, *_rest):
            if pahoclient.accepted(code) and generation == self.generation:
                self.connected = True
                if self.resend:
                    client.subscribe("wearables/+/out/committed/+", 1)

        def on_disconnect(*_):
            if generation == self.generation:
                self.connected = False
                self.reconnected.set()

        def on_message(_client, _data, message):
            _root, device, _out, _committed, stream = message.topic.split("/")
            if message.payload:
                self.covered.append((device, stream, json.loads(message.payload)["seq"]))

        client.on_connect, client.on_disconnect, client.on_message = on_connect, on_disconnect, on_message
        client.on_publish = lambda _client, _data, mid, *_rest: self.receipts.append((generation, mid))
        client.connect_async("127.0.0.1", self.specification["port"], 30)
        client.loop_start()

    def run(self):
        """Publishes until stopped; True when every frame was acknowledged by the broker."""
        threading.Thread(target=self._listen, daemon=True).start()
        stopping = None
        while True:
            if self.resend and self.reconnected.is_set():
                self._start_over()
            while self.commands:
                stopping = self._obey(self.commands.popleft()) or stopping
            if stopping is None:
                self._make_frames()
            self._publish()
            self._settle()
            if stopping and ((not self.waiting and not self.flying and not (self.resend and any(self.kept.values())))
                             or time.monotonic() > stopping):
                break
            time.sleep(0.005)
        self.log.close()
        self.client.loop_stop()
        return not self.waiting and not self.flying

    def _listen(self):
        for line in sys.stdin:
            self.commands.append(line.strip())
        self.commands.append("stop")

    def _obey(self, command):
        if command.startswith("poison "):
            self.poison = command.split(" ", 1)[1]
        elif command == "quiet":
            for device in self.devices:
                device.quiet = True
        elif command == "stop":
            self.waiting += [frame for _boot, frame in self.held.values()]
            self.waiting += [frame for device in self.devices for frame in device.stored]
            self.held = {}
            return time.monotonic() + self.specification.get("patience", 60)
        return None

    def _make_frames(self):
        now = time.monotonic() - self.start
        while self.schedule[0][0] <= now:
            device = self.devices[self.schedule[0][1]]
            note = ""
            if self.poison and device.stream == "submersion":
                note, self.poison = f'"note":"{self.poison}",', None
            text = device.frame(note)
            key = (device.name, device.stream, device.seq - 1)
            payload = device.payload(text)
            if device.sequenced:
                self._note(key, text)
            else:
                self.unnoted[key] = text
            if self.disorder:
                self._shuffle(device, (*key, payload))
            else:
                frames = device.route((*key, payload))
                self.waiting += frames
                for frame in frames if not device.sequenced else []:
                    self._note(frame[:3], self.unnoted.pop(frame[:3]))
            self.made += 1
            if self.resend:
                self.kept[key[:2]][key[2]] = payload
            heapq.heapreplace(self.schedule, (device.due, self.schedule[0][1]))

    def _note(self, key, text):
        self.log.write(f'{{"device":"{key[0]}","stream":"{key[1]}","at":{time.time()!r},"frame":{text}}}\n')

    def _shuffle(self, device, frame):
        """Exchanges a frame with the next of its boot, or repeats it behind those that wait."""
        held_boot, held = self.held.pop(frame[:2], (None, None))
        if held and held_boot != device.boot:
            self.waiting.append(held)
            held = None
        if not held and not device.quiet and self.disorder.random() < 0.1:
            self.held[frame[:2]] = (device.boot, frame)
            return
        self.waiting.append(frame)
        if held:
            self.waiting.append(held)
        if self.disorder.random() < 0.1:
            self.repeated.append(frame)
            if len(self.repeated) > 20:
                self.waiting.append(self.repeated.popleft())

    def _publish(self):
        while self.waiting and len(self.flying) < WINDOW and (self.connected or not self.resend):
            device, stream, seq, text = self.waiting.popleft()
            info = self.client.publish(self.topics[device, stream], text, 1)
            self.flying[(self.generation, info.mid)] = (device, stream, seq)

    def _settle(self):
        acknowledged = []
        for _ in range(len(self.receipts)):
            key = self.receipts.popleft()
            if key in self.flying:
                acknowledged.append(self.flying.pop(key))
            elif key[0] == self.generation:
                self.receipts.append(key)  # the receipt was faster than our note of the message id
        if acknowledged:
            self.log.write(json.dumps({"acknowledged": acknowledged}) + "\n")
        while self.covered:
            device, stream, seq = self.covered.popleft()
            self.committed += 1
            frames = self.kept[(device, stream)]
            while frames and next(iter(frames)) <= seq:
                frames.popitem(last=False)

    def _start_over(self):
        """A new connection that begins with every frame that is not covered."""
        old = self.client
        self.reconnected.clear()
        self.flying.clear()
        self._connect()
        old.disconnect()
        old.loop_stop()
        self.waiting = collections.deque(
            (*key, seq, text) for key, frames in self.kept.items() for seq, text in frames.items())
        self.log.write(json.dumps({"made": self.made, "resent": len(self.waiting), "committed": self.committed}) + "\n")


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        complete = Generator(json.load(file)).run()
    sys.stdout.flush()
    os._exit(0 if complete else 3)
