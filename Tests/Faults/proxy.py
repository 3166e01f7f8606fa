"""A TCP proxy between gateway and broker: partitions, delay, and a look at who acknowledges."""

import collections
import re
import socket
import threading
import time

import subscriber


class Proxy:
    """Forwards to a port. `up` is gateway to broker, `down` the other way; what is blocked waits, as in a network that is down."""

    def __init__(self, target, reads=True):
        """With `reads` the packets are looked at, which must be those of MQTT."""
        self.target, self.reads = target, reads
        self.blocked = {"up": threading.Event(), "down": threading.Event()}
        self.delay = 0.0
        self.refuses = False  # ends new connections at once
        self.unwanted = None  # a topic: a connection on which the gateway publishes there ends, as where a broker has no other answer
        self.ended = 0  # connections that ended for that
        self.acknowledgements = []  # (monotonic time, client id) of every PUBACK from the gateway
        self.delivered = {}  # (device, stream, seq) -> monotonic times at which the broker delivered the frame
        self.acknowledged = {}  # the same -> monotonic times at which the gateway acknowledged it
        self._closed = threading.Event()
        self._ends = []  # both sockets of every connection that was made
        self._tears = threading.Event()
        self.torn = 0  # connections that ended within a packet
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._listener.settimeout(0.2)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._closed.set()
        self._listener.close()

    def block(self, *directions):
        for direction in directions or ("up", "down"):
            self.blocked[direction].set()

    @property
    def connections(self):
        """How many were made since the last cut."""
        return len(self._ends) // 2

    def cut(self):
        """Ends every connection, without DISCONNECT."""
        ends, self._ends = self._ends, []
        for end in ends:
            _shut_down(end)

    def sever(self):
        """Ends every connection, and each new one at once."""
        self.refuses = True
        self.cut()

    def tear(self):
        """Ends every connection within the next packet that is sent over it."""
        before = self.torn
        self._tears.set()
        deadline = time.monotonic() + 2.0
        while self.torn < before + 2 and time.monotonic() < deadline:
            time.sleep(0.005)
        self._tears.clear()
        self.cut()

    def heal(self):
        self.delay, self.refuses = 0.0, False
        for event in self.blocked.values():
            event.clear()

    def acknowledged_by(self, ending, since, until):
        """How many PUBACKs clients whose id has `ending` wrote in a span of time."""
        return sum(since <= at <= until and ending in client for at, client in list(self.acknowledgements))

    def _accept(self):
        while not self._closed.is_set():
            try:
                near, _ = self._listener.accept()
            except OSError:
                continue
            threading.Thread(target=self._connect, args=(near,), daemon=True).start()

    def _connect(self, near):
        if self.refuses:
            near.close()
            return
        while any(event.is_set() for event in self.blocked.values()) and not self._closed.is_set():
            time.sleep(0.02)  # accepted by the kernel, answered by nobody
        try:
            far = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            near.close()
            return
        self._ends += [near, far]
        connection = {"client": "", "flying": {}}
        for source, sink, direction in ((near, far, "up"), (far, near, "down")):
            source.settimeout(None)
            _Pump(self, source, sink, direction, connection)


def _shut_down(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class _Pump:
    """One direction of one connection: a thread that reads and one that writes."""

    def __init__(self, proxy, source, sink, direction, connection):
        self.proxy, self.source, self.sink, self.direction = proxy, source, sink, direction
        self.chunks, self.ready = collections.deque(), threading.Semaphore(0)
        self.buffer, self.connection = bytearray(), connection
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def _wait(self):
        while self.proxy.blocked[self.direction].is_set() and not self.proxy._closed.is_set():
            time.sleep(0.01)

    def _read(self):
        while True:
            try:
                data = self.source.recv(1 << 16)
            except OSError:
                data = b""
            self.chunks.append((time.monotonic(), data))
            self.ready.release()
            if not data:
                return

    def _write(self):
        while True:
            self.ready.acquire()
            at, data = self.chunks.popleft()
            time.sleep(max(0.0, at + self.proxy.delay - time.monotonic()))
            self._wait()
            try:
                if not data:
                    raise OSError
                if self.proxy.reads:
                    self.buffer += data
                for first, body in subscriber.packets(self.buffer):
                    (self._look_up if self.direction == "up" else self._look_down)(first, body)
                    if self.direction == "up" and first >> 4 == 3 and self._is_unwanted(body):
                        self.proxy.ended += 1
                        raise OSError
                if self.proxy._tears.is_set():
                    self.sink.sendall(data[:len(data) // 2])
                    self.proxy.torn += 1
                    raise OSError
                self.sink.sendall(data)
            except OSError:
                _shut_down(self.source)
                _shut_down(self.sink)
                return

    def _is_unwanted(self, body):
        return self.proxy.unwanted is not None and body[2:2 + int.from_bytes(body[:2], "big")] == self.proxy.unwanted.encode()

    def _look_up(self, first, body):
        """Notes the client id of a CONNECT, and what a PUBACK acknowledges."""
        now = time.monotonic()
        if first >> 4 == 1:
            start = 11 + body[10] if body[6] == 5 else 10  # MQTT 5 has properties, short ones here
            length = int.from_bytes(body[start:start + 2], "big")
            self.connection["client"] = body[start + 2:start + 2 + length].decode(errors="replace")
        elif first >> 4 == 4:
            self.proxy.acknowledgements.append((now, self.connection["client"]))
            frame = self.connection["flying"].pop(body[:2], None)
            if frame:
                self.proxy.acknowledged.setdefault(frame, []).append(now)

    def _look_down(self, first, body):
        """Notes which frame a message id stands for."""
        if first >> 4 == 3 and first & 6:
            end = 2 + int.from_bytes(body[:2], "big")
            levels, seq = body[2:end].decode(errors="replace").split("/"), re.search(rb'"seq":(\d+)', body)
            if len(levels) == 4 and seq:
                frame = (levels[1], levels[3], int(seq.group(1)))
                self.connection["flying"][body[end:end + 2]] = frame
                self.proxy.delivered.setdefault(frame, []).append(time.monotonic())
