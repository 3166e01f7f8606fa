#!/usr/bin/env python3
"""Breaks what can break around a gateway, and counts what is lost.

    python3 Tests/Faults/faults.py --binary .build/debug/fathom [--short] [--kills N] [--only F1,F5] [--seed S]
                                   [--report docs/reference/reliability.md] [--json FILE] [--release PROGRAM]
    python3 Tests/Faults/faults.py --binary .build/debug/fathom --make-fixture

Starts its own broker, gateways, generators and checker on loopback, in a temporary directory. Exit code 0 when every fault that ran
passed, 1 when one failed. With --make-fixture it breaks nothing, but writes the states that U starts on, Tests/Fixtures/state-1, anew.
Needs Python 3.11, paho-mqtt and mosquitto; F10 needs root, F11, F27 and U a C compiler.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

sys.dont_write_bytecode = True  # leaves nothing in the sources
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import processes  # noqa: E402
import report  # noqa: E402
import scenarios  # noqa: E402


class Options:
    """What was asked for, and where to work."""

    def __init__(self, arguments):
        self.binary = os.path.abspath(arguments.binary)
        self._release = arguments.release and os.path.abspath(arguments.release)
        self.short, self.keep, self.devices = arguments.short, arguments.keep, arguments.devices
        self.kills = arguments.kills or (10 if arguments.short else 100)
        self.seed = arguments.seed
        self.directory = tempfile.mkdtemp(prefix="fathom-faults-")
        self._started, self._lock = time.monotonic(), threading.Lock()

    def random(self, name):
        """A generator of chance of its own for each fault, so that leaving one out changes nothing in the others."""
        return random.Random(f"{self.seed}/{name}")

    @property
    def release(self):
        """The release build, for faults that demand a time."""
        if not self._release:
            raise processes.Unavailable("no release build (--release)")
        return self._release

    def directory_for(self, name):
        path = os.path.join(self.directory, name)
        os.makedirs(path, exist_ok=True)
        return path

    def say(self, text):
        with self._lock:
            print(f"[{time.monotonic() - self._started:6.1f} s] {text}", flush=True)


def run(name, options):
    """One fault; whatever goes wrong is a failure of it."""
    began = time.monotonic()
    options.say(f"{name}: begins")
    try:
        outcome = scenarios.FAULTS[name](options)
    except processes.Unavailable as missing:
        outcome = report.Outcome(name, "not run", options.seed, skipped=str(missing))
    except Exception as error:  # noqa: BLE001: a broken fault must not hide the others
        outcome = report.Outcome(name, "did not run to its end", options.seed)
        outcome.fail(f"{type(error).__name__}: {error}")
        if not isinstance(error, RuntimeError):
            outcome.samples = traceback.format_exc().splitlines()[-6:]
    outcome.seconds = time.monotonic() - began
    options.say(report.text(outcome))
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the fathom program (a debug build: F2 and F16 need its hooks)")
    parser.add_argument("--release", help="the fathom program as a release build, for F12, F21w and F30")
    parser.add_argument("--kills", type=int, help="kills in F1; the other faults take their numbers from it (100; short: 10)")
    parser.add_argument("--only", help="names of faults, separated by commas: " + ", ".join(scenarios.FAULTS))
    parser.add_argument("--short", action="store_true", help="the most important faults, in under 100 s")
    parser.add_argument("--devices", type=int, help="devices of the usual load, about 5 frames a second each (60; short: 30)")
    parser.add_argument("--jobs", type=int, help="faults at the same time (2; short: 4)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--make-fixture", action="store_true", help="writes the states that U starts on, by this program")
    parser.add_argument("--report", help="a Markdown page, in which the rows of these faults are replaced")
    parser.add_argument("--json", help="writes the figures as JSON")
    parser.add_argument("--keep", action="store_true", help="keeps logs and state of faults that passed, too")
    arguments = parser.parse_args()
    arguments.devices = arguments.devices or (30 if arguments.short else 60)
    jobs = arguments.jobs or (4 if arguments.short else 2)
    names = scenarios.chosen(arguments.only) if arguments.only else scenarios.SHORT if arguments.short else list(scenarios.FAULTS)
    if not names:
        parser.error("there are only these faults: " + ", ".join(scenarios.FAULTS))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = Options(arguments)
    if arguments.make_fixture:
        scenarios.upgrade.make_fixture(options, os.path.normpath(scenarios.upgrade.FIXTURE))
        return
    options.say(f"seed {options.seed}; {', '.join(names)}")
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        together = [name for name in names if name not in scenarios.ALONE]
        done = dict(zip(together, pool.map(lambda name: run(name, options), together)))
    done.update({name: run(name, options) for name in names if name in scenarios.ALONE})
    outcomes = [done[name] for name in names]
    shown = ["python3 Tests/Faults/faults.py --binary .build/debug/fathom"] + _shown(sys.argv[1:])
    if arguments.report:
        before = pathlib.Path(arguments.report).read_text() if os.path.exists(arguments.report) else ""
        text = report.markdown(outcomes, " ".join(shown), options.seed, list(scenarios.FAULTS), before)
        pathlib.Path(arguments.report).write_text(text)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(report.machine(outcomes, " ".join(shown), options.seed))
    failed = [outcome.fault for outcome in outcomes if outcome.failures]
    passed = sum(1 for outcome in outcomes if not outcome.failures and not outcome.skipped)
    skipped = sum(1 for outcome in outcomes if outcome.skipped)
    options.say(f"failed: {', '.join(failed)}" if failed else "every fault passed")
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    if not os.listdir(options.directory):
        shutil.rmtree(options.directory)
    sys.exit(1 if failed else 0)


def _shown(arguments):
    """The arguments that belong on a page for everybody: no paths."""
    shown, skip = [], False
    for argument in arguments:
        if skip or argument.split("=")[0] in ("--binary", "--json", "--release", "--report"):
            skip = not skip and "=" not in argument
            continue
        shown.append(argument)
    return shown


if __name__ == "__main__":
    main()
