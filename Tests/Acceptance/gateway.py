"""A broker and a gateway on loopback for acceptance checks that are written in Python."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request


def free_port():
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def eventually(what, within, condition):
    """Waits until `condition` is true; fails after `within` seconds."""
    deadline = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise SystemExit(f"never happened: {what}")
        time.sleep(0.05)


class Broker:
    """A mosquitto that asks for no password."""

    def __init__(self, directory, port=None):
        self.directory = directory
        self.port = port or free_port()
        self.process = None
        self.path = os.path.join(directory, "mosquitto.conf")
        with open(self.path, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
                       "max_queued_messages 100000\nuser root\n")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        mosquitto = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
        with open(os.path.join(self.directory, "mosquitto.log"), "a") as log:
            self.process = subprocess.Popen([mosquitto, "-c", self.path], stdout=log, stderr=log)
        eventually("the broker accepts connections", 10, self.is_open)

    def is_open(self):
        with contextlib.closing(socket.socket()) as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self):
        self.process.kill()
        self.process.wait()


class Gateway:
    """`fathom run` with a state directory and an HTTP port of its own."""

    def __init__(self, binary, directory, broker_port, settings=(), wrapper=(), environment=None):
        self.binary, self.broker_port = binary, broker_port
        self.http = free_port()
        self.log = os.path.join(directory, "gateway.log")
        self.command = [*wrapper, binary, "run"]
        values = [f"mqtt.port={broker_port}", "gateway.name=checked", f"gateway.stateDirectory={directory}/state",
                  "registry.unknownDevices=allow", "gateway.statusSeconds=1", f"http.port={self.http}", *settings]
        for value in values:
            self.command += ["--set", value]
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def __enter__(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process_of_binary(signal.SIGKILL)
            self.process.wait()

    def process_of_binary(self, number):
        """Sends a signal to the gateway itself, which is the child of a wrapper."""
        pid = self.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = file.read().split()
        os.kill(int(children[0]) if self.command[0] != self.binary and children else pid, number)

    def stop(self):
        """SIGTERM; fails unless the process ends within 10 s."""
        self.process_of_binary(signal.SIGTERM)
        self.process.wait(timeout=10)

    def get(self, path):
        """(status, body) of a request; (0, '') while nothing listens."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    def wait_until_ready(self):
        eventually("the gateway is ready", 30, lambda: self.get("/readyz")[0] == 200)

    def simulate(self, devices, seconds, *options):
        """A simulated fleet, to its end."""
        subprocess.run([self.binary, "simulate", "--set", f"mqtt.port={self.broker_port}", "--devices", str(devices), "--seconds",
                        str(seconds), *options], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=seconds + 120, env={**os.environ, "FATHOM_HTTP_PORT": "null"})

    def metrics(self):
        """{name: {labels: value}}, where labels are a sorted tuple of (name, value)."""
        page = {}
        for line in self.get("/metrics")[1].splitlines():
            if line.startswith("#"):
                continue
            series, value = line.rsplit(" ", 1)
            name, _, labels = series.partition("{")
            pairs = [pair.partition("=") for pair in labels.rstrip("}").split(",")] if labels else []
            key = tuple(sorted((label, text.strip('"')) for label, _, text in pairs))
            page.setdefault(name, {})[key] = float(value)
        return page

    def status(self):
        """The retained status."""
        out = subprocess.run(["mosquitto_sub", "-p", str(self.broker_port), "-t", "fathom/checked/status", "-C", "1", "-W", "10"],
                             capture_output=True, text=True, check=True).stdout
        return json.loads(out)
