"""F5 to F7: the broker ends, is killed, or is stopped."""

import collections
import json
import re
import threading
import time

import processes
from checker import differences, judge_resends
from gaps import missing as missing_frames
from report import Outcome
from reference import Expectation
from rig import Rig
from subscriber import Subscriber

DETECTED = re.compile(r"heartbeat|delivers nothing|stall|unresponsive|silent|not respond|no answer|came back|lost|disconnect", re.I)


def _restarts(rig, times, end):
    for number in range(times):
        time.sleep(rig.random.uniform(1.5, 2.5))
        end()
        time.sleep(rig.random.uniform(0.0, 0.3))
        since = time.monotonic(), time.time()
        rig.broker.start()
        rig.recover(15, since, "the broker's restart")
        rig.say(f"{number + 1} of {times} restarts of the broker")
    time.sleep(1.0)
    rig.outcome.require(rig.gateway.alive(), "the gateway ended")


def restart(options):
    times = 2 if options.short else max(5, options.kills // 10)
    outcome = Outcome("F5", "SIGTERM and restart of the broker", options.seed, n=times)
    with Rig(options, outcome) as rig:
        rig.begin()
        _restarts(rig, times, rig.broker.stop)
        rig.finish()
    return outcome


def kill(options):
    """Devices that discard a frame once the broker has it: what the broker loses must be published as gaps."""
    times = 2 if options.short else max(5, options.kills // 10)
    outcome = Outcome("F6g", "kill -9 of the broker, devices do not keep what it acknowledged", options.seed, n=times)
    with Rig(options, outcome, autosave=1, settings="limits: {reorderSeconds: 2}\n") as rig:
        rig.begin()
        time.sleep(1.0)
        _restarts(rig, times, rig.broker.kill)
        time.sleep(3.0)  # so that gaps of missing frames are published
        expectation, comparison = rig.settle()
        _explain(rig, expectation, comparison)
        rig.judge(comparison, gaps_allowed=True)
    return outcome


def _explain(rig, expectation, comparison):
    """Takes out of a comparison what a gap accounts for, and checks that gaps are correct."""
    covered = collections.defaultdict(set)
    for (device, stream, boot, run), seqs in missing_frames(comparison.gaps).items():
        rig.outcome.require(run == 1 and (device, stream) not in covered, f"{device} {stream}: gaps of another boot or run, {boot} {run}")
        covered[device, stream] |= seqs
    frames = sum(map(len, covered.values()))
    # A lost frame may change what follows from much later ones: an event at the surface decides what the next immersion publishes.
    remaining = Expectation([load.log for load in rig.loads], without=covered)

    def reported(event):
        return event.key not in remaining.events or any(seq in covered[event.device, event.stream] for seq in range(event.seq - 3, event.seq + 4))

    lost = [event for event in comparison.lost + comparison.stuck if not reported(event)]
    explained = len(comparison.lost) + len(comparison.stuck) - len(lost)
    comparison.lost, comparison.stuck = lost, []
    rig.outcome.stuck = 0

    def beside_gap(arrival):
        """Shortly after one, or right before: an impact whose greatest sample was lost is published with the greatest before it."""
        source = json.loads(arrival.body).get("source") or {}
        seqs = covered[arrival.device, source.get("stream")]
        return any(seq in seqs for seq in range(source.get("seq", [0])[0] - 8, source.get("seq", [0])[-1] + 2))

    def follows(arrival):
        """From the frames that were not lost: a gap voids the reference of every later pose of raw motion."""
        event = remaining.events.get((arrival.device, arrival.kind, arrival.instant))
        return event is not None and not differences(event, json.loads(arrival.body), event.offset, 0)

    comparison.wrong = [(arrival, why) for arrival, why in comparison.wrong if not beside_gap(arrival) and not follows(arrival)]
    missing = {event.key for event in comparison.lost}
    arrived = {arrival.instant for arrival in rig.checker.snapshot() if arrival.kind == "water-temperature"}
    for event in expectation.events.values():
        if event.kind == "water-temperature" and event.seq in covered[event.device, event.stream] and event.key not in missing:
            if any(arrival.device == event.device and arrival.instant == event.instant and arrival.kind == event.kind
                   for arrival in rig.checker.snapshot()) and event.instant in arrived:
                rig.outcome.fail(f"a gap covers a frame that was derived: {event}")
                break
    rig.outcome.notes.append(f"{frames} frames were lost by the broker and reported in {len(comparison.gaps)} gaps; {explained} events "
                             "that they would have brought are not counted as lost")


def kill_with_resend(options):
    """Devices that keep frames until the gateway has committed them: nothing may be lost end to end."""
    times = 2 if options.short else max(5, options.kills // 10)
    outcome = Outcome("F6r", "kill -9 of the broker, devices keep frames until out/committed", options.seed, n=times)
    with Rig(options, outcome, autosave=1, settings="  publishCommitted: true\n") as rig:
        rig.begin(resend=True, patience=30)
        time.sleep(2.0)
        _restarts(rig, times, rig.broker.kill)
        expectation, comparison = rig.settle()
        judge_resends(outcome, expectation.resends, times)
        rig.judge(comparison)
    return outcome


def state_lost(options):
    """The broker comes back with nothing: the gateway must put the retained state there again."""
    parked = 10
    outcome = Outcome("F6s", "kill -9 of the broker, its database deleted; retained state", options.seed, n=1 if options.short else 5)
    with Rig(options, outcome) as rig:
        load = rig.begin(devices=options.devices // 4, parked=parked)
        wanted = {f"parked{number}" for number in range(parked)}
        outcome.require(processes.eventually(lambda: all(rig.checker.seen(name, "depth-state") for name in wanted), 10),
                        "the parked devices never had a state")
        load.quiet()
        time.sleep(1.5)
        load.finish()
        for number in range(outcome.n):
            time.sleep(rig.random.choice([0.0, 0.5, 2.0]))  # also while the gateway is still at it
            rig.broker.kill()
            rig.broker.forget()
            began = time.monotonic()
            rig.broker.start()
            back, seen, done = [], set(), threading.Event()

            def arrived(topic, payload, _retained):
                parts = topic.split("/")
                if parts[0] == "fathom" and parts[-1] == "status" and json.loads(payload)["state"] == "online":
                    back.append(time.monotonic())
                elif parts[-1] == "depth-state" and parts[1] in wanted:
                    if payload and json.loads(payload)["state"] == "notSubmerged":
                        seen.add(parts[1])
                    if seen == wanted:
                        done.set()

            viewer = Subscriber(rig.broker.port, f"viewer{number}", ["wearables/+/out/#", "fathom/#"], arrived, clean=True)
            complete = done.wait(15)
            finished = time.monotonic()
            outcome.require(processes.eventually(lambda: back, 1), "the gateway did not come back within 15 s")
            if outcome.require(complete, f"only {len(seen)} of {parked} retained states came back within 15 s") and back:
                taken = max(0.0, finished - back[0])
                outcome.recovery.append(finished - began)
                outcome.require(taken < 3.0, f"retained state took {taken:.1f} s")
            viewer.stop()
            rig.say(f"{number + 1} of {outcome.n}: {len(seen)} of {parked} retained states are back")
        rig.finish()
        outcome.notes.append("recovery: from the start of the new broker to the last retained state")
    return outcome


def pause(options):
    spans = [1, 5] if options.short else [1, 5, 30]
    outcome = Outcome("F7", "SIGSTOP of the broker for " + ", ".join(map(str, spans)) + " s", options.seed, n=len(spans))
    with Rig(options, outcome, silence=None) as rig:
        rig.begin()
        for span in spans:
            time.sleep(2.0)
            offset, begin, found = rig.gateway.log_size(), time.monotonic(), None
            rig.broker.pause()
            while time.monotonic() - begin < span:
                if found is None and any(DETECTED.search(line) for line in rig.gateway.log_since(offset)):
                    found = time.monotonic() - begin
                time.sleep(0.05)
            since = time.monotonic(), time.time()
            rig.broker.resume()
            rig.recover(15, since, "SIGCONT")
            rig.say(f"{span} s: " + (f"noticed after {found:.1f} s" if found else "not noticed"))
            if span >= 5:
                outcome.notes.append(f"stop of {span} s: " + (f"noticed after {found:.1f} s" if found else "not noticed"))
                outcome.require(found is not None and found < 3.5, f"a stop of {span} s was not in the log within 3 s")
        time.sleep(2.0)
        rig.outcome.require(rig.gateway.alive(), "the gateway ended")
        rig.finish()
    return outcome
