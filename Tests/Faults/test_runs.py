"""Tests of the second implementation of runs and of what is demanded of devices whose clock is wrong. Needs no broker and no gateway."""

import json
import os
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True

import fleet  # noqa: E402
import misbehaving  # noqa: E402
import reference  # noqa: E402
from checker import Arrival, Checker, Comparison, judge_runs  # noqa: E402
from report import Outcome  # noqa: E402
from runs import BACK, REUSED, Runs  # noqa: E402
from runs_checker import judge_devices, judge_stale  # noqa: E402


def frame(uptime, seq=None, sent=None):
    return {"seq": seq, "uptime": uptime, "sent": uptime if sent is None else sent,
            "measurements": [{"timestamp": uptime, "depth": {"value": 3.0, "unit": "m"}}]}


class RunTests(unittest.TestCase):
    def run_of(self, *frames):
        """What becomes of frames, each (uptime, seq, sent) and the second of its arrival: (released uptimes, reasons of new runs, late)."""
        runs, released = Runs(), []
        for at, one in frames:
            released += [taken["uptime"] for taken in runs.take(frame(*one), at)]
        return released, [reason for reason, _at in runs.begun], runs.late

    def test_rising(self):
        self.assertEqual(self.run_of(*((t, (t, t)) for t in range(4))), ([0, 1, 2, 3], [], 0))

    def test_clock_set_back(self):
        frames = [(t, (t, t)) for t in range(100, 110)] + [(t, (t - 60, t)) for t in range(110, 120)]
        released, reasons, late = self.run_of(*frames)
        self.assertEqual((reasons, late), ([BACK], 0))
        self.assertEqual(released, [*range(100, 110), *range(50, 60)])

    def test_clock_set_back_by_little_is_disorder(self):
        frames = [(t, (t, t)) for t in range(100, 110)] + [(t, (t - 4, t)) for t in range(110, 120)]
        self.assertEqual(self.run_of(*frames)[1:], ([], 0))

    def test_nothing_is_released_before_the_wait_is_over(self):
        frames = [(t, (t, t)) for t in range(100, 110)] + [(t, (t - 60, t)) for t in range(110, 115)]
        self.assertEqual(self.run_of(*frames), (list(range(100, 110)), [], 0))

    def test_old_run_goes_on(self):
        frames = [(t, (t, t)) for t in range(100, 110)] + [(t, (t - 60, t)) for t in range(110, 113)] + [(t, (t, t)) for t in range(113, 120)]
        released, reasons, late = self.run_of(*frames)
        self.assertEqual((reasons, late), ([], 3))
        self.assertEqual(released, [*range(100, 110), *range(113, 120)])

    def test_boot_used_again(self):
        frames = [(t, (t, t - 100)) for t in range(100, 110)] + [(t, (t, t - 112)) for t in range(112, 122)]
        released, reasons, _late = self.run_of(*frames)
        self.assertEqual((reasons, len(released)), ([REUSED], 20))

    def test_boot_used_again_soon(self):
        frames = [(t, (t, t - 100)) for t in range(100, 103)] + [(t, (t, t - 105)) for t in range(105, 120)]
        released, reasons, _late = self.run_of(*frames)
        self.assertEqual((reasons, len(released)), ([REUSED], 18))

    def test_boot_and_clock_used_again(self):
        frames = [(t, (t, t - 100, t)) for t in range(100, 110)] + [(t, (t - 110, t - 118, t)) for t in range(118, 128)]
        self.assertEqual(self.run_of(*frames)[1], [REUSED])

    def test_frames_that_come_twice(self):
        frames = [(t, (t, t - 100)) for t in range(100, 110)] + [(110, (t, t - 100)) for t in range(103, 110)]
        self.assertEqual(self.run_of(*frames), (list(range(100, 110)), [], 0))

    def test_backlog_that_is_sent_fast(self):
        stored = [(110 + t / 100, (50 + t,)) for t in range(50)]
        frames = [(t, (t,)) for t in range(100, 110)] + stored + [(t, (t,)) for t in range(111, 120)]
        released, reasons, late = self.run_of(*frames)
        self.assertEqual((reasons, late), ([], 50))
        self.assertEqual(released, [*range(100, 110), *range(111, 120)])

    def test_stored_and_live_mixed_without_sequence(self):
        frames = [(t, (t,)) for t in range(100, 110)]
        for t in range(125, 140):
            frames += [(t, (t,)), (t + 0.1, (t - 15,))]
        self.assertEqual(self.run_of(*frames)[1], [])

    def test_mapping_set_back_within_its_run(self):
        frames = [(t, (t,)) for t in range(100, 160)] + [(t, (t - 20.3,)) for t in range(160, 200)]
        released, reasons, late = self.run_of(*frames)
        self.assertEqual((reasons, late, len(released)), ([BACK], 0, 100))


