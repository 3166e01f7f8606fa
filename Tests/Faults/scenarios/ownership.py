"""F20: of several gateways of one name, one runs."""

import os
import re
import shutil
import signal
import time

import processes
from broker import Broker, Nats
from gateway import Gateway
from report import Outcome
from rig import Rig
from scenarios.partitions import REDELIVERY

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
CLAIMED = "the name is this gateway's"
NAMED = "another gateway called"
# Commits half a second apart: a kill finds frames that were published and not committed.
SELDOM = "lanes: {safety: {checkpointMilliseconds: 5000}}\n"
OWN = ["gateway-in", "gateway-motion", "gateway-bulk"]  # accounts of the lanes, where each has one
PASSWORDS = {name: name[::-1] for name in OWN + ["gateway-out", "gateway-claim", "checker", "prober", "devices"]}


def _account(name):
    return f"{{username: {name}, password: {PASSWORDS[name]}}}"


ACCOUNTS = f"  out: {_account('gateway-out')}\n  claim: {_account('gateway-claim')}\n"  # below `mqtt`


def lane_accounts(*names):
    """The settings of a gateway whose first lanes have these accounts."""
    return "lanes:\n" + "".join(f"  {lane}: {{account: {_account(name)}}}\n" for lane, name in zip(("safety", "motion", "bulk"), names))


def twins(options):
    return _twins(options, "F20m", "mosquitto", Broker)


def twins_on_nats(options, fault="F20n", broker="NATS", make_broker=Nats, count=50):
    return _twins(options, fault, broker, make_broker, count)


def _twins(options, fault, broker, make_broker, count=50):
    """Pairs, each of a name of its own: which of the two wins is decided without the state of an earlier run."""
    count = 3 if options.short else count
    outcome = Outcome(fault, f"two gateways of one name started within 100 ms, on {broker}", options.seed, n=count)
    for number in range(count):
        pair = Outcome(fault, outcome.how, options.seed)
        with Rig(options, pair, make_broker=make_broker) as rig:
            _pair(rig, outcome.recovery, number)
        for name in ("frames", "events", "lost", "duplicate", "wrong", "stuck", "wire"):
            setattr(outcome, name, getattr(outcome, name) + getattr(pair, name))
        outcome.load = outcome.load or pair.load
        outcome.failures += [f"pair {number + 1}: {failure}" for failure in pair.failures]
        outcome.samples += pair.samples[:3]
        if len(outcome.failures) >= 5:
            break
    outcome.require(outcome.wire == 0, f"{outcome.wire} messages came twice")
    outcome.notes.append("recovery: from the start of the pair to the end of the one that lost")
    return outcome


def _pair(rig, ends, number):
    outcome = rig.outcome
    rig.random.seed(f"{rig.options.seed}/{outcome.fault}/{number}")
    pair = [rig.gateway, Gateway(rig.options.binary, rig.directory, rig.broker.gateway_ports, folder="second")]
    try:
        at = time.monotonic()
        loser = _contest(rig, pair)
        if not loser:
            return
        ends.append(time.monotonic() - at)
        _judge_loser(outcome, loser)
        outcome.require(ends[-1] < 3.0, f"it took {ends[-1]:.1f} s until one ended")
        # The rig probes and loads the one that goes on.
        rig.start_gateway()
        outcome.require(not any(CLAIMED in line for line in loser.log_since()), "both had the name")
        rig.load(prefix=f"p{number}")
        time.sleep(2.0)
        rig.finish()
        rig.require_order()
        outcome.require(rig.gateway.alive(), "the one that won has ended")
    finally:
        for gateway in pair:
            if gateway.process and gateway is not rig.gateway:
                processes.end(gateway.process, within=5)


def _start(rig, pair):
    """Starts two gateways in any order, within 100 ms."""
    for gateway in rig.random.sample(pair, 2):
        gateway.start()
        time.sleep(rig.random.uniform(0, 0.1))


