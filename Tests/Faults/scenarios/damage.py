"""F3 and F10: what the gateway wrote is damaged, or cannot be written."""

import json
import os
import re
import shutil
import subprocess
import time

import processes
from reference import SCALE, Expectation
from report import Outcome
from rig import PROBES, Rig

SAID = re.compile(r"corrupt|damag|malformed|set aside|quarantin|unreadable|cannot be read|not a database|broken|without state"
                  r"|afresh|discard", re.I)


def _edit(path, change):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    with open(path, "wb") as file:
        file.write(change(data))


def _flip(random, bits):
    def change(data):
        for _ in range(bits if data else 0):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        return data
    return change


def _mutations(random):
    """(name, which files, change, whether the gateway must notice). A torn journal may look like an older one that is whole."""
    def database(path):
        return not path.endswith(("-wal", "-shm"))

    def journal(path):
        return path.endswith("-wal")

    def anything(path):
        return not path.endswith("-shm")

    return [
        ("the first 4 KiB of every file overwritten", anything, lambda data: b"\xa5" * min(len(data), 4096) + data[4096:], True),
        ("journals torn at any byte", journal, lambda data: data[:random.randrange(len(data) + 1)], False),
        ("50 bits flipped in every file", anything, _flip(random, 50), False),
        ("files cut in half", database, lambda data: data[:len(data) // 2 + 17], False),
        ("the end of files zeroed", database, lambda data: data[:-2048] + bytes(min(len(data), 2048)), False),
        ("all files emptied", anything, lambda data: b"", False),
    ]


def _state_files(folder):
    return [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in names if "deadletters" not in parent]


def state_files(options):
    outcome = Outcome("F3", "state files cut, torn, flipped, overwritten between kill -9 and start", options.seed)
    with Rig(options, outcome, settings="  publishCommitted: true\n") as rig:
        mutations = _mutations(rig.random)[:3 if options.short else None]
        mutations *= 1 if options.short else max(1, options.kills // 100)
        outcome.n = len(mutations)
        rig.start_gateway()
        for number, (name, which, change, noticeable) in enumerate(mutations):
            before = rig.load(devices=options.devices // 3, prefix=f"a{number}-")
            time.sleep(1.5)
            rig.gateway.kill()
            files = [path for path in _state_files(rig.gateway.state) if which(path) and os.path.getsize(path)]
            if not files:
                outcome.notes.append(f"{name}: no such file with anything in it")
                outcome.require(_state_files(rig.gateway.state), "there are no state files at all")
            for path in files:
                _edit(path, change)
            offset, restarted = rig.gateway.log_size(), time.time()
            _start_again(rig, name)
            after = rig.load(devices=options.devices // 3, prefix=f"b{number}-")
            rig.recover()
            said = any(SAID.search(line) for line in rig.gateway.log_since(offset))
            rig.say(f"{name}: {len(files)} files changed, {'said so' if said else 'not a word'}")
            outcome.require(said or not noticeable or not files, f"{name}: the gateway did not say so")
            time.sleep(0.5)
            _judge(rig, before, after, restarted, f"b{number}-")
            # Frames that are not acknowledged when the next state is lost come again, and are derived without it.
            outcome.require(processes.eventually(lambda: _is_committed(rig, after), 60), f"{name}: frames are not committed")
    return outcome


def _is_committed(rig, load):
    """Whether the gateway has committed every frame of a load."""
    with open(load.log) as file:
        frames = [line for line in map(json.loads, file) if line.get("stream") in PROBES]
    return all(rig.checker.committed.get((frame["device"], frame["stream"]), -1) >= frame["frame"]["seq"] for frame in frames)


def _start_again(rig, name):
    """Up to three starts; it must stay up."""
    for attempt in range(3):
        rig.gateway.start()
        if rig.gateway.wait(1.0) is None:
            if attempt:
                rig.outcome.notes.append(f"{name}: up at start {attempt + 1}")
            return
    rig.outcome.fail(f"{name}: ends again and again: " + " / ".join(rig.gateway.log_since()[-2:]))
    shutil.rmtree(rig.gateway.state, ignore_errors=True)
    rig.gateway.start()


def _judge(rig, before, after, restarted, prefix):
    """Devices that came after the damage: everything. Devices from before it: the temperatures of all later frames.

    It has to be before the next damage: what is derived without a state, and what is reported of one that is lost, is not wrong.
    """
    before.quiet()
    _expectation, fresh = rig.settle([after], prefix)
    rig.outcome.require(before.finish(), "the broker did not acknowledge every frame to the generator")
    expectation = Expectation([before.log])
    expectation.events = {key: event for key, event in expectation.events.items() if event.kind == "water-temperature"
                          and event.instant / SCALE + expectation.offset(event.device, event.instant) > restarted + 0.5}
    missing, _stuck = rig.checker.drain(expectation, within=10)
    fresh.lost += missing
    rig.outcome.frames += expectation.frames
    rig.outcome.events += len(expectation.events)
    rig.judge(fresh)


class SmallDisk:
    """A tmpfs of its own."""

    def __init__(self, directory, megabytes):
        self.path = os.path.join(directory, "small")
        self.filler = os.path.join(self.path, "filler")
        os.makedirs(self.path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", self.path], check=True, capture_output=True)

    def fill(self):
        """Writes until there is no page left."""
        with open(self.filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"\0" * 4096)
            except OSError:
                pass

    def free(self):
        os.remove(self.filler)

    def unmount(self):
        subprocess.run(["umount", "-l", self.path], capture_output=True)


def full_disk(options):
    span = 4 if options.short else 10
    outcome = Outcome("F10", f"state directory full for {span} s, then freed; again with kill -9 while full", options.seed, n=2)
    place = options.directory_for("F10")
    try:
        disk = SmallDisk(place, 16)
    except (OSError, subprocess.CalledProcessError):
        raise processes.Unavailable("a tmpfs cannot be mounted here (needs root)") from None
    try:
        _with_disk(options, outcome, disk, span)
    finally:
        disk.unmount()
        shutil.rmtree(place, ignore_errors=True)
    return outcome


def _by_lane(proxy, since, until):
    """How many acknowledgements each lane wrote in a span of time."""
    return {lane: proxy.acknowledged_by("-in-" + lane, since, until) for lane in ("safety", "motion", "bulk")}


def _history(proxy, event, began):
    """When a lost event's frame was delivered and acknowledged, in seconds since the disk was filled first."""
    frame = (event.device, event.stream, event.seq)
    times = [", ".join(f"{at - began:.2f}" for at in seen.get(frame, [])) or "never" for seen in (proxy.delivered, proxy.acknowledged)]
    return f"{event.device} {event.stream} seq {event.seq}: delivered at s {times[0]}; acknowledged at s {times[1]}"


def _with_disk(options, outcome, disk, span):
    with Rig(options, outcome, proxies=1, state=os.path.join(disk.path, "state")) as rig:
        rig.begin(devices=options.devices // 2)
        time.sleep(2.0)
        proxy, began = rig.proxies[0], time.monotonic()
        usual = _by_lane(proxy, began - 2.0, began)
        outcome.notes.append(f"acknowledgements in 2 s before it, by lane: {usual}")
        outcome.require(all(usual.values()), "no acknowledgements are seen even before the disk is full")
        for number, killed in enumerate((False, True)):
            offset = rig.gateway.log_size()
            disk.fill()
            rig.load(devices=options.devices // 2, prefix=f"new{number}-")  # new devices need new pages
            time.sleep(span / 2)
            middle = time.monotonic()
            complained = [line for line in rig.gateway.log_since(offset) if re.search("full|space|commit|write|database|disk", line, re.I)]
            time.sleep(span / 2)
            lanes = _by_lane(proxy, middle, time.monotonic())
            outcome.notes.append(f"acknowledgements in the first {span / 2:.0f} s after it was full, by lane: "
                                 f"{_by_lane(proxy, middle - span / 2, middle)}")
            rig.say(f"full: acknowledgements in {span / 2:.0f} s by lane {lanes}")
            outcome.notes.append(f"acknowledgements while full (second half), by lane: {lanes}" + ("; a lane that goes on found room in "
                                 "pages that its files already had" if any(lanes.values()) else ""))
            outcome.require(complained, "the log says nothing of a full disk")
            outcome.require(any(count == 0 for count in lanes.values()), "every lane acknowledged while the disk was full")
            if killed:
                rig.gateway.kill()
            disk.free()
            since = time.monotonic(), time.time()
            if killed:
                rig.gateway.start()
            outcome.require(rig.gateway.alive(), "the gateway ended on a full disk")
            rig.recover(15, since, "the disk was freed")
            time.sleep(3.0)
        _expectation, comparison = rig.settle()
        rig.judge(comparison)
        for event in comparison.lost[:3]:
            outcome.samples.append(_history(proxy, event, began))
