"""Alarms on the page: who sees them, who acknowledges them, sound, notification, title and screen reader; the table's groups and order.

Alone: alarms.py PATH-OF-FATHOM, in the virtual environment of this check. Messages and answers are those of the contract, made here.
"""

import json
import subprocess
import sys
import threading
import time

from playwright.sync_api import expect, sync_playwright

import load
from rig import Publisher, Rig, Watch, until

TOKEN = "operator-token-of-the-check"
CROWD = 500


def alarm(device, level, severity, state="raised", since=None, **more):
    now = time.time()
    fields = {"id": f"{device}{level}{state}{now}", "at": now, "received": now, "alarm": level, "severity": severity, "state": state,
              "since": since or now, "clearedAt": None, "value": "pastMaxDepth", "sourceKind": "depth-state", "field": "state",
              "acknowledgedBy": None, "acknowledgedAt": None, "count": 1}
    return f"wearables/{device}/out/alarm/{level}", fields | more


def depth(device, zone, meters):
    names = {100: "notSubmerged", 200: "submergedShallow", 300: "submergedDeep", 500: "pastMaxDepth"}
    now = time.time()
    return f"wearables/{device}/out/depth-state", {
        "id": f"{device}{now}", "at": now, "received": now, "quality": "valid", "state": names[zone], "previous": names[zone], "rawValue": zone,
        "depth": meters, "maximumDepth": 6, "cause": "sample"}


class Acknowledger(threading.Thread):
    """Answers query/acknowledge as a gateway does, and publishes the alarm as acknowledged."""

    def __init__(self, rig, publisher):
        super().__init__(daemon=True)
        self.publisher, self.asked, self.refusal = publisher, [], None
        self.process = subprocess.Popen(
            ["mosquitto_sub", "-p", str(rig.broker), "-t", "wearables/+/query/acknowledge/#", "-F", "%t %p"], stdout=subprocess.PIPE, text=True)
        rig.processes.append(self.process)
        self.start()

    def run(self):
        for line in self.process.stdout:
            topic, body = line.split(" ", 1)
            device, body = topic.split("/")[1], json.loads(body)
            self.asked.append((topic, body))
            reply = {"error": "badRequest", "detail": self.refusal} if self.refusal else {"device": device, "state": "acknowledged"}
            messages = [(f"fathom/pool-1/reply/{body['reply']}", reply)]
            if not self.refusal:
                messages.insert(0, alarm(device, body["alarm"], "critical", "acknowledged", since=self.since,
                                         acknowledgedBy=body["by"], acknowledgedAt=time.time()))
            self.publisher.send(messages)


def names(page):
    return page.locator("#devices tbody tr.device:visible td.device button").all_inner_texts()


def raised(rig, publisher, page, other, gateway):
    bar = page.locator("#alarms")
    expect(bar).to_contain_text("No alarms")
    page.get_by_role("button", name="Sound off").click()
    expect(page.get_by_role("button", name="Sound on", exact=True)).to_be_visible()
    page.get_by_role("button", name="Notifications off").click()
    expect(page.get_by_role("button", name="Notifications on")).to_be_visible()
    sounds = page.evaluate("window.fathom.sounds")
    gateway.since = time.time() - 5
    publisher.send([alarm("ultra-1", "past-limit", "critical", since=gateway.since)])
    began = time.monotonic()
    row = bar.locator("li", has_text="ultra-1")
    expect(row).to_contain_text("past-limit: past max depth")
    assert time.monotonic() - began < 1, "an alarm is on the page within a second"
    clock = page.evaluate("(at) => new Date(at * 1000).toLocaleTimeString([], { hourCycle: "h23" })", gateway.since)
    expect(row).to_contain_text(f"since {clock}")
    expect(page).to_have_title("(1) Fathom")
    expect(page.locator("#news")).to_have_text("ultra-1: critical alarm past-limit, past max depth")
    assert page.locator("#news").get_attribute("aria-live") == "assertive"
    assert page.evaluate("window.fathom.sounds") > sounds and page.evaluate("window.fathom.notices") == 1
    # A repeated message is no new alarm; the sound comes again while nobody acknowledges it.
    publisher.send([alarm("ultra-1", "past-limit", "critical", since=gateway.since)])
    sounds = page.evaluate("window.fathom.sounds")
    until(page, f"window.fathom.sounds > {sounds}", 20)
    assert page.evaluate("window.fathom.notices") == 1
    assert names(page)[0] == "ultra-1", names(page)
    print("ok: a critical alarm is shown within a second, sounds until it is acknowledged, notifies once, and is in title and live region")

    for text in ["watch-3", "nothing like this"]:
        page.locator("#filter").fill(text)
        page.wait_for_timeout(300)
        assert "ultra-1" in names(page), (text, names(page))
    page.locator("#filter").fill("")
    expect(other.locator("#alarms")).to_contain_text("not acknowledged")
    expect(other.get_by_role("button", name="Acknowledge")).to_have_count(0)
    expect(other.locator("#alarms input")).to_be_hidden()
    act = page.get_by_role("button", name="Acknowledge past-limit of ultra-1")
    expect(act).to_be_disabled()
    page.locator("#alarms input").fill("Ann")
    gateway.refusal = "no alarm is called past-limit"
    act.click()
    expect(row).to_contain_text(gateway.refusal)
    gateway.refusal = None
    act.click()
    for viewer in [page, other]:
        expect(viewer.locator("#alarms li", has_text="ultra-1")).to_contain_text("acknowledged by Ann")
        expect(viewer).to_have_title("Fathom")
    topic, body = gateway.asked[-1]
    assert topic == "wearables/ultra-1/query/acknowledge/page" and body["alarm"] == "past-limit" and body["by"] == "Ann", gateway.asked
    page.reload()
    expect(page.locator("#alarms input")).to_have_value("Ann")
    expect(page.get_by_role("button", name="Sound on: click once")).to_be_visible()
    publisher.send([alarm("ultra-1", "past-limit", "critical", "cleared", since=gateway.since, clearedAt=time.time(), acknowledgedBy="Ann")])
    expect(page.locator("#alarms")).to_contain_text("1 cleared")
    subprocess.run(["mosquitto_pub", "-p", str(rig.broker), "-r", "-n", "-t", "wearables/ultra-1/out/alarm/past-limit"], check=True)
    expect(page.locator("#alarms")).not_to_contain_text("1 cleared")
    print("ok: an operator acknowledges with a name, everybody sees who did, a refusal is told; cleared alarms are kept below until they go")


