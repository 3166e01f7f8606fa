#!/usr/bin/env python3
"""The order of writes around one acknowledgement, seen from the kernel: strace on a running gateway.

    python3 Tests/Faults/syscalls.py --binary .build/debug/fathom [--frames 3] [--keep]

Submersion frames are published one by one, each of which changes the depth state. For every one the trace must show, in this order:

1. the frame's PUBLISH is read from the safety lane's socket;
2. the `depth-state` PUBLISH is written to the egress socket, and its PUBACK is read there;
3. the state is written to the safety lane's write-ahead log;
4. fsync or fdatasync of that log returns 0;
5. the frame's PUBACK is written to the safety lane's socket, and nothing was written there since 1.

Prints the lines that show it. Exit code 0 when the order holds for every frame, 1 when not; 0 with "skipped" where strace is
missing or may not trace.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import wire  # noqa: E402
import processes  # noqa: E402
from broker import Broker  # noqa: E402
from gateway import Gateway  # noqa: E402
from subscriber import Subscriber, packets  # noqa: E402

CALLS = ("read,readv,recvfrom,recvmsg,recvmmsg,write,writev,sendto,sendmsg,sendmmsg,sendfile,splice,pwrite64,pwritev,pwritev2,"
         "fsync,fdatasync,sync_file_range,msync,io_uring_enter")
KINDS = {1: "CONNECT", 3: "PUBLISH", 4: "PUBACK"}  # the first byte's upper half
SENT = ("write", "writev", "sendto", "sendmsg")
LINE = re.compile(r"(?P<thread>\d+)\s+(?P<at>\d+\.\d+) (?P<rest>.*)")
RESUMED = re.compile(r"<\.\.\. (?P<call>\w+) resumed>(?P<rest>.*)")
FILE = re.compile(r"(?P<call>\w+)\((?P<number>\d+)<(?P<file>TCP:.*?\]|[^>]*)>(?P<rest>.*)", re.DOTALL)
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DEVICE, FRAME_TOPIC, STATE_TOPIC = "diver", "wearables/diver/in/submersion", "wearables/diver/out/depth-state"


def unescaped(text):
    """The bytes that strace shows as \\x61\\x62..."""
    return re.sub(rb"\\x([0-9a-f]{2})", lambda match: bytes.fromhex(match[1].decode()), text.encode())


class Call:
    """One system call: where it begins and ends in the trace, on what, with which bytes."""

    def __init__(self, name, file, begins, ends, text, result):
        self.name, self.begins, self.ends, self.result = name, begins, ends, result
        self.file = unescaped(file).decode(errors="replace")
        self.data = b"".join(map(unescaped, STRING.findall(text)))[:result] if result > 0 else b""

    @property
    def is_socket(self):
        return self.file.startswith("TCP")


def calls(lines):
    """The calls of a trace; one that another thread's interrupts is put together."""
    open_calls = {}
    for number, line in enumerate(lines):
        match = LINE.match(line)
        if not match:
            continue
        thread, rest, begins = match["thread"], match["rest"], number
        if rest.endswith("<unfinished ...>"):
            open_calls[thread] = (number, rest[:-len("<unfinished ...>")])
            continue
        if resumed := RESUMED.match(rest):
            if thread not in open_calls:
                continue
            begins, start = open_calls.pop(thread)
            rest = start + resumed["rest"]
        match, end = FILE.match(rest), rest.rfind(" = ")
        if match and end >= 0 and (result := re.match(r" = (-?\d+)", rest[end:])):
            yield Call(match["call"], match["file"], begins, number, match["rest"][:end], int(result[1]))


class Step:
    """Something that happened: what, on what file, between which lines of the trace."""

    def __init__(self, kind, call, topic="", packet=None, payload=b"", begins=None):
        self.kind, self.file, self.ends = kind, call.file, call.ends
        self.begins = call.begins if begins is None else begins
        self.topic, self.packet, self.payload = topic, packet, payload

    def __str__(self):
        return " ".join(filter(None, (self.kind, self.topic, self.packet and f"packet {self.packet}")))


