"""Earlier days on the page: a fleet of which a gateway keeps two days, shown by a page that was started afterwards.

Alone: earlier.py PATH-OF-FATHOM, in the virtual environment of this check.
"""

import concurrent.futures
import json
import subprocess
import sys
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect, sync_playwright

import load
from rig import Publisher, Rig, until, wait

DIVERS = 18
OTHERS = ["lifter-1", "sleeper-1"]
DAY = 86_400


def devices():
    return [f"ultra-{number}" for number in range(1, DIVERS + 1)] + OTHERS


def gateway(rig, **settings):
    with open(rig.path("registry.yaml"), "w") as file:
        file.write("devices:\n")
        for name in devices():
            more = "entitlement: full" if name.startswith("ultra") else "consent: [sleep]" if name.startswith("sleeper") else ""
            file.write(f"  {name}: {{ {more} }}\n")
    return rig.fathom(
        "run", registry__file=rig.path("registry.yaml"), gateway__name="pool-1", gateway__statusSeconds=1,
        derive__repetition__enabled="true", http__port="null", **settings)


def recording(rig, ago, kinds, count):
    """The frames of simulated devices of so many days ago."""
    seconds = "200" if kinds == "sleeper" else "75"
    lines = subprocess.run(
        [rig.binary, "simulate", "--kinds", kinds, "--count", str(count), "--duration", seconds, "--seed", str(7 + ago), "--record", "-",
         "--start", str(int(time.time()) - ago * DAY)], capture_output=True, text=True, check=True).stdout.splitlines()
    return [json.loads(line) for line in lines]


def published(rig):
    """What is derived from two days, as consumers get it: dives and sets by device, until no more come."""
    seen = subprocess.Popen(
        ["mosquitto_sub", "-p", str(rig.broker), "-t", "wearables/+/out/dive", "-t", "wearables/+/out/set", "-t", "wearables/+/out/sleep",
         "-F", "%p"], stdout=open(rig.path("published"), "w"))
    rig.processes.append(seen)
    time.sleep(0.5)
    publisher = Publisher(rig.broker, "earlier")
    for ago in [2, 1]:
        for frame in [*recording(rig, ago, "diver", DIVERS), *recording(rig, ago, "lifter", 1), *recording(rig, ago, "sleeper", 1)]:
            publisher.send([(frame["topic"], frame["payload"])])

    def messages():
        with open(rig.path("published")) as file:
            return [json.loads(line) for line in file.read().splitlines(keepends=True) if line.endswith("\n")]

    # A night is derived once no samples have come for a minute, long after the rest.
    wait("the nights are derived", lambda: sum(each["kind"] == "sleep" for each in messages()) >= 2, 180)
    return messages()


