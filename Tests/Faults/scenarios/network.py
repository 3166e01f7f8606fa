"""F8 and F9: the network between gateway and broker, and a subscriber that does not read."""

import os
import signal
import statistics
import sys
import time

import namespace
import processes
from load import HERE
from report import Outcome
from rig import Rig

MEGABYTE = 1 << 20


def partitions(options):
    long = [5] if options.short else [10, 30]
    shapes = [(f"both ways dead {span} s", span, ("up", "down"), 0.0) for span in long]
    shapes += [(f"gateway to broker dead {long[0]} s", long[0], ("up",), 0.0),
               (f"broker to gateway dead {long[0]} s", long[0], ("down",), 0.0),
               (f"200 ms delay each way for {long[0]} s", long[0], (), 0.2)]
    outcome = Outcome("F8", "; ".join(shape[0] for shape in shapes), options.seed, n=len(shapes))
    with Rig(options, outcome, proxies=1, silence=None) as rig:
        rig.begin()
        proxy = rig.proxies[0]
        for name, span, directions, delay in shapes:
            time.sleep(3.0)
            proxy.delay = delay
            if directions:
                proxy.block(*directions)
            time.sleep(span)
            since = time.monotonic(), time.time()
            proxy.heal()
            taken = rig.recover(20, since, name)
            if taken is not None:
                rig.say(f"{name}: derived again after {taken * 1000:.0f} ms")
        time.sleep(3.0)
        outcome.require(rig.gateway.alive(), "the gateway ended")
        rig.finish()
    return outcome


CONNECTIONS = 5  # those of three lanes, of what is derived, and of requests


def cut(options):
    """In turn all connections end between packets, and within one."""
    count = 4 if options.short else 30
    outcome = Outcome("F8c", "all connections of the gateway end, every other time within a packet", options.seed, n=count)
    with Rig(options, outcome, proxies=1) as rig:
        proxy = rig.proxies[0]
        rig.begin()
        for number in range(count):
            # Each lane is to be connected in between: a depth that cannot be read for 5 s is unknown, and its frames come behind that.
            processes.eventually(lambda: proxy.connections >= CONNECTIONS, 10, 0.01)
            time.sleep(rig.random.uniform(0.5, 2.5))
            since = time.monotonic(), time.time()
            (proxy.tear if number % 2 else proxy.cut)()
            rig.recover(10, since, "the end of its connections")
        time.sleep(3.0)
        outcome.require(rig.gateway.alive(), "the gateway ended")
        outcome.require(proxy.torn > 0, "no connection ended within a packet")
        outcome.notes.append(f"{proxy.torn} directions of connections ended within a packet")
        rig.finish()
        rig.require_order()
    return outcome


def elsewhere(options):
    """In turn the address in use ends every connection and accepts none, or passes nothing on, until another is in use."""
    count = 2 if options.short else 20
    outcome = Outcome("F8b", "the one of two addresses of the broker that is in use is gone, every other time hangs", options.seed, n=count)
    hangs = []
    with Rig(options, outcome, proxies=2) as rig:
        rig.begin()
        for number in range(count):
            time.sleep(rig.random.uniform(3.0, 4.0))
            port = rig.checker.broker_port()
            used, at = next(proxy for proxy in rig.proxies if proxy.port == port), time.monotonic()
            if number % 2:
                used.block()
            else:
                used.sever()
            time.sleep(8.0)
            used.heal()
            (hangs if number % 2 else outcome.recovery).append(rig.checker.longest_pause(at, at + 8.0))
        outcome.require(max(outcome.recovery) <= 3.0, f"silent for {max(outcome.recovery):.1f} s where an address was gone")
        outcome.require(max(hangs) <= 3.5, f"silent for {max(hangs):.1f} s where an address hung")
        outcome.require(rig.gateway.alive(), "the gateway ended")
        rig.finish()
        rig.require_order(timed=False)  # a device is silent meanwhile
        outcome.notes.append("recovery: the longest time without a derived message where the address was gone; where it hung "
                             f"{statistics.median(hangs):.1f} s at the median, {max(hangs):.1f} s at the most")
    return outcome


def lossy(options):
    """Devices, broker and gateway share a network that loses packets; the gateway is killed in it too."""
    count = 2 if options.short else 10
    outcome = Outcome("F8l", f"{namespace.WORDS}, and kill -9 of the gateway", options.seed, n=count)
    with namespace.LossyNetwork(), Rig(options, outcome) as rig:
        rig.begin()
        for _ in range(count):
            time.sleep(rig.random.uniform(1.0, 4.0))
            rig.restart()
        time.sleep(5.0)
        outcome.require(rig.gateway.alive(), "the gateway ended")
        rig.finish()
        rig.require_order()
    return outcome


def stopped_subscriber(options):
    span = 8 if options.short else 60
    outcome = Outcome("F9", f"SIGSTOP of a subscriber for {span} s", options.seed, n=1)
    with Rig(options, outcome) as rig:
        rig.begin()
        reader = processes.spawn([sys.executable, os.path.join(HERE, "subscriber.py"), str(rig.broker.port), "slow"])
        time.sleep(5.0)
        before = processes.resident_bytes(rig.gateway.pid)
        reader.send_signal(signal.SIGSTOP)
        with processes.ResidentSampler(lambda: rig.gateway.pid) as sampler:
            time.sleep(span)
        growth = (sampler.greatest - before) / MEGABYTE
        outcome.notes.append(f"gateway's memory: {before / MEGABYTE:.0f} MB before, {sampler.greatest / MEGABYTE:.0f} MB at most during")
        outcome.require(growth < 16, f"the gateway grew by {growth:.0f} MB")
        processes.end(reader, signal.SIGCONT, 0.1)
        rig.finish()
    return outcome
