"""Tests of the checker. `python3 Tests/Faults/test_checker.py`; needs no broker and no gateway."""

import json
import os
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

import alarms  # noqa: E402
import devices  # noqa: E402
import fleet  # noqa: E402
import reference  # noqa: E402
from checker import Arrival, Checker, Comparison, judge_resends  # noqa: E402
from gaps import missing  # noqa: E402
from report import Outcome  # noqa: E402


class Arrivals(Checker):
    """A checker that is fed by hand."""

    def __init__(self):
        self._prepare()


def expectation(reboots=False, **keywords):
    """What follows from 90 s of frames of a small fleet."""
    made = fleet.fleet({"divers": 6, "batters": 2, "pods": 2, "reboots": reboots}, 7, time.time())
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "frames.ndjson")
        with open(path, "w") as file:
            for device in made:
                while device.due < 90:
                    device.quiet = device.due > 85
                    file.write(f'{{"device":"{device.name}","stream":"{device.stream}","frame":{device.frame()}}}\n')
        return reference.Expectation([path], **keywords)


def gap(first, last, ranges=None, device="d1", run=None, **changes):
    """A gap as it arrives: (arrival, content)."""
    source = {"stream": "submersion", "boot": "b1", "seq": [first, last], **({"run": run} if run else {})}
    body = {"id": f"{device}{first}-{last}", "kind": "gap", "stream": "submersion", "unit": "frames", "expected": last - first + 1, "receivedCount": 0,
            "source": source, **({"ranges": list(map(list, ranges))} if ranges else {}), **changes}
    return Arrival(device, "gap", 0, body["id"], "", b""), body


class GapTests(unittest.TestCase):
    def test_gaps_are_united_however_they_are_joined(self):
        single = [gap(seq, seq) for seq in (1, 3, 5, 7)]
        joined = [gap(1, 3, [(1, 1), (3, 3)]), gap(3, 7, [(3, 3), (5, 5), (7, 7)], count=3)]
        self.assertEqual(missing(single), {("d1", "submersion", "b1", 1): {1, 3, 5, 7}})
        self.assertEqual(missing(joined), missing(single))

    def test_boots_and_runs_are_apart(self):
        self.assertEqual(set(missing([gap(1, 2), gap(1, 2, run=2), gap(1, 1, device="d2")])),
                         {("d1", "submersion", "b1", 1), ("d1", "submersion", "b1", 2), ("d2", "submersion", "b1", 1)})

    def test_what_may_have_been_received_is_not_covered(self):
        self.assertEqual(missing([gap(1, 9, [(1, 9)], receivedCount=2), gap(1, 9, unit="samples"), gap(1, 9, source=None)]), {})