def groups(publisher, page):
    publisher.send([
        depth("ultra-2", 300, 3.2), depth("ultra-3", 300, 4.4), depth("ultra-10", 300, 1.2),
        ("wearables/runner-1/out/session/distance",
         {"id": "r1", "at": time.time(), "received": time.time(), "state": "running", "activity": "running", "start": time.time() - 60, "end": None}),
        ("wearables/gone-1/out/connection/device", {"id": "g1", "at": time.time(), "state": "disconnected", "cause": "reported"})])
    until(page, "Object.keys(window.fathom.devices()).length === 7", 10)
    heads = page.locator("#devices tr.group:visible")
    expect(heads).to_have_text(["▾Under water3", "▾In a workout1", "▾Idle2", "▾Not connected or never seen1"])
    expect(heads.nth(0).get_by_role("button")).to_have_attribute("aria-expanded", "true")
    assert names(page) == ["ultra-2", "ultra-3", "ultra-10", "runner-1", "ultra-1", "watch-3", "gone-1"], names(page)
    depths = page.get_by_role("button", name="Depth", exact=True)
    depths.click()
    until(page, "document.querySelector('#devices th.depth').getAttribute('aria-sort') === 'ascending'", 5)
    page.wait_for_timeout(700)
    assert names(page)[:3] == ["ultra-10", "ultra-2", "ultra-3"], names(page)
    depths.click()
    page.wait_for_timeout(700)
    assert names(page)[:3] == ["ultra-3", "ultra-2", "ultra-10"], names(page)
    depths.click()
    heads.nth(0).get_by_role("button").click()
    page.wait_for_timeout(700)
    assert "ultra-2" not in names(page), names(page)
    expect(heads.nth(0)).to_have_text("▸Under water3, 3 folded")
    publisher.send([alarm("ultra-2", "near-limit", "warning", value="approachingMaxDepth")])
    page.wait_for_timeout(700)
    assert names(page)[0] == "ultra-2", "a folded group hides no alarm"
    page.reload()
    until(page, "Object.keys(window.fathom?.devices() ?? {}).length === 7", 10)
    page.wait_for_timeout(700)
    assert "ultra-3" not in names(page), "what is folded is remembered"
    heads.nth(0).get_by_role("button").click()
    page.wait_for_timeout(700)
    assert page.locator("td.trend path[d^='M']").count() >= 3
    print("ok: groups with counts that fold and hide no alarm, sorting by a column, a line of the last minutes")


