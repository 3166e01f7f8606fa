"""Checks the fleet page against mosquitto, `fathom run` and `fathom simulate` in chromium; prints what it checks."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from playwright.sync_api import expect, sync_playwright

import alarms
import chain
import earlier
import http_checks
import load
import watching
from rig import Publisher, Rig, until


def trace_of(rig):
    """The traces that the broker passes on by their instants, filled by a thread."""
    traces = {}
    process = subprocess.Popen(
        ["mosquitto_sub", "-p", str(rig.broker), "-t", "wearables/+/out/trace/swing"], stdout=subprocess.PIPE, text=True)
    rig.processes.append(process)

    def read():
        for line in process.stdout:
            message = json.loads(line)
            traces[message["swingAt"]] = message

    threading.Thread(target=read, daemon=True).start()
    return traces


# The swing that is shown, where its marks are said to be, and the columns of pixels that have the colour of the impact.
SHOWN = """() => {
    const { box, startPixel, impactPixel, swing } = window.fathom.plots.swing;
    const canvas = document.querySelector('canvas[aria-label^="Acceleration"]');
    const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.style.color = "var(--danger)";
    probe.fillStyle = getComputedStyle(canvas).color;
    probe.fillRect(0, 0, 1, 1);
    const [red, green, blue] = probe.getImageData(0, 0, 1, 1).data;
    const columns = [];
    for (let x = 0; x < width; x += 1) {
        let count = 0;
        for (let y = 0; y < height; y += 1) {
            const at = (y * width + x) * 4;
            if (data[at + 3] > 240 && Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 12) count += 1;
        }
        if (count > height / 2) columns.push((x + 0.5) / window.devicePixelRatio);
    }
    return { box, startPixel, impactPixel, swing, columns, ratio: window.devicePixelRatio };
}"""


def check_swing(page, traces):
    """The marks of the swing that is shown are where its message's own values put them, to a pixel; returns whether it was a hit."""
    shown = page.evaluate(SHOWN)
    message = next(trace for at, trace in traces.items() if abs(at - shown["swing"]["at"]) < 1e-5)
    signals = [message["acceleration"], message["rotationRate"]]
    end = message["from"] + max((len(signal["values"]) - 1) * signal["interval"] for signal in signals)
    box, columns = shown["box"], shown["columns"]

    def pixel(at):
        return box["left"] + (at - message["from"]) / (end - message["from"]) * (box["right"] - box["left"])

    assert abs(shown["startPixel"] - pixel(message["startAt"])) <= 1, (shown["startPixel"], pixel(message["startAt"]))
    if message["impactAt"] is None:
        assert shown["impactPixel"] is None and not columns, (shown["impactPixel"], columns)
        return False
    impact = pixel(message["impactAt"])
    assert abs(shown["impactPixel"] - impact) <= 1, (shown["impactPixel"], impact)
    # The line itself, above the curves: as wide as a line is, and in one place.
    assert len(columns) == max(1, round(shown["ratio"])), (columns, impact)
    assert all(abs(column - impact) <= 1 for column in columns), (columns, impact)
    return True


def show_swing(page, position):
    """Shows the swing at a position of the table, the latest first."""
    page.locator("tr", has_text="hit").or_(page.locator("tr", has_text="miss")).locator("xpath=self::*[ancestor::aside]").nth(position).click()


def swings_are_where_they_were(page, traces):
    """The simulated batter's swings."""
    page.get_by_role("button", name="batter-1", exact=True).click()
    until(page, "window.fathom.plots.swing?.swing.contact", 60)
    until(page, "document.querySelectorAll('aside tbody tr').length >= 4", 60)
    hits = 0
    for position in range(4):
        show_swing(page, position)
        hits += check_swing(page, traces)
    assert hits > 0
    page.get_by_role("button", name="later ›").click()
    print(f"ok: start and impact of 4 swings, {hits} of them hits, are drawn within a pixel of their messages")


