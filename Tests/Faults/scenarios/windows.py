"""F24: brokers that send few unacknowledged messages."""

import functools
import time

from brokers_other import Ejabberd, RabbitMQ, accounts
from report import Outcome
from rig import Rig

DEVICES = 12  # 60 frames a second
STEADY = 10.0  # seconds
LATEST = 2.0  # seconds from a measurement until its frame was read: a lane that reads 40 of 60 frames a second is further behind after 10 s


def rabbitmq(options):
    return _window(options, "F24r", "RabbitMQ, prefetch 10", RabbitMQ)


def rabbitmq_with_large_window(options):
    return _window(options, "F24p", "RabbitMQ, prefetch 200", functools.partial(RabbitMQ, prefetch=200))


def ejabberd(options):
    return _window(options, "F24e", "ejabberd, a window of 1", Ejabberd, domain=Ejabberd.DOMAIN)


def _window(options, name, broker, make_broker, domain=""):
    """Frames must come as fast as they are sent: a lane that waits for more of them than the window holds falls behind."""
    count = 2 if options.short else 5
    how = f"{broker}: a while without faults, then kill -9 of the gateway"
    outcome = Outcome(name, how, options.seed, n=count)
    user = (lambda role: (role + domain, "-")) if domain else None
    settings, mqtt = accounts(domain)
    with Rig(options, outcome, settings=settings, mqtt=mqtt, make_broker=make_broker, user=user) as rig:
        rig.start_gateway(within=40)
        began = rig.gateway.log_size()
        rig.load(devices=DEVICES, user=user and list(user("generator")))
        time.sleep(STEADY)
        lost = [line for line in rig.gateway.log_since(began) if "disconnected" in line or "connecting again" in line]
        outcome.require(not lost, f"{len(lost)} connections were lost before any fault; first: {lost[:1]}")
        lags = sorted(_lags(rig, STEADY / 2))
        if outcome.require(lags, "no depth was published before any fault"):
            outcome.notes.append(f"before any fault frames of depths were read {lags[len(lags) // 2]:.2f} s (median) and {lags[-1]:.2f} s (longest) "
                                 "after they were measured")
            outcome.require(lags[-1] < LATEST, f"frames were read up to {lags[-1]:.1f} s after they were measured")
        for number in range(count):
            time.sleep(rig.random.uniform(1.5, 2.5))
            rig.restart()
            rig.say(f"{number + 1} of {count} kills")
        time.sleep(2.0)
        rig.finish()
        rig.require_order(timed=False)
    return outcome


def _lags(rig, seconds):
    """Seconds from each measurement of a depth whose frame was read in the last `seconds` until then."""
    bodies = [body for _arrival, body in rig.checker.depths()]
    since = time.time() - seconds
    return [body["received"] - body["at"] for body in bodies if body.get("source") and body["received"] > since]
