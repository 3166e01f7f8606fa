"""The gateways that are compared, and the broker, each started for one measurement."""

import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Faults"))

import processes  # noqa: E402

BROKER = """\
listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
persistence false
max_queued_messages 100000
max_packet_size 300000
log_type error
log_type subscribe
{user}"""

FATHOM = """\
mqtt: {{host: 127.0.0.1, port: {port}}}
gateway: {{name: gw, stateDirectory: {state}}}
registry: {{file: {registry}}}
http: {{port: null}}
alarms: {{enabled: false}}
derive: {derive}
"""

# What the peers derive: strokes without a workout, and neither punches, posture nor sessions.
PEERS_DERIVE = {"stroke": {"always": True}, "punch": {"enabled": False}, "posture": {"enabled": False}, "session": {"enabled": False}}


def start_broker(directory):
    """(process, port, log)."""
    port, path, log = processes.free_port(), os.path.join(directory, "mosquitto.conf"), os.path.join(directory, "mosquitto.log")
    with open(path, "w") as file:
        file.write(BROKER.format(port=port, user="user root\n" if os.getuid() == 0 else ""))
    binary = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin")
    with open(log, "w") as output:
        process = processes.spawn([binary, "-c", path], stdout=output, stderr=output)
    if not processes.eventually(lambda: processes.port_open(port), 10, 0.02):
        raise RuntimeError("the broker does not listen: " + open(log).read())
    return process, port, log


def compile_c(directory, name, *sources, libraries=()):
    """The path of a program from sources beside this file."""
    program = os.path.join(directory, name)
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", *(os.path.join(HERE, source) for source in sources),
                    *(f"-l{library}" for library in libraries), "-o", program], check=True)
    return program


def python_with_orjson():
    """An interpreter that has paho, numpy and orjson, which Debian 12 does not package."""
    def has_all(interpreter):
        return subprocess.run([interpreter, "-c", "import orjson, numpy, paho"], capture_output=True).returncode == 0

    if has_all(sys.executable):
        return sys.executable
    environment = os.path.join(ROOT, ".build-bench", "python")
    interpreter = os.path.join(environment, "bin", "python3")
    if not os.path.exists(interpreter) or not has_all(interpreter):
        # Made anew: an environment that another interpreter made does not see the packages of this one.
        subprocess.run([sys.executable, "-m", "venv", "--clear", "--system-site-packages", environment], check=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "orjson"], check=True)
    if not has_all(interpreter):
        sys.exit(f"{sys.executable} has no paho or numpy: install python3-paho-mqtt and python3-numpy, or take another with PYTHON=")
    return interpreter


class Fathom:
    """`fathom run`; with a state directory it acknowledges what it has committed."""

    def __init__(self, binary, durable, refreshes=False):
        self.binary, self.durable, self.refreshes = binary, durable, refreshes

    def command(self, directory, port, load):
        depth = {**load.derive.get("depth", {}), **({} if self.refreshes else {"refreshSeconds": 0})}
        registry, path = os.path.join(directory, "registry.yaml"), os.path.join(directory, "fathom.yaml")
        with open(registry, "w") as file:
            file.write("unknownDevices: deny\ndevices:\n")
            for number in range(load.devices):
                file.write(f"  {load.device}-{number}: {{entitlement: shallow, session: notRequired, wrist: left}}\n")
        with open(path, "w") as file:
            file.write(FATHOM.format(port=port, state=os.path.join(directory, "state") if self.durable else "null",
                                     registry=registry, derive=json.dumps({**PEERS_DERIVE, **load.derive, "depth": depth})))
        return [self.binary, "run", "--config", path]


class Peer:
    """A program of this folder that takes the broker's port."""

    def __init__(self, *command, arguments=()):
        self.before, self.after = command, arguments

    def command(self, _directory, port, _load):
        return [*self.before, str(port), *self.after]


class DerivingPeer(Peer):
    """One that also takes how many head poses a second it publishes, and whether those of a frame together, too."""

    def command(self, directory, port, load):
        poses = load.derive.get("headPose", {})
        return [*super().command(directory, port, load), str(poses.get("rateHertz", 1)), "series" if poses.get("seriesHertz") else ""]


def all_gateways(binary, directory):
    """{name: gateway}."""
    relay = compile_c(directory, "relay", "relay.c", libraries=["mosquitto"])
    return {
        "Fathom durable": Fathom(binary, True),
        "Fathom in memory": Fathom(binary, False),
        "Node": DerivingPeer("node", os.path.join(HERE, "node", "gateway.js")),
        "Python": DerivingPeer(python_with_orjson(), os.path.join(HERE, "python", "gateway.py")),
        "relay": Peer(relay),
        "Fathom durable, default refresh": Fathom(binary, True, refreshes=True),
        "relay that publishes": Peer(relay, arguments=["again"]),
    }