class AlarmTests(unittest.TestCase):
    def follow(self, *states):
        """What is published for (instant, state), and for the time after that, without what follows from other rules."""
        alarm, found = alarms.Alarm("past-limit"), []
        for at, state in states:
            if state == "unknown":
                alarm.doubt()
            else:
                found += alarm.step(at, state)
        found += alarm.advance(1e6)
        return [(at, fields["state"], fields["count"]) for at, fields in found]

    def test_an_alarm_is_raised_at_once_and_cleared_after_ten_seconds(self):
        self.assertEqual(self.follow((1, "submergedDeep"), (2, "pastMaxDepth"), (5, "submergedDeep"), (9, "notSubmerged")),
                         [(2, "raised", 1), (15, "cleared", 1)])
        self.assertEqual(self.follow((2, "pastMaxDepth"), (5, "submergedDeep"), (15, "sensorDepthError"), (30, "submergedDeep")),
                         [(2, "raised", 1), (40, "cleared", 1)])

    def test_doubt_clears_nothing(self):
        self.assertEqual(self.follow((2, "pastMaxDepth"), (5, "submergedDeep"), (6, "unknown")), [(2, "raised", 1)])
        self.assertEqual(self.follow((2, "pastMaxDepth"), (5, "submergedDeep"), (6, "unknown"), (8, "submergedDeep")),
                         [(2, "raised", 1), (18, "cleared", 1)])

    def test_what_changes_often_is_one_alarm(self):
        states = [(second, "pastMaxDepth" if second % 12 == 0 else "submergedDeep") for second in range(0, 62)]
        self.assertEqual(self.follow(*states), [
            (0, "raised", 1), (11, "cleared", 1), (12, "raised", 2), (23, "cleared", 2), (24, "raised", 3), (84, "raised", 6),
            (131, "cleared", 6)])

    def test_an_alarm_that_is_lost_doubled_or_unexpected_counts(self):
        expected = expectation()
        events = list(expected.events.values())
        alarm = next(event for event in events if event.kind in alarms.KINDS and event.fields["state"] == "cleared")

        def compare(changes):
            checker = Arrivals()
            for event in events:
                message = {"id": "/".join(map(str, event.key)), "deviceTime": event.instant / reference.SCALE,
                           "at": event.offset + event.instant / reference.SCALE, **event.fields}
                for copy in changes(message) if event is alarm else [message]:
                    checker._record(0.0, event.device, event.kind, json.dumps(copy).encode())
            found = Comparison(checker, expected)
            return len(found.lost), len(found.duplicate), len(found.wrong)

        self.assertEqual(compare(lambda message: [message, message]), (0, 0, 0))
        self.assertEqual(compare(lambda message: []), (1, 0, 0))
        self.assertEqual(compare(lambda message: [message, {**message, "id": "other"}]), (0, 1, 0))
        self.assertEqual(compare(lambda message: [{**message, "count": 7}]), (0, 0, 1))
        self.assertEqual(compare(lambda message: [message, {**message, "id": "other", "deviceTime": message["deviceTime"] + 1}]),
                         (0, 0, 1))

    def test_contact_is_lost_only_where_a_depth_state_says_so(self):
        expected = expectation()
        lost = {"id": "lost", "state": "raised", "since": 5.5, "at": 5.5, "deviceTime": None}
        counted = {**lost, "id": "counted", "at": 65.5}
        depth = {"id": "depth", "state": "unknown", "cause": "reboot", "at": 5.5, "deviceTime": 1.0}
        for more, wrong in (([depth], 0), ([], 2)):
            checker = Arrivals()
            for body, kind in [(each, "alarm/contact-lost") for each in (lost, counted)] + [(body, "depth-state") for body in more]:
                checker._record(0.0, "diver-0", kind, json.dumps(body).encode())
            self.assertEqual(len([entry for entry in Comparison(checker, expected).wrong if entry[0].kind == "alarm/contact-lost"]), wrong)


class OracleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = expectation(series=True)
        cls.events = list(cls.expected.events.values())
        cls.change = [event for event in cls.events if event.kind == "depth-state"][5]
        states = cls.expected.states[cls.change.device]
        cls.between = next(instant for instant in states if (cls.change.device, "depth-state", instant) not in cls.expected.events)

    def message(self, event, **changes):
        return {"id": "/".join(map(str, event.key)), "device": event.device, "kind": event.kind,
                "at": self.expected.offset(event.device, event.instant) + event.instant / reference.SCALE,
                "deviceTime": event.instant / reference.SCALE, "received": time.time(), **event.fields, **changes}

    def other(self, **changes):
        """A depth-state of the changing device that no frame asks for."""
        return {**self.message(self.change), "id": "other", **changes}

    def confirmation(self, **changes):
        state = self.expected.state(self.change.device, self.between)
        return self.other(id="confirmation", state=state, deviceTime=self.between / reference.SCALE, **changes)

    def compare(self, changed=None, without=None, more=()):
        """(lost, duplicate, wrong, duplicates on the wire) when all arrives but for what is said."""
        checker = Arrivals()
        for event in self.events:
            if event is not without:
                message = self.message(event, **changed[1]) if changed and changed[0] is event else self.message(event)
                checker._record(0.0, event.device, event.kind, json.dumps(message).encode())
        for message in more:
            checker._record(0.0, message["device"], message["kind"], json.dumps(message).encode())
        comparison = Comparison(checker, self.expected)
        return len(comparison.lost), len(comparison.duplicate), len(comparison.wrong), checker.duplicates

    def first(self, kind):
        return next(event for event in self.events if event.kind == kind)

    def test_expectation_without_frames_lacks_what_they_bring_and_what_follows_from_them(self):
        stream = (self.change.device, "submersion")
        reduced = expectation(without={stream: {self.change.seq}}, series=True)
        self.assertEqual(reduced.frames, self.expected.frames - 1)
        self.assertNotIn(self.change.key, reduced.events)
        others = {key for key, event in self.expected.events.items() if event.device != self.change.device}
        self.assertLessEqual(others, set(reduced.events))

    def test_a_boot_begins_without_state_and_with_another_clock(self):
        rebooted = expectation(reboots=True)
        self.assertGreater(rebooted.boot_count, 10)
        for device, boots in rebooted.offsets.items():
            for (_uptime, before), (uptime, offset) in zip(boots, boots[1:]):
                self.assertEqual(before - offset, devices.CLOCK)
                self.assertEqual(rebooted.offset(device, round(uptime * reference.SCALE)), offset)
        depths = [event for event in rebooted.events.values() if event.kind == "depth-state"]
        unknown = [event for event in depths if event.fields["previous"] == "unknown"]
        divers = [device for device in rebooted.offsets if "diver" in device]
        self.assertEqual(len(unknown), sum(len(rebooted.offsets[device]) for device in divers))

    def test_profiles_reach_every_kind(self):
        self.assertEqual({event.kind for event in self.events},
                         {"depth-state", "water-temperature", "impact", "head-pose", "head-pose/series", "dive"} | alarms.KINDS)

    def test_all_is_well(self):
        self.assertEqual(self.compare(), (0, 0, 0, 0))

    def test_lost(self):
        self.assertEqual(self.compare(without=self.change), (1, 0, 0, 0))

    def test_repeated_on_the_wire(self):
        self.assertEqual(self.compare(more=[self.message(self.change)]), (0, 0, 0, 1))

    def test_two_ids(self):
        self.assertEqual(self.compare(more=[self.other()]), (0, 1, 0, 0))

    def test_two_epochs(self):
        self.assertEqual(self.compare(changed=(self.change, {"epoch": 1}), more=[self.message(self.change, epoch=2)]), (0, 0, 0, 1))

    def test_two_contents(self):
        self.assertEqual(self.compare(more=[self.message(self.change, depth=9.9)]), (0, 1, 0, 1))

    def test_valid_until_beside_skew(self):
        valid, capped = {"validUntil": 9.0}, {"validUntil": 5.0, "skew": 60.0}
        self.assertEqual(self.compare(changed=(self.change, valid), more=[self.message(self.change, **capped)]), (0, 0, 0, 1))
        self.assertEqual(self.compare(changed=(self.change, capped), more=[self.message(self.change, **valid)]), (0, 0, 0, 1))
        self.assertEqual(self.compare(changed=(self.change, valid), more=[self.message(self.change, validUntil=5.0)]), (0, 1, 0, 1))

    def test_wrong_contents(self):
        for event, changes in ((self.change, {"state": "notSubmerged"}), (self.change, {"previous": "unknown"}),
                               (self.first("head-pose"), {"yaw": 0.001}), (self.first("impact"), {"peakAcceleration": 30.0}),
                               (self.first("dive"), {"deepest": 0.45}), (self.first("water-temperature"), {"temperature": 0.0}),
                               (self.change, {"at": 1.0})):
            with self.subTest(changes):
                self.assertEqual(self.compare(changed=(event, changes)), (0, 0, 1, 0))

    def test_one_wrong_sample_of_a_series(self):
        event = self.first("head-pose/series")
        yaw = event.fields["yaw"]
        self.assertEqual(self.compare(changed=(event, {"yaw": [yaw[0] + 1e-7, *yaw[1:]]})), (0, 0, 0, 0))
        for changes in ({"yaw": [*yaw[:-1], yaw[-1] + 0.001]}, {"yaw": yaw[:-1]}, {"yaw": yaw[0]}, {"sampleQuality": [0] * len(yaw)},
                        {"referenceAt": event.fields["timestamp"][-1] + 1}):
            with self.subTest(changes):
                self.assertEqual(self.compare(changed=(event, changes)), (0, 0, 1, 0))
        self.assertEqual(self.compare(without=event), (1, 0, 0, 0))

    def test_a_series_is_of_the_frame_that_has_its_samples(self):
        series = [event for event in self.events if event.kind == "head-pose/series"]
        single = [event for event in self.events if event.kind == "head-pose"]
        self.assertEqual(sum(len(event.fields["timestamp"]) for event in series), len(single))

    def test_moved_by_a_sample(self):
        event = self.first("impact")
        self.assertEqual(self.compare(changed=(event, {"deviceTime": event.instant / reference.SCALE + 0.00125})), (1, 0, 1, 0))

    def test_restart_is_allowed(self):
        restart = self.other(cause="restart", state="unknown", deviceTime=None)
        self.assertEqual(self.compare(changed=(self.change, {"previous": "unknown"}), more=[restart]), (0, 0, 0, 0))

    def test_restart_on_the_shelf(self):
        restart = self.other(cause="restart", state="unknown", deviceTime=None)
        self.assertEqual(self.compare(more=[{**restart, "previous": "submergedDeep"}]), (0, 0, 0, 0))
        self.assertEqual(self.compare(more=[{**restart, "device": "shelf-1", "previous": "unknown"}]), (0, 0, 1, 0))
        self.assertEqual(self.compare(more=[{**restart, "cause": "handover", "device": "shelf-1", "previous": "unknown"}]), (0, 0, 1, 0))

    def test_derived_again_after_silence(self):
        silence = self.other(id="silence", cause="silence", state="unknown")
        again = self.other(id="again", previous="unknown")
        self.assertEqual(self.compare(more=[again]), (0, 1, 1, 0))
        self.assertEqual(self.compare(more=[silence, again]), (0, 0, 0, 0))
        self.assertEqual(self.compare(changed=(self.change, {"previous": "unknown"}), more=[silence, self.other()]), (0, 0, 0, 0))
        self.assertEqual(self.compare(more=[silence, again, {**again, "id": "and again"}]), (0, 1, 0, 0))
        self.assertEqual(self.compare(more=[silence, {**again, "state": "pastMaxDepth"}]), (0, 0, 1, 0))

    def test_false_safe_state_after_restart(self):
        state = "submergedDeep" if self.change.fields["state"] == "notSubmerged" else "notSubmerged"
        self.assertEqual(self.compare(more=[self.other(cause="restart", state=state)]), (0, 0, 1, 0))

    def silence(self, device, after):
        """Silence of a device that is published as long after its last frame."""
        last = max(max(instants) for (name, _), instants in self.expected.instants.items() if name == device)
        return {"id": "silent", "device": device, "kind": "connection/device", "state": "silent", "deviceTime": 1.0, "at": last + after}

    def test_silence(self):
        self.assertEqual(self.compare(more=[self.silence("batter0", 30.0)]), (0, 0, 0, 0))
        self.assertEqual(self.compare(more=[self.silence("batter0", 28.5)]), (0, 0, 1, 0))
        self.assertEqual(self.compare(more=[self.silence("batter0", -20.0)]), (0, 0, 1, 0))

    def test_confirmation(self):
        silence = self.other(cause="silence", state="unknown")
        self.assertEqual(self.compare(more=[self.confirmation(cause="sample")]), (0, 0, 1, 0))
        self.assertEqual(self.compare(more=[silence, self.confirmation(cause="sample")]), (0, 0, 0, 0))
        self.assertEqual(self.compare(more=[silence, {**self.confirmation(cause="sample"), "state": "pastMaxDepth"}]), (0, 0, 1, 0))


class ResendTests(unittest.TestCase):
    """F6r: `committed` messages must have arrived and shortened what is sent again."""

    def failures(self, *resends, restarts=1):
        outcome = Outcome("F6r", "")
        judge_resends(outcome, [dict(zip(("made", "resent", "committed"), resend)) for resend in resends], restarts)
        return len(outcome.failures)

    def test_shortened(self):
        self.assertEqual(self.failures((100, 30, 7)), 0)
        self.assertEqual(self.failures((100, 30, 7), (200, 20, 19), restarts=2), 0)

    def test_nothing_committed(self):
        self.assertEqual(self.failures((100, 100, 0)), 2)

    def test_not_shortened(self):
        self.assertEqual(self.failures((100, 100, 7)), 1)
        self.assertEqual(self.failures((100, 30, 7), (200, 200, 7)), 1)

    def test_not_sent_again(self):
        self.assertGreater(self.failures(), 0)
        self.assertEqual(self.failures((100, 30, 7), restarts=2), 1)


if __name__ == "__main__":
    unittest.main()