def steps(all_calls):
    """MQTT packets on sockets, writes and synchronizations of files, in the order of their ends."""
    streams = {}
    for call in all_calls:
        if call.is_socket:
            way = "sent" if call.name in SENT else "received"
            begins, buffer = streams.get((call.file, way), (call.begins, bytearray()))
            buffer += call.data
            for first, body in packets(buffer):
                yield _packet(first, body, way, call, begins)
                begins = call.begins
            if buffer:
                streams[(call.file, way)] = begins, buffer
            else:
                streams.pop((call.file, way), None)
        elif call.name.startswith(("pwrite", "write")):
            yield Step("written", call)
        elif call.name in ("fsync", "fdatasync") and call.result == 0:
            yield Step("synchronized", call)


def _packet(first, body, way, call, begins):
    kind, topic, packet, payload = first >> 4, "", None, b""
    if kind == 1:  # behind the protocol's name, level, flags and keep-alive, and MQTT 5's properties
        start = 10 + (1 + body[10] if body[6] == 5 else 0)
        topic = body[start + 2:start + 2 + int.from_bytes(body[start:start + 2], "big")].decode()
    elif kind == 3:
        end = 2 + int.from_bytes(body[:2], "big")
        topic, payload = body[2:end].decode(), body[end:]
        packet = int.from_bytes(payload[:2], "big") if first & 6 else None
    elif kind == 4:
        packet = int.from_bytes(body[:2], "big")
    return Step(f"{KINDS.get(kind, kind)} {way}", call, topic, packet, payload, begins)


def judge(found, sequence):
    """What the trace says about the frame of a `seq`: the steps that show it, and what is wrong."""
    # At first a connection of the lane's client id asks whether the broker has kept the session.
    connections = {step.topic.rpartition("-")[2]: step.file for step in found if step.kind == "CONNECT sent"}
    safety, egress = connections.get("safety"), connections.get("out")
    if safety is None or egress is None:
        return [], ["the trace does not show the connections of the safety lane and of egress"]
    shown = []

    def first(what, kind, condition):
        for step in found:
            if step.kind == kind and condition(step):
                shown.append((what, step))
                return step
        raise LookupError(what)

    def is_log(step):
        return step.file.endswith("/safety.sqlite-wal")

    try:
        frame = first("1 frame read", "PUBLISH received", lambda step: step.file == safety and step.topic == FRAME_TOPIC
                      and f'"seq":{sequence},'.encode() in step.payload)
        derived = first("2 derived message written", "PUBLISH sent", lambda step: step.file == egress and step.topic == STATE_TOPIC
                        and step.begins > frame.ends and f'"seq":[{sequence},{sequence}]'.encode() in step.payload)
        receipt = first("  its receipt read", "PUBACK received", lambda step: step.file == egress and step.packet == derived.packet
                        and step.begins > derived.begins)
        log = first("3 state written", "written", lambda step: is_log(step) and step.begins > frame.ends)
        answer = first("5 frame acknowledged", "PUBACK sent", lambda step: step.file == safety and step.packet == frame.packet
                       and step.begins > frame.ends)
        writes = [step for step in found if step.kind == "written" and is_log(step) and frame.ends < step.begins < answer.begins]
        if not writes:
            return shown, ["the state is not written before the frame is acknowledged"]
        durable = first("4 state synchronized", "synchronized", lambda step: is_log(step) and step.begins > writes[-1].ends)
    except LookupError as missing:
        return shown, [f"the trace does not show: {str(missing).strip(chr(39)).strip()}"]
    shown.sort(key=lambda entry: entry[1].begins)
    owed = {step.packet: step for step in found if step.kind == "PUBLISH sent" and step.file == egress
            and f'"seq":[{sequence},{sequence}]'.encode() in step.payload and frame.ends < step.begins < answer.begins}
    for step in found:
        if step.kind == "PUBACK received" and step.file == egress and step.ends < log.begins:
            owed.pop(step.packet, None)
    early = [step for step in found if step.file == safety and " sent" in step.kind and frame.ends < step.begins < answer.begins]
    wrong = [text for holds, text in (
        (receipt.ends < log.begins and not owed, "the log is written before the receipts of what was derived were read"),
        (writes[-1].ends < durable.begins, "the log is not synchronized after its last write"),
        (durable.ends < answer.begins, "the frame is acknowledged before the log is synchronized"),
        (not early, "something is written to the safety lane's socket in between: " + ", ".join(map(str, early))),
    ) if not holds]
    return shown, wrong