def _contest(rig, pair):
    """Starts two gateways; the one that ends, while the other becomes that of the rig. None where neither ends."""
    _start(rig, pair)
    if not processes.eventually(lambda: any(not gateway.alive() for gateway in pair), 10, 0.005):
        return rig.outcome.fail("neither has ended within 10 s")
    loser = next(gateway for gateway in pair if not gateway.alive())
    rig.gateway = next(gateway for gateway in pair if gateway is not loser)
    return loser


def _judge_loser(outcome, loser):
    code, said = processes.end(loser.process), " / ".join(loser.log_since()[-3:])
    outcome.require(code == 1, f"the one that lost ended with {code}: {said}")
    outcome.require(NAMED in said, "the one that lost does not name the other: " + said)


def frozen(options, fault="F20s", broker="", make_broker=Broker, mqtt=""):
    """`broker` says on which one, for the table."""
    count = 1 if options.short else 5
    outcome = Outcome(fault, "SIGSTOP of the gateway for 10 s, woken while its replacement runs" + broker, options.seed, n=count)
    with Rig(options, outcome, make_broker=make_broker, mqtt=mqtt) as rig:
        rig.begin()
        for number in range(count):
            time.sleep(2.0)
            owner, at = rig.gateway, time.monotonic()
            owner.process.send_signal(signal.SIGSTOP)
            time.sleep(0.2)
            state = os.path.join(rig.directory, f"replacement{number}-state")
            shutil.copytree(owner.state, state)
            replacement = Gateway(options.binary, rig.directory, rig.broker.gateway_ports, folder=f"replacement{number}",
                                  state=state, mqtt=mqtt)
            rig.gateway = replacement
            try:
                replacement.start()
                taken = rig.recover()
                outcome.require(taken is None or taken > 2.0, f"a copy took the name after {taken} s")
                time.sleep(max(0.0, at + 10 - time.monotonic()))
                size, written = owner.log_size(), replacement.log_size()
                owner.process.send_signal(signal.SIGCONT)
                code = owner.wait(5)
                outcome.require(code == 1, f"the woken gateway ended with {code}")
                said = " / ".join(owner.log_since(size)[-3:])
                outcome.require(NAMED in said, "the woken gateway does not name the other: " + said)
                outcome.require(replacement.alive(), "the replacement has ended")
                time.sleep(1.0)  # so long the woken one would have disconnected it
                lost = [line for line in replacement.log_since(written) if "disconnected" in line]
                outcome.require(not lost, f"the replacement was disconnected: {lost[:2]}")
            finally:
                if owner.alive():
                    processes.end(owner.process, signal.SIGKILL)
        time.sleep(2.0)
        rig.finish()
        rig.require_order(timed=False)
        rig.require_announced()
        outcome.notes.append("recovery: from the start of the replacement, which has a copy of the state directory")
    return outcome


def restarted_loser(options):
    """With the shipped ACL and accounts, where an account is a client id."""
    count = 5 if options.short else 20
    outcome = Outcome("F20l", "a supervisor restarts the second gateway of a name; accounts are client ids", options.seed, n=count)
    settings = lane_accounts(*OWN)
    with Rig(options, outcome, passwords=PASSWORDS, mqtt=ACCOUNTS, settings=settings, access_list=access_list(options)) as rig:
        rig.begin(user=("devices", PASSWORDS["devices"]))
        time.sleep(1.0)
        size, statuses = rig.gateway.log_size(), len(rig.checker.statuses)
        second = Gateway(options.binary, rig.directory, rig.broker.gateway_ports, folder="second", settings=settings, mqtt=ACCOUNTS)
        try:
            for _ in range(count):
                second.start()
                begun = second.log_size()
                code = second.wait(5)
                outcome.recovery.append(time.monotonic() - second.started_at)
                said = " / ".join(second.log_since(begun)[-3:]) or " / ".join(second.log_since()[-3:])
                outcome.require(code == 1 and NAMED in said, f"the second ended with {code}: {said}")
        finally:
            processes.end(second.process, within=5)
        ended = [line for line in rig.gateway.log_since(size) if re.search("disconnected", line)]
        outcome.require(not ended, f"the first was disconnected: {ended[:2]}")
        offline = [status for _, status in rig.checker.statuses[statuses:] if status.get("state") == "offline"]
        outcome.require(not offline, f"{len(offline)} times offline was published")
        rig.finish()
        outcome.require(outcome.wire == 0, f"{outcome.wire} messages came twice")
        outcome.notes.append("recovery: from the start of the second to its end")
    return outcome


