"""A generator process, seen from the harness."""

import json
import os
import subprocess
import sys

import processes

HERE = os.path.dirname(os.path.abspath(__file__))

# Of 60 devices: frames a second are 2.9 a diver, 10 a batter, 2 a pair of headphones.
MIX = {"divers": 0.5, "batters": 0.3, "pods": 0.2}


def mix(devices, parked=0):
    """How many of each kind make a number of devices."""
    numbers = {kind: max(1, round(devices * part)) for kind, part in MIX.items()}
    return {**numbers, "parked": parked}


def rate(numbers):
    """Frames a second of such a fleet."""
    return numbers.get("divers", 0) * 2.9 + numbers.get("batters", 0) * 10 + numbers.get("pods", 0) * 2


class Load:
    """One fleet that publishes; `finish` ends it and returns once the broker has every frame.

    `behaviour` is what else the generator's specification may say: `reboots`, `disorder`.
    """

    def __init__(self, directory, port, seed, numbers, prefix="", resend=False, user=None, patience=60, **behaviour):
        self.log = os.path.join(directory, f"{prefix}frames.ndjson")
        self.numbers = numbers
        specification = {**numbers, **behaviour, "prefix": prefix, "seed": seed, "port": port, "log": self.log, "resend": resend, "user": user,
                         "client": f"{prefix}generator", "patience": patience}
        file = os.path.join(directory, f"{prefix}load.json")
        with open(file, "w") as handle:
            json.dump(specification, handle)
        self._errors = open(os.path.join(directory, f"{prefix}generator.log"), "a")
        self.process = processes.spawn([sys.executable, os.path.join(HERE, "generator.py"), file],
                                       stdin=subprocess.PIPE, stdout=self._errors, stderr=self._errors)

    def send(self, command):
        try:
            self.process.stdin.write((command + "\n").encode())
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass  # it has ended

    def poison(self, text):
        self.send("poison " + text)

    def quiet(self):
        self.send("quiet")

    def finish(self, within=90):
        """Ends the frames; whether the broker acknowledged every one of them."""
        self.send("stop")
        try:
            return self.process.wait(within) == 0
        except subprocess.TimeoutExpired:
            processes.end(self.process)
            return False
