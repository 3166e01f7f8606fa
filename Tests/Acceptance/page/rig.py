"""A broker, gateways and pages on free loopback ports, each ended with its rig."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.request


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait(what, condition, seconds=30.0):
    """Waits until the condition holds; returns what it returned."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if result := condition():
                return result
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"{what}: not within {seconds:g} s")


def until(page, expression, seconds):
    """Waits until an expression holds in the page; its rules for scripts forbid playwright's own way."""
    wait(expression, lambda: page.evaluate(expression), seconds)


class Rig:
    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-page-")
        self.processes = []
        self.broker = free_port()
        with open(self.path("mosquitto.conf"), "w") as file:
            file.write(f"listener {self.broker} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
        self.start("mosquitto", "-c", self.path("mosquitto.conf"))
        wait("the broker listens", lambda: socket.create_connection(("127.0.0.1", self.broker)).close() is None)

    def __enter__(self):
        return self

    def __exit__(self, failure, *_):
        if failure is not None:
            self.print_logs()
        self.close()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def start(self, *command):
        log = open(self.path(f"{os.path.basename(command[0])}-{len(self.processes)}.log"), "w")
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        process.log = log.name
        self.processes.append(process)
        return process

    def fathom(self, verb, *arguments, **settings):
        command = [self.binary, verb, *arguments, "--set", f"mqtt.port={self.broker}"]
        for key, value in settings.items():
            command += ["--set", f"{key.replace('__', '.')}={value}"]
        return self.start(*command)

    def gateway(self):
        with open(self.path("registry.yaml"), "w") as file:
            file.write("devices:\n  ultra-1: { entitlement: shallow }\n  sleeper-1: { consent: [sleep] }\n"
                       "  research-1: { entitlement: [movementDisorder], consent: [tremor] }\n")
            for device in ["pods-1", "batter-1", "watch-1", "runner-1", "lifter-1", "boxer-1", "yogi-1"]:
                file.write(f"  {device}: {{}}\n")
        return self.fathom(
            "run", registry__file=self.path("registry.yaml"), gateway__name="pool-1", gateway__statusSeconds=1,
            gateway__stateDirectory=self.path("state"), derive__swingTrace__enabled="true", derive__repetition__enabled="true",
            derive__punch__enabled="true", derive__bodyPose__enabled="true", http__port="null")

    def page(self, port=None, **settings):
        port = port or free_port()
        process = self.fathom("page", page__port=port, **settings)
        address = f"http://127.0.0.1:{port}"
        wait("the page answers", lambda: urllib.request.urlopen(f"{address}/healthz").status == 200)
        return process, address

    def print_logs(self):
        for process in self.processes:
            if hasattr(process, "log"):
                with open(process.log) as file:
                    print(f"--- {process.args[:2]}\n{file.read()[-1500:]}", file=sys.stderr)

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
        self.folder.cleanup()


class Publisher:
    """Publishes at QoS 0 over MQTT 3.1.1, as fast as the broker reads."""

    def __init__(self, port, name="load"):
        self.socket = socket.create_connection(("127.0.0.1", port))
        body = b"\x00\x04MQTT\x04\x02\x00\x00" + self.text(name)
        self.socket.sendall(b"\x10" + self.length(len(body)) + body)
        self.socket.recv(4)

    @staticmethod
    def text(value):
        return struct.pack(">H", len(value)) + value.encode()

    @staticmethod
    def length(value):
        encoded = bytearray()
        while True:
            value, digit = divmod(value, 128)
            encoded.append(digit | (0x80 if value else 0))
            if not value:
                return bytes(encoded)

    def send(self, messages):
        packets = bytearray()
        for topic, fields in messages:
            body = self.text(topic) + json.dumps(fields).encode()
            packets += b"\x30" + self.length(len(body)) + body
        self.socket.sendall(packets)


class Watch:
    """`fathom watch` on a terminal of 100 by 30."""

    def __init__(self, rig, *flags):
        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm", NO_COLOR="1")
            os.execv(rig.binary, [rig.binary, "watch", *flags, "--set", f"mqtt.port={rig.broker}"])
        fcntl.ioctl(self.screen, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.output, self.runs = b"", True
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while self.runs:
            if select.select([self.screen], [], [], 0.2)[0]:
                try:
                    self.output = (self.output + os.read(self.screen, 65_536))[-4_000_000:]
                except OSError:
                    return

    def frame(self):
        """The last whole frame."""
        frames = self.output.split(b"\x1b[H")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", (frames[-2] if len(frames) > 1 else b"").decode(errors="replace"))

    def close(self, within=0):
        """Ends it with SIGINT where it may take some seconds, which is once what it writes last has been read."""
        os.kill(self.child, signal.SIGINT if within else signal.SIGKILL)
        end = time.monotonic() + within
        while os.waitpid(self.child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(self.child, signal.SIGKILL)
            time.sleep(0.05)
        self.runs = False
        self.thread.join()
        os.close(self.screen)