class RepetitionTests(unittest.TestCase):
    def test_repeated_samples_say_nothing(self):
        states = {}
        depth = reference.DepthReference("diver0", states)
        first = list(depth.step(frame(100.0, 0)))
        again = list(depth.step({**frame(101.0, 1), "measurements": frame(100.0)["measurements"]}))
        self.assertEqual((len(first), again, len(states)), (1, [], 1))


class DeviceTests(unittest.TestCase):
    """The devices of F29, for 70 s."""

    @classmethod
    def setUpClass(cls):
        wall = 1_700_000_000.0
        devices = fleet.fleet({kind: 1 for kind in misbehaving.KINDS}, 3, wall)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "frames.ndjson")
            with open(path, "w") as file:
                file.writelines(cls.lines(devices, wall))
            cls.expected = reference.Expectation([path])

    @staticmethod
    def lines(devices, wall):
        unnoted = {}
        while min(device.due for device in devices) < 70:
            device = min(devices, key=lambda device: device.due)
            due, device.quiet = device.due, device.due > 50
            text = device.frame()
            key = (device.name, device.stream, device.seq - 1)
            unnoted[key] = text
            published = device.route((*key, device.payload(text)))
            for known in [key] if device.sequenced else [one[:3] for one in published]:
                yield f'{{"device":"{known[0]}","stream":"{known[1]}","at":{wall + due!r},"frame":{unnoted.pop(known)}}}\n'

    def begun(self, kind):
        return [reason for (device, _stream), runs in self.expected.runs.items() if device == f"{kind}0" for reason, _at in runs.begun]

    def test_each_device_leads_to_what_it_is_for(self):
        expected = {"setBackAtDepth": BACK, "setBackAtSurface": BACK, "setBackBatter": BACK, "reused": REUSED, "reusedSoon": REUSED,
                    "reusedWithClock": REUSED, "mappedSetBack": BACK, "mappedSetBackALittle": BACK}
        for kind in misbehaving.KINDS:
            with self.subTest(kind):
                self.assertEqual(set(self.begun(kind)), {expected[kind]} if kind in expected else set())

    def test_instants_of_runs_differ(self):
        events = [event for event in self.expected.events.values() if event.kind == "depth-state"]
        self.assertLessEqual({1, 2, 3}, {event.run for event in events})
        later = [event for event in events if event.run > 1 and event.fields["previous"] == "unknown"]
        self.assertEqual(len({(event.device, event.run) for event in later}), len(later))

    def arrivals(self, change=lambda body: body, reports=True):
        """All that must arrive, and what must be said of it."""
        found = []
        for event in self.expected.events.values():
            source = {"run": event.run} if event.run > 1 else {}
            found.append(self.arrival(event.device, event.kind, event.instant, change({"source": source, **event.fields})))
        for (device, _stream), runs in self.expected.runs.items():
            for number, (reason, at) in enumerate(runs.begun if reports else []):
                found.append(self.arrival(device, "rejected", number, {"reason": reason}))
                found.append(self.arrival(device, "connection/device", number, {"cause": reason}))
                found.append(self.arrival(device, "depth-state", -1, {"state": "unknown", "cause": "silence"}, at + 5.0))
        return found

    @staticmethod
    def arrival(device, kind, instant, body, at=0.0):
        arrived = Arrival(device, kind, instant, f"{device}{kind}{instant}{at}", "", json.dumps(body).encode())
        arrived.at = at
        return arrived

    def judge(self, arrivals):
        outcome = Outcome("F29", "")
        judge_devices(outcome, arrivals, self.expected, kills=[time.time()])
        return [failure for failure in outcome.failures if "no newer sample" not in failure]

    def test_all_is_well(self):
        self.assertEqual(self.judge(self.arrivals()), [])

    def test_runs_that_are_not_named(self):
        def unnamed(body):
            return {**body, "source": {}}
        failures = self.judge(self.arrivals(unnamed))
        self.assertEqual(len(failures), 1)
        self.assertIn("messages name another run", failures[0])

    def test_not_reported(self):
        devices = {device for (device, _stream), runs in self.expected.runs.items() if runs.begun}
        self.assertEqual(len(self.judge(self.arrivals(reports=False))), 2 * len(devices) - 1)  # a batter's is no connection

    def test_reported_of_a_device_that_only_repeats(self):
        more = [self.arrival("repeating0", "rejected", 0, {"reason": BACK})]
        self.assertEqual(len(self.judge(self.arrivals() + more)), 1)