def crowd(rig, server, tools):
    """500 devices with 50 alarms: 30 frames a second, and memory is bounded."""
    publisher = Publisher(rig.broker, "crowd")

    def send(step):
        now = time.time()
        publisher.send([(f"wearables/crowd-{number}/out/depth-state", {
            "id": f"{number}-{step}", "at": now, "received": now, "validUntil": now + 6, "quality": "valid", "state": "submergedDeep",
            "previous": "submergedDeep", "rawValue": 300, "depth": 2 + number % 7, "maximumDepth": 40, "cause": "sample"}) for number in range(CROWD)])
        publisher.send([alarm(f"crowd-{number * 10}", f"level-{step % 3}", "critical", "raised" if step % 2 else "cleared", clearedAt=now)
                        for number in range(50)])
        # Levels without end of one device: as many as are kept.
        publisher.send([alarm("crowd-1", f"odd-{step * 50 + index}", "info") for index in range(50)])
        publisher.send([("fathom/pool-1/status", {"state": "online", "at": now, "ingress": "connected"})])

    address = rig.crowd_address
    page = load.browser(tools).new_page(viewport={"width": 1440, "height": 900})
    send(1)
    page.goto(address)
    until(page, f"Object.keys(window.fathom?.devices() ?? {{}}).length >= {CROWD}", 60)
    stopped = threading.Event()

    def feed():
        step = 1
        while not stopped.wait(1):
            step += 1
            send(step)

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    page.wait_for_timeout(5_000)
    memory, heap = load.resident(server), load.heap(page)
    frames = page.evaluate("""new Promise((done) => {
        let count = 0;
        const began = performance.now();
        const next = () => { count += 1; performance.now() - began > 15_000 ? done(count / 15) : requestAnimationFrame(next); };
        next();
    })""")
    page.wait_for_timeout(5_000)
    growth, more = load.resident(server) - memory, load.heap(page) - heap
    kept = page.evaluate("window.fathom.devices()['crowd-1'].alarms.length")
    stopped.set()
    feeding.join()
    print(f"500 devices, 50 alarms: {frames:.0f} frames/s, server {memory:.0f} MB {growth:+.1f}, scripts {heap:.0f} MB {more:+.1f}")
    assert frames >= 30 and growth < 12 and more < 15 and kept == 64, (frames, growth, more, kept)
    print("ok: 500 devices with 50 alarms draw at 30 frames a second or more in bounded memory")


def terminal(rig, *flags):
    """What `fathom watch` shows on a terminal of 100 by 30 with 60 devices and three alarms, and how often the bell rings."""
    watch = Watch(rig, *flags)
    time.sleep(2)
    publisher, since = Publisher(rig.broker, "terminal"), time.time()
    publisher.send([depth(f"shelf-{number}", 100, None) for number in range(60)])
    for _ in range(3):
        publisher.send([alarm("shelf-57", "past-limit", "critical", since=since), alarm("shelf-58", "near-limit", "warning", since=since)])
        time.sleep(0.5)
    publisher.send([alarm("shelf-59", "contact-lost", "critical", since=since + 1)])
    time.sleep(0.5)
    publisher.send([alarm("shelf-57", "past-limit", "critical", "acknowledged", since=since, acknowledgedBy="Ann", acknowledgedAt=since + 2)])
    time.sleep(1)
    watch.close(within=15)
    frames = watch.output.split(b"\x1b[H")
    shown = max((frame for frame in frames if b"acknowledged by Ann" in frame), key=frames.index).decode().replace("\r", "").splitlines()
    return watch.output.count(b"\a"), [line.replace("\x1b[K", "").rstrip() for line in shown], since


def watch_rings(rig):
    bells, lines, since = terminal(rig)
    clock = time.strftime("%H:%M:%S", time.localtime(since))
    assert bells == 2, f"{bells} bells for two critical alarms"
    assert lines[0].split("   ")[2] == "3 alarms, 2 critical", lines[0]
    assert lines[1].startswith(" ▲ contact-lost  shelf-59  since "), lines[1]
    assert lines[2].startswith(" ▲ near-limit    shelf-58  since "), lines[2]
    assert lines[3].startswith(f" △ past-limit    shelf-57  since {clock}, acknowledged by Ann at "), lines[3]
    assert any(line.endswith(" more devices, 0 alarms") for line in lines), lines
    assert terminal(rig, "--no-bell")[0] == 0
    print("ok: watch has alarms on top with clock times, and rings once for each critical one")


def run(binary):
    with Rig(binary) as rig:
        with open(rig.path("operator"), "w") as file:
            file.write(TOKEN + "\n")
        server, address = rig.page(page__operatorTokenFile=rig.path("operator"))
        publisher = Publisher(rig.broker)
        publisher.send([("fathom/pool-1/status", {"state": "online", "at": time.time() + 3_600, "ingress": "connected"}),
                        ("wearables/watch-3/out/connection/device", {"id": "w", "at": time.time(), "state": "connected", "cause": "reported"}),
                        depth("ultra-1", 100, None)])
        gateway = Acknowledger(rig, Publisher(rig.broker, "gateway"))
        with sync_playwright() as tools:
            browser = load.browser(tools)
            context = browser.new_context(viewport={"width": 1440, "height": 900}, permissions=["notifications"])
            page, other = context.new_page(), browser.new_page()
            problems = []
            for each in [page, other]:
                each.on("pageerror", lambda error: problems.append(str(error)))
            page.goto(f"{address}/?token={TOKEN}")
            other.goto(address)
            until(page, "window.fathom.problem === null", 20)
            raised(rig, publisher, page, other, gateway)
            groups(publisher, page)
            assert not problems, problems
            for each in [page, other]:
                each.close()
        watch_rings(rig)
        server, rig.crowd_address = rig.page()
        with sync_playwright() as tools:
            crowd(rig, server, tools)


if __name__ == "__main__":
    run(sys.argv[1])
