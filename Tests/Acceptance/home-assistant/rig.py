"""The broker with the shipped ACL, the gateway and the simulated fleet."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
ACCOUNTS = ["gateway-in", "gateway-motion", "gateway-bulk", "gateway-out", "gateway-claim", "homeassistant", "simulator"]

GATEWAY = """\
mqtt:
  host: 127.0.0.1
  port: {port}
  out: {{ username: gateway-out, password: {password} }}
  claim: {{ username: gateway-claim, password: {password} }}
lanes:
  safety: {{ account: {{ username: gateway-in, password: {password} }} }}
  motion: {{ account: {{ username: gateway-motion, password: {password} }} }}
  bulk: {{ account: {{ username: gateway-bulk, password: {password} }} }}
gateway:
  stateDirectory: {directory}/state
http:
  port: null
registry:
  file: {directory}/registry.yaml
derive:
  # The simulated batter plays no racket sport by his workout.
  stroke: {{ always: true }}
homeassistant:
  discovery: true
"""


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Rig:
    """Starts and ends the processes around Home Assistant; their logs are in `directory`."""

    def __init__(self, binary, directory):
        self.binary = binary
        self.directory = directory
        self.broker_port = free_port()
        self.password = secrets.token_hex(8)
        self.broker = self.gateway = self.simulator = None
        self.fleets = 0

    def path(self, name):
        return os.path.join(self.directory, name)

    def start_broker(self):
        shutil.copy(os.path.join(ROOT, "config", "acl"), self.path("acl"))
        open(self.path("passwords"), "w").close()
        os.chmod(self.path("passwords"), 0o600)
        for account in ACCOUNTS:
            subprocess.run(["mosquitto_passwd", "-b", self.path("passwords"), account, self.password], check=True, capture_output=True)
        with open(os.path.join(ROOT, "config", "mosquitto.conf")) as file:
            # Without the listener for devices, which needs a certificate.
            text = re.sub(r"(?ms)^listener 8883$.*?\n\n", "", file.read())
        text = text.replace("listener 1883 127.0.0.1", f"listener {self.broker_port} 127.0.0.1")
        text = text.replace("/etc/mosquitto/", f"{self.directory}/").replace("/var/lib/mosquitto/", f"{self.directory}/")
        with open(self.path("mosquitto.conf"), "w") as file:
            file.write(text + f"\nuser {'root' if os.getuid() == 0 else os.environ.get('USER', 'nobody')}\n")
        program = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        self.broker = self._start("broker", [program, "-c", self.path("mosquitto.conf")])
        self._await_port()
        self.write_registry(["ultra-1", "batter-1", "pods-1"])
        with open(self.path("fathom.yaml"), "w") as file:
            file.write(GATEWAY.format(port=self.broker_port, password=self.password, directory=self.directory))

    def write_registry(self, devices):
        lines = ["unknownDevices: deny", "devices:"]
        lines += [f"  {device}: {{ entitlement: {'shallow' if device == 'ultra-1' else 'none'} }}" for device in devices]
        with open(self.path("registry.new"), "w") as file:
            file.write("\n".join(lines) + "\n")
        os.rename(self.path("registry.new"), self.path("registry.yaml"))

    def start_gateway(self):
        self.gateway = self._start("gateway", [self.binary, "run", "--config", self.path("fathom.yaml")])

    def start_simulator(self):
        with open(self.path("simulator.password"), "w") as file:
            file.write(self.password)
        os.chmod(self.path("simulator.password"), 0o600)
        # With the same seed the devices would go on in the same boots, and send again what was sent.
        self.fleets += 1
        connection = ["--seed", f"{self.fleets}", "--set", "mqtt.host=127.0.0.1", "--set", f"mqtt.port={self.broker_port}"]
        self.simulator = self._start("simulator", [
            self.binary, "simulate", "--kinds", "headphones,batter,diver", "--count", "3", "--username", "simulator",
            "--password-file", self.path("simulator.password")] + connection)

    def stop(self):
        for process in (self.simulator, self.gateway, self.broker):
            if process and process.poll() is None:
                process.terminate()
                try:
                    process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()

    def _start(self, name, command):
        with open(self.path(f"{name}.log"), "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def _await_port(self):
        for _ in range(100):
            with socket.socket() as sock:
                if sock.connect_ex(("127.0.0.1", self.broker_port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit("mosquitto does not start: " + open(self.path("broker.log")).read())
