"""The order in which what was derived of a device arrived."""

import collections
import json

from checker import CHECKED, GATEWAY_TIME


def out_of_order(arrivals, timed=True):
    """The arrivals, in the order in which each came for the first time, whose instant is before that of an earlier one of their device and kind.

    Without `timed` only those of frames: a broker that delivers late lets a device be silent for a while. A depth that is published early is
    ahead of the order, and says so. The `unknown` of a reboot has an instant of the gateway's clock: after a kill it is published again with
    another.
    """
    latest, swapped = collections.defaultdict(lambda: -1), []
    for arrival in arrivals:
        if arrival.instant is None or arrival.kind in ("gap", "rejected") or arrival.device.startswith("probe"):
            continue
        if not timed and arrival.kind not in CHECKED:
            continue
        body = json.loads(arrival.body)
        cause = body.get("cause")
        if body.get("early") or not timed and cause in GATEWAY_TIME or arrival.kind == "depth-state" and cause == "reboot":
            continue
        key = (arrival.device, arrival.kind)
        if arrival.instant < latest[key]:
            swapped.append(arrival)
        latest[key] = max(latest[key], arrival.instant)
    return swapped
