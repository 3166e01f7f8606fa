"""What must be said of a device that sets its clock back or uses a boot again, and for how long its depth is believed."""

import collections
import json

from reference import STATES
from runs import BACK, REUSED, STALE

UNDER_WAY = 2.5  # s that a message may take


def judge_devices(outcome, arrivals, expectation, kills=()):
    """Fails where a new run is not reported once, as what it is, or its messages do not name it, and where a depth was believed too long."""
    reports, unnamed = collections.defaultdict(list), []
    for arrival in arrivals:
        body = json.loads(arrival.body)
        if arrival.kind == "rejected" and body.get("reason") in (BACK, REUSED):
            reports[arrival.device].append(body["reason"])
        event = expectation.events.get((arrival.device, arrival.kind, arrival.instant))
        run = (body.get("source") or {}).get("run", 1)
        if event and not body.get("cause") == "fault" and run != event.run:
            unnamed.append((event.run, run, arrival))
    if unnamed:
        outcome.wrong += len(unnamed)
        outcome.fail(f"{len(unnamed)} messages name another run, the first {unnamed[0][1]} for {unnamed[0][0]}: {unnamed[0][2]!r}")
    begun, connected = collections.defaultdict(list), {}
    for (device, stream), runs in expectation.runs.items():
        begun[device] += [reason for reason, _at in runs.begun]
        if stream == "submersion":  # on the lane that derives connections: a run of another lane's stream is none of its
            connected[device] = begun[device]
    for device in sorted(reports.keys() | begun.keys()):
        # A report that was published before its frame was committed is published again after a kill.
        again = kills and set(reports[device]) == set(begun[device]) and len(reports[device]) > len(begun[device])
        outcome.require(again or sorted(reports[device]) == sorted(begun[device]),
                        f"{device}: reported {reports[device] or 'nothing'}, expected {begun[device] or 'nothing'}")
    _judge_connections(outcome, arrivals, connected)
    judge_stale(outcome, arrivals, expectation, kills)


def _judge_connections(outcome, arrivals, begun):
    """Each new run is a connection of the device, with what it did as the cause."""
    causes = collections.defaultdict(list)
    for arrival in arrivals:
        if arrival.kind == "connection/device" and json.loads(arrival.body).get("cause") in (BACK, REUSED):
            causes[arrival.device].append(json.loads(arrival.body)["cause"])
    for device, reasons in begun.items():
        outcome.require(sorted(causes[device]) == sorted(reasons), f"{device}: connections by {causes[device]}, expected {reasons}")


def judge_stale(outcome, arrivals, expectation, kills=()):
    """Fails where a device under water had no newer sample for longer than `STALE`, and was not `unknown` in time."""
    depths = collections.defaultdict(list)
    for arrival in arrivals:
        if arrival.kind == "depth-state":
            depths[arrival.device].append((arrival.at, json.loads(arrival.body)["state"]))
    for device, samples in expectation.accepted.items():
        for (before, state), (after, _state) in zip(samples, samples[1:]):
            if after - before <= STALE + UNDER_WAY or STATES[state] <= STATES["notSubmerged"]:
                continue
            if any(before - 1 <= kill <= after for kill in kills):
                continue
            # What came with the newer sample may have come a moment before it was expected.
            due = [shown for at, shown in depths[device] if before - UNDER_WAY < at <= min(before + STALE + UNDER_WAY, after - 1.0)]
            if not due or due[-1] != "unknown":
                outcome.wrong += 1
                outcome.fail(f"{device}: no newer sample for {after - before:.1f} s under water, and {due[-1:] or 'nothing'} is shown after "
                             f"{STALE + UNDER_WAY} s")
