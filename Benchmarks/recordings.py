"""Recordings for the benchmarks: the same arguments give the same bytes."""

import json
import os
import subprocess

START = 1_763_749_000  # unix s


class Recording:
    """What simulated devices of one kind send in some seconds, as `fathom replay` reads it; `encoding` as `fathom simulate` names it."""

    def __init__(self, binary, directory, kind, devices, seconds, encoding="json"):
        self.path = os.path.join(directory, f"{kind}-{devices}-{seconds}-{encoding}.ndjson")
        subprocess.run([binary, "simulate", "--kinds", kind, "--count", str(devices), "--seconds", str(seconds),
                        "--start", str(START), "--seed", "1", "--encoding", encoding, "--record", self.path],
                       check=True, stderr=subprocess.DEVNULL, timeout=600)
        with open(self.path, "rb") as file:
            self.frames = sum(1 for _ in file)

    def devices(self):
        """The ids of the devices, in order."""
        with open(self.path) as file:
            topics = (json.loads(line)["topic"].split("/") for line in file)
            return sorted({topic[topic.index("in") - 1] for topic in topics})

    def first(self):
        """A recording of the first frame alone, by which the cost of starting is measured."""
        path = self.path + ".first"
        with open(self.path, "rb") as whole, open(path, "wb") as file:
            file.write(whole.readline())
        return path
