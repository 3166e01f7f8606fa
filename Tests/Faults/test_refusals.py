"""Tests of what is demanded of refused topics, stored histories and replays. Needs no broker and no gateway."""

import json
import sys
import time
import unittest

sys.dont_write_bytecode = True

from checker import Arrival  # noqa: E402
from order import out_of_order  # noqa: E402
from refusals import Refusal, judge_lateness, judge_refusals, judge_retained  # noqa: E402
from reference import SCALE, Event  # noqa: E402
from report import Outcome  # noqa: E402
from scenarios.replays import judge_dives  # noqa: E402
from scenarios.stored import judge_delays  # noqa: E402

BASE = 1_000_000.0  # unix time of uptime 0
SECONDS = range(100, 160)


class Expected:
    """A state of two divers and an impact each second."""

    def __init__(self):
        self.events = {}
        for second in SECONDS:
            for device, kind in (("diver0", "depth-state"), ("diver1", "depth-state"), ("batter0", "impact")):
                event = Event(device, kind, float(second), {}, "submersion", second)
                event.offset = BASE
                self.events[event.key] = event


def arrival(event, delay=0.1, **changes):
    at = event.offset + event.instant / SCALE
    body = json.dumps({"deviceTime": event.instant / SCALE, **changes}).encode()
    arrived = Arrival(event.device, event.kind, event.instant, str(event.key), "", body, received=at)
    arrived.at = at + delay
    return arrived


