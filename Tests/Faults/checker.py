"""The checker: everything that arrives from the gateway, held against what must arrive."""

import collections
import json
import math
import os
import threading
import time

import alarms
import subscriber
from reference import SCALE, STATES

CHECKED = {"depth-state", "water-temperature", "impact", "head-pose", "head-pose/series", "dive", "echo"} | alarms.KINDS
CONTACT = "alarm/contact-lost"
SILENCE = 30.0  # derive.connection.device.silenceSeconds, s
UNDER_WAY = 1.0  # s that a frame may take to the gateway
RUNS = {"clockSetBack", "bootReused"}  # what a device is said to have done where another run of its boot begins
SETTLED = 60.0  # s without a state under water after which no stored state of a device can be one
GATEWAY_TIME = {"silence", "restart", "handover", "reboot", "lastWill"}  # causes of depth-states that depend on the gateway's clock


class Arrival:
    """The first message under one id."""

    __slots__ = ("device", "kind", "instant", "id", "content", "body", "count", "until", "skewed", "received", "at")

    def __init__(self, device, kind, instant, identity, content, body, until=None, skewed=False, received=None, ahead=0.0):
        self.device, self.kind, self.instant, self.id = device, kind, instant, identity
        self.content, self.body, self.count, self.until, self.skewed = content, body, 1, until, skewed
        self.received, self.at = received, time.time() + ahead  # by the gateway, and here: wall clock

    def __repr__(self):
        return f"{self.device} {self.kind} id {self.id}: {self.body.decode(errors='replace')}"


class Checker:
    """Subscribes with a session of its own that the broker keeps, and logs every arrival."""

    def __init__(self, directory, port, user=None):
        self._prepare()
        self.log = open(os.path.join(directory, "arrivals.ndjson"), "ab", buffering=1 << 16)
        self.subscriber = subscriber.Subscriber(port, "checker", ["wearables/+/out/#", "fathom/#"], self.take, user=user)

    def _prepare(self):
        self.lock = threading.Lock()
        self.ahead = 0.0  # how far the wall clock of devices and gateway is ahead of this machine's, in s
        self.arrivals = {}  # id -> Arrival
        self.kinds = collections.Counter()
        self.conflicts = []  # two contents under one id
        self.duplicates = 0  # on the wire
        self.committed = {}  # (device, stream) -> the greatest seq up to which all frames are committed, where the gateway publishes that
        self.runs = []  # messages that say that a device set its clock back or used a boot again
        self.data = []  # (monotonic time of arrival, the gateway's `received`) of every data message
        self.statuses = []  # (monotonic time of arrival, status)
        self.last_arrival = time.monotonic()

    def stop(self):
        self.subscriber.stop()
        with self.lock:
            self.log.close()

    def take(self, topic, payload, retained):
        """Takes a message."""
        now, parts = time.monotonic(), topic.split("/")
        with self.lock:
            if not self.log.closed:
                self.log.write(b'{"at":%f,"topic":"%s","retained":%s,"payload":%s}\n' % (
                    now, topic.encode(), b"true" if retained else b"false", payload or b"null"))
            if parts[0] == "fathom":
                if parts[-1] == "status" and payload:
                    self.statuses.append((now, json.loads(payload)))
                return
            kind = "/".join(parts[3:])
            if not payload:
                return
            if kind.startswith("committed/"):
                self.committed[parts[1], parts[-1]] = json.loads(payload)["seq"]
            elif not retained:
                self._record(now, parts[1], kind, payload)

    def _record(self, now, device, kind, payload):
        body = json.loads(payload)
        received, _epoch = body.pop("received", None), body.pop("epoch", None)
        skewed, until = body.pop("skew", None) is not None, body.pop("validUntil", None)
        identity, content = body.get("id"), json.dumps(body, sort_keys=True)
        if kind in CHECKED and body.get("cause") not in GATEWAY_TIME and not device.startswith("probe"):
            self.data.append((now, received))
            self.last_arrival = now
        if RUNS & {body.get("reason"), body.get("cause")} or (body.get("source") or {}).get("run"):
            self.runs.append(f"{device} {kind}: {content}")
        known = self.arrivals.get(identity)
        if known:
            self.duplicates += 1
            known.count += 1
            # Where a device's clock runs ahead of the gateway's, `validUntil` is by the gateway's clock.
            if known.content != content or (known.until != until and not skewed and not known.skewed):
                self.conflicts.append((known, payload))
            return
        instant = body.get("deviceTime")
        self.kinds[kind] += 1
        self.arrivals[identity] = Arrival(device, kind, None if instant is None else round(instant * SCALE), identity, content, payload,
                                           until, skewed, received, self.ahead)

    def snapshot(self):
        with self.lock:
            return list(self.arrivals.values())

    def depths(self):
        """The depth states that arrived, with their contents."""
        return [(arrival, json.loads(arrival.body)) for arrival in self.snapshot() if arrival.kind == "depth-state"]

    def seen(self, device, kind):
        """Whether a message of a kind arrived from a device."""
        return any(arrival.device == device and arrival.kind == kind for arrival in self.snapshot())

    def status(self):
        """The gateway's newest status, if any."""
        return self.statuses[-1][1] if self.statuses else {}

    def broker_port(self):
        """The port of the broker that the gateway uses, by its newest status."""
        return int(self.status()["broker"]["address"].rsplit(":", 1)[1])

    def first_data_after(self, monotonic, wall):
        """Seconds from a start of the gateway to the first data message that it derived after it; None if there is none."""
        with self.lock:
            return next((at - monotonic for at, received in self.data if at >= monotonic and (received or 0) >= wall), None)

    def longest_pause(self, begin, end):
        """The longest time between two arrivals of data, of those within `begin` and `end`, in s."""
        with self.lock:
            times = [at for at, _received in self.data if begin <= at <= end]
        return max(after - before for before, after in zip([begin] + times, times + [end]))

    def drain(self, expectation, within=60.0, idle=3.0, backlog=0.0):
        """Waits until all that is expected has arrived; returns what is missing and what of it counts as stuck.

        Missing is lost when a later event of the same device and kind has arrived, for order is kept within a device. What is still
        missing after `within` seconds without that is stuck. A `backlog` gives that many seconds more as long as messages arrive.
        """
        begin = time.monotonic()
        while True:
            arrivals = self.snapshot()
            keys = {(arrival.device, arrival.kind, arrival.instant) for arrival in arrivals}
            missing = [event for event in expectation.events.values() if event.key not in keys]
            latest = collections.defaultdict(lambda: -1)
            for arrival in arrivals:
                if arrival.instant is not None:
                    latest[arrival.device, arrival.kind] = max(latest[arrival.device, arrival.kind], arrival.instant)
            stuck = [event for event in missing if latest[event.device, event.kind] < event.instant]
            now = time.monotonic()
            if not missing or (not stuck and now - self.last_arrival > idle):
                return missing, []
            if now - max(begin, min(self.last_arrival, begin + backlog)) > within:
                return missing, stuck
            time.sleep(max(0.25, len(arrivals) / 40_000))