def made_swings(rig):
    """Publishes swings whose greatest sample is at the impact, at many places between two pixels; returns their traces."""
    now, traces, messages = time.time(), {}, []
    for index in range(10):
        at = round(now - 60 + index, 6)
        count, peak = 900 + 37 * index, 500 + 23 * index
        start = at - peak * 0.00125
        values = [100 + (3000 if sample == peak else 2900 if abs(sample - peak) < 3 else sample % 7) for sample in range(count)]
        trace = {
            "id": f"t{index}", "at": at, "swingAt": at, "startAt": at - 0.2, "impactAt": at, "from": start,
            "acceleration": {"interval": 0.00125, "scale": 0.01, "values": values},
            "rotationRate": {"interval": 0.005, "scale": 0.01, "values": [-1500 if abs(4 * each - peak) < 8 else 0 for each in range(count // 4)]},
        }
        swing = {
            "id": f"s{index}", "at": at, "startAt": at - 0.2, "impactAt": at, "contact": True, "timeToContact": 0.2,
            "peakAcceleration": 31.0, "peakRotationRate": 15.0, "confidence": 1, "coverage": 1,
        }
        traces[at] = trace
        messages += [("wearables/made-1/out/swing", swing), ("wearables/made-1/out/trace/swing", trace)]
    Publisher(rig.broker).send(messages)
    return traces


def impacts_cover_the_curves(rig, browser, address):
    """The line of an impact hides the curve below it, whatever the density of pixels and the width of the page."""
    traces = made_swings(rig)
    for ratio, width in [(1, 1500), (1, 1333), (1.5, 1500), (2, 390)]:
        page = browser.new_page(viewport={"width": width, "height": 900}, device_scale_factor=ratio)
        page.goto(f"{address}/#made-1")
        until(page, "document.querySelectorAll('aside tbody tr').length >= 10", 20)
        for position in range(10):
            show_swing(page, position)
            assert check_swing(page, traces)
        page.close()
    print("ok: 10 impacts at the greatest sample are drawn above the curves, at 1, 1.5 and 2 pixels a point")


def ink(page, name):
    return page.evaluate("""(name) => {
        const canvas = document.querySelector(`canvas[aria-label^="${name}"]`);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at] > 40) count += 1;
        return count;
    }""", name)


def lanes(rig, *states):
    """Publishes depth states, each a device, a zone and a depth."""
    names = {100: "notSubmerged", 200: "submergedShallow", 500: "pastMaxDepth", 600: "sensorDepthError"}
    now = time.time()
    Publisher(rig.broker).send([
        (f"wearables/{name}/out/depth-state",
         {"id": f"{name}-{zone}-{now}", "at": now, "quality": "valid", "state": names[zone], "rawValue": zone, "depth": depth, "maximumDepth": 6})
        for name, zone, depth in states])


def the_focus_stays(rig, page):
    """A row keeps the focus when it, or one above it, goes down."""
    focused = "document.activeElement.textContent"
    lanes(rig, ("lane1", 500, 6.3), ("lane2", 200, 1.0), ("lane3", 200, 1.0))
    until(page, "window.fathom.devices().lane1?.rank === 0 && window.fathom.devices().lane3?.rank === 3", 10)
    page.get_by_role("button", name="lane2", exact=True).focus()
    for name in ["lane1", "lane2"]:
        lanes(rig, (name, 100, None))
        until(page, f"window.fathom.devices().{name}.rank === 6", 10)
        page.wait_for_timeout(200)
        assert page.evaluate(focused) == "lane2", page.evaluate(focused)
    print("ok: a row keeps the focus when rows go down")


def what_was_too_deep(rig, page):
    lanes(rig, ("lane3", 500, 6.3), ("lane3", 600, None), ("lane3", 100, None))
    until(page, "window.fathom.devices().lane3.rank === 6", 10)
    page.get_by_role("button", name="lane3", exact=True).click()
    expect(page.locator("aside")).to_contain_text("deeper than 6.3 m")
    page.keyboard.press("Escape")
    print("ok: of a dive deeper than can be measured, the depth is one that was passed")


def any_address_opens_the_page(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/#%")
    expect(page.get_by_role("button", name="ultra-1", exact=True)).to_be_visible()
    page.goto(f"{address}/#nobody")
    expect(page.locator("#detail")).to_contain_text("not known")
    page.locator("#detail").get_by_role("button", name="Close").click()
    expect(page.locator("#detail")).to_be_hidden()
    page.close()
    print("ok: an address that is not encoded rightly, or of no device, opens the page")


def what_is_old_is_not_live(browser, address):
    page = browser.new_page()
    # As with a connection in which events wait for a minute.
    page.route("**/api/viewer", lambda route: route.fulfill(json={"at": time.time() + 60, "mayAcknowledge": False}))
    page.goto(address)
    expect(page.locator("#notice")).to_contain_text("over 5 s old, as the connection to the page's server is too slow", timeout=10_000)
    page.unroute("**/api/viewer")
    until(page, "window.fathom.problem === null", 20)
    page.close()
    print("ok: what is received late is not live")


KINDS = ["headphones", "batter", "diver", "watch", "runner", "lifter", "boxer", "yogi", "sleeper"]
DEVICES = ["pods-1", "batter-1", "ultra-1", "watch-1", "runner-1", "lifter-1", "boxer-1", "yogi-1", "sleeper-1"]


def nothing_is_cut(page):
    """The table is never wider than its place, with and without a device's details, from a phone to a wide screen."""
    for width in [360, 390, 600, 768, 1024, 1181, 1500, 1920]:
        page.set_viewport_size({"width": width, "height": 900})
        for name in ["", "lifter-1", "batter-1"]:
            page.evaluate(f"location.hash = '{name}'")
            page.wait_for_timeout(300)
            cut = page.evaluate("""() => [...document.querySelectorAll("#fleet, aside, aside section")]
                .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => [each.id, each.scrollWidth, each.clientWidth])""")
            assert not cut and page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, name, cut)
    page.set_viewport_size({"width": 1500, "height": 900})
    print("ok: no column is cut between 360 and 1,920 px")


def main(binary, folder):
    folder = folder or tempfile.mkdtemp(prefix="fathom-screenshots-")
    os.makedirs(folder, exist_ok=True)
    with Rig(binary) as rig:
        with sync_playwright() as tools:
            browser_checks(rig, tools, folder)
    watching.run(binary)
    chain.run(binary)
    alarms.run(binary)
    earlier.run(binary)
    load.run(binary)
    print(f"ok: all; screenshots in {folder}")


def browser_checks(rig, tools, folder):
    problems, hosts = [], set()
    traces = trace_of(rig)
    gateway = rig.gateway()
    server, address = rig.page()
    rig.fathom("simulate", "--kinds", ",".join(KINDS), "--count", str(len(KINDS)), "--seed", "3")
    browser = load.browser(tools)
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(address)
    for name in DEVICES:
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible(timeout=30_000)
    expect(page.locator("#live-text")).to_have_text("live")
    expect(page.locator("tr", has_text="watch-1")).to_contain_text("not entitled (110)", timeout=30_000)
    expect(page.locator("tr", has_text="ultra-1")).to_contain_text(" m", timeout=60_000)
    expect(page.locator("tr", has_text="runner-1")).to_contain_text("min/km", timeout=60_000)
    for name in ["batter-1", "lifter-1"]:
        expect(page.locator("tr", has_text=name)).not_to_contain_text("min/km")
        assert page.evaluate(f"window.fathom.devices()['{name}'].latest.pace ?? null") is None, f"{name} counts no steps"
    print("ok: a device of each kind with link, depth, refusal and pace")

    swings_are_where_they_were(page, traces)
    page.get_by_role("button", name="lifter-1", exact=True).click()
    expect(page.locator("aside section", has_text="Range of motion").locator("tbody tr").first).to_contain_text(" ×", timeout=60_000)
    until(page, "/Sets: .*\\d+ × (in|so far)/.test(document.querySelector('aside').textContent)", 30)
    # A session is published with what was derived in it.
    expect(page.locator("aside .title")).to_contain_text("traditional strength training", timeout=60_000)
    print("ok: sets and session of a workout")
    nothing_is_cut(page)
    page.get_by_role("button", name="ultra-1", exact=True).click()
    until(page, "window.fathom.plots.dive?.points > 20", 60)
    assert ink(page, "Depth over time") > 2_000
    expect(page.locator('canvas[aria-label^="Depth over time: "][aria-label$=" m"]')).to_be_visible(timeout=60_000)
    expect(page.locator("ol.timeline li").first).to_be_visible()
    print("ok: dive profile and timeline")
    page.get_by_role("button", name="Close").click()
    page.locator("#filter").fill("pods")
    # The diver is past the limit at times, and shown then.
    expect(page.locator("#devices tr.device:visible:not(.alarm):not(.contact):not(.raised)")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#devices tr.device:visible")).to_have_count(len(DEVICES))
    print("ok: filter")
    impacts_cover_the_curves(rig, browser, address)
    the_focus_stays(rig, page)
    what_was_too_deep(rig, page)
    any_address_opens_the_page(browser, address)
    what_is_old_is_not_live(browser, address)

    http_checks.run(rig, server, address)
    expect(page.locator("tr", has_text="sleeper-1")).to_contain_text("slept 6:", timeout=120_000)
    page.get_by_role("button", name="sleeper-1", exact=True).click()
    expect(page.locator("aside section", has_text="Last night")).to_contain_text("awakenings2")
    page.keyboard.press("Escape")
    print("ok: a recorded night")
    a_minute_of_tremor(rig, page)
    screenshots(page, folder)
    assert not problems, problems

    gateway.kill()
    killed = time.monotonic()
    until(page, "window.fathom.problem !== null", 5)
    print(f"ok: gateway killed, the page is grey after {time.monotonic() - killed:.1f} s")
    expect(page.locator("#notice")).to_contain_text("pool-1 is offline")
    expect(page.locator("html")).to_have_class("quiet-page")
    expect(page.locator("tr", has_text="ultra-1").locator(".was").first).to_contain_text("was")
    page.screenshot(path=f"{folder}/grey.png")
    rig.gateway()
    until(page, "window.fathom.problem === null", 30)
    print("ok: gateway back, the page is live again")
    assert not problems, problems

    server.kill()
    killed = time.monotonic()
    until(page, "window.fathom.problem?.startsWith('Not live since')", 5)
    print(f"ok: the page's server killed, the page is grey after {time.monotonic() - killed:.1f} s")
    rig.page(port=int(address.rsplit(":", 1)[1]))
    until(page, "window.fathom.problem === null", 30)
    print("ok: server back, the page is live again")

    # Only the lost connection is in the console.
    assert all("Failed to load resource: net::ERR_" in text for text in problems), problems
    assert hosts == {address.split("/")[2]}, hosts
    print("ok: no error in the console, no other host")


def a_minute_of_tremor(rig, page):
    """Apple's results of one minute, in the table and beside it."""
    end = int(time.time()) // 60 * 60
    minute = {"startDate": end - 60, "endDate": end}
    frame = {"schema": "wearables/1", "boot": "b1", "seq": 0, "uptime": 100, "sent": time.time(),
             "tremor": [{**minute, "unknown": 0, "none": 0.6, "slight": 0.4, "mild": 0, "moderate": 0, "strong": 0}],
             "dyskinesia": [{**minute, "unlikely": 0.75, "likely": 0.25}]}
    subprocess.run(["mosquitto_pub", "-p", str(rig.broker), "-t", "wearables/research-1/in/movement-disorder", "-m", json.dumps(frame)], check=True)
    expect(page.locator("tr", has_text="research-1")).to_contain_text("40 % slight", timeout=30_000)
    page.get_by_role("button", name="research-1", exact=True).click()
    section = page.locator("aside section", has_text="Tremor, for research")
    expect(section).to_contain_text("40 % of a minute, mostly slight")
    expect(section).to_contain_text("likely in 25 % of a minute")
    page.keyboard.press("Escape")
    print("ok: a minute of tremor")


def screenshots(page, folder):
    pictures = [("ultra-1", "dive"), ("batter-1", "swing"), ("pods-1", "head"), ("runner-1", "run"), ("lifter-1", "sets"), ("sleeper-1", "night"), ("research-1", "tremor")]
    for width, height in [(1500, 900), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ["light", "dark"]:
            page.emulate_media(color_scheme=scheme)
            page.wait_for_timeout(700)
            page.screenshot(path=f"{folder}/table-{width}-{scheme}.png")
            for name, picture in pictures:
                page.get_by_role("button", name=name, exact=True).click()
                page.wait_for_timeout(900)
                page.screenshot(path=f"{folder}/{picture}-{width}-{scheme}.png")
            page.keyboard.press("Escape")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1500, "height": 900})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
