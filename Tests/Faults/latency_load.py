"""Bulk load for `latency.py`, seen from the harness, and what the processes under load take of the machine."""

import json
import os
import subprocess
import sys
import threading
import time

import processes

HERE = os.path.dirname(os.path.abspath(__file__))


def record(binary, path, seconds):
    """Has the simulator record a batter's batches, a second each."""
    subprocess.run([binary, "simulate", "--kinds", "batter", "--count", "1", "--duration", str(seconds + 3), "--record", path],
                   check=True, capture_output=True, timeout=120)


class BulkLoad:
    """Publisher processes that share a fleet; `result` waits for them and adds up."""

    def __init__(self, directory, port, recording, fleet, publishers=2, **keywords):
        self.fleet, self.children = fleet, []
        for number in range(publishers):
            specification = {"port": port, "recording": recording, "fleet": fleet, "connections": 8,
                             "devices": list(range(number, fleet, publishers)), **keywords}
            path = os.path.join(directory, f"bulk-{number}.json")
            with open(path, "w") as file:
                json.dump(specification, file)
            self.children.append(processes.spawn([sys.executable, os.path.join(HERE, "latency_bulk.py"), path],
                                                 stdout=subprocess.PIPE, text=True))

    def result(self):
        parts = []
        for child in self.children:
            output, _ = child.communicate(timeout=600)
            processes.end(child)
            if child.returncode:
                raise RuntimeError("a publisher failed")
            parts.append(json.loads(output))
        total = {key: sum(part[key] for part in parts) for key in ("written", "acceptedInTime", "accepted", "bytes", "cpu")}
        return {**total, "late": max(part["late"] for part in parts)}


class HistoryLoad:
    """A process that sends histories, or asks for one; `result` waits for it."""

    def __init__(self, port, mode, device, until, *arguments):
        self.child = processes.spawn([sys.executable, os.path.join(HERE, "latency_history.py"), mode, str(port), device, repr(until),
                                      *map(str, arguments)], stdout=subprocess.PIPE, text=True)

    def result(self):
        output, _ = self.child.communicate(timeout=700)
        processes.end(self.child)
        if self.child.returncode:
            raise RuntimeError("a sender of histories failed")
        return json.loads(output)


class Watch:
    """Notes twice a second what each named process takes: [(monotonic, busy seconds of the machine, {name: (cpu s, bytes)})]."""

    def __init__(self):
        self.pids, self.samples = {}, []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, name, *pids):
        self.pids = {**self.pids, name: pids}

    def stop(self):
        self._stop.set()
        self._thread.join()

    def _run(self):
        while not self._stop.wait(0.5):
            taken = {}
            for name, pids in self.pids.items():
                seconds = [processes.processor_seconds(pid) for pid in pids]
                if seconds and None not in seconds:
                    taken[name] = (sum(seconds), sum(processes.resident_bytes(pid) for pid in pids))
            self.samples.append((time.monotonic(), processes.machine_seconds(), taken))

    def between(self, start, end):
        """What was taken in a span: {name: {cpu: share of one processor, resident: [bytes]}}; `machine` is all there was."""
        inside = [sample for sample in self.samples if start <= sample[0] <= end]
        spent = {}
        if len(inside) < 2:
            return spent
        for name in self.pids:
            own = [(at, *taken[name]) for at, _, taken in inside if name in taken]
            if len(own) >= 2:
                share = (own[-1][1] - own[0][1]) / (own[-1][0] - own[0][0])
                spent[name] = {"cpu": share, "resident": [size for _, _, size in own]}
        spent["machine"] = {"cpu": (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0]), "resident": []}
        return spent
