"""F21: gateways on NATS, which own partitions of the devices, and which get frames again behind newer ones."""

import collections
import functools
import json
import queue
import time

import pahoclient
import processes
import subscriber
from broker import Nats
from gateway import Gateway
from reference import STATES
from report import Outcome
from rig import Rig

COUNT = 4
MANY = 64
# NATS refuses the subscriptions of a session that exceed 65,535 unacknowledged frames in all, and a lane has several for each partition.
PENDING_OF_MANY = 200
CONSUMERS_OF_MANY = 10_000


def mapping(count):
    """NATS's mapping of frames and requests of devices to so many partitions."""
    return ", ".join(f'"wearables.*.{level}.>": "part.{{{{partition({count},1)}}}}.wearables.$1.{level}.>"' for level in ("in", "query"))


MAPPING = mapping(COUNT)


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


# The line for NATS, which delivers again what was not acknowledged after its ack_wait, as it is in config/nats.
REDELIVERY = "  redeliverySeconds: 60\n"
REDELIVERY_BY_DEFAULT = "  redeliverySeconds: 90\n"


def late_redelivery(options):
    """NATS by default delivers what was not acknowledged again after 30 s, and newer frames before."""
    how = "kill -9 of a gateway on NATS with its default ack_wait of 30 s, release build"
    count = 1 if options.short else 8
    outcome = Outcome("F21w", how, options.seed, n=count)
    with Rig(options, outcome, mqtt=REDELIVERY_BY_DEFAULT, make_broker=functools.partial(Nats, ack_wait=30)) as rig:
        rig.gateway.binary = options.release
        rig.begin()
        lives, started, compared = [], time.time(), 0
        for _ in range(count):
            time.sleep(rig.random.uniform(3.0, 8.0))
            compared += _require_retained(rig)
            lives.append((started, time.time() - 0.5))
            rig.gateway.kill()
            rig.gateway.start()
            started = time.time()
        time.sleep(35.0)
        lives.append((started, time.time()))
        _expectation, comparison = rig.settle()
        rig.judge(comparison)
        # Those with the cause `restart` confirm what was published before.
        waits = sorted(body["received"] - body["at"] for _, body in comparison.early if body["cause"] == "sample")
        # One kill may fall between two changes of depth.
        outcome.require(waits or options.short, "no depth was published early")
        if waits:
            outcome.notes.append(f"{len(waits)} depths published early, {waits[len(waits) // 2]:.2f} s (median) and {waits[-1]:.2f} s "
                                 "(longest) after they were measured")
        waited = _require_early(rig, lives)
        outcome.notes.append(f"of {waited} deeper depths whose frames waited a depth as deep was published early")
        outcome.require(waited or options.short, "no deeper depth waited")
        outcome.require(compared or options.short, "no retained state was compared with an early one")
        rig.require_order(timed=False)
    return outcome


def _require_early(rig, lives):
    """A second after a depth was measured no shallower state may be shown, also where its frame waits; returns of how many it does.

    A frame that was not acknowledged when a gateway was killed comes late itself. So those count that were measured during one of `lives`,
    the times between a start and half a second before a kill.
    """
    depths, waited = collections.defaultdict(list), 0
    for arrival, body in rig.checker.depths():
        depths[arrival.device].append((arrival.received, body, arrival))
    for device in depths.values():
        device.sort(key=lambda entry: entry[0])
        for received, body, arrival in device:
            measured, depth = body["at"], STATES[body["state"]]
            if body["cause"] != "sample" or body.get("early") or received - measured < 1.5 or STATES[body["previous"]] >= depth:
                continue
            if not any(start <= measured <= end for start, end in lives):
                continue
            # Older ones that come in order meanwhile are not retained, and change nothing.
            shown = max((other for at, other, _ in device if at <= measured + 1.0), key=lambda other: other["at"])
            waited += shown.get("early", False)
            rig.outcome.require(STATES[shown["state"]] >= depth or shown["state"] == "unknown",
                                f"a second after it was measured {shown} is shown: {arrival}")
    return waited


