"""Runs the commands of docker-compose.yml on loopback, without containers: paths, ports and host names are replaced, nothing else."""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from ruamel.yaml import YAML

ROOT = pathlib.Path(__file__).resolve().parents[3]
BINARY = sys.argv[1]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Compose:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.services = YAML(typ="safe").load(ROOT / "docker-compose.yml")["services"]
        self.variables = self.environment_file()
        self.port, self.tls_port, self.http_port = free_port(), free_port(), free_port()
        self.processes = []
        for name in ("accounts", "certs", "broker", "state", "config"):
            (self.folder / name).mkdir()
        for name in ("fathom.yaml", "registry.yaml", "producers.yaml", "acl", "mosquitto.conf"):
            shutil.copy(ROOT / "config" / name, self.folder / "config" / name)

    def environment_file(self):
        """The variables that scripts/env writes, run beside copies of its files."""
        (self.folder / "scripts").mkdir()
        shutil.copy(ROOT / "scripts/env", self.folder / "scripts/env")
        shutil.copy(ROOT / ".env.example", self.folder / ".env.example")
        subprocess.run(["sh", self.folder / "scripts/env"], check=True, stdout=subprocess.DEVNULL)
        file = self.folder / ".env"
        assert file.stat().st_mode & 0o777 == 0o600, "the mode of .env"
        assert subprocess.run(["sh", self.folder / "scripts/env"], capture_output=True).returncode == 1, "overwritten"
        lines = [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
        variables = dict(line.split("=", 1) for line in lines)
        secrets = [value for name, value in variables.items() if name.endswith(("_PASSWORD", "_TOKEN"))]
        assert len(set(secrets)) == len(secrets) and all(len(secret) == 32 for secret in secrets), "the passwords of .env"
        return variables

    def text(self, value):
        """A text of the file after Compose's substitution, with the paths and names of this run."""
        value = re.sub(r"\$\{(\w+):?[-?][^}]*\}", lambda match: self.variables.get(match[1], ""), str(value)).replace("$$", "$")
        places = {
            "/accounts": "accounts", "/certs": "certs", "/var/lib/mosquitto": "broker", "/var/lib/fathom": "state",
            "/etc/fathom": "config", "/tmp": "",
        }
        pattern = r"(?<![\w/])(" + "|".join(places) + r")\b"
        return re.sub(pattern, lambda match: os.path.join(self.folder, places[match[1]]).rstrip("/"), value)

    def environment(self, name):
        given = {key: self.text(value) for key, value in self.services[name].get("environment", {}).items()}
        given = {key: "127.0.0.1" if value == "broker" else value for key, value in given.items()}
        return {"PATH": f"{os.path.dirname(BINARY)}:{os.environ['PATH']}:/usr/sbin"} | given

    def fathom(self, name):
        """The command of a service of our image."""
        command = self.services[name].get("command", ["run", "--config", "/etc/fathom/fathom.yaml"])
        return [BINARY] + [self.text(word) for word in command]

    def shell(self, name):
        return self.text(self.services[name]["command"][2])

    def start(self, command, environment, log):
        output = open(self.folder / log, "wb")
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        self.processes.append(process)
        return process

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            process.wait(timeout=20)


def wait(what, condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def status(address):
    """The status of a page, redirections and cookies followed; 0 without an answer."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        return opener.open(address, timeout=5).status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def run(compose):
    subprocess.run(compose.fathom("certificates"), check=True, stdout=subprocess.DEVNULL)
    authority = (compose.folder / "certs/ca.crt").read_text()
    subprocess.run(compose.fathom("certificates"), check=True, stdout=subprocess.DEVNULL)
    assert (compose.folder / "certs/ca.crt").read_text() == authority, "the authority changed at a second start"

    # Only root can give files away.
    accounts = re.sub(r"(?m)^chown .*$", "true", compose.shell("accounts"))
    for _ in range(2):
        subprocess.run(["sh", "-ec", accounts], check=True, env=compose.environment("accounts"))
    users = sorted(line.split(":")[0] for line in (compose.folder / "accounts/passwords").read_text().splitlines())
    assert users == sorted(
        ["gateway-in", "gateway-motion", "gateway-bulk", "gateway-out", "gateway-claim", "gateway-query", "analyst", "viewer", "page", "watch",
         "health", "simulator"]), users

    script = compose.shell("broker").replace("/etc/mosquitto/mosquitto.conf", str(compose.folder / "config/mosquitto.conf"))
    assert script.rstrip().endswith("mosquitto.conf"), script
    subprocess.run(["sh", "-ec", script.replace("exec mosquitto", ": mosquitto")], check=True)
    file = compose.folder / "mosquitto.conf"
    text = file.read_text()
    for line in ("listener 1883", f"password_file {compose.folder}/accounts/passwords", f"keyfile {compose.folder}/certs/broker.key"):
        assert f"\n{line}\n" in text, line
    text = text.replace("\nlistener 1883\n", f"\nlistener {compose.port}\n").replace("\nlistener 8883\n", f"\nlistener {compose.tls_port}\n")
    text = text.replace("/etc/mosquitto/acl", str(compose.folder / "config/acl")).replace("/var/lib/mosquitto", str(compose.folder / "broker"))
    file.write_text(text + f"\nuser {os.environ.get('USER', 'root')}\n")
    compose.start(["mosquitto", "-c", str(file)], compose.environment("broker"), "broker.log")

    health = compose.text(compose.services["broker"]["healthcheck"]["test"][1]).replace("mosquitto_sub", f"mosquitto_sub -p {compose.port}")
    healthy = lambda: subprocess.run(["sh", "-c", health], env=compose.environment("broker"), capture_output=True).returncode == 0
    wait("the broker is healthy", healthy)

    ports = {"FATHOM_MQTT_PORT": str(compose.port), "FATHOM_HTTP_PORT": str(compose.http_port)}
    gateway = compose.environment("gateway") | ports
    compose.start(compose.fathom("gateway"), gateway, "gateway.log")
    ready = [BINARY, "health", "--ready", "--config", str(compose.folder / "config/fathom.yaml")]
    wait("the gateway is ready", lambda: subprocess.run(ready, env=gateway, capture_output=True).returncode == 0)

    page, token = free_port(), compose.variables["PAGE_TOKEN"]
    given = compose.environment("page") | ports | {"FATHOM_PAGE_PORT": str(page)}
    compose.start(["sh", "-ec", compose.text(compose.services["page"]["entrypoint"][2])], given, "page.log")
    wait("the page answers with its token", lambda: status(f"http://localhost:{page}/?token={token}") == 200)
    assert status(f"http://localhost:{page}/") in (401, 403), "the page answers without a token"

    compose.start(compose.fathom("fleet"), compose.environment("fleet") | ports, "fleet.log")
    viewer = ["mosquitto_sub", "-p", str(compose.port), "-u", "viewer", "-P", compose.variables["VIEWER_PASSWORD"], "-W", "40"]
    for device, kind in (("ultra-1", "depth-state"), ("batter-1", "connection/device"), ("pods-1", "connection/headphone")):
        topic = f"wearables/{device}/out/{kind}"
        seen = subprocess.run(viewer + ["-C", "1", "-t", topic], capture_output=True, text=True)
        assert seen.returncode == 0, f"no {topic}: {seen.stderr}"
    line = next(line for line in (ROOT / "docker-compose.yml").read_text().splitlines() if "mosquitto_rr" in line).lstrip("# ")
    asked = line.replace("ANALYST_PASSWORD", compose.variables["ANALYST_PASSWORD"]) + f" -p {compose.port} -W 10"
    reply = subprocess.run(["sh", "-c", asked], capture_output=True, text=True)
    kinds = [message["kind"] for message in json.loads(reply.stdout or "{}").get("messages", [])]
    assert "depth-state" in kinds, f"{asked}: {reply.stdout} {reply.stderr}"
    rejected = subprocess.run(viewer[:-1] + ["2", "-t", "fathom/+/rejected"], capture_output=True, text=True).stdout
    assert "unknownDevice" not in rejected, rejected


with tempfile.TemporaryDirectory() as folder:
    compose = Compose(folder)
    try:
        run(compose)
    except BaseException:
        for log in ("broker.log", "gateway.log", "page.log", "fleet.log"):
            if (compose.folder / log).exists():
                print(f"--- {log}\n{(compose.folder / log).read_text()[-2000:]}")
        raise
    finally:
        compose.stop()
