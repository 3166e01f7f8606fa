"""A person who watches: a diver who passes the limit is never filtered away, and devices on a shelf raise no alarm.

Alone: watching.py PATH-OF-FATHOM, in the virtual environment of this check.
"""

import json
import subprocess
import sys
import threading
import time

from playwright.sync_api import expect, sync_playwright

import load
from rig import Rig, until, wait

PODS = "shelf-pods"
SHELF = [*(f"shelf-{number}" for number in range(1, 6)), PODS]


class Diver:
    """Sends a depth twice a second, of one boot, until it is stopped."""

    def __init__(self, rig, name, depth):
        self.name, self.depth, self.runs = name, depth, True
        self.boot, self.seq, self.begin = f"b{time.time_ns()}", 0, time.monotonic()
        self.publisher = subprocess.Popen(
            ["mosquitto_pub", "-p", str(rig.broker), "-q", "1", "-t", f"wearables/{name}/in/submersion", "-l"], stdin=subprocess.PIPE, text=True)
        rig.processes.append(self.publisher)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while self.runs:
            uptime = 1000 + time.monotonic() - self.begin
            frame = {"schema": "wearables/1", "boot": self.boot, "seq": self.seq, "uptime": uptime, "sent": time.time(),
                     "measurements": [{"timestamp": uptime, "depth": {"value": self.depth, "unit": "m"}}]}
            self.publisher.stdin.write(json.dumps(frame) + "\n")
            self.publisher.stdin.flush()
            self.seq += 1
            time.sleep(0.5)

    def stop(self):
        self.runs = False
        self.thread.join()
        self.publisher.stdin.close()


def gateway(rig):
    with open(rig.path("registry.yaml"), "w") as file:
        file.write("devices:\n" + "".join(f"  {name}: {{ entitlement: shallow }}\n" for name in ["diver-1", "diver-2", *SHELF]))
    return rig.fathom(
        "run", registry__file=rig.path("registry.yaml"), gateway__name="pool-1", gateway__statusSeconds=1,
        gateway__stateDirectory=rig.path("state"), http__port="null")


def retained(rig):
    """The retained depth states by device."""
    lines = subprocess.run(
        ["mosquitto_sub", "-p", str(rig.broker), "-t", "wearables/+/out/depth-state", "-W", "2", "-F", "%t %p"],
        capture_output=True, text=True).stdout.splitlines()
    return {line.split("/")[1]: json.loads(line.split(" ", 1)[1])["state"] for line in lines}


def shown(page):
    """The names of the rows that are visible, from the top."""
    return page.locator("#devices tr.device:visible td.device button").all_inner_texts()


def a_diver_passes_the_limit(page, diver):
    chips = page.locator("#summary")
    chips.get_by_role("button", name="1 under water").click()
    expect(page.locator("#filter")).to_have_value("under water")
    until(page, "document.querySelectorAll('#devices tr.device:not([hidden])').length === 1", 10)
    assert shown(page) == ["diver-1"], shown(page)
    diver.depth = 6.2
    until(page, "window.fathom.devices()['diver-1'].rank === 0", 20)
    page.wait_for_timeout(1000)
    assert shown(page) == ["diver-1"], shown(page)
    expect(page.locator("#empty")).to_be_hidden()
    expect(chips.get_by_role("button", name="1 under water")).to_be_visible()
    expect(chips.get_by_role("button", name="1 alarm")).to_be_visible()
    # What others see, told to those who do not.
    expect(page).to_have_title("(1) Fathom")
    expect(page.locator("#news")).to_contain_text("diver-1: critical alarm past-limit")
    expect(page.locator("tr", has_text="diver-1").get_by_role("img", name="alarm")).to_be_visible()
    for text in ["shelf", "nothing like this", "silent"]:
        page.locator("#filter").fill(text)
        page.wait_for_timeout(300)
        assert shown(page)[:1] == ["diver-1"], (text, shown(page))
    page.locator("#filter").fill("")
    page.wait_for_timeout(300)
    assert shown(page)[0] == "diver-1" and len(shown(page)) > 1, shown(page)
    print("ok: a diver who passes 6 m stays in sight under every filter, and goes to the top")


def the_shelf_raises_no_alarm(rig, page, process, diver):
    process.kill()
    process.wait()
    diver.stop()
    gateway(rig)
    until(page, "window.fathom.problem === null", 30)
    # What the gateway publishes of its start is there once the diver's state is.
    wait("the diver is unknown", lambda: retained(rig).get("diver-1") == "unknown", 20)
    assert retained(rig) == {"diver-1": "unknown", "shelf-1": "notSubmerged"}, retained(rig)
    until(page, "window.fathom.devices()['diver-1'].rank === 0", 10)
    ranks = page.evaluate("Object.fromEntries(Object.entries(window.fathom.devices()).map(([id, row]) => [id, row.rank]))")
    assert all(rank >= 4 for name, rank in ranks.items() if name in SHELF), ranks
    # Headphones that are silent never had a depth: they are among the others, without the mark of a lost contact.
    assert ranks[PODS] == 6, ranks
    expect(page.locator("tr", has_text=PODS)).to_contain_text("silent")
    expect(page.locator("tr", has_text=PODS).locator("td.mark")).to_have_text("")
    # A page that starts now knows only what the broker retains: the state before is in the message.
    _, address = rig.page()
    page.goto(address)
    until(page, "window.fathom.devices()['diver-1']?.rank === 0", 20)
    expect(page.locator("#summary").get_by_role("button", name="1 alarm")).to_be_visible()
    # The diver's contact is lost too.
    page.locator("#summary").get_by_role("button", name="1 contact lost").click()
    until(page, "document.querySelectorAll('#devices tr.device:not([hidden])').length === 1", 10)
    assert shown(page) == ["diver-1"], shown(page)
    print("ok: after a restart the diver is an alarm whose contact is lost, and six devices on the shelf are neither")


def run(binary):
    with Rig(binary) as rig:
        with sync_playwright() as tools:
            process = gateway(rig)
            _, address = rig.page()
            page = load.browser(tools).new_page(viewport={"width": 1500, "height": 900})
            page.goto(address)
            diver = Diver(rig, "diver-1", 3.0)
            out = Diver(rig, "shelf-1", 0.0)
            header = {"schema": "wearables/1", "boot": f"b{time.time_ns()}", "seq": 0, "uptime": 1000.0, "sent": time.time()}
            subprocess.run(["mosquitto_pub", "-p", str(rig.broker), "-r", "-t", "wearables/shelf-2/in/status",
                            "-m", json.dumps(header | {"state": "online"})], check=True)
            silent = {"id": "s1", "at": time.time(), "state": "silent", "previous": "connected", "cause": "silence"}
            subprocess.run(["mosquitto_pub", "-p", str(rig.broker), "-r", "-t", f"wearables/{PODS}/out/connection/device", "-m", json.dumps(silent)],
                           check=True)
            wait("shelf-1 is out of the water", lambda: retained(rig).get("shelf-1") == "notSubmerged", 30)
            out.stop()
            until(page, "window.fathom.devices()['diver-1']?.water?.zone > 100", 20)
            a_diver_passes_the_limit(page, diver)
            the_shelf_raises_no_alarm(rig, page, process, diver)


if __name__ == "__main__":
    run(sys.argv[1])