def access_list(options):
    """The shipped ACL, with the checker, and devices of one account."""
    path = os.path.join(options.directory_for("access"), "acl")
    with open(os.path.join(ROOT, "config", "acl")) as shipped, open(path, "w") as file:
        file.write(shipped.read())
        file.write("\nuser checker\ntopic read #\ntopic read fathom/#\n\nuser prober\ntopic write wearables/+/in/#\n"
                   "\nuser devices\ntopic readwrite wearables/#\n")
    return path


def beside_a_copy(options):
    """kill -9 of the owner; its restart and a gateway with a copy of its state start together."""
    count = 3 if options.short else 30
    outcome = Outcome("F20r", "kill -9, restarted within 100 ms of a gateway with a copy of its state", options.seed, n=count)
    with Rig(options, outcome, settings=SELDOM) as rig:
        rig.begin()
        for number in range(count):
            time.sleep(rig.random.uniform(1.0, 2.0))
            rig.gateway.kill()
            state = os.path.join(rig.directory, "copied-state")
            shutil.rmtree(state, ignore_errors=True)
            shutil.copytree(rig.gateway.state, state)
            copy = Gateway(options.binary, rig.directory, rig.broker.gateway_ports, folder="copy", settings=SELDOM, state=state)
            try:
                _start(rig, [rig.gateway, copy])
                rig.recover()
                if outcome.require(copy.wait(5) is not None, "the copy goes on"):
                    _judge_loser(outcome, copy)
                outcome.require(rig.gateway.alive(), "the owner has not come back")
            finally:
                processes.end(copy.process, within=5)
        rig.finish()
        rig.require_order()
    return outcome


def copies(options):
    return _copies(options, "F20c", "mosquitto", Broker)


def copies_on_nats(options):
    return _copies(options, "F20d", "NATS", Nats, REDELIVERY)


def _copies(options, fault, broker, make_broker, mqtt=""):
    """Twins under load: neither has the directory of the last owner, the sessions are kept, and frames come all the time.

    For more than half of the time no gateway reads, so the load is one that a debug build catches up with.
    """
    count = 3 if options.short else 50
    outcome = Outcome(fault, f"kill -9, then two copies of its state started within 100 ms, on {broker}", options.seed, n=count)
    with Rig(options, outcome, make_broker=make_broker, mqtt=mqtt) as rig:
        rig.begin(devices=20)
        for number in range(count):
            time.sleep(rig.random.uniform(1.0, 2.0))
            killed, pair = rig.gateway, []
            killed.kill()
            for name in "ab":
                folder = f"copy{number}{name}"
                state = os.path.join(rig.directory, f"{folder}-state")
                shutil.copytree(killed.state, state)
                pair.append(Gateway(options.binary, rig.directory, rig.broker.gateway_ports, folder=folder, state=state, mqtt=mqtt))
            shutil.rmtree(killed.state)
            try:
                loser = _contest(rig, pair)
                if not loser:
                    break
                _judge_loser(outcome, loser)
                outcome.require(not any(CLAIMED in line for line in loser.log_since()), "both had the name")
                rig.recover()
                outcome.require(rig.gateway.alive(), "the one that won has ended")
            finally:
                for gateway in pair:
                    if gateway is not rig.gateway:
                        processes.end(gateway.process, within=5)
            rig.say(f"{number + 1} of {count} pairs")
        time.sleep(2.0)
        rig.finish()
        rig.require_order(timed=False)
        rig.require_announced()
        outcome.notes.append("recovery: from the start of the later of the pair; 3 s are the wait for the name")
    return outcome
