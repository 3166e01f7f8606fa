"""What the broker refuses for a while: what must arrive all the same, and when the rest must."""

import collections
import json

from checker import CHECKED
from reference import SCALE

LATEST = 2.0  # s from the instant of a depth until it arrived, of devices that nothing is refused of
WITHIN = 10.0  # s from the end of a refusal until the latest retained state has arrived
UNDER_WAY = 2.0  # s: what is newer may be on its way
RECOVERY = 3.0  # s after a kill in which a depth may be late
RETAINED = {"depth-state", "head-pose", "water-temperature"}  # of whose refused messages the newest is enough


class Refusal:
    """One kind of some devices, refused from `begin` to `end` by the wall clock."""

    def __init__(self, kind, devices, begin, end=None):
        self.kind, self.devices, self.begin, self.end = kind, frozenset(devices), begin, end

    @property
    def topics(self):
        return [f"wearables/{device}/out/{self.kind}" for device in sorted(self.devices)]

    def covers(self, event):
        """Whether an event or an arrival is of what is refused, at any time."""
        return event.kind == self.kind and event.device in self.devices

    def __repr__(self):
        return f"{self.kind} of {', '.join(sorted(self.devices))}"


def instant_of(event):
    """Unix time of an event by its device's clock."""
    return event.offset + event.instant / SCALE


def judge_refusals(outcome, arrivals, expectation, lost, refusals, reached=True):
    """Fails where a refused topic is not served again as it must be; returns of `lost` what a refusal does not excuse.

    Of an event topic nothing is excused. Of a retained one the states before the first current one that arrives after the end are,
    and that must come in time. With `reached` a refusal during which messages arrived counts as failed: it refused nothing.
    """
    excused = set()
    for refusal in refusals:
        mine = [arrival for arrival in arrivals if refusal.covers(arrival)]
        expected = [event for event in expectation.events.values() if refusal.covers(event)]
        passed = [arrival for arrival in mine if refusal.begin + 1.0 < arrival.at < refusal.end]
        outcome.require(not reached or not passed, f"{refusal}: {len(passed)} messages arrived while they were refused")
        held = [event for event in expected if refusal.begin < instant_of(event) < refusal.end]
        outcome.require(held, f"{refusal}: nothing was to be published meanwhile")
        if refusal.kind not in RETAINED:
            continue
        for device in sorted({event.device for event in held}):
            begun = [event for event in expected if event.device == device]
            first = _first_current([arrival for arrival in mine if arrival.device == device], begun, refusal.end)
            if first is None:
                outcome.fail(f"{refusal}: no current state of {device} after it was allowed")
                continue
            taken = first.at - refusal.end
            outcome.require(taken <= WITHIN, f"{refusal}: the current state of {device} came {taken:.1f} s after it was allowed")
            outcome.recovery.append(max(taken, 0.0))
            excused.update(event.key for event in begun
                           if event.instant < first.instant and instant_of(event) > refusal.begin - UNDER_WAY)
    return [event for event in lost if event.key not in excused]


def _first_current(arrivals, events, end):
    """The first arrival after `end` that is no older than what was published last then; None if there is none."""
    times = {event.instant: instant_of(event) for event in events}
    for arrival in sorted(arrivals, key=lambda arrival: arrival.at):
        if arrival.at >= end and arrival.instant is not None:
            latest = max((instant for instant, at in times.items() if at < arrival.at - UNDER_WAY), default=-1)
            if arrival.instant >= latest:
                return arrival
    return None


def judge_lateness(outcome, arrivals, expectation, refusals=(), kills=(), latest=LATEST):
    """Fails where a depth of a device that is not refused arrived late, but for the first seconds after a kill; returns the latest."""
    late, greatest = [], 0.0
    for arrival in arrivals:
        event = expectation.events.get((arrival.device, arrival.kind, arrival.instant))
        if event is None or arrival.kind != "depth-state" or any(refusal.covers(arrival) for refusal in refusals):
            continue
        instant = instant_of(event)
        if any(kill - latest <= instant <= kill + RECOVERY for kill in kills):
            continue
        greatest = max(greatest, arrival.at - instant)
        if arrival.at - instant > latest:
            late.append((arrival.at - instant, arrival))
    if late:
        outcome.fail(f"{len(late)} depths of others came more than {latest:.0f} s late, the latest {greatest:.1f} s")
        outcome.samples += [f"late by {delay:.1f} s: {arrival!r}" for delay, arrival in late[:2]]
    return greatest


def judge_retained(outcome, expectation, retained, refusals, now):
    """Fails where the broker keeps another message than the newest of a topic; `retained` has the payloads by topic."""
    newest = collections.defaultdict(lambda: -1)
    for event in expectation.events.values():
        if event.kind in RETAINED & CHECKED and instant_of(event) < now - UNDER_WAY:
            newest[f"wearables/{event.device}/out/{event.kind}"] = max(newest[f"wearables/{event.device}/out/{event.kind}"], event.instant)
    for topic in (topic for refusal in refusals if refusal.kind in RETAINED for topic in refusal.topics):
        payload = retained.get(topic)
        instant = payload and json.loads(payload).get("deviceTime")
        instant = instant and round(instant * SCALE)
        outcome.require(instant is not None and instant >= newest[topic], f"{topic}: the broker keeps the state of "
                        f"{instant and instant / SCALE}, the newest is of {newest[topic] / SCALE}")
