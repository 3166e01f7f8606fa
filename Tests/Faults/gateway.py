"""The gateway under test, as a supervisor runs it."""

import contextlib
import os
import signal
import sqlite3
import threading
import time

import processes


SERIES = {"FATHOM_DERIVE_HEAD_POSE_SERIES_HERTZ": "100"}  # every sample of headphones at 8 Hz


class Gateway:
    """`fathom run` with a configuration of its own; may be killed and started again any number of times."""

    def __init__(self, binary, directory, ports, name="gw", folder="gateway", settings="", state=None, mqtt=""):
        self.binary = binary
        self.name = name
        self.directory = os.path.join(directory, folder)
        os.makedirs(self.directory, exist_ok=True)
        self.state = state or os.path.join(self.directory, "state")
        self.log = os.path.join(self.directory, "log")
        self.configuration = os.path.join(self.directory, "fathom.yaml")
        self.environment = {}
        # Several gateways of the tests run at one time, and each would need a port of its own. A scuba dive is published five minutes after
        # its end, later than a fault lasts. Every sample of headphones is a head pose.
        self.defaults = {"FATHOM_HTTP_PORT": "null", "FATHOM_DERIVE_DEPTH_DIVING": "freediving", "FATHOM_DERIVE_HEAD_POSE_RATE_HERTZ": "10"}
        self.process = None
        self.exits = []
        self.started_at = self.started_wall = 0.0
        self._supervising = None
        self.configure(ports, settings, mqtt)

    def configure(self, ports, settings="", mqtt=""):
        """Writes the configuration: the ports of the brokers, in the order in which they are tried, and further YAML lines."""
        broker = ", ".join(f"127.0.0.1:{port}" for port in ports)
        with open(self.configuration, "w") as file:
            file.write(
                f"mqtt:\n  host: \"{broker}\"\n  reconnect: {{initialSeconds: 0.2, maximumSeconds: 2}}\n{mqtt}"
                f"gateway:\n  name: {self.name}\n  stateDirectory: {self.state}\n  statusSeconds: 1\n{settings}")
            if "registry:" not in settings:
                file.write("registry: {file: null, unknownDevices: allow}\n")

    def start(self, environment=None):
        """Starts the process; its output goes to its log."""
        merged = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **self.defaults, **self.environment, **(environment or {})}
        self.started_at, self.started_wall = time.monotonic(), time.time()
        with open(self.log, "a") as log:
            self.process = processes.spawn(
                [self.binary, "run", "--config", self.configuration], env=merged, stdout=log, stderr=log)

    @property
    def pid(self):
        return self.process.pid

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """SIGKILL, and waits until it is gone."""
        return processes.end(self.process, signal.SIGKILL)

    def stop(self, within=20):
        """SIGTERM; the exit code."""
        self.supervise(False)
        return processes.end(self.process, signal.SIGTERM, within)

    def wait(self, within):
        """Waits for the process to end by itself; None when it does not."""
        if not processes.eventually(lambda: not self.alive(), within, 0.005):
            return None
        return processes.end(self.process)

    def supervise(self, on=True):
        """Starts the process again 50 ms after each end, as a supervisor would; exit codes go to `exits`."""
        if self._supervising:
            self._supervising.set()
            self._supervising = None
        if on:
            stopping = self._supervising = threading.Event()
            threading.Thread(target=self._supervise, args=(stopping,), daemon=True).start()

    def _supervise(self, stopping):
        while not stopping.wait(0.05):
            if not self.alive() and not stopping.is_set():
                self.exits.append(processes.end(self.process))
                self.start()

    def stored_bytes(self):
        """How large the files of the state directory are."""
        files = [os.path.join(parent, name) for parent, _, names in os.walk(self.state) for name in names]
        return sum(os.path.getsize(path) for path in files if os.path.exists(path))

    def stored(self, query):
        """What a query finds in the files of all lanes; nothing in a file without its table."""
        found = []
        for name in sorted(os.listdir(self.state)):
            if name.endswith(".sqlite"):
                path = os.path.join(self.state, name)
                with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as database:
                    with contextlib.suppress(sqlite3.OperationalError):
                        found += database.execute(query).fetchall()
        return found

    def log_size(self):
        return os.path.getsize(self.log) if os.path.exists(self.log) else 0

    def log_since(self, offset=0):
        """What the gateway wrote since an earlier `log_size`, as lines."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, errors="replace") as file:
            file.seek(offset)
            return file.read().splitlines()
