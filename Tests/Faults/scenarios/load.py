"""F12 and F16: too many frames, and one too bad."""

import base64
import json
import os
import subprocess
import time

import processes
from checker import differences
from gaps import covered
from load import rate
from reference import Expectation
from report import Outcome
from rig import Rig

MEGABYTE = 1 << 20


def overload(options):
    span = 10 if options.short else 60
    outcome = Outcome("F12", f"10 x the load for {span} s, release build", options.seed, n=1)
    with Rig(options, outcome, silence=None) as rig:
        rig.gateway.binary = options.release
        usual = rig.begin()
        time.sleep(3.0)
        before = processes.resident_bytes(rig.gateway.pid)
        with processes.ResidentSampler(lambda: rig.gateway.pid) as sampler:
            burst = rig.load(devices=options.devices * 9, prefix="burst-", patience=300)
            outcome.load = f"{rate(usual.numbers):.0f} + {rate(burst.numbers):.0f} frames/s"
            time.sleep(span)
            received = rig.checker.status().get("counters", {}).get("received", 0)
            rig.say(f"the load ends; the gateway has received {received} frames")
            expectation, comparison = rig.settle(backlog=600)
        rig.judge(comparison)
        growth = (sampler.greatest - before) / MEGABYTE
        outcome.notes.append(f"gateway's memory: {before / MEGABYTE:.0f} MB before, {sampler.greatest / MEGABYTE:.0f} MB at most; "
                             f"{received} of {expectation.frames} frames were received when the load ended")
        outcome.require(growth < 128, f"the gateway grew by {growth:.0f} MB")
    return outcome


def poison(options):
    word = "deadly-9f31"
    outcome = Outcome("F16", "a frame that crashes the gateway each time", options.seed, n=1)
    with Rig(options, outcome) as rig:
        rig.gateway.environment = {"FATHOM_POISON": word}
        load = rig.begin()
        time.sleep(1.5)
        rig.gateway.supervise()
        load.poison(word)
        processes.eventually(lambda: len(rig.gateway.exits) >= 3, 15)
        time.sleep(4.0)
        crashes = len(rig.gateway.exits)
        outcome.notes.append(f"crashes before the frame was set aside: {crashes}")
        outcome.require(crashes == 3, f"{crashes} crashes, expected 3")
        rig.gateway.supervise(False)
        expectation, comparison = rig.settle()
        frame = _poisoned(load.log, word)
        if outcome.require(frame, "the generator did not send it"):
            device, stream, seq, text = frame
            # Much later events, too, may follow from the frame: of two states the one before it may be published in place of the other.
            remaining = Expectation([load.log], without={(device, stream): {seq}}).events
            comparison.lost = [event for event in comparison.lost if event.key in remaining
                               and not (event.device == device and event.stream == stream and abs(event.seq - seq) <= 1)]
            comparison.gaps = [(arrival, body) for arrival, body in comparison.gaps
                               if not (arrival.device == device and covered(body) == [(seq, seq)])]
            comparison.wrong = [(arrival, why) for arrival, why in comparison.wrong
                                if not (arrival.device == device and (_near(arrival, seq) or _follows(arrival, remaining)))]
            _set_aside(rig, text)
        rig.judge(comparison)
    return outcome


def _near(arrival, seq):
    """Whether a message comes from one of the two frames after the poisoned one, which may give the events that the poisoned one would have given."""
    return f'"seq":[{seq + 1},' in arrival.body.decode() or f'"seq":[{seq + 2},' in arrival.body.decode()


def _follows(arrival, events):
    """Whether an arrival is one of these events."""
    event = events.get((arrival.device, arrival.kind, arrival.instant))
    return event is not None and not differences(event, json.loads(arrival.body), event.offset, True)


def _poisoned(log, word):
    with open(log) as file:
        for line in file:
            if word in line:
                text = line[line.index('"frame":') + 8:-2]
                device, stream = line.split('"')[3], line.split('"')[7]
                return device, stream, int(text.split('"seq":')[1].split(",")[0]), text
    return None


def _set_aside(rig, text):
    """The dead letter must hold the frame's bytes, as a file or as its JSON or base64 form in one, and be listed."""
    folder, forms = os.path.join(rig.gateway.state, "deadletters"), []
    for parent, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(parent, name), "rb") as file:
                forms.append(file.read())
    raw = text.encode()
    wanted = (raw, base64.b64encode(raw), raw.replace(b'"', b'\\"'))
    rig.outcome.require(any(form in data for data in forms for form in wanted),
                        f"the frame's bytes are not under deadletters ({len(forms)} files there)")
    listed = subprocess.run([rig.gateway.binary, "deadletters", "list", "--config", rig.gateway.configuration], capture_output=True,
                            text=True, timeout=30)
    rig.outcome.require(listed.returncode == 0 and "submersion" in listed.stdout, "'fathom deadletters list' does not list it")