def answer(url):
    try:
        with urllib.request.urlopen(url, timeout=20) as reply:
            return reply.status, json.loads(reply.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def every_dive_is_there(address, messages):
    began = time.monotonic()
    # As many at one time as a browser asks for.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = dict(zip(devices(), pool.map(lambda name: answer(f"{address}/api/devices/{name}/earlier"), devices())))
    took = time.monotonic() - began
    dives = 0
    for name, (status, document) in found.items():
        assert status == 200 and document["problem"] is None and document["isComplete"], (name, status, document)
        kept = {(each["kind"], each["start"]): each for each in document["episodes"]}
        for message in messages:
            if message["device"] != name:
                continue
            episode = kept[message["kind"], message["start"]]
            assert episode["end"] == message["end"] and episode["text"], episode
            if message["kind"] == "dive":
                dives += 1
                assert episode["message"]["profile"] == message["profile"], (name, episode)
    assert dives >= 2 * DIVERS, dives
    assert took < 1, f"{len(found)} devices took {took:.2f} s"
    print(f"ok: {dives} dives of two days with their profiles, as they were published; {len(found)} devices in {took:.2f} s")


def shown(page, address, messages, folder):
    page.goto(f"{address}/#earlier:")
    table = page.locator("#earlier table")
    expect(table.locator("tbody tr")).to_have_count(20, timeout=20_000)
    until(page, "document.querySelectorAll('#earlier tbody td button').length >= 20 + 2 * 18", 20)
    dive = next(message for message in messages if message["kind"] == "dive" and message["device"] == "ultra-2")
    count = sum(message["kind"] == "dive" and message["device"] == "ultra-2" and day(page, message) == day(page, dive) for message in messages)
    page.screenshot(path=f"{folder}/earlier-fleet.png")
    table.locator("tr", has=page.get_by_role("button", name="ultra-2", exact=True)).get_by_role(
        "button", name=f"{count} dive").first.click()
    section = page.locator("aside section.earlier")
    expect(section.locator(".day[aria-pressed=true]")).to_contain_text("dive")
    episodes = section.locator("button.episode", has_text="up at")
    expect(episodes).to_have_count(count)
    episodes.first.click()
    profile = section.locator('canvas[aria-label*="up at"]')
    expect(profile).to_be_visible()
    expect(section).to_contain_text("ascent rate")
    colored = profile.evaluate("""(canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 3; at < data.length; at += 4) if (data[at] > 40) count += 1;
        return count;
    }""")
    assert colored > 5_000, colored
    page.screenshot(path=f"{folder}/earlier-dive.png")
    page.get_by_role("button", name="Close").click()
    expect(table).to_be_visible()
    print("ok: the calendar of all devices opens a dive with its profile plot")

    page.goto(f"{address}/#lifter-1")
    section = page.locator("aside section.earlier")
    expect(section.locator(".day:not(.empty)")).to_have_count(2, timeout=20_000)
    section.locator("button.episode", has_text="Set").first.click()
    expect(section).to_contain_text("repetitions")
    page.screenshot(path=f"{folder}/earlier-set.png")
    nights = [message for message in messages if message["kind"] == "sleep"]
    assert nights, "no night was derived"
    page.goto(f"{address}/#sleeper-1")
    section = page.locator("aside section.earlier")
    night = section.locator("button.episode", has_text="slept")
    day_of_night = section.locator(".day", has_text="night").first
    day_of_night.click()
    night.first.click()
    expect(section.locator('canvas[aria-label*="slept"]')).to_be_visible()
    expect(section).to_contain_text("awakenings")
    page.screenshot(path=f"{folder}/earlier-night.png")
    print("ok: a set with its sums and a night with sleep and wear")


def day(page, message):
    return page.evaluate("(at) => new Date(at * 1000).toDateString()", message["start"])


def nothing_is_kept(rig):
    """A gateway without a state directory keeps nothing, and the page says so."""
    gateway(rig)
    _, address = rig.page()
    url = f"{address}/api/devices/ultra-1/earlier"
    Publisher(rig.broker, "bare").send([("wearables/ultra-1/out/gap", {"id": "g", "at": time.time()})])
    wait("the gateway answers", lambda: answer(url)[0] == 200 and "stateDirectory" in str(answer(url)[1]["problem"]), 30)
    print("ok: where a gateway keeps no events the page says so")


def run(binary, folder=None):
    with Rig(binary) as rig:
        folder = folder or rig.folder.name
        process = gateway(rig, gateway__stateDirectory=rig.path("state"))
        wait("the gateway listens", lambda: "online" in subprocess.run(
            ["mosquitto_sub", "-p", str(rig.broker), "-t", "fathom/+/status", "-C", "1", "-W", "5"], capture_output=True, text=True).stdout)
        messages = published(rig)
        # A page that has received nothing of it, after a restart of the gateway.
        process.kill()
        process.wait()
        process = gateway(rig, gateway__stateDirectory=rig.path("state"))
        first, address = rig.page()
        first.kill()
        first.wait()
        _, address = rig.page(port=int(address.rsplit(":", 1)[1]))
        wait("the page knows the devices", lambda: len(answer(f"{address}/api/devices")[1]["devices"]) >= len(devices()))
        wait("the gateway answers", lambda: answer(f"{address}/api/devices/lifter-1/earlier")[0] == 200, 30)
        time.sleep(4)
        every_dive_is_there(address, messages)
        with sync_playwright() as tools:
            page = load.browser(tools).new_page(viewport={"width": 1440, "height": 1000})
            problems = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            shown(page, address, messages, folder)
            assert not problems, problems
        process.kill()
        process.wait()
        nothing_is_kept(rig)


if __name__ == "__main__":
    run(*sys.argv[1:3])
