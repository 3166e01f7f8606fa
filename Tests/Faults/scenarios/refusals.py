"""F26: the broker refuses some of what the gateway publishes, for a while."""

import functools
import time

import pahoclient
import processes
from broker import RefusingBroker
from checker import CONTACT
from dives import dive_frames
from refusals import LATEST, Refusal, WITHIN, judge_lateness, judge_refusals, judge_retained
from report import Outcome
from rig import Rig

FLEET = {"divers": 20, "batters": 1, "pods": 1}
DIVERS = [f"diver{number}" for number in range(FLEET["divers"])]
MQTT = f"  out: {{username: {RefusingBroker.ACCOUNT}, password: out}}\n"
LARGEST = 1050  # bytes: above every frame of the devices, below a long dive and the status
LONG_DIVER = "probe-long"
CLOSED_LATEST = 4.0  # s: each end of the connection costs two of mqtt.reconnect.maximumSeconds at most
AFTERWARDS = WITHIN + 2.0  # s between two refusals


def _span(options):
    return 8 if options.short else 30


def denied(options):
    """In turn a state and an event of one device, and a kind of all."""
    rounds = [[("depth-state", DIVERS[3:4]), ("impact", ["batter0"])]]
    if not options.short:
        rounds = [[("depth-state", DIVERS[3:4])], [("impact", ["batter0"])], [("head-pose", ["pod0"])], [("dive", DIVERS)]]
    span = _span(options)
    outcome = Outcome("F26d", f"the broker refuses a topic for {span} s: depth-state of a diver, impact, head-pose, dive", options.seed,
                      n=len(rounds))
    with _rig(options, outcome) as rig:
        rig.begin(numbers=FLEET)
        time.sleep(3.0)
        refusals = [refusal for kinds in rounds for refusal in _refuse(rig, kinds, span)]
        _judge(rig, refusals)
    return outcome


def killed(options):
    """What was refused before a kill is owed after it."""
    span, kills = _span(options), 3
    outcome = Outcome("F26k", f"the broker refuses depth-state of a diver and impact for {span} s; kill -9 of the gateway meanwhile", options.seed,
                      n=kills)
    with _rig(options, outcome) as rig:
        rig.begin(numbers=FLEET)
        time.sleep(3.0)
        times = []

        def kill():
            for _ in range(kills):
                time.sleep(span / (kills + 1))
                times.append(time.time())
                rig.restart()

        refusals = _refuse(rig, [("depth-state", DIVERS[3:4]), ("impact", ["batter0"])], span, kill)
        _judge(rig, refusals, times)
    return outcome


def from_the_start(options):
    """The topics are refused before the gateway starts: a state of a device, an access, the gateway's status."""
    outcome = Outcome("F26s", f"the broker refuses from the start, for {_span(options)} s: depth-state, access, the status", options.seed, n=3)
    for number, (topic, refused) in enumerate([
            ("wearables/diver3/out/depth-state", [("depth-state", DIVERS[3:4])]),
            ("wearables/diver3/out/access/submersion", []), ("fathom/gw/status", [])]):
        with _rig(options, outcome, denied=[topic]) as rig:
            rig.start_gateway()
            begin = time.time()
            rig.load(numbers=FLEET)
            time.sleep(_span(options))
            refusals = [Refusal(kind, devices, begin) for kind, devices in refused]
            arrived = _count(rig, topic)
            outcome.require(arrived == 0, f"{topic}: {arrived} messages arrived while they were refused")
            _require_warning(rig, topic)
            _allow(rig, refusals)
            came = processes.eventually(lambda: _count(rig, topic) > 0, WITHIN, 0.1)
            outcome.require(came, f"{topic}: nothing within {WITHIN:.0f} s after it was allowed")
            time.sleep(AFTERWARDS)
            _judge(rig, refusals)
            rig.say(f"{number + 1} of 3 topics")
    return outcome


def too_large(options):
    """By size: a long dive and the status are larger than the broker takes."""
    span = _span(options)
    outcome = Outcome("F26b", f"for {span} s the broker takes nothing of more than {LARGEST} bytes", options.seed, n=1)
    with _rig(options, outcome) as rig:
        rig.begin(numbers=FLEET)
        time.sleep(3.0)
        rig.broker.refuse(largest=LARGEST)
        begin = time.time()
        _dive_long(rig)
        time.sleep(span)
        end, statuses = time.time(), len(rig.checker.statuses)
        rig.broker.refuse()
        came = processes.eventually(lambda: len(rig.checker.statuses) > statuses, WITHIN, 0.1)
        outcome.require(came, f"no status within {WITHIN:.0f} s after its size was allowed")
        time.sleep(AFTERWARDS)
        _judge(rig, [])
        large = [arrival for arrival in rig.checker.snapshot() if len(arrival.body) > LARGEST and begin < (arrival.received or 0) < end]
        outcome.require(all(arrival.at > end for arrival in large), "a message arrived that was to be refused")
        found = [arrival for arrival in large if arrival.device == LONG_DIVER and arrival.kind == "dive"]
        outcome.lost += not found
        outcome.require(len(found) == 1, f"{len(found)} dives of {LONG_DIVER} arrived")
        outcome.notes.append(f"{len(large)} messages were refused for their size")
    return outcome


