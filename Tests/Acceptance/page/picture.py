"""Writes the picture of the fleet page that the README shows: picture.py BINARY FILE"""

import sys

from playwright.sync_api import expect, sync_playwright

import load
from rig import Rig, until

KINDS = {"diver": 3, "headphones": 1, "batter": 1, "runner": 1, "lifter": 1}


def main(binary, path):
    with Rig(binary) as rig:
        with open(rig.path("registry.yaml"), "w") as file:
            file.write("devices:\n")
            for name in ["ultra-1", "ultra-2", "ultra-3"]:
                file.write(f"  {name}: {{ entitlement: full }}\n")
            for name in ["pods-1", "batter-1", "runner-1", "lifter-1"]:
                file.write(f"  {name}: {{}}\n")
        rig.fathom("run", registry__file=rig.path("registry.yaml"), gateway__name="pool-1", gateway__statusSeconds=1,
                   derive__repetition__enabled="true", http__port="null")
        _, address = rig.page()
        for kind, count in KINDS.items():
            rig.fathom("simulate", "--kinds", kind, "--count", str(count), "--seed", "5")
        with sync_playwright() as tools:
            page = load.browser(tools).new_page(viewport={"width": 1400, "height": 640}, color_scheme="light")
            page.goto(address)
            expect(page.get_by_role("button", name="ultra-1", exact=True)).to_be_visible(timeout=30_000)
            expect(page.locator("tr", has_text="runner-1")).to_contain_text("min/km", timeout=60_000)
            expect(page.locator("tr", has_text="batter-1")).to_contain_text(" ms", timeout=60_000)
            page.get_by_role("button", name="ultra-1", exact=True).click()
            until(page, "window.fathom.plots.dive?.points > 45 && window.fathom.devices()['ultra-1'].rank === 3", 300)
            page.screenshot(path=path)
    print(f"ok: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
