"""One alarm from the diver to everybody who is told, with real programs: gateway, page, watch, notify and metrics, each killed on the way.

Alone: chain.py PATH-OF-FATHOM, in the virtual environment of this check.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

from playwright.sync_api import expect, sync_playwright

import load
from rig import Rig, Watch, free_port, until, wait
from watching import Diver

TOKEN = "operator-token-of-the-check"
TOPIC = "wearables/diver-1/out/alarm/past-limit"


class Ear:
    """Every message on the topic of the alarm, with when it came."""

    def __init__(self, rig):
        self.messages = []
        self.process = subprocess.Popen(["mosquitto_sub", "-p", str(rig.broker), "-q", "1", "-t", TOPIC], stdout=subprocess.PIPE, text=True)
        rig.processes.append(self.process)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.messages.append((time.time(), json.loads(line)))

    def first(self, state):
        return next(((at, message) for at, message in self.messages if message["state"] == state), None)

    def ids(self, state):
        return {message["id"] for _, message in self.messages if message["state"] == state}


class Chain:
    def __init__(self, rig):
        self.rig, self.http, self.port = rig, free_port(), free_port()
        self.told = rig.path("told")
        with open(rig.path("operator"), "w") as file:
            file.write(TOKEN + "\n")
        with open(rig.path("registry.yaml"), "w") as file:
            file.write("devices:\n  diver-1: { entitlement: shallow }\n")
        self.gateway = self.start_gateway()
        self.page = self.start_page()
        self.notify = self.start_notify()

    def start_gateway(self):
        return self.rig.fathom(
            "run", registry__file=self.rig.path("registry.yaml"), gateway__name="pool-1", gateway__statusSeconds=1,
            gateway__stateDirectory=self.rig.path("state"), http__port=self.http)

    def start_page(self):
        return self.rig.page(port=self.port, page__operatorTokenFile=self.rig.path("operator"))[0]

    def start_notify(self):
        command = f'cat >> {self.told} && echo >> {self.told}'
        return self.rig.fathom("notify", "--exec", command, notify__stateDirectory=self.rig.path("notify"))

    def kill(self, name):
        """kill -9, and a new start."""
        process = getattr(self, name)
        process.kill()
        process.wait()
        setattr(self, name, getattr(self, f"start_{name}")())

    def notices(self, state):
        """What the command was told of the alarm in a state."""
        if not os.path.exists(self.told):
            return []
        with open(self.told) as file:
            lines = [json.loads(line) for line in file.read().split("\n") if line.strip()]
        return [line for line in lines if line["alarm"] == "past-limit" and line["state"] == state]

    def counted(self):
        """How many critical alarms of the rule Prometheus would read."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.http}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        found = [line for line in lines if line.startswith("fathom_alarms{") and 'name="past-limit"' in line and 'severity="critical"' in line]
        return float(found[0].rsplit(" ", 1)[1]) if found else 0

    def retained(self):
        out = subprocess.run(["mosquitto_sub", "-p", str(self.rig.broker), "-t", TOPIC, "-C", "1", "-W", "2"], capture_output=True, text=True).stdout
        return json.loads(out) if out else None


def shows(watch, text):
    wait(f"watch shows {text!r}", lambda: any(text in line and "past-limit" in line for line in watch.frame().splitlines()), 20)


def is_raised(chain, page, watch, ear):
    """Everybody knows."""
    row = page.locator("#alarms li", has_text="past-limit")
    expect(row).to_contain_text("diver-1", timeout=20_000)
    expect(row.get_by_role("button", name="Acknowledge past-limit of diver-1")).to_be_visible()
    shows(watch, "diver-1")
    wait("the metrics have it", lambda: chain.counted() == 1, 20)
    wait("the command has run", lambda: chain.notices("raised"), 20)
    assert {notice["id"] for notice in chain.notices("raised")} == ear.ids("raised"), (chain.notices("raised"), ear.messages)
    assert len(ear.ids("raised")) == 1, ear.messages
    assert chain.retained()["state"] == "raised"


def is_acknowledged(chain, pages, watch):
    for page in pages:
        expect(page.locator("#alarms li", has_text="past-limit")).to_contain_text("acknowledged by Ann", timeout=20_000)
    shows(watch, "acknowledged by Ann")
    assert chain.retained()["acknowledgedBy"] == "Ann", chain.retained()
    wait("the metrics have it", lambda: chain.counted() == 1, 20)


def follow(chain, browser, rig):
    address = f"http://127.0.0.1:{chain.port}"
    ear, watch = Ear(rig), Watch(rig)
    page, other = browser.new_context(permissions=["notifications"]).new_page(), browser.new_page()
    page.goto(f"{address}/?token={TOKEN}")
    other.goto(address)
    until(page, "window.fathom.problem === null", 20)
    page.get_by_role("button", name="Sound off").click()
    diver = Diver(rig, "diver-1", 3.0)
    until(page, "window.fathom.devices()['diver-1']?.water?.zone > 100", 20)

    sounds, sent = page.evaluate("window.fathom.sounds"), time.time()
    diver.depth = 6.2
    wait("the alarm is raised", lambda: ear.first("raised"), 10)
    # The diver sends twice a second.
    delay = ear.first("raised")[0] - sent
    assert delay < 1.5, f"raised after {delay:.2f} s, of which the diver waits up to 0.5"
    expect(page).to_have_title("(1) Fathom")
    expect(page.locator("#news")).to_contain_text("diver-1: critical alarm past-limit")
    until(page, f"window.fathom.sounds > {sounds}", 5)
    is_raised(chain, page, watch, ear)
    print(f"ok: 6.2 m is an alarm {delay:.2f} s after the depth was reached, on the broker, page, watch, metrics, and told once")

    for name in ["gateway", "page", "notify"]:
        chain.kill(name)
        is_raised(chain, page, watch, ear)
    print("ok: the alarm stays raised while gateway, page and notify are killed; nobody is told again under another id")

    page.locator("#alarms input").fill("Ann")
    button = page.get_by_role("button", name="Acknowledge past-limit of diver-1")
    expect(button).to_be_enabled(timeout=20_000)
    button.click()
    is_acknowledged(chain, [page, other], watch)
    for name in ["gateway", "page", "notify"]:
        chain.kill(name)
        is_acknowledged(chain, [page, other], watch)
    assert not [notice for notice in chain.notices("acknowledged")], "an acknowledgement is told nobody"
    print("ok: acknowledged from the page, seen everywhere, and kept over the same kills")

    diver.depth = 2.0
    wait("the alarm is cleared", lambda: ear.first("cleared"), 30)
    wait("the command has run", lambda: chain.notices("cleared"), 20)
    for name in ["gateway", "page", "notify"]:
        chain.kill(name)
    wait("the gateway counts it no more", lambda: chain.counted() == 0, 20)
    for each in [page, other]:
        expect(each.locator("#alarms")).to_contain_text(re.compile("[12] cleared"), timeout=20_000)
    assert {notice["id"] for notice in chain.notices("cleared")} == ear.ids("cleared") and len(ear.ids("cleared")) == 1, ear.messages
    assert {notice["id"] for notice in chain.notices("raised")} == ear.ids("raised") and len(ear.ids("raised")) == 1, ear.messages
    assert chain.retained()["state"] == "cleared" and chain.retained()["acknowledgedBy"] == "Ann", chain.retained()
    print("ok: cleared at 2 m, told, and the same after the kills; every notice has an id that the broker has seen")
    diver.stop()
    watch.close()


def run(binary):
    with Rig(binary) as rig:
        chain = Chain(rig)
        with sync_playwright() as tools:
            follow(chain, load.browser(tools), rig)


if __name__ == "__main__":
    run(sys.argv[1])