def _dive_long(rig):
    """Publishes what a device stored of a dive whose message is larger than the broker takes."""
    client = pahoclient.make_client("long-diver")
    with pahoclient.connected(client, rig.broker.port):
        for frame in dive_frames(240, 20.0, age=1.0):
            client.publish(f"wearables/{LONG_DIVER}/in/submersion", frame, 1).wait_for_publish(10)


def closed(options):
    """A broker that closes the connection in place of an answer, as on MQTT 3.1.1 some do."""
    span = _span(options)
    outcome = Outcome("F26c", f"for {span} s the connection ends at each dive of a diver, over MQTT 3.1.1", options.seed, n=1)
    with Rig(options, outcome, proxies=1, mqtt='  version: "3.1.1"\n') as rig:
        proxy = rig.proxies[0]
        rig.begin(numbers=FLEET)
        time.sleep(3.0)
        topic = f"wearables/{LONG_DIVER}/out/dive"
        proxy.unwanted = topic
        _dive_long(rig)
        time.sleep(span)
        proxy.unwanted, end = None, time.time()
        outcome.require(proxy.ended >= 2, f"the connection ended {proxy.ended} times")
        # It is tried again after pauses that have grown.
        came = processes.eventually(lambda: _count(rig, topic) > 0, 3 * span, 0.1)
        outcome.lost += not came
        outcome.require(came, f"the dive did not come within {3 * span} s after it was allowed")
        outcome.recovery.append(time.time() - end)
        _judge(rig, [], latest=CLOSED_LATEST)
        outcome.notes.append(f"the connection ended {proxy.ended} times")
    return outcome


def _rig(options, outcome, denied=()):
    return Rig(options, outcome, mqtt=MQTT, make_broker=functools.partial(RefusingBroker, denied=denied))


def _refuse(rig, kinds, span, meanwhile=None):
    """Refuses kinds of devices for a while and then allows them again. Returns the refusals."""
    refusals = [Refusal(kind, devices, time.time()) for kind, devices in kinds]
    rig.broker.refuse([topic for refusal in refusals for topic in refusal.topics])
    rig.say(f"refused: {refusals}")
    deadline = time.monotonic() + span
    if meanwhile:
        meanwhile()
    time.sleep(max(0.0, deadline - time.monotonic()))
    _require_warning(rig, refusals[0].topics[0])
    _allow(rig, refusals)
    time.sleep(AFTERWARDS)
    return refusals


def _allow(rig, refusals):
    for refusal in refusals:
        refusal.end = time.time()
    rig.broker.refuse()


def _require_warning(rig, topic):
    """The gateway goes on to report, and says that it is refused something, unless that is its status."""
    if topic.endswith("/status"):
        return
    recent = [status for at, status in rig.checker.statuses if at > time.monotonic() - 5.0]
    if rig.outcome.require(recent, f"no status came while {topic} was refused"):
        rig.outcome.require(recent[-1].get("warnings"), f"the status says nothing of {topic}, which is refused")


def _count(rig, topic):
    """How many messages of a topic arrived."""
    if topic.endswith("/status"):
        return len(rig.checker.statuses)
    _root, device, _out, kind = topic.split("/", 3)
    return sum(arrival.device == device and arrival.kind == kind for arrival in rig.checker.snapshot())


def _judge(rig, refusals, kills=(), latest=LATEST):
    """All but what a refusal excuses arrived, in order, and no depth of others was late."""
    outcome = rig.outcome
    retained, now = _retained(rig, [topic for refusal in refusals for topic in refusal.topics])
    expectation, comparison = rig.settle()
    comparison.lost = judge_refusals(outcome, rig.checker.snapshot(), expectation, comparison.lost, refusals)
    # An alarm comes though the depth state that it is raised by is refused, and replaced by a newer one before it is allowed.
    comparison.wrong = [entry for entry in comparison.wrong if not any(_excuses(refusal, entry[0]) for refusal in refusals)]
    judge_retained(outcome, expectation, retained, refusals, now)
    greatest = judge_lateness(outcome, rig.checker.snapshot(), expectation, refusals, kills, latest)
    outcome.notes.append(f"the latest depth of others came {greatest:.2f} s after its instant")
    rig.judge(comparison)
    rig.require_order()


def _excuses(refusal, arrival):
    """Whether an arrival is an alarm that came while the depth states of its device were refused."""
    return (arrival.kind == CONTACT and refusal.kind == "depth-state" and arrival.device in refusal.devices
            and refusal.begin <= arrival.at <= refusal.end)


def _retained(rig, topics):
    """What the broker keeps of topics, and when it was asked."""
    found = {}
    client = pahoclient.make_client("retained")
    client.on_message = lambda _client, _data, message: found.update({message.topic: message.payload} if message.retain else {})
    with pahoclient.connected(client, rig.broker.port):
        for topic in topics:
            client.subscribe(topic, 1)
        now = time.time()
        time.sleep(1.0 if topics else 0.0)
    return found, now