class StaleTests(unittest.TestCase):
    """A device under water sends nothing newer for 20 s."""

    def judge(self, *shown, state="submergedDeep", kills=()):
        class Expected:
            accepted = {"diver0": [(100.0, state), (120.0, state)]}
        outcome = Outcome("F29", "")
        arrivals = [DeviceTests.arrival("diver0", "depth-state", 0, {"state": state}, at) for at, state in shown]
        judge_stale(outcome, arrivals, Expected, kills)
        return len(outcome.failures)

    def test_unknown_in_time(self):
        self.assertEqual(self.judge((100.1, "submergedDeep"), (105.2, "unknown")), 0)

    def test_never(self):
        self.assertEqual(self.judge((100.1, "submergedDeep")), 1)

    def test_too_late(self):
        self.assertEqual(self.judge((100.1, "submergedDeep"), (109.0, "unknown")), 1)

    def test_valid_again(self):
        self.assertEqual(self.judge((100.1, "submergedDeep"), (105.2, "unknown"), (106.0, "submergedDeep")), 1)

    def test_at_the_surface(self):
        self.assertEqual(self.judge(state="notSubmerged"), 0)

    def test_around_a_kill(self):
        self.assertEqual(self.judge((100.1, "submergedDeep"), kills=[110.0]), 0)


class ShelfTests(unittest.TestCase):
    """Who may be `unknown` after a restart, and who may be said to have set a clock back."""

    def setUp(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "frames.ndjson")
            self.wall = time.time() - 80.0
            with open(path, "w") as file:
                for device in fleet.fleet({"parked": 1, "divers": 1, "batters": 1}, 7, self.wall):
                    while device.due < 90:
                        file.write(f'{{"device":"{device.name}","stream":"{device.stream}","frame":{device.frame()}}}\n')
            self.expected = reference.Expectation([path])
        self.checker = Checker.__new__(Checker)
        self.checker._prepare()
        for event in self.expected.events.values():
            self.record(event.device, event.kind, {"id": str(event.key), "at": event.offset + event.instant / reference.SCALE,
                                                   "deviceTime": event.instant / reference.SCALE, **event.fields})

    def record(self, device, kind, body):
        self.checker._record(0.0, device, kind, json.dumps({"received": 0.0, "device": device, "kind": kind, **body}).encode())

    def unknown(self, device, cause="restart"):
        self.record(device, "depth-state", {"id": "unknown", "state": "unknown", "cause": cause, "deviceTime": None})
        return len(Comparison(self.checker, self.expected).wrong)

    def test_diver(self):
        self.assertEqual(self.unknown("diver0"), 0)

    def test_last_out_of_the_water(self):
        self.assertEqual(self.unknown("parked0"), 1)
        self.assertEqual(self.unknown("parked0", "handover"), 1)

    def test_never_a_depth(self):
        self.assertEqual(self.unknown("batter0"), 1)

    def runs(self, kind=None, **body):
        if kind:
            self.record("diver0", kind, {"id": "run", "deviceTime": 1.0, **body})
        outcome = Outcome("F1", "")
        judge_runs(outcome, self.checker)
        return len(outcome.failures)

    def test_no_run(self):
        self.assertEqual(self.runs(), 0)

    def test_reported_run(self):
        self.assertEqual(self.runs("rejected", reason="clockSetBack"), 1)

    def test_named_run(self):
        self.assertEqual(self.runs("depth-state", source={"boot": "b1", "seq": [1, 1], "run": 2}), 1)

    def test_connected_by_a_run(self):
        self.assertEqual(self.runs("connection/device", cause="bootReused", state="connected"), 1)


if __name__ == "__main__":
    unittest.main()
