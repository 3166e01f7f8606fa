"""F31: the accounts change while frames are queued, so that the lanes share one session, and then have one each again; with kills."""

import time

from report import Outcome
from rig import SHELVED, Rig
from scenarios.ownership import ACCOUNTS, OWN, PASSWORDS, access_list, lane_accounts

# Where an account is a client id, two lanes of one account cannot both be connected: all lanes share the session of the first. The account
# of bulk changes, so its former session is not read: the load has nothing for it.
ONE = ["gateway-in", "gateway-motion", "gateway-motion"]
SHARED, READ = "the lanes share one session", "a session of an earlier start is read to its end"  # in the log


def changed(options):
    """kill -9, other accounts, start, kill -9 at any moment of the change, start."""
    count = 4 if options.short else 20
    outcome = Outcome("F31", "kill -9 while three sessions become one and three again, by other accounts", options.seed, n=2 * count)
    with Rig(options, outcome, passwords=PASSWORDS, mqtt=ACCOUNTS, settings=lane_accounts(*OWN), access_list=access_list(options)) as rig:
        rig.begin(user=("devices", PASSWORDS["devices"]), numbers={"divers": options.devices, "pods": options.devices, "parked": SHELVED})
        begun = rig.gateway.log_size()
        for number in range(count):
            time.sleep(rig.random.uniform(1.0, 2.0))
            rig.gateway.kill()
            time.sleep(rig.random.uniform(0.1, 1.0))  # frames are queued
            rig.gateway.configure(rig.broker.gateway_ports, lane_accounts(*(OWN if number % 2 else ONE)), ACCOUNTS)
            rig.gateway.start()
            time.sleep(rig.random.uniform(0.2, 4.0))
            rig.restart()
            rig.say(f"{2 * (number + 1)} of {2 * count} kills")
        lines = rig.gateway.log_since(begun)
        outcome.require(sum(SHARED in line for line in lines) >= count // 2, "the lanes did not share a session")
        # A change that is undone reads none, and the one before it, which was not made, has begun to read with both of its starts.
        outcome.require(sum(READ in line for line in lines) >= count, "not every former session was read to its end")
        # Nothing is acknowledged while the gateway starts, which is most of the time: a slow machine has a backlog in the end.
        rig.finish(backlog=120.0)
    return outcome
