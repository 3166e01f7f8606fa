"""The devices of a load, by a specification."""

import random

from devices import Batter, Diver, Parked, Pod, RawPod
from misbehaving import KINDS


def fleet(specification, seed, wall):
    """The devices of a load: {"divers": n, "batters": n, "pods": n, "parked": n, "prefix": text, "reboots": whether they do}, and so many
    of each kind that misbehaves."""
    prefix = specification.get("prefix", "")
    devices = [Diver(f"{prefix}diver{i}", seed, wall, deep=i % 6 == 5) for i in range(specification.get("divers", 0))]
    devices += [Batter(f"{prefix}batter{i}", seed, wall) for i in range(specification.get("batters", 0))]
    devices += [(RawPod if i % 2 else Pod)(f"{prefix}pod{i}", seed, wall) for i in range(specification.get("pods", 0))]
    if specification.get("reboots"):
        for device in devices:
            device.reboots = random.Random(f"{seed}/{device.name}/reboots")
    for kind, make in KINDS.items():
        devices += [make(f"{prefix}{kind}{i}", seed, wall) for i in range(specification.get(kind, 0))]
    devices += [Parked(f"{prefix}parked{i}", seed, wall) for i in range(specification.get("parked", 0))]
    return devices
