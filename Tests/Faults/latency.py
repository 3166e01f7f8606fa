#!/usr/bin/env python3
"""How long a depth state takes, without bulk data and while they are offered at ten times what the gateway carries.

    swift build -c release --product fathom
    python3 Tests/Faults/latency.py --binary .build/release/fathom [--seconds 60] [--short] [--json FILE] [--histories] [--requests 4] [--no-overload]

One run, one mosquitto, all on loopback: a calibration finds how many batched-imu frames a second (800 + 200 samples) the gateway
carries; then small frames go three ways in turn, ten a second each, first alone, then beside the overload, then alone again. The
ways are the gateway (submersion frame to depth-state), a plain relay over the same two hops and the broker alone. What counts are
ratios within one phase, for everything shares the same processors, the load's publishers too. Bulk frames are dropped in
the broker's queue, which is bounded: that is expected.

With --histories, devices send 36 h of recorded acceleration one after another, as fast as the broker takes them, while the small frames
go; with --requests, that many requests for 36 h of a stored history are at work all the time. Both come beside the overload, or in place of
it with --no-overload: then a burst of history alone is what the small frames go beside.

Exit code 1 when a depth state is missing, its p99 beside the overload is more than --goal times the plain relay's, or memory grows.
Needs Python 3.11, mosquitto, libmosquitto's header and a C compiler.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import latency_report  # noqa: E402
import processes  # noqa: E402
from broker import Broker  # noqa: E402
from gateway import Gateway  # noqa: E402
from latency_load import BulkLoad, HistoryLoad, Watch, record  # noqa: E402
from subscriber import Subscriber  # noqa: E402

DROPPED = "$SYS/broker/publish/messages/dropped"
QUEUE = 1000  # frames that the broker keeps for a lane; 55 MB of batched-imu
AUTOSAVE = 1800  # s, the default of mosquitto: it does not save its state during a run
BURST = 8  # frames of each device that fills a queue
# Frames that wait for dropped ones fill their room before memory is measured: the default of 128 MiB takes a minute.
# What was recorded 36 h ago must not become too old while it is sent.
# One device sends more than it may, because it stands for many: nothing is to be refused.
SETTINGS = "limits: {device: {unitsPerSecond: 0}}\nhistory: {windowHours: 48, unitsPerSecond: 0}\nlanes:\n  bulk:\n    waitingMebibytes: 16"
STEPS, STEP_SECONDS = (0.15, 0.25, 0.4, 0.6, 0.8), 3


class Bench:
    """Broker, gateway, relay and measuring client in a directory of their own."""

    def __init__(self, options):
        self.options, self.directory = options, tempfile.mkdtemp(prefix="fathom-latency-")
        self.recording = os.path.join(self.directory, "batter.ndjson")
        self.results = os.path.join(self.directory, "latencies.ndjson")
        self.status, self.dropped, self.watch, self.spans = [], [], Watch(), {}

    def __enter__(self):
        record(self.options.binary, self.recording, 30)
        # A broker does nothing else while it saves its state, here for 60 to 110 ms. Which of the three ways that delays is chance.
        self.broker = Broker(self.directory, autosave=AUTOSAVE)
        processes.adjust(self.broker.configuration, "max_queued_messages 1000000", f"max_queued_messages {QUEUE}\nsys_interval 1")
        self.broker.start()
        Subscriber(self.broker.port, "observer", ["fathom/gw/status", DROPPED], self._hear, clean=True)
        self.gateway = Gateway(self.options.binary, self.directory, self.broker.gateway_ports, state=self._state(),
                               settings=self.options.settings + "\n" if self.options.settings else "")
        processes.adjust(self.gateway.configuration, "statusSeconds: 1", "statusSeconds: 0.1")
        self.gateway.start()
        if not processes.eventually(lambda: self.status and self.status[-1][1].get("ingress") == "connected", 20):
            raise RuntimeError("the gateway does not connect: " + " / ".join(self.gateway.log_since()[-3:]))
        self.relay = self._relay()
        self.probe = processes.spawn([sys.executable, os.path.join(HERE, "latency_probe.py"), str(self.broker.port), self.results],
                                     stdin=subprocess.PIPE)
        self.watch.add("gateway", self.gateway.pid)
        self.watch.add("mosquitto", self.broker.process.pid)
        self.watch.add("relay", self.relay.pid)
        self.watch.add("measuring client", self.probe.pid)
        self.watch.add("harness", os.getpid())
        return self

    def __exit__(self, *_):
        self.watch.stop()
        for process in (self.gateway.process, self.probe, self.relay, self.broker.process):
            processes.end(process)
        if self.options.keep:
            print("kept", self.directory)
        else:
            for directory in (self.directory, self.gateway.state):
                shutil.rmtree(directory, ignore_errors=True)

    def _state(self):
        return self.options.state and tempfile.mkdtemp(prefix="fathom-latency-", dir=self.options.state)

    def _relay(self):
        program = processes.compile_relay(os.path.join(HERE, "latency_relay.c"), self.directory)
        return processes.spawn([program, str(self.broker.port), "probe/from", "probe/to"])

    def _hear(self, topic, payload, _retained):
        if topic == DROPPED:
            self.dropped.append((time.monotonic(), int(payload)))
        else:
            self.status.append((time.monotonic(), json.loads(payload)))

    def warm_up(self):
        """Has each way answer once."""
        if not processes.eventually(lambda: os.path.exists(self.results) and len(open(self.results).readlines()) >= 60, 20):
            raise RuntimeError("the measuring client gets no answers")

    def counter(self, name):
        return self.status[-1][1].get("counters", {}).get(name, 0)

    def calibrate(self):
        """Frames a second that the gateway carries beside its broker and the publishers: the most of several rates, a few seconds
        each, at which nothing was dropped and nothing was left over. They are parts of what it takes from a full queue."""
        most = self._take_full_queue()
        capacity = most * STEPS[0]
        for step, part in enumerate(STEPS):
            missing, dropped, before = self.counter("missingFrames"), self.dropped[-1][1], self.counter("received")
            load = self._load(f"step{step}-", most * part, STEP_SECONDS)
            time.sleep(max(0.0, load.ends - time.monotonic() + 0.5))
            taken, done = self.counter("received") - before, load.result()
            time.sleep(1.2)  # the broker reports once a second what it dropped
            lost = self.counter("missingFrames") > missing or self.dropped[-1][1] > dropped
            carried = taken >= 0.95 * done["written"] and not lost
            self.say(f"calibration: {most * part:.0f} frames/s: {'carried' if carried else 'too much'}")
            if not carried:
                break
            capacity = done["written"] / STEP_SECONDS
        self.drain()
        return capacity

    def _take_full_queue(self):
        """Frames a second that the gateway takes from a queue that was filled while it was stopped."""
        before = self.counter("received")
        self.gateway.process.send_signal(signal.SIGSTOP)
        load = BulkLoad(self.directory, self.broker.port, self.recording, QUEUE // BURST, 1, prefix="burst", burst=BURST)
        done = load.result()
        began, mark = time.monotonic(), len(self.status)
        self.gateway.process.send_signal(signal.SIGCONT)
        if not processes.eventually(lambda: self.counter("received") >= before + done["written"], 60, 0.02):
            raise RuntimeError(f"the gateway took {self.counter('received') - before} of {done['written']} frames of a burst")
        ended = next(at for at, body in self.status[mark:] if body["counters"]["received"] >= before + done["written"])
        self.say(f"calibration: {done['written']} frames of {done['bytes'] / done['written'] / 1000:.0f} kB from a full queue, "
                 f"{done['written'] / (ended - began):.0f} frames/s")
        return done["written"] / (ended - began)

    def _load(self, prefix, offered, seconds):
        """Starts to publish `offered` frames a second; the load reports when it begins and ends on the monotonic clock."""
        fleet, start = self.options.devices or round(offered), time.time() + 1.5
        load = BulkLoad(self.directory, self.broker.port, self.recording, fleet, self.options.publishers, prefix=prefix,
                        start=start, seconds=seconds, rate=offered / fleet)
        load.begins = time.monotonic() + start - time.time()
        load.ends = load.begins + seconds
        return load

    def quiet(self, name, seconds):
        self.say(f"{name}: {seconds:.0f} s")
        self.spans[name] = (time.monotonic(), time.monotonic() + seconds)
        time.sleep(seconds)

    def overload(self, offered, stored):
        """Publishes `offered` frames a second, and what goes beside them; what became of it."""
        if self.options.overload:
            load = self._load("bulk", offered, self.options.seconds)
            loads = self.beside(stored, load.ends - time.monotonic())
        else:
            loads = self.beside(stored, self.options.seconds)
            self.spans["overload"] = (time.monotonic(), time.monotonic() + self.options.seconds)
            self.say(f"{' and '.join(loads)} alone, for {self.options.seconds} s")
            time.sleep(self.options.seconds)
            return None, {name: each.result() for name, each in loads.items()}
        self.watch.add("publishers", *(child.pid for child in load.children))
        self.spans["overload"] = (load.begins, load.ends)
        self.say(f"overload: {load.fleet} devices, {offered / load.fleet:.1f} frames a second each, for {self.options.seconds} s")
        time.sleep(load.ends - time.monotonic())
        return load.result(), {name: each.result() for name, each in loads.items()}

    def store(self):
        """Has a device send the history that is asked for later; it."""
        self.say("storing 36 h of recorded acceleration")
        sent = HistoryLoad(self.broker.port, "send", "stored", time.time() + 600, "--count", 1).result()
        self.drain()
        return sent

    def beside(self, stored, seconds):
        """Starts what goes beside the overload, for `seconds`: {name: load}."""
        until, loads = time.time() + seconds, {}
        if self.options.histories:
            loads["histories"] = HistoryLoad(self.broker.port, "send", "history", until)
        if self.options.requests:
            loads["requests"] = HistoryLoad(self.broker.port, "request", "stored-0", until, stored["from"], stored["to"],
                                            "--at-work", self.options.requests)
        for name, load in loads.items():
            self.watch.add(name, load.child.pid)
        return loads

    def drain(self):
        """Waits until nothing is left in the broker's queue, and nothing waits for a missing frame."""
        began = quiet_since = time.monotonic()
        while time.monotonic() - quiet_since < 6.0 and time.monotonic() - began < 90:
            before = self.counter("received")
            time.sleep(0.5)
            if self.counter("received") - before > 20:  # more than the small frames
                quiet_since = time.monotonic()
        self.say(f"drained in {time.monotonic() - began:.0f} s")

    def samples(self):
        """[(way, instant, seconds or None)] of the measuring client, which ends."""
        self.probe.stdin.close()
        self.probe.wait(40)
        with open(self.results) as file:
            return [tuple(json.loads(line)) for line in file]

    def say(self, text):
        print(text, flush=True)


