"""F30: what one device recorded in 36 h, beside ten divers, where one account carries everything: no depth may wait for it.

The release build runs twice with the same divers and is killed at the same times: with the history, and without.
"""

import json
import threading
import time

import pahoclient
import processes
from recording import Recording
from refusals import instant_of
from report import Outcome
from rig import Rig
from scenarios.ownership import ACCOUNTS, PASSWORDS, access_list, lane_accounts

HOURS, RATE, DIVERS, KILLS = 36, 50, 10, 3
WATCH = "watch-1"
LATER = 1.0  # s that a depth may be later than without the history
AFTER_KILL = 3.0  # s after a kill in which it may be
AHEAD = 100  # frames of 180 kB that may be under way
REPORTED = 60.0  # s after the last frame of a history until it is reported
WITHIN = 600.0


def beside_divers(options):
    hours = 4 if options.short else HOURS
    outcome = Outcome("F30", f"{hours} h of recorded acceleration beside {DIVERS} divers, one account, release build, kill -9; and the same without",
                      options.seed, n=KILLS)
    plan = []  # (seconds since the divers began) of each kill, and of the end
    with_history = _run(options, outcome, plan, hours)
    without = _run(options, outcome, plan, 0)
    judge_delays(outcome, with_history, without)
    return outcome


def judge_delays(outcome, with_history, without):
    """Fails where a depth was more than `LATER` s later than the same without the history. Both are ({key: (instant, delay)}, kills)."""
    delays, kills = with_history
    plain, plain_kills = without
    greatest, late, compared = 0.0, [], 0
    for key, (instant, delay) in delays.items():
        if key not in plain or _after_kill(instant, kills) or _after_kill(plain[key][0], plain_kills):
            continue
        compared += 1
        greatest = max(greatest, delay - plain[key][1])
        if delay > plain[key][1] + LATER:
            late.append((delay - plain[key][1], key))
    outcome.require(compared > len(delays) / 2, f"only {compared} of {len(delays)} depths came in both runs")
    outcome.require(not late, f"{len(late)} of {compared} depths came more than {LATER:.0f} s later than without the history, the latest {greatest:.1f} s")
    outcome.samples += [f"{delay:.1f} s later: {key}" for delay, key in sorted(late, reverse=True)[:3]]
    outcome.notes.append(f"{compared} depths were compared; the history made one at most {greatest:.2f} s later")


def _after_kill(instant, kills):
    return any(kill - 1.0 < instant < kill + AFTER_KILL for kill in kills)


def _run(options, outcome, plan, hours):
    """One run; with `hours` of history it makes the plan, without it follows it. Returns the delays of depths, and when it was killed."""
    # An account is a client id: this one carries all lanes.
    settings = lane_accounts("gateway-in") + "history: {windowHours: 48}\n"
    passwords = {**PASSWORDS, WATCH: WATCH[::-1]}
    with Rig(options, outcome, passwords=passwords, settings=settings, mqtt=ACCOUNTS, access_list=access_list(options)) as rig:
        rig.gateway.binary = options.release
        load = rig.begin(numbers={"divers": DIVERS}, user=("devices", PASSWORDS["devices"]))
        began, kills = time.monotonic(), []

        def kill():
            kills.append(time.time())
            if hours:
                plan.append(time.monotonic() - began)
            rig.restart()

        if hours:
            _with_history(rig, hours, kill)
            plan.append(time.monotonic() - began)
        else:
            for at in plan[:-1]:
                time.sleep(max(0.0, began + at - time.monotonic()))
                kill()
            time.sleep(max(0.0, began + plan[-1] - time.monotonic()))
        expectation, comparison = rig.settle([load])
        rig.judge(comparison)
        delays = {}
        for arrival in rig.checker.snapshot():
            event = expectation.events.get((arrival.device, arrival.kind, arrival.instant))
            if event is not None and arrival.kind == "depth-state":
                delays[arrival.device, arrival.instant] = (instant_of(event), arrival.at - instant_of(event))
        return delays, kills


def _with_history(rig, hours, kill):
    """Publishes the history, kills while it arrives, after it and while it is reported, and waits until it is."""
    start = float((int(time.time()) - hours * 3600) // 60 * 60)
    phone = Phone(rig.broker.port, Recording(start, hours, RATE, rig.outcome.seed))
    try:
        processes.eventually(lambda: phone.committed > phone.recording.frames / 3, WITHIN, 0.01)
        kill()
        stored = processes.eventually(lambda: phone.committed == phone.recording.frames - 1, WITHIN, 0.01)
        rig.outcome.require(stored, f"{phone.committed + 1} of {phone.recording.frames} frames are committed")
        rig.say("the history is stored")
        time.sleep(REPORTED / 2)
        kill()
        processes.eventually(lambda: rig.checker.seen(WATCH, "day"), WITHIN, 0.1)
        kill()
        time.sleep(REPORTED / 2)
        rig.outcome.require(rig.checker.seen(WATCH, "day"), "the history was not reported")
    finally:
        phone.close()


class Phone:
    """Publishes a recording as fast as the gateway stores it."""

    def __init__(self, port, recording):
        self.recording, self.committed, self._stopping = recording, -1, False
        self._client = pahoclient.make_client("phone")
        self._client.username_pw_set(WATCH, WATCH[::-1])
        self._client.max_inflight_messages_set(20)
        self._client.on_message = self._hear
        self._client.connect("127.0.0.1", port)
        self._client.subscribe(f"wearables/{WATCH}/out/committed/recorded-accelerometer", 1)
        self._client.loop_start()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _hear(self, _client, _data, message):
        if message.payload:
            self.committed = max(self.committed, json.loads(message.payload)["seq"])

    def _run(self):
        for seq in range(self.recording.frames):
            if not processes.eventually(lambda: seq - self.committed < AHEAD or self._stopping, WITHIN, 0.01) or self._stopping:
                return
            self._client.publish(f"wearables/{WATCH}/in/recorded-accelerometer", self.recording.frame(seq, time.time()), 1).wait_for_publish(60)

    def close(self):
        self._stopping = True
        self._thread.join(5)
        self._client.loop_stop()
