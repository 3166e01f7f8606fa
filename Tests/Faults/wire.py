"""Just enough MQTT 3.1.1 on blocking sockets to publish much, or little at a known instant."""

import socket
import struct


def text(value):
    """A string with its length."""
    data = value.encode()
    return struct.pack("!H", len(data)) + data


def size(number):
    """A remaining length."""
    data = b""
    while True:
        number, low = number >> 7, number & 127
        data += bytes([low | (128 if number else 0)])
        if not number:
            return data


def publish(topic, payload, packet):
    """A PUBLISH packet at QoS 1."""
    body = text(topic) + struct.pack("!H", packet) + payload
    return b"\x32" + size(len(body)) + body


def connect(port, client, filters=()):
    """A connected socket without a keep-alive; it is subscribed to the filters when this returns."""
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body = text("MQTT") + b"\x04\x02\x00\x00" + text(client)
    connection.sendall(b"\x10" + size(len(body)) + body)
    _expect(connection, b"\x20\x02\x00\x00")
    if filters:
        body = b"\x00\x01" + b"".join(text(filter) + b"\x01" for filter in filters)
        connection.sendall(b"\x82" + size(len(body)) + body)
        _expect(connection, b"\x90" + size(2 + len(filters)) + b"\x00\x01" + b"\x01" * len(filters))
    connection.settimeout(None)
    return connection


def _expect(connection, answer):
    data = b""
    while len(data) < len(answer):
        part = connection.recv(len(answer) - len(data))
        if not part:
            break
        data += part
    if data != answer:
        raise RuntimeError("the broker answers otherwise than expected")
