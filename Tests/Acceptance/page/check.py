"""Checks the fleet page against mosquitto, `fathom run` and `fathom simulate` in chromium; prints what it checks."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from playwright.sync_api import expect, sync_playwright

import http_checks
import load
from rig import Rig, until


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


def swing_is_where_it_was(page, traces):
    """The marks are drawn where the message's own values put them, to a pixel."""
    page.get_by_role("button", name="batter-1", exact=True).click()
    until(page, "window.fathom.plots.swing?.swing.contact", 60)
    shown = page.evaluate("""() => {
        const { box, startPixel, impactPixel, swing } = window.fathom.plots.swing;
        return { box, startPixel, impactPixel, swing };
    }""")
    message = next(trace for at, trace in traces.items() if abs(at - shown["swing"]["at"]) < 1e-5)
    signals = [message["acceleration"], message["rotationRate"]]
    end = message["from"] + max((len(signal["values"]) - 1) * signal["interval"] for signal in signals)
    width = shown["box"]["right"] - shown["box"]["left"]

    def pixel(at):
        return shown["box"]["left"] + (at - message["from"]) / (end - message["from"]) * width

    for name, at in [("startPixel", message["startAt"]), ("impactPixel", message["impactAt"])]:
        assert abs(shown[name] - pixel(at)) <= 1, (name, shown[name], pixel(at))
    # The impact's line itself: the columns of pixels that are mostly red.
    red = page.evaluate("""() => {
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
                if (data[at + 3] > 60 && Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 60) count += 1;
            }
            if (count > height / 2) columns.push(x / (window.devicePixelRatio || 1));
        }
        return columns;
    }""")
    assert red and all(abs(column + 0.5 - pixel(message["impactAt"])) <= 1.5 for column in red), (red, pixel(message["impactAt"]))
    print(f"ok: start and impact of a swing are drawn within a pixel of the message ({shown['impactPixel']:.1f})")


def ink(page, name):
    return page.evaluate("""(name) => {
        const canvas = document.querySelector(`canvas[aria-label="${name}"]`);
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at] > 40) count += 1;
        return count;
    }""", name)


def main(binary, folder):
    folder = folder or tempfile.mkdtemp(prefix="fathom-screenshots-")
    os.makedirs(folder, exist_ok=True)
    rig = Rig(binary)
    try:
        with sync_playwright() as tools:
            browser_checks(rig, tools, folder)
    except BaseException:
        rig.print_logs()
        raise
    finally:
        rig.close()
    load.run(binary)
    print(f"ok: all; screenshots in {folder}")


def browser_checks(rig, tools, folder):
    problems, hosts = [], set()
    traces = trace_of(rig)
    gateway = rig.gateway()
    server, address = rig.page()
    rig.fathom("simulate", "--count", "5", "--seed", "3")
    page = load.browser(tools).new_page(viewport={"width": 1500, "height": 900})
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
    page.goto(address)
    for name in ["pods-1", "batter-1", "ultra-1", "watch-1", "runner-1"]:
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible(timeout=30_000)
    expect(page.locator("#live-text")).to_have_text("live")
    expect(page.locator("tr", has_text="watch-1")).to_contain_text("not entitled (110)", timeout=30_000)
    expect(page.locator("tr", has_text="ultra-1")).to_contain_text(" m", timeout=60_000)
    expect(page.locator("tr", has_text="runner-1")).to_contain_text("min/km", timeout=60_000)
    print("ok: five devices with link, depth, refusal and pace")

    swing_is_where_it_was(page, traces)
    page.get_by_role("button", name="ultra-1", exact=True).click()
    until(page, "window.fathom.plots.dive?.points > 20", 60)
    assert ink(page, "Depth over time") > 2_000
    expect(page.locator("ol.timeline li").first).to_be_visible()
    print("ok: dive profile and timeline")
    page.get_by_role("button", name="Close").click()
    page.locator("#filter").fill("pods")
    expect(page.locator("#devices tbody tr:visible")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#devices tbody tr:visible")).to_have_count(5)
    print("ok: filter")
    screenshots(page, folder)

    http_checks.run(rig, server, address)
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


def screenshots(page, folder):
    for scheme in ["light", "dark"]:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(700)
        page.screenshot(path=f"{folder}/table-{scheme}.png")
        for name, picture in [("ultra-1", "dive"), ("batter-1", "swing"), ("pods-1", "head")]:
            page.get_by_role("button", name=name, exact=True).click()
            page.wait_for_timeout(900)
            page.screenshot(path=f"{folder}/{picture}-{scheme}.png")
        page.keyboard.press("Escape")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 420, "height": 860})
    page.wait_for_timeout(700)
    page.screenshot(path=f"{folder}/narrow.png")
    page.get_by_role("button", name="ultra-1", exact=True).click()
    page.wait_for_timeout(700)
    page.screenshot(path=f"{folder}/narrow-dive.png")
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1500, "height": 900})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "")
