"""F11: the wall clock of the gateway's machine is wrong, by another amount after each restart."""

import os
import shutil
import subprocess
import time

import processes
from load import HERE
from report import Outcome
from rig import Rig

HOUR, DAY = 3600, 86400


def _offsets():
    """(name, seconds)"""
    return [("+1 h", HOUR), ("-1 h", -HOUR), ("+10 y", 3652 * DAY), ("1970", DAY - int(time.time()))]


def _library(directory):
    """Builds the library that moves the wall clock; None when there is no C compiler."""
    compiler = processes.c_compiler()
    if compiler is None:
        return None
    path = os.path.join(directory, "clockskew.so")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, os.path.join(HERE, "clockskew.c"), "-ldl"], check=True)
    return path


def jumps(options):
    outcome = Outcome("F11", "wall clock of the gateway at +1 h, -1 h, +10 y, 1970, by restart", options.seed, n=4)
    place = options.directory_for("F11")
    library = _library(place)
    if library is None:
        outcome.skipped = "no C compiler for the library that moves the clock"
        return outcome
    with Rig(options, outcome) as rig:
        rig.start_gateway()
        rig.load()
        for name, seconds in _offsets():
            time.sleep(2.0)
            rig.gateway.kill()
            rig.gateway.environment = {"LD_PRELOAD": library, "CLOCK_SKEW": str(seconds)}
            rig.gateway.start()
            began = time.monotonic()
            while time.monotonic() - began < 10 and not _told(rig, began):
                time.sleep(0.02)
            clock = (rig.checker.status().get("at") or 0) - time.time()
            rig.say(f"{name}: " + (f"derives, with its clock {clock:+.0f} s off" if _told(rig, began) else "derives nothing"))
            outcome.require(_told(rig, began), f"{name}: nothing derived within 10 s")
            outcome.require(abs(clock - seconds) < 60, f"{name}: the clock was not moved")
        time.sleep(2.0)
        rig.gateway.kill()
        rig.gateway.environment = {}
        rig.gateway.start()
        rig.recover()
        rig.finish()
    shutil.rmtree(place, ignore_errors=True)
    return outcome


def _told(rig, since):
    """Whether a data message arrived since an instant."""
    return any(at > since for at, _ in rig.checker.data[-20:])