def differences(event, body, offset, disturbed):
    """What of an arrived message is not as expected, as a list of texts."""
    found = []
    for name, value in event.fields.items():
        if not _same(body.get(name), value, 1e-6):
            if name == "previous" and disturbed and body.get(name) == "unknown":
                continue  # a restart or silence lies between
            found.append(f"{name} is {body.get(name)!r}, expected {value!r}")
    if offset is not None and not _same(body.get("at"), offset + event.instant / SCALE, 2e-3):
        found.append(f"at is {body.get('at')!r}, expected {offset + event.instant / SCALE!r}")
    return found


def _same(value, expected, tolerance):
    if isinstance(expected, dict):
        return isinstance(value, dict) and all(_same(value.get(name), part, tolerance) for name, part in expected.items())
    if isinstance(expected, list):
        return isinstance(value, list) and len(value) == len(expected) and all(map(_same, value, expected, [tolerance] * len(expected)))
    if isinstance(expected, float) and isinstance(value, (int, float)):
        difference = abs(value - expected)
        return min(difference, abs(difference - 2 * math.pi)) <= tolerance  # angles may meet at plus and minus pi
    return value == expected


class Comparison:
    """The arrivals against the expectation, as sets. A device may be silent for `silence` seconds; None for any time."""

    def __init__(self, checker, expectation, prefix="", silence=SILENCE):
        self.lost, self.duplicate, self.wrong, self.gaps, self.rejected, self.early = [], [], [], [], [], []
        arrivals = [arrival for arrival in checker.snapshot()
                    if arrival.device.startswith(prefix) and not arrival.device.startswith("probe")]
        disturbed = collections.Counter()
        found = collections.defaultdict(list)
        extra = []
        unknown = _unknown(arrivals)
        # Silence depends on the gateway's clock, and what is about to be cleared begins anew behind it.
        silent = {arrival.device for arrival, body in unknown if body["cause"] in ("silence", "lastWill")}
        may_come = expectation.may_come()
        expected = {key: event for key, event in expectation.events.items() if key[1] not in alarms.KINDS or key[0] not in silent}
        self.expected = expected  # without what depends on when the gateway ran
        for arrival in arrivals:
            body = json.loads(arrival.body)
            if arrival.kind == "gap":
                self.gaps.append((arrival, body))
            elif arrival.kind == "rejected":
                self.rejected.append(arrival)
            elif arrival.kind == "depth-state" and body.get("early"):
                self._check_early(arrival, body, expectation)
            elif arrival.kind == "depth-state" and body.get("cause") in GATEWAY_TIME:
                disturbed[arrival.device] += 1
                self._check_safe(arrival, body, expectation)
            elif arrival.kind == "connection/device" and silence is not None:
                self._check_silence(arrival, body, expectation, silence)
            elif arrival.kind == CONTACT:
                self._check_contact(arrival, body, unknown)
            elif arrival.kind in alarms.KINDS and arrival.device in silent:
                self._check_alarm(arrival, body, expectation)
            elif arrival.kind in CHECKED:
                key = (arrival.device, arrival.kind, arrival.instant)
                if key in expected:
                    found[key].append((arrival, body))
                elif key not in may_come:
                    extra.append((arrival, body))
        confirmed = collections.Counter()
        for key, hits in found.items():
            event = expectation.events[key]
            for arrival, body in hits:
                wrong = differences(event, body, event.offset, disturbed[event.device])
                if wrong:
                    self.wrong.append((arrival, "; ".join(wrong)))
            # Derived again after a restart or silence was published: the state with previous: unknown replaces that.
            again = [hit for hit in hits if hit[1].get("previous") == "unknown" and event.kind == "depth-state"][:len(hits) - 1]
            room = max(disturbed[event.device] - confirmed[event.device], 0)
            confirmed[event.device] += min(len(again), room)
            if len(hits) - min(len(again), room) > 1:
                self.duplicate.append((hits[0][0], f"{len(hits)} ids for one event: " + ", ".join(hit[0].id for hit in hits)))
        for arrival, body in extra:
            state = expectation.state(arrival.device, arrival.instant) if arrival.kind == "depth-state" else None
            confirmed[arrival.device] += 1
            if state is None or state != body.get("state") or confirmed[arrival.device] > disturbed[arrival.device]:
                self.wrong.append((arrival, "not expected" + (f"; the state is {state}" if state else "")))
        self.duplicate += [(known, "another content under its id: " + body.decode(errors="replace")) for known, body in checker.conflicts
                           if known.device.startswith(prefix)]
        self.stuck = []
        self.lost = [event for key, event in expected.items() if key not in found]

    def _check_contact(self, arrival, body, unknown):
        """Contact is lost since a depth state that says so: an alarm that changes often is published again with its count."""
        if body["state"] != "raised":
            return
        if not any(other.device == arrival.device and depth["at"] == body["since"] for other, depth in unknown):
            self.wrong.append((arrival, "contact is lost, though no depth state says so"))

    def _check_alarm(self, arrival, body, expectation):
        """An alarm of a device that was silent is raised by a state that there was."""
        state = expectation.state(arrival.device, arrival.instant)
        if body["state"] == "raised" and body["count"] == 1 and state is not None and state != body["value"]:
            self.wrong.append((arrival, f"raised by {body['value']}; the state is {state}"))

    def _check_early(self, arrival, body, expectation):
        """A state that was read before the frames before it must be no shallower than the state in order."""
        self.early.append((arrival, body))
        state = expectation.state(arrival.device, arrival.instant)
        if state is None or STATES[body["state"]] < STATES[state] or body["previous"] is not None:
            self.wrong.append((arrival, f"early; the state is {state}"))

    def _check_silence(self, arrival, body, expectation, silence):
        """A device that is silent since an instant must have sent nothing in the time before it that makes it silent."""
        if body.get("state") != "silent":
            return
        until = body["at"]
        sent = [instant for (device, _stream), instants in expectation.instants.items() if device == arrival.device
                for instant in instants if until - silence + UNDER_WAY < instant < until - UNDER_WAY]
        if sent:
            self.wrong.append((arrival, f"silent, though it sent {len(sent)} frames in the {silence} s before"))

    def _check_safe(self, arrival, body, expectation):
        """Every state after a restart or silence must be unknown or correct, and none may be unknown of a device that is on the shelf."""
        if body.get("state") == "unknown":
            if body["cause"] in ("restart", "handover") and not expectation.was_under_water(arrival.device, arrival.at, SETTLED):
                self.wrong.append((arrival, "unknown, though it was last out of the water or never had a depth"))
            return
        if arrival.instant is None:
            return
        state = expectation.state(arrival.device, arrival.instant)
        if state is not None and state != body.get("state"):
            self.wrong.append((arrival, f"the state is {state}"))


