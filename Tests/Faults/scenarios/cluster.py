"""F25: gateways on three NATS servers, which hold everything three times."""

import functools
import json
import time

import processes
from broker import Nats, NatsCluster
from report import Outcome
from rig import Rig
from scenarios import handover, ownership, repartition
from scenarios.partitions import COUNT, MAPPING, REDELIVERY, Owners, settings_of

ON = ", on three NATS nodes"
FAILOVER = 5.0  # s at the most until a killed gateway that is started at once derives again


def _described(scenario):
    """A scenario that gets an outcome with what the table says of it."""
    @functools.wraps(scenario)
    def run(options):
        fault, how = scenario.__doc__.split(": ", 1)
        outcome = Outcome(fault, how.strip().rstrip(".") + ON, options.seed)
        return scenario(options, outcome)
    return run


def _owners(options, outcome, seconds, kills=0, parts=range(COUNT)):
    """Gateways with a part of the partitions each for some seconds, of which one after the other is killed so many times."""
    cluster = functools.partial(NatsCluster, mappings=MAPPING)
    outcome.n = kills
    with Rig(options, outcome, settings=settings_of(parts[0]), mqtt=REDELIVERY, make_broker=cluster) as rig, \
            Owners(rig, [settings_of(part) for part in parts], REDELIVERY) as gateways:
        before = sum(processes.processor_seconds(gateway.pid) for gateway in gateways)
        rig.load()
        time.sleep(seconds)
        killed_at = []
        for number in range(kills):
            time.sleep(rig.random.uniform(1.0, 2.0))
            killed_at.append((time.time(), number % COUNT))
            killed = gateways[number % COUNT]
            killed.kill()
            killed.start()
        time.sleep(3.0)
        _expectation, comparison = rig.settle()
        rig.judge(comparison)
        rig.require_order(timed=False)
        outcome.require(not comparison.rejected, f"{len(comparison.rejected)} frames were rejected")
        rig.require_running(*gateways)
        if kills:
            outcome.recovery += _failovers(rig.checker, killed_at)
            outcome.require(max(outcome.recovery) < FAILOVER, f"{max(outcome.recovery):.1f} s until a partition went on")
            outcome.notes.append("recovery: from the kill to the next message that is derived in the partition")
        else:
            used = sum(processes.processor_seconds(gateway.pid) for gateway in gateways) - before
            outcome.notes.append(f"{used / outcome.frames * 1e6:.0f} us of processor time per frame in all gateways, by "
                                 f"{outcome.frames} frames")
    return outcome


def _failovers(checker, killed_at):
    """Seconds from each kill to the next message that is derived from a device of the partition."""
    derived = [[] for _ in range(COUNT)]
    for arrival in checker.snapshot():
        body = json.loads(arrival.body)
        if body.get("source"):
            derived[_partition(arrival.device)].append(body["received"])
    return [min((at for at in derived[partition] if at > killed), default=killed + 60) - killed for killed, partition in killed_at]


def _partition(device):
    """The partition by NATS: the hash FNV-1a of 32 bits, modulo the count."""
    value = 0x811C9DC5
    for byte in device.encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value % COUNT


@_described
def steady(options, outcome):
    """F25s: four gateways with a partition each"""
    return _owners(options, outcome, 5 if options.short else 20)


@_described
def alone(options, outcome):
    """F25a: one gateway with all four partitions"""
    return _owners(options, outcome, 5 if options.short else 20, parts=[f"0-{COUNT - 1}"])


@_described
def kills(options, outcome):
    """F25k: kill -9 of four gateways with a partition each in turn"""
    return _owners(options, outcome, 1, kills=4 if options.short else 20)


def _without_node(rig, outcome, remove, seconds, restore, rest):
    """Removes the node that the gateway uses for some seconds, again and again, and notes the longest time without a derived message."""
    for _ in range(outcome.n):
        time.sleep(5.0)
        node, at = rig.broker.node(rig.checker.broker_port()), time.monotonic()
        remove(node)
        time.sleep(seconds)
        restore(node)
        time.sleep(rest)
        outcome.recovery.append(rig.checker.longest_pause(at, at + seconds + rest))


@_described
def node_killed(options, outcome):
    """F25n: kill -9 of the node that the gateway uses, which comes back after 8 s"""
    outcome.n = 1 if options.short else 6
    with Rig(options, outcome, mqtt=REDELIVERY, make_broker=NatsCluster) as rig:
        rig.begin(within=40)
        _without_node(rig, outcome, Nats.kill, 8.0, Nats.start, 10.0)
        outcome.require(max(outcome.recovery) < 15.0, f"silent for {max(outcome.recovery):.1f} s, longer than NATS elects leaders")
        time.sleep(5.0)
        # Three nodes and a debug build share the processors: batches are more than a minute behind in the end.
        rig.finish(backlog=120.0)
        rig.require_order(timed=False)
        rig.require_running()
        outcome.notes.append("recovery: the longest time without a derived message")
    return outcome


@_described
def node_cut_off(options, outcome):
    """F25p: the node that the gateway uses is cut off from the other two for 15 s"""
    outcome.n = 1 if options.short else 3
    with Rig(options, outcome, mqtt=REDELIVERY, make_broker=functools.partial(NatsCluster, splits=True)) as rig:
        rig.begin(options.devices // 2, within=40)
        _without_node(rig, outcome, rig.broker.cut_off, 15.0, lambda _node: rig.broker.heal(), 20.0)
        # What NATS lost sight of it delivers again, within the time of redelivery. It does so to the checker as well: the order is not kept.
        time.sleep(70.0)
        rig.finish()
        rig.require_running()
        outcome.notes.append("recovery: the longest time without a derived message in the 35 s from then on")
    return outcome


def restored(options):
    return handover.restored(options, "F25e", ON, NatsCluster, REDELIVERY, count=6)


def replicated(options):
    return handover.replicated(options, "F25v", ON, NatsCluster, replicas=3, count=6)


def frozen(options):
    return ownership.frozen(options, "F25f", ON, NatsCluster, REDELIVERY)


def twins(options):
    return ownership.twins_on_nats(options, "F25t", "three NATS nodes", NatsCluster, count=20)


def handed_over(options):
    # Half the load: three nodes that replicate each session, and up to six gateways, share the processors.
    return repartition.on_nats(options, "F25r", "three NATS nodes", NatsCluster, devices=options.devices // 2)
