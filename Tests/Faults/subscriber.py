"""A plain MQTT 3.1.1 subscriber on a socket.

paho drops what the kernel already received when a write to a broken connection fails; the checker must not, or it would see
losses that are its own when a broker is killed. So this one reads to the end whatever happens to its writes.
"""

import socket
import struct
import threading
import time

import wire


def _packet(first, body):
    return bytes([first]) + wire.size(len(body)) + body


def packets(buffer):
    """Takes all whole packets off a bytearray: (first byte, body)."""
    while len(buffer) >= 2:
        size = shift = 0
        for position in range(1, 5):
            if position >= len(buffer):
                return
            size |= (buffer[position] & 127) << shift
            shift += 7
            if buffer[position] < 128:
                break
        end = position + 1 + size
        if len(buffer) < end:
            return
        first, body = buffer[0], bytes(buffer[position + 1:end])
        del buffer[:end]
        yield first, body


class Subscriber:
    """Calls `on_message(topic, payload, retained)` for whatever arrives, at QoS 1, over any number of connections."""

    def __init__(self, port, client_id, topics, on_message, clean=False, user=None):
        self.port, self.client_id, self.topics, self.on_message = port, client_id, topics, on_message
        self.clean, self.user = clean, user
        self.connections = 0
        self.subscribed = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self):
        self._stop.set()
        self._thread.join(5)

    def _run(self):
        while not self._stop.is_set():
            try:
                with socket.create_connection(("127.0.0.1", self.port), 2) as connection:
                    self._session(connection)
            except OSError:
                pass
            self.subscribed.clear()
            self._stop.wait(0.05)

    def _session(self, connection):
        flags = (2 if self.clean else 0) | (0xC0 if self.user else 0)
        account = b"".join(wire.text(part) for part in self.user) if self.user else b""
        connection.sendall(_packet(0x10, wire.text("MQTT") + bytes([4, flags]) + struct.pack("!H", 60) + wire.text(self.client_id) + account))
        connection.settimeout(0.5)
        buffer, broken, pinged = bytearray(), False, time.monotonic()
        while not self._stop.is_set():
            try:
                data = connection.recv(1 << 18)
            except socket.timeout:
                data = None
            if data == b"":
                return
            answer = b""
            if data:
                buffer += data
                answer = b"".join(self._handle(first, body) for first, body in packets(buffer))
            if time.monotonic() - pinged > 20:
                pinged, answer = time.monotonic(), answer + b"\xc0\x00"
            if answer and not broken:
                try:
                    connection.sendall(answer)
                except OSError:
                    broken = True  # go on reading what is already here

    def _handle(self, first, body):
        kind = first >> 4
        if kind == 2:
            if body[1] != 0:
                raise OSError("refused")
            self.connections += 1
            return _packet(0x82, b"\x00\x01" + b"".join(wire.text(topic) + b"\x01" for topic in self.topics))
        if kind == 9:
            self.subscribed.set()
        if kind == 3:
            end = 2 + struct.unpack_from("!H", body)[0]
            topic, answer = body[2:end].decode(), b""
            if first & 6:
                answer, end = b"\x40\x02" + body[end:end + 2], end + 2
            self.on_message(topic, body[end:], bool(first & 1))
            return answer
        return b""


if __name__ == "__main__":  # a subscriber that only reads: for the fault that stops one
    import sys
    Subscriber(int(sys.argv[1]), sys.argv[2], ["wearables/+/out/#"], lambda *_: None)
    threading.Event().wait()
