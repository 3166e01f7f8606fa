"""Two gateways on one broker: the one of the rig, which a fault disturbs, and another below a root of its own, which it does not.

Each receives the same devices' frames below its root. Both must store the same rows of history and publish the same derived messages.
"""

import json
import os

import processes
from gateway import Gateway
from subscriber import Subscriber

ROOT, REFERENCE = "wearables", "reference"
SLEEPER, RUNNER, LIFTER = "sleeper-1", "runner-1", "lifter-1"
REGISTRY = f"devices:\n  {SLEEPER}: {{consent: [sleep]}}\n"
# What does not depend on when the gateway ran. The others are states that a restart interrupts.
SUMMED = {"segment", "hill", "session/distance", "repetition", "set"}
DERIVED = {"day", "wear", "sleep"}


class Twins:
    """A context: both gateways run and all that they publish is collected."""

    def __init__(self, rig, settings=""):
        registry = os.path.join(rig.directory, "registry.yaml")
        with open(registry, "w") as file:
            file.write(REGISTRY)
        settings = f"registry: {{file: {registry}, unknownDevices: allow}}\n{settings}"
        self.rig, self.outcome = rig, rig.outcome
        rig.gateway.configure(rig.broker.gateway_ports, settings)
        self.reference_gateway = Gateway(rig.options.binary, rig.directory, rig.broker.gateway_ports, name="other", folder="other",
                                         settings=f"  root: {REFERENCE}\n" + settings)
        self.main, self.reference = Collector(rig.broker.port, ROOT), Collector(rig.broker.port, REFERENCE)

    def __enter__(self):
        try:
            self.reference_gateway.start()
            self.rig.start_gateway()
            if not processes.eventually(self._reads, 20):
                raise RuntimeError("the second gateway does not read")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for collector in (self.main, self.reference):
            collector.subscriber.stop()
        if self.reference_gateway.process:
            processes.end(self.reference_gateway.process, within=5)

    def _reads(self):
        return any(status.get("gateway") == "other" and status.get("ingress") == "connected" for _at, status in self.rig.checker.statuses)

    def compare_rows(self):
        """Requires equal rows of history; returns those of the undisturbed gateway."""
        found, expected = rows(self.rig.gateway), rows(self.reference_gateway)
        differing = sum(found.get(key) != row for key, row in expected.items())
        self.outcome.require(expected and found == expected, f"{differing} of {len(expected)} rows of history differ, "
                             f"and {len(found.keys() - expected.keys())} are too many")
        return expected

    def compare_messages(self, kinds):
        """Requires equal messages of these kinds, each published once; returns how many of each, as text."""
        outcome, found, expected = self.outcome, self.main.of(kinds), self.reference.of(kinds)
        outcome.events += len(expected)
        outcome.lost += len(expected.keys() - found.keys())
        outcome.wrong += len(found.keys() - expected.keys()) + sum(found[key] != expected[key] for key in found.keys() & expected.keys())
        outcome.duplicate += len(self.main.changed)
        outcome.samples += [f"lost: {key} {expected[key]}" for key in sorted(expected.keys() - found.keys())][:3]
        outcome.samples += [f"wrong: {found[key]}, expected {expected.get(key)}" for key in sorted(found)
                            if found[key] != expected.get(key)][:3]
        outcome.samples += self.main.changed[:3]
        outcome.require(not (outcome.lost or outcome.wrong or outcome.duplicate), "not the same messages as without kills")
        return ", ".join(f"{sum(key[0] == kind for key in expected)} {kind}" for kind in sorted(kinds))


def rows(gateway):
    """The minutes of history that a gateway has stored, over all of its lanes."""
    return {row[:2]: row[2:] for row in gateway.stored("SELECT device, minute, count, first, last, data FROM history")}


class Collector:
    """The messages of one root: by kind and id, without what depends on when the gateway ran."""

    def __init__(self, port, root):
        self.messages, self.changed, self.committed = {}, [], -1
        self.subscriber = Subscriber(port, f"collector-{root}", [f"{root}/{device}/out/#" for device in (SLEEPER, RUNNER, LIFTER)], self._take)

    def _take(self, topic, payload, retained):
        kind = topic.split("/out/", 1)[1]
        if not payload or retained:
            return
        body = json.loads(payload)
        if kind == "committed/recorded-accelerometer":
            self.committed = max(self.committed, body["seq"])
        if kind not in SUMMED | DERIVED or body.get("state") in ("running", "paused"):
            return
        for name in ("epoch", "received", "skew", "validUntil"):
            body.pop(name, None)
        known = self.messages.setdefault((kind, body["id"]), body)
        if known != body:
            self.changed.append(f"{kind} {body['id']}: {known} became {body}")

    def of(self, kinds):
        return {key: body for key, body in dict(self.messages).items() if key[0] in kinds}