def _unknown(arrivals):
    """The depth states that say that nothing is known, with their contents."""
    depths = [(arrival, json.loads(arrival.body)) for arrival in arrivals if arrival.kind == "depth-state"]
    return [(arrival, body) for arrival, body in depths if body.get("state") == "unknown"]


def judge_runs(outcome, checker):
    """Fails where the gateway found a clock set back or a boot used again, which no device did."""
    outcome.require(not checker.runs, f"{len(checker.runs)} messages tell of a new run: {checker.runs[:2]}")


def judge_resends(outcome, resends, restarts):
    """Fails unless `committed` messages arrived and made what devices send again after a restart shorter."""
    outcome.require(len(resends) >= restarts, f"the devices sent again {len(resends)} times in {restarts} restarts of the broker")
    outcome.require(any(resend["committed"] for resend in resends), "no out/committed message arrived")
    whole = [resend for resend in resends if resend["resent"] >= resend["made"]]
    outcome.require(resends and not whole, f"{len(whole)} of {len(resends)} resends held every frame made so far: out/committed "
                                           "did not shorten them")
    if resends:
        outcome.notes.append(f"{sum(resend['resent'] for resend in resends)} frames were sent again in {len(resends)} resends; without "
                             f"out/committed {sum(resend['made'] for resend in resends)}")
