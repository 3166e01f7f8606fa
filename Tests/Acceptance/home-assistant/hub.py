"""Home Assistant of PyPI in a virtual environment, with one MQTT integration and one user."""

import glob
import json
import os
import re
import secrets
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from rig import ROOT, free_port

# The newest release that Python 3.13.0 takes, with the web interface of its release notes. MQTT needs paho-mqtt.
REQUIREMENTS = ["homeassistant==2025.4.4", "home-assistant-frontend==20250411.0", "paho-mqtt==2.1.0"]
VENV = os.path.join(ROOT, ".build-acceptance", "home-assistant")
CLIENT = "http://127.0.0.1/"


class Skipped(Exception):
    """Why Home Assistant cannot be had here."""


def environment():
    """The folder of a virtual environment with Home Assistant; HOME_ASSISTANT_VENV names one that is there already."""
    own = os.environ.get("HOME_ASSISTANT_VENV")
    if own:
        return own
    if os.path.exists(os.path.join(VENV, "complete")):
        return VENV
    candidates = [shutil.which("python3.13")] + sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.13.*/bin/python3.13")))
    python = next((path for path in candidates if path and works(path)), None)
    if python is None:
        raise Skipped("Python 3.13 is not installed")
    shutil.rmtree(VENV, ignore_errors=True)
    print("installing Home Assistant into .build-acceptance/home-assistant (some minutes)", flush=True)
    subprocess.run([python, "-m", "venv", VENV], check=True)
    pip = subprocess.run([os.path.join(VENV, "bin", "pip"), "install", "-q"] + REQUIREMENTS, capture_output=True, text=True)
    if pip.returncode != 0:
        shutil.rmtree(VENV, ignore_errors=True)
        raise Skipped("PyPI gives no Home Assistant: " + (pip.stderr.strip().splitlines() or ["no reason"])[-1])
    open(os.path.join(VENV, "complete"), "w").close()
    return VENV


def works(python):
    return subprocess.run([python, "-c", "import sys, venv; assert sys.version_info[:2] == (3, 13)"], capture_output=True).returncode == 0


class HomeAssistant:
    """One instance with its configuration in `directory`."""

    def __init__(self, venv, directory, broker_port, broker_password):
        self.venv = venv
        self.directory = directory
        self.broker = {"broker": "127.0.0.1", "port": broker_port, "protocol": "5", "discovery": True,
                       "username": "homeassistant", "password": broker_password}
        self.url = f"http://127.0.0.1:{free_port()}"
        self.password = secrets.token_hex(8)
        self.process = self.token = self.access = None

    def prepare(self):
        """Writes the configuration, with the MQTT integration as its dialogue would store it, and adds the user."""
        storage = os.path.join(self.directory, ".storage")
        os.makedirs(storage)
        port = self.url.rsplit(":", 1)[1]
        with open(os.path.join(self.directory, "configuration.yaml"), "w") as file:
            file.write(f"http:\n  server_host: 127.0.0.1\n  server_port: {port}\napi:\nlogger:\n  default: warning\n")
        now = "2025-01-01T00:00:00+00:00"
        entry = {"created_at": now, "modified_at": now, "data": self.broker, "disabled_by": None, "discovery_keys": {},
                 "domain": "mqtt", "entry_id": "fathom", "minor_version": 2, "options": {}, "pref_disable_new_entities": False,
                 "pref_disable_polling": False, "source": "user", "subentries": [], "title": "mosquitto", "unique_id": None,
                 "version": 1}
        content = {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [entry]}}
        with open(os.path.join(storage, "core.config_entries"), "w") as file:
            json.dump(content, file)
        self._hass("--script", "auth", "-c", self.directory, "add", "fathom", self.password, check=True)

    def start(self):
        """Starts it and waits until it answers."""
        with open(os.path.join(self.directory, "output"), "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.venv, "bin", "hass"), "-c", self.directory, "--skip-pip"], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                output = open(os.path.join(self.directory, "output")).read()[-3000:]
                raise SystemExit(f"Home Assistant ended with status {self.process.returncode}: {output}")
            try:
                self.token = self.token or self._login()
                if self._get("/api/config")["state"] == "RUNNING":
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            time.sleep(0.3)
        raise SystemExit("Home Assistant does not answer")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def version(self):
        return self._get("/api/config")["version"]

    def states(self):
        """Every entity by its id."""
        return {entity["entity_id"]: entity for entity in self._get("/api/states")}

    def complaints(self):
        """Warnings and errors of the MQTT integration, or about templates, without their times and each only once."""
        lines = []
        for name in ("home-assistant.log", "home-assistant.log.1"):
            path = os.path.join(self.directory, name)
            if os.path.exists(path):
                lines += open(path).read().splitlines()
        found = [line[24:400] for line in lines if re.search(r"\b(WARNING|ERROR)\b.*(mqtt|template|device_registry)", line)]
        return sorted(set(found))

    def _hass(self, *arguments, check=False):
        return subprocess.run([os.path.join(self.venv, "bin", "hass"), *arguments], check=check, capture_output=True, text=True)

    def _login(self):
        flow = self._post("/auth/login_flow", {
            "client_id": CLIENT, "handler": ["homeassistant", None], "redirect_uri": CLIENT})
        step = self._post(f"/auth/login_flow/{flow['flow_id']}", {
            "client_id": CLIENT, "username": "fathom", "password": self.password})
        form = urllib.parse.urlencode({"client_id": CLIENT, "grant_type": "authorization_code", "code": step["result"]})
        return self._send("/auth/token", form.encode(), "application/x-www-form-urlencoded")["refresh_token"]

    def _access(self):
        """An access token, which is valid for half an hour."""
        form = urllib.parse.urlencode({"client_id": CLIENT, "grant_type": "refresh_token", "refresh_token": self.token})
        return self._send("/auth/token", form.encode(), "application/x-www-form-urlencoded")["access_token"]

    def _post(self, path, value):
        return self._send(path, json.dumps(value).encode(), "application/json")

    def _send(self, path, body, content_type):
        request = urllib.request.Request(self.url + path, data=body, headers={"Content-Type": content_type})
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)

    def _get(self, path):
        self.access = self.access or self._access()
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.access}"})
        with urllib.request.urlopen(request, timeout=10) as response:
            return json.load(response)
