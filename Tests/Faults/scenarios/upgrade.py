"""U: an earlier version is killed under load, and this one goes on with its state."""

import json
import math
import time

from report import Outcome
from rig import Rig

# The earliest version whose state is read published a state again by other rules, so neither does here.
SETTINGS = "derive: {depth: {refreshSeconds: 0}}\n"


def under_load(options):
    times = 2 if options.short else 5
    outcome = Outcome("U", "kill -9 of an earlier version, start of this one with its state", options.seed, n=times)
    if not options.upgrade_from:
        outcome.skipped = "no program of an earlier version (--upgrade-from)"
        return outcome
    published_twice = 0
    for number in range(times):
        with Rig(options, outcome, settings=SETTINGS) as rig:
            no_metrics = rig.gateway.no_metrics
            # The earlier version does not know the setting.
            rig.gateway.binary, rig.gateway.no_metrics = options.upgrade_from, {}
            rig.start_gateway()
            rig.load()
            time.sleep(rig.random.uniform(3.0, 6.0) + number)
            rig.gateway.kill()
            rig.gateway.binary, rig.gateway.no_metrics = options.binary, no_metrics
            before = rig.gateway.log_size()
            rig.gateway.start()
            rig.recover()
            time.sleep(rig.random.uniform(2.0, 4.0))
            rig.gateway.kill()
            rig.gateway.start()
            restored = [line for line in rig.gateway.log_since(before) if "restored" in line]
            outcome.require(restored, "the state of the earlier version was not restored")
            _expectation, comparison = rig.settle(refresh=math.inf)
            both = [(known, json.loads(body)) for known, body in rig.checker.conflicts]
            changed = {known.id for known, body in both if _in_names_of_today(json.loads(known.body)) == _in_names_of_today(body)}
            comparison.duplicate = [entry for entry in comparison.duplicate if entry[0].id not in changed]
            rig.judge(comparison)
            published_twice += len(changed)
    outcome.notes.append(f"{published_twice} messages were published by both versions, under one id and with the same values")
    return outcome


def _in_names_of_today(message):
    """A message of either version without what an upgrade may change: the epoch, which earlier versions do not have, the fingerprint of the
    configuration, and renamed values."""
    changed = {name: value for name, value in message.items() if name not in ("epoch", "received", "derivation")}
    if message["kind"].startswith("connection/"):
        changed.update({name: "silent" for name in ("state", "previous") if message.get(name) == "stale"})
    return changed
