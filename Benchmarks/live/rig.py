"""One measurement: a broker, a gateway and a generator, and what they use meanwhile."""

import json
import os
import signal
import subprocess
import tempfile
import time

import gateways
from gateways import processes
from usage import Usage

HURRY, START, IDLE, REST = 4, 3, 5, 0.5  # how much faster the generator sends in the warm-up; s


class Rig:
    """The programs of all measurements."""

    def __init__(self, options, directory):
        self.options, self.directory, self.binary = options, directory, os.path.abspath(options.binary)
        self.generator = gateways.compile_c(directory, "generator", "generator.c", "connection.c", "results.c")
        self.gateways = gateways.all_gateways(self.binary, directory)

    def run(self, load, name, observe):
        """What `observe` returns of a run in which the gateway has subscribed."""
        with tempfile.TemporaryDirectory(dir=self.directory) as directory:
            broker, port, log = gateways.start_broker(directory)
            running = [broker]
            try:
                gateway = self._start(load, name, directory, port, log, running)
                return observe(Run(self, load, {"gateway": gateway.pid, "broker": broker.pid}, port, running))
            finally:
                for process in reversed(running):
                    processes.end(process)

    def _start(self, load, name, directory, port, log, running):
        """Starts a gateway and waits until it has been subscribed for half a second."""
        with open(os.path.join(directory, "gateway.log"), "w") as output:
            gateway = processes.spawn(self.gateways[name].command(directory, port, load), stdout=output, stderr=output,
                                      env={**os.environ, "NODE_PATH": "/usr/share/nodejs"})
        running.append(gateway)
        sizes = [0, 0]

        def settled():
            with open(log) as file:
                text = file.read()
            sizes.append(len(text))
            return gateway.poll() is not None or "wearables/" in text and sizes[-1] == sizes[-6 if len(sizes) > 5 else 0]

        if not processes.eventually(settled, 20, 0.1) or gateway.poll() is not None:
            with open(os.path.join(directory, "gateway.log")) as file:
                raise RuntimeError(f"{name} does not subscribe: {file.read()[-2000:]}")
        return gateway


class Run:
    """A gateway that has subscribed, and the generator."""

    def __init__(self, rig, load, pids, port, running):
        self.rig, self.load, self.pids, self.port, self.running = rig, load, pids, port, running

    def idle_wake_ups(self):
        """Per second, while nothing is sent and the start is over: voluntary context switches."""
        time.sleep(START)
        before = Usage(self.pids)
        time.sleep(IDLE)
        return Usage(self.pids).switches_since(before, "gateway", voluntary=True) / IDLE

    def paced(self, seconds=None, warmup=None, meanwhile=lambda: None):
        """Sends at an even pace: what the generator found, and usages before and after; calls `meanwhile` in between."""
        options = self.rig.options
        seconds, warmup = seconds or options.seconds, warmup or options.warmup
        generator = self._generator(warmup, seconds, self.load.write(self.rig.binary, self.rig.directory, HURRY * warmup + seconds))
        pids = {**self.pids, "generator": generator.pid}
        self._expect(generator, "measuring")
        before = Usage(pids)
        meanwhile()
        self._expect(generator, "measured")
        after = Usage(pids)
        return json.loads(generator.stdout.readline()), before, after

    def settle(self):
        """Waits until the gateway has done what it was sent."""
        def rests():
            before = processes.processor_seconds(self.pids["gateway"])
            time.sleep(REST)
            return processes.processor_seconds(self.pids["gateway"]) - before < REST / 10
        processes.eventually(rests, 60, 0)

    def burst(self):
        """Fills the broker's queue while the gateway is stopped: what the generator found, and usages before and after the gateway
        took it."""
        warmup = self.rig.options.warmup
        script = self.load.write(self.rig.binary, self.rig.directory, HURRY * warmup)
        generator = self._generator(warmup, 0, script, self.load.burst)
        pids = {**self.pids, "generator": generator.pid}
        self._expect(generator, "warm")
        os.kill(self.pids["gateway"], signal.SIGSTOP)
        try:
            self._go_on(generator)
            self._expect(generator, "sent")
        finally:
            before = Usage(pids)
            os.kill(self.pids["gateway"], signal.SIGCONT)
        self._go_on(generator)
        self._expect(generator, "processed")
        after = Usage(pids)
        return json.loads(generator.stdout.readline()), before, after

    def _generator(self, warmup, seconds, script, *burst):
        load = self.load
        command = [self.rig.generator, self.port, load.stream, load.device, load.devices, load.period, warmup, seconds, load.spread,
                   load.encoding, script, *burst]
        generator = processes.spawn([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.running.append(generator)
        return generator

    @staticmethod
    def _go_on(generator):
        generator.stdin.write("\n")
        generator.stdin.flush()

    @staticmethod
    def _expect(generator, word):
        if generator.stdout.readline().strip() != word:
            raise RuntimeError(f"the generator ended with {generator.wait(10)}")
