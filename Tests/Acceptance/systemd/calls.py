"""Runs a gateway under strace and compares its system calls with the filter of the unit."""

import os
import re
import signal
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "Acceptance"))

import gateway  # noqa: E402


def calls_of(group, seen=None):
    """The calls of a group of systemd's, its subgroups included."""
    lines = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True).stdout
    names = set()
    for line in lines.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            names |= calls_of(name)
        elif name and not name.startswith("#"):
            names.add(name)
    return names


def permitted(unit):
    names = set()
    with open(unit) as file:
        for line in file:
            if not line.startswith("SystemCallFilter="):
                continue
            value = line.split("=", 1)[1].strip()
            listed = set()
            for item in value.removeprefix("~").split():
                listed |= calls_of(item) if item.startswith("@") else {item}
            names = names - listed if value.startswith("~") else names | listed
    return names


def main():
    binary, unit, work = sys.argv[1:]
    summary = os.path.join(work, "calls")
    with gateway.Broker(work) as broker, gateway.Gateway(
            binary, work, broker.port, wrapper=["strace", "-f", "-qq", "-c", "-o", summary]) as running:
        running.wait_until_ready()
        running.simulate(devices=8, seconds=5)
        running.get("/metrics")
        running.process_of_binary(signal.SIGHUP)
        running.stop()
    with open(summary) as file:
        # As root, SQLite gives its files to the owner of their folder.
        used = {line.split()[-1] for line in file if re.match(r"\s*\d", line)} - {"total", "fchown"}
    refused = sorted(used - permitted(unit))
    print(f"{len(used)} system calls, not permitted: {', '.join(refused) or 'none'}")
    sys.exit(1 if refused or "futex" not in used else 0)


main()
