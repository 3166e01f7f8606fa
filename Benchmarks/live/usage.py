"""What a process has used so far."""

import os
import time

from gateways import processes


def switches(pid):
    """{thread: (voluntary context switches, all context switches)}."""
    counts = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/status") as file:
                found = {line.split(":")[0]: int(line.split()[1]) for line in file if "ctxt_switches" in line}
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread has ended
        counts[thread] = found["voluntary_ctxt_switches"], sum(found.values())
    return counts


def written_bytes(pid):
    """What a process has had written to disks, in whole pages of the page cache."""
    with open(f"/proc/{pid}/io") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("write_bytes"))


def anonymous_bytes(pid):
    """Resident memory of a process without the pages of files."""
    with open(f"/proc/{pid}/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("RssAnon"))


class Usage:
    """Processor time and context switches of named processes at one instant."""

    def __init__(self, pids):
        self.time, self.busy = time.monotonic(), processes.machine_seconds()
        self.seconds = {name: processes.processor_seconds(pid) for name, pid in pids.items()}
        self.switches = {name: switches(pid) for name, pid in pids.items()}
        self.written = {name: written_bytes(pid) for name, pid in pids.items()}

    def processor_seconds_since(self, before):
        """{name: processor seconds}."""
        return {name: value - before.seconds[name] for name, value in self.seconds.items()}

    def switches_since(self, before, name, voluntary=False):
        """Context switches of the threads of a process that still run; voluntary ones are times it waited."""
        place, earlier = (0 if voluntary else 1), before.switches[name]
        return sum(counts[place] - earlier.get(thread, (0, 0))[place] for thread, counts in self.switches[name].items())

    def others_since(self, before):
        """The share of the machine that other processes took."""
        own = sum(self.processor_seconds_since(before).values())
        return max(0.0, (self.busy - before.busy - own) / (self.time - before.time) / os.cpu_count())