def _require_retained(rig):
    """What a new subscriber gets must be no shallower than a depth that was published early and not in order yet; returns how many were compared."""
    retained, compared = {}, 0
    depths = rig.checker.depths()
    # A gateway that has started since may not have the frame yet.
    epoch = max((body["epoch"] for _arrival, body in depths), default=0)
    latest = {arrival.device: (arrival, body) for arrival, body in depths if body.get("early") and body["epoch"] == epoch}
    reader = subscriber.Subscriber(rig.broker.port, "newcomer", ["wearables/+/out/depth-state"],
                                   lambda topic, payload, flag: flag and retained.setdefault(topic.split("/")[1], json.loads(payload)), clean=True)
    time.sleep(0.5)
    reader.stop()
    after = rig.checker.depths()
    for device, (early, shown) in latest.items():
        if any(arrival.device == device and arrival.instant is not None and arrival.instant >= early.instant and arrival.id != early.id
               for arrival, _body in after):
            continue
        state = retained.get(device, {}).get("state", "unknown")
        if state == "unknown":  # the gateway has started since, or the device is silent
            continue
        compared += 1
        rig.outcome.require(STATES[state] >= STATES[shown["state"]], f"the retained state is {state} while {early} is not in order yet")
    return compared


def on_nats(options):
    return _on_nats(options, "F21n", COUNT, 2, 16)


def many_on_nats(options):
    return _on_nats(options, "F21p", MANY, 4, 8, max_ack_pending=PENDING_OF_MANY)


def _on_nats(options, fault, partitions, owners, kills, **keywords):
    """The partition of a device by NATS and by the gateway must be the same: any other frame is rejected, and its events are lost."""
    how = f"kill -9 of {owners} gateways in turn, which own {partitions} partitions of NATS"
    count = 2 if options.short else kills
    outcome = Outcome(fault, how, options.seed, n=count)
    share = partitions // owners
    settings = [settings_of(f"{share * owner}-{share * (owner + 1) - 1}", partitions) for owner in range(owners)]
    broker = functools.partial(Nats, mappings=mapping(partitions), **keywords)
    with Rig(options, outcome, settings=settings[0], mqtt=REDELIVERY, make_broker=broker) as rig:
        rig.broker.allow_consumers(CONSUMERS_OF_MANY)
        with Owners(rig, settings, REDELIVERY) as gateways:
            rig.load()
            for number in range(count):
                time.sleep(rig.random.uniform(2.0, 3.0))
                killed = gateways[number % owners]
                killed.kill()
                killed.start()
            time.sleep(12.0)  # what was not acknowledged comes again after 10 s
            _expectation, comparison = rig.settle()
            rig.judge(comparison)
            outcome.require(not comparison.rejected, f"{len(comparison.rejected)} frames were rejected")
            rig.require_order(timed=False)
            _misroute(rig, partitions, share)
            _ask(rig)
            rig.require_running(*gateways)
    return outcome


def _misroute(rig, partitions, share):
    """Publishes one device's frame into every partition: gateways of which none of `share` partitions is its own reject it."""
    frame = {"schema": "wearables/1", "boot": "s", "seq": 0, "uptime": 100.0, "sent": time.time(),
             "events": [{"timestamp": 99.9, "state": "notSubmerged"}]}

    def refused():
        rejected = {status["gateway"]: status["counters"]["rejected"].get("otherPartition", 0)
                    for _, status in rig.checker.statuses if "counters" in status}
        return sum(rejected.values())

    with pahoclient.connected(pahoclient.make_client("stray"), rig.broker.port) as client:
        for partition in range(partitions):
            client.publish(f"part/{partition}/wearables/stray/in/submersion", json.dumps(frame), 1)
        rig.outcome.require(processes.eventually(lambda: refused() == partitions - share, 20),
                            f"{refused()} of {partitions - share} frames in other partitions are counted")
        rig.outcome.require(
            processes.eventually(lambda: rig.checker.seen("stray", "access/submersion"), 5), "the owner does not take its own")


def _ask(rig):
    """A request is answered by the owner of the device."""
    device = rig.checker.depths()[0][0].device
    client, replies = pahoclient.make_client("asker"), queue.Queue()
    client.on_message = lambda _client, _data, message: replies.put(json.loads(message.payload))
    with pahoclient.connected(client, rig.broker.port):
        client.subscribe("fathom/+/reply/asker/#", 1)
        client.publish(f"wearables/{device}/query/latest", json.dumps({"kinds": ["depth-state"], "reply": "asker/1"}), 1)
        try:
            reply = replies.get(timeout=10)
            rig.outcome.require([message["device"] for message in reply["messages"]] == [device], f"the reply is {reply}")
        except queue.Empty:
            rig.outcome.fail("a request is not answered")
