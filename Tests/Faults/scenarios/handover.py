"""F23: devices whose state moves to another directory."""

import os
import shutil
import subprocess
import time

from broker import Broker, Nats
from report import Outcome
from rig import Rig
from scenarios.partitions import REDELIVERY

REFUSAL = 30  # s: a node of a cluster may take the time of a connection to answer


def restored(options, fault="F23s", broker="", make_broker=Broker, mqtt="", count=10):
    """The directory is deleted between an export and an import; the broker, which `broker` names, keeps the session meanwhile."""
    count = 2 if options.short else count
    how = "kill -9, state directory deleted, started with an export that was imported" + broker
    outcome = Outcome(fault, how, options.seed, n=count)
    with Rig(options, outcome, make_broker=make_broker, mqtt=mqtt) as rig:
        rig.begin()
        for number in range(count):
            time.sleep(rig.random.uniform(2.0, 3.0))
            rig.gateway.kill()
            file = os.path.join(rig.directory, f"{number}.state")
            state_command(rig.gateway, "export", "--output", file)
            shutil.rmtree(rig.gateway.state)
            _require_refusal(rig)
            state_command(rig.gateway, "import", file)
            rig.gateway.start()
            rig.recover()
        time.sleep(2.0)
        rig.finish()
        rig.require_order(timed=make_broker is Broker)
    return outcome


def replicated(options, fault="F23k", broker=", on NATS", make_broker=Nats, replicas=1, count=10):
    """The directory is deleted after each kill, as on another machine; the states come from the key-value store."""
    count = 2 if options.short else count
    how = "kill -9, state directory deleted, started with the states of the key-value store" + broker
    outcome = Outcome(fault, how, options.seed, n=count)
    with Rig(options, outcome, make_broker=make_broker) as rig:
        servers = ", ".join(f"127.0.0.1:{port}" for port in rig.broker.client_ports)
        settings = f'keyValue: {{servers: "{servers}", replicas: {replicas}}}\n'
        rig.gateway.configure(rig.broker.gateway_ports, settings, REDELIVERY)
        rig.begin(within=40)
        for _ in range(count):
            time.sleep(rig.random.uniform(2.0, 3.0))
            rig.gateway.kill()
            shutil.rmtree(rig.gateway.state)
            rig.gateway.start()
            rig.recover()
        time.sleep(2.0)
        rig.finish()
        rig.require_order(timed=False)
        outcome.notes.append("recovery: with the 3 s after which a start without the owner's state directory takes the name")
    return outcome


def _require_refusal(rig):
    """Without any state a gateway does not start on the session that the broker kept."""
    size = rig.gateway.log_size()
    rig.gateway.start()
    code = rig.gateway.wait(REFUSAL)
    if code is None:
        rig.gateway.kill()
    said = " / ".join(rig.gateway.log_since(size)[-2:])
    rig.outcome.require(code == 1 and "--without-state" in said, f"without state the gateway ends with {code}: {said}")
    shutil.rmtree(rig.gateway.state)


def state_command(gateway, *arguments):
    """Runs `fathom state` with the gateway's configuration."""
    done = subprocess.run([gateway.binary, "state", *arguments, "--config", gateway.configuration], capture_output=True, text=True,
                          env={**os.environ, **gateway.defaults})
    if done.returncode != 0:
        raise RuntimeError(f"fathom state {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
