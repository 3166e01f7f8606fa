"""200 devices with 10 events a second each for a minute: memory stays flat, and the page keeps drawing.

Alone: load.py PATH-OF-FATHOM [SECONDS], in the virtual environment of this check.
"""

import os
import sys
import threading
import time

from playwright.sync_api import sync_playwright

from rig import Publisher, Rig, until, wait

DEVICES = 200
SECONDS = 60


def resident(process):
    with open(f"/proc/{process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


def depth(device, now, step):
    meters = abs(step % 80 - 40) / 10
    return f"wearables/load-{device}/out/depth-state", {
        "id": f"{device}-{step}", "at": now, "received": now, "validUntil": now + 5, "quality": "valid", "state": "submergedDeep",
        "previous": "submergedDeep", "rawValue": 300, "depth": meters, "maximumDepth": 40, "cause": "sample",
    }


def gap(device, now, step):
    return f"wearables/load-{device}/out/gap", {
        "id": f"g{device}-{step}", "at": now, "received": now, "stream": "submersion", "unit": "frames", "expected": 2, "receivedCount": 1,
    }


def trace(device, now, step):
    signal = {"interval": 0.00125, "scale": 0.01, "values": list(range(100, 1_100))}
    return f"wearables/load-{device}/out/trace/swing", {
        "id": f"t{device}-{step}", "at": now, "swingAt": now, "startAt": now - 0.2, "impactAt": now, "from": now - 0.7,
        "acceleration": signal, "rotationRate": dict(signal, interval=0.005, values=list(range(250))),
    }


def browser(tools):
    """Debian's chromium, without a window."""
    return tools.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])


def heap(page):
    """Megabytes that the page's scripts use after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    session.detach()
    return used


def run(binary, seconds=SECONDS):
    with Rig(binary) as rig:
        server, address = rig.page()
        publisher = Publisher(rig.broker)
        publisher.send([("fathom/load/status", {"state": "online", "at": time.time(), "ingress": "connected"})])
        # Fills every history first, so that only what is not bounded can still grow.
        for step in range(600):
            now = time.time()
            publisher.send([depth(device, now, step) for device in range(DEVICES)])
            if step % 3 == 0:
                publisher.send([gap(device, now, step) for device in range(DEVICES)])
            if step % 60 == 0:
                publisher.send([trace(device, now, step) for device in range(DEVICES)])
            time.sleep(0.02)
        wait_idle(server)
        with sync_playwright() as tools:
            page = browser(tools).new_page(viewport={"width": 1400, "height": 900})
            page.goto(f"{address}/#load-1")
            until(page, f"Object.keys(window.fathom?.devices() ?? {{}}).length === {DEVICES}", 60)
            stopped = threading.Event()
            feeding = threading.Thread(target=feed, args=(publisher, stopped))
            feeding.start()
            time.sleep(5)
            scripts = [heap(page)]
            first, drawn, began = resident(server), page.evaluate("window.fathom.redraws"), time.monotonic()
            memory = [first]
            while time.monotonic() - began < seconds:
                page.wait_for_timeout(max(5_000, seconds * 20))
                memory.append(resident(server))
            redraws = (page.evaluate("window.fathom.redraws") - drawn) / (time.monotonic() - began)
            problem = page.evaluate("window.fathom.problem")
            scripts.append(heap(page))
            stopped.set()
            feeding.join()
            returns_anew(publisher, page)
        growth = max(memory[len(memory) // 2:]) - first
        print(f"memory in MB: {' '.join(f'{value:.1f}' for value in memory)}; {redraws:.1f} redraws/s")
        print(f"the page's scripts in MB: {scripts[0]:.1f}, {scripts[1]:.1f}")
        assert problem is None, problem
        assert growth < max(4, first * 0.06), f"memory grew by {growth:.1f} MB"
        assert scripts[1] - scripts[0] < 10, scripts
        assert redraws > 5, redraws
        print(f"ok: {DEVICES} devices with 10 events/s for {seconds:.0f} s")


def feed(publisher, stopped):
    step = 1_000
    while not stopped.wait(0.1):
        now = time.time()
        step += 1
        publisher.send([(gap if step % 10 == 0 else depth)(device, now, step) for device in range(DEVICES)])
        if step % 50 == 0:
            publisher.send([("fathom/load/status", {"state": "online", "at": now, "ingress": "connected"})])


def returns_anew(publisher, page):
    """A device that made room for others, and returns, has nothing of before in its details, which stayed open."""
    lines = "document.querySelectorAll('ol.timeline li').length"
    publisher.send([gap("quiet", time.time(), step) for step in range(3)])
    page.evaluate("location.hash = 'load-quiet'")
    until(page, f"{lines} === 3", 10)
    publisher.send([gap(f"other-{number}", time.time(), 0) for number in range(1_000)])
    until(page, "!('load-quiet' in window.fathom.devices())", 30)
    publisher.send([gap("quiet", time.time(), 3)])
    until(page, f"{lines} === 1", 10)
    print("ok: a device that was removed and returns begins anew")


def wait_idle(process):
    """Waits until the page has processed what was sent."""

    def ticks():
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def is_idle():
        before = ticks()
        time.sleep(1)
        return ticks() - before < 0.3 * os.sysconf("SC_CLK_TCK")

    wait("the histories are filled", is_idle, 180)


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS)