def measure(options):
    """One run; the figures."""
    with Bench(options) as bench:
        bench.warm_up()
        stored = bench.store() if options.requests else None
        capacity = bench.calibrate() if options.overload else None
        bench.quiet("before", options.seconds / 3)
        done, beside = bench.overload(capacity and capacity * 10, stored)
        bench.drain()
        bench.quiet("after", options.seconds / 3)
        return latency_report.figures(bench, capacity, done, beside, bench.samples())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the fathom program, a release build")
    parser.add_argument("--seconds", type=int, default=60, help="how long the overload lasts (60; short: 10)")
    parser.add_argument("--short", action="store_true", help="10 s")
    parser.add_argument("--publishers", type=int, default=2, help="processes that publish the bulk (2)")
    parser.add_argument("--goal", type=float, default=3.0, help="the greatest ratio of the p99s beside the overload (3)")
    parser.add_argument("--devices", type=int, default=500,
                        help="devices that the bulk comes from; 0 for as many as a frame a second each makes (500)")
    parser.add_argument("--state", help="where to keep the gateway's state; on a tmpfs the disk is out of the figures")
    parser.add_argument("--settings", default=SETTINGS, help="further lines of the gateway's YAML, in place of a small room for waiting frames")
    parser.add_argument("--histories", action="store_true", help="36 h of recorded acceleration after 36 h are sent beside it")
    parser.add_argument("--requests", type=int, default=0, help="so many requests for 36 h of samples are at work beside it (0)")
    parser.add_argument("--no-overload", dest="overload", action="store_false", help="only what the two options above name")
    parser.add_argument("--json", help="writes the figures as JSON")
    parser.add_argument("--keep", action="store_true", help="keeps logs and latencies")
    options = parser.parse_args()
    options.binary = os.path.abspath(options.binary)
    if not options.overload and not (options.histories or options.requests):
        parser.error("--no-overload needs --histories or --requests")
    if options.short:
        options.seconds = 10
    figures = measure(options)
    print(latency_report.text(figures, options.goal))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(json.loads(json.dumps(figures), parse_constant=lambda _: None), file, indent=1)  # never is null
    problems = latency_report.problems(figures, options.goal)
    for problem in problems:
        print("FAILED:", problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