class RefusalTests(unittest.TestCase):
    """depth-state of diver0 and the impacts are refused from second 110 to 140."""

    def setUp(self):
        self.expected = Expected()
        self.refusals = [Refusal("depth-state", ["diver0"], BASE + 110.0, BASE + 140.0), Refusal("impact", ["batter0"], BASE + 110.0, BASE + 140.0)]

    def arrivals(self, first=141, owed=True):
        """All as it must be: of diver0 nothing before the state of `first`, the impacts as soon as they are allowed."""
        found = []
        for event in self.expected.events.values():
            second = event.instant / SCALE
            refused = 110 <= second < 140
            if event.device == "diver0" and 110 <= second < first or event.kind == "impact" and refused and not owed:
                continue
            found.append(arrival(event, 140.5 - second if event.kind == "impact" and refused else 0.1))
        return found

    def judge(self, arrivals):
        """(failures, events that are lost)"""
        keys = {(one.device, one.kind, one.instant) for one in arrivals}
        lost = [event for event in self.expected.events.values() if event.key not in keys]
        outcome = Outcome("F26", "")
        return outcome.failures, judge_refusals(outcome, arrivals, self.expected, lost, self.refusals)

    def test_newest_state_and_every_event(self):
        self.assertEqual(self.judge(self.arrivals()), ([], []))

    def test_state_too_late(self):
        failures, lost = self.judge(self.arrivals(first=152))
        self.assertEqual((len(failures), lost), (1, []))
        self.assertIn("came 12.1 s after it was allowed", failures[0])

    def test_no_state(self):
        failures, _lost = self.judge(self.arrivals(first=1000))
        self.assertIn("no current state of diver0", failures[0])

    def test_old_state_is_not_the_newest(self):
        old = next(event for event in self.expected.events.values() if event.key == ("diver0", "depth-state", 115 * SCALE))
        failures, _lost = self.judge(self.arrivals(first=155) + [arrival(old, 26.0)])
        self.assertIn("came 15.1 s after it was allowed", failures[0])

    def test_lost_event(self):
        _failures, lost = self.judge(self.arrivals(owed=False))
        self.assertEqual({event.kind for event in lost}, {"impact"})
        self.assertEqual(len(lost), 30)

    def test_lost_state_after_the_refusal_and_before_it(self):
        for second in (145, 105):
            with self.subTest(second):
                kept = [one for one in self.arrivals() if (one.device, one.instant) != ("diver0", second * SCALE)]
                self.assertEqual([event.instant / SCALE for event in self.judge(kept)[1]], [second])

    def test_lost_state_of_another(self):
        kept = [one for one in self.arrivals() if (one.device, one.instant) != ("diver1", 120 * SCALE)]
        self.assertEqual(len(self.judge(kept)[1]), 1)

    def test_nothing_was_refused(self):
        failures, _lost = self.judge([arrival(event) for event in self.expected.events.values()])
        self.assertEqual(len(failures), 2)

    def late(self, delays, kills=()):
        outcome = Outcome("F26", "")
        arrivals = [arrival(event, delays.get((event.device, event.instant // SCALE), 0.1)) for event in self.expected.events.values()]
        judge_lateness(outcome, arrivals, self.expected, self.refusals, kills)
        return len(outcome.failures)

    def test_late_depth(self):
        self.assertEqual(self.late({}), 0)
        self.assertEqual(self.late({("diver1", 120): 2.5}), 1)
        self.assertEqual(self.late({("diver0", 120): 25.0}), 0)  # of the topic that is refused
        self.assertEqual(self.late({("diver1", 120): 2.5}, [BASE + 119.0]), 0)
        self.assertEqual(self.late({("diver1", 125): 2.5}, [BASE + 119.0]), 1)

    def test_retained(self):
        topic = "wearables/diver0/out/depth-state"
        for payload, failures in ((b'{"deviceTime": 155.0}', 0), (b'{"deviceTime": 120.0}', 1), (b'{"deviceTime": null}', 1), (None, 1)):
            with self.subTest(payload):
                outcome = Outcome("F26", "")
                judge_retained(outcome, self.expected, {topic: payload} if payload else {}, self.refusals, BASE + 156.0)
                self.assertEqual(len(outcome.failures), failures)


class OrderTests(unittest.TestCase):
    """Events of a topic that was refused come in the order of their instants."""

    def setUp(self):
        self.impacts = [arrival(event) for event in Expected().events.values() if event.kind == "impact"]

    def test_in_order(self):
        self.assertEqual(out_of_order(self.impacts), [])

    def test_disordered(self):
        disordered = self.impacts[:10] + [self.impacts[11], self.impacts[10]] + self.impacts[12:]
        self.assertEqual(out_of_order(disordered), [self.impacts[10]])

    def test_newer_before_what_was_refused(self):
        self.assertEqual(len(out_of_order(self.impacts[20:] + self.impacts[:20])), 20)


class DiveTests(unittest.TestCase):
    """F28: what a replay derived arrives once."""

    def judge(self, *deepest):
        outcome = Outcome("F28", "")
        arrivals = []
        for number, depth in enumerate(deepest):
            event = Event("probe-diver0", "dive", 50.0, {}, "submersion", number)
            event.offset = time.time()
            arrivals.append(arrival(event, deepest=depth))
        judge_dives(outcome, arrivals, ["probe-diver0"], 50 * SCALE, 1.2, "0")
        return outcome.lost, outcome.duplicate, outcome.wrong, len(outcome.failures)

    def test_once(self):
        self.assertEqual(self.judge(1.2), (0, 0, 0, 0))

    def test_lost(self):
        self.assertEqual(self.judge(), (1, 0, 0, 1))

    def test_twice(self):
        self.assertEqual(self.judge(1.2, 1.2), (0, 1, 0, 1))

    def test_wrong(self):
        self.assertEqual(self.judge(0.5), (0, 0, 1, 1))


class DelayTests(unittest.TestCase):
    """F30: a depth may be a second later than without the history, but for three seconds after a kill."""

    def judge(self, delays, kills=(), plain=None):
        outcome = Outcome("F30", "")
        judge_delays(outcome, ({key: (float(key), delay) for key, delay in enumerate(delays)}, kills),
                     ({key: (float(key), delay) for key, delay in enumerate(plain or [0.1] * len(delays))}, kills))
        return len(outcome.failures)

    def test_in_time(self):
        self.assertEqual(self.judge([0.1] * 20), 0)
        self.assertEqual(self.judge([1.0] * 20), 0)

    def test_late(self):
        self.assertEqual(self.judge([0.1] * 10 + [1.2] + [0.1] * 9), 1)

    def test_late_without_the_history_too(self):
        self.assertEqual(self.judge([1.2] * 20, plain=[0.5] * 20), 0)

    def test_late_after_a_kill(self):
        delays = [0.1] * 10 + [1.2] + [0.1] * 9
        self.assertEqual(self.judge(delays, kills=[9.0]), 0)
        self.assertEqual(self.judge(delays, kills=[6.0]), 1)

    def test_other_depths(self):
        self.assertEqual(self.judge([0.1] * 20, plain=[0.1] * 5), 1)


if __name__ == "__main__":
    unittest.main()
