"""F18 and F19: who may connect, and as whom."""

import time

import pahoclient
import processes
from gateway import Gateway
from report import Outcome
from rig import SHELVED, Rig

MEGABYTE = 1 << 20
ACCOUNTS = {"checker": "c", "gateway": "right", "devices": "d"}


def refused(options):
    span = 6 if options.short else 30
    outcome = Outcome("F18", f"the broker refuses the gateway's password for {span} s", options.seed, n=1)
    account = '{username: gateway, password: "right"}'
    lanes = f"lanes: {{safety: {{account: {account}}}}}\n"
    with Rig(options, outcome, passwords=ACCOUNTS, mqtt=f"  out: {account}\n", settings=lanes, silence=None) as rig:
        rig.begin(user=("devices", ACCOUNTS["devices"]))
        time.sleep(2.0)
        rig.broker.set_password("gateway", "other")
        rig.broker.stop()
        rig.broker.start()
        rig.say("the gateway's password is wrong now")
        time.sleep(span)
        outcome.require(rig.gateway.alive(), "the gateway ended when it was refused")
        rig.broker.set_password("gateway", "right")
        rig.broker.reload()
        taken = rig.recover(40, (time.monotonic(), time.time()), "the password was right again")
        outcome.require(taken is None or taken < 5, f"it took {taken} s to come back")
        outcome.notes.append("recovery: from the right password (mqtt.reconnect.maximumSeconds: 2) to the first derived message")
        time.sleep(1.0)
        rig.finish()
    return outcome


def takeover(options):
    outcome = Outcome("F19t", "a second gateway under the same name", options.seed, n=2)
    with Rig(options, outcome) as rig:
        rig.begin()
        for number in range(outcome.n):
            time.sleep(2.0)
            second = Gateway(options.binary, rig.directory, rig.broker.gateway_ports, folder=f"second{number}")
            second.start()
            code = second.wait(15)
            said = " / ".join(second.log_since()[-2:])
            if code is None:
                second.kill()
                outcome.fail("the second gateway goes on")
            else:
                outcome.notes.append(f"the second ends with {code}")
                rig.say(f"the second ends with {code}: {said}")
                outcome.require(code > 0, f"it ends with {code}")
                outcome.require(rig.gateway.name in said, "it does not say why, by name: " + said)
            if not outcome.require(rig.gateway.alive(), "the first gateway ended"):
                rig.gateway.start()
        time.sleep(2.0)
        rig.finish()
    return outcome


def write_registry(rig, more=()):
    """A registry of the usual load, the probes and `more` devices, of which every other is denied. Returns its path."""
    names = [f"{kind}{number}" for kind in ("diver", "batter", "pod") for number in range(rig.options.devices)]
    names += [f"parked{number}" for number in range(SHELVED)] + [f"probe{number}" for number in range(40)] + list(more)
    path = rig.gateway.directory + "/registry.yaml"
    with open(path, "w") as file:
        file.write("unknownDevices: deny\ndevices:\n")
        file.writelines(f"  {name}: {{entitlement: full, session: notRequired}}\n" for name in names)
    return path


def unknown_devices(options):
    count = 20_000 if options.short else 100_000
    outcome = Outcome("F19u", f"frames of {count} unknown devices", options.seed, n=count)
    with Rig(options, outcome) as rig:
        rig.gateway.configure(rig.broker.gateway_ports, f"registry: {{file: {write_registry(rig)}}}\n")
        rig.begin()
        time.sleep(5.0)
        before = processes.resident_bytes(rig.gateway.pid)
        with processes.ResidentSampler(lambda: rig.gateway.pid) as sampler:
            _flood(rig, count)
            time.sleep(2.0)
        growth = (sampler.greatest - before) / MEGABYTE
        outcome.notes.append(f"gateway's memory: {before / MEGABYTE:.0f} MB before, {sampler.greatest / MEGABYTE:.0f} MB at most")
        outcome.require(growth < 32, f"the gateway grew by {growth:.0f} MB")
        rig.finish()
    return outcome


def _flood(rig, count):
    """Publishes one frame for each of many devices, as fast as the broker takes them."""
    client = pahoclient.make_client("flood")
    client.max_inflight_messages_set(500)
    body = '{"schema":"wearables/1","boot":"f","seq":0,"uptime":9.0,"events":[{"timestamp":8.9,"state":"submerged"}]}'
    last = None
    with pahoclient.connected(client, rig.broker.port):
        for number in range(count):
            last = client.publish(f"wearables/unknown-{number}/in/submersion", body, 1)
            if number % 1000 == 999:
                processes.eventually(last.is_published, 60, 0.005)
                if number % 20_000 == 19_999:
                    rig.say(f"{number + 1} unknown devices")
        processes.eventually(last.is_published, 60)