def permitted():
    """Why tracing is not possible here; None when it is."""
    if not shutil.which("strace"):
        return "strace is not installed"
    attempt = subprocess.run(["strace", "-f", "-qq", "-e", "trace=write", "true"], capture_output=True, text=True)
    return None if attempt.returncode == 0 else "strace may not trace here: " + attempt.stderr.strip().splitlines()[-1]


def frame(sequence):
    """A submersion frame that changes the depth state: 0.4 m and 1.6 m in turn."""
    now, depth = time.monotonic(), (0.4, 1.6)[sequence % 2]
    return json.dumps({"schema": "wearables/1", "boot": "b1", "seq": sequence, "uptime": now, "sent": time.time(),
                       "measurements": [{"timestamp": now - 0.01, "depth": {"value": depth, "unit": "m"}}]}, separators=(",", ":"))


def trace(options, directory):
    """Runs the gateway under strace while frames are published; the trace as lines."""
    broker = Broker(directory)
    broker.start()
    seen, lanes = [], []
    Subscriber(broker.port, "observer", [STATE_TOPIC, "fathom/gw/status"],
               lambda topic, payload, _: (seen if topic == STATE_TOPIC else lanes).append(json.loads(payload)), clean=True)
    output, traced = os.path.join(directory, "trace"), os.path.join(directory, "traced")
    with open(traced, "w") as file:  # -D: the gateway itself is our child, so that it gets our signals
        file.write(f'#!/bin/sh\nexec strace -D -f -yy -ttt -xx -s 65536 -e trace={CALLS} -o {shlex.quote(output)} '
                   f'{shlex.quote(options.binary)} "$@"\n')
    os.chmod(traced, 0o700)
    gateway = Gateway(traced, directory, broker.gateway_ports)
    gateway.start()
    if not processes.eventually(lambda: any(status.get("ingress") == "connected" for status in lanes), 60):
        raise RuntimeError("the gateway does not connect: " + " / ".join(gateway.log_since()[-3:]))
    device = wire.connect(broker.port, DEVICE)
    for sequence in range(options.frames):
        device.sendall(wire.publish(FRAME_TOPIC, frame(sequence).encode(), sequence + 1))
        if not processes.eventually(lambda: len(seen) > sequence, 30):
            raise RuntimeError(f"no depth state for frame {sequence}")
        time.sleep(0.7)  # until it is acknowledged, and for a difference in depth that a diver can swim
    gateway.stop()
    broker.stop()

    def lines():
        with open(output, errors="replace") as file:
            return file.read().splitlines()

    processes.eventually(lambda: f"{gateway.pid} " in lines()[-1] and "+++ exited" in lines()[-1], 10)
    return lines()


def shortened(line):
    """A line of the trace as it can be read: without directories and with the first bytes only."""
    line = re.sub(r"<((?:\\x[0-9a-f]{2})+)>", lambda match: f"<{unescaped(match[1]).decode(errors='replace')}>", line)
    line = re.sub(r"<[^<>]*/([^/<>]+)>", r"<\1>", LINE.sub(r"\g<at> \g<rest>", line, 1))

    def plain(match):
        data = unescaped(match[1])
        text = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data[:44])
        return f'"{text}"' + ("..." if len(data) > 44 else "")

    return STRING.sub(plain, line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the fathom program")
    parser.add_argument("--frames", type=int, default=3, help="how many frames are followed (3)")
    parser.add_argument("--keep", action="store_true", help="keeps the trace")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if reason := permitted():
        print("skipped:", reason)
        return 0
    directory = tempfile.mkdtemp(prefix="fathom-syscalls-")
    lines = trace(options, directory)
    found, failed = list(steps(calls(lines))), False
    for sequence in range(options.frames):
        shown, wrong = judge(found, sequence)
        print(f"frame {sequence}: " + ("; ".join(wrong) if wrong else "the order holds"))
        for what, step in shown:
            print(f"    {what:28} line {step.begins + 1:6}  {shortened(lines[step.begins])}")
            if step.ends != step.begins:
                print(f"    {'':28} line {step.ends + 1:6}  {shortened(lines[step.ends])}")
        failed = failed or bool(wrong)
    print("failed" if failed else f"{options.frames} frames: accepted, written, synchronized, acknowledged, in this order")
    if options.keep:
        print("kept", directory)
    else:
        shutil.rmtree(directory, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
