"""Processes of our own: started here, ended by process id, never left behind."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

_running = {}
_lock = threading.Lock()


def free_port():
    """A loopback port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def port_open(port):
    """Whether somebody accepts connections on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Unavailable(Exception):
    """What a fault needs and this machine does not have; the fault is skipped."""


def c_compiler():
    """The path of a C compiler."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found is None:
        raise Unavailable("no C compiler")
    return found


def compile_relay(source, directory):
    """Compiles a client of libmosquitto; returns the program's path."""
    program = os.path.join(directory, "relay")
    subprocess.run([c_compiler(), "-O2", source, "-lmosquitto", "-o", program], check=True)
    return program


def spawn(arguments, **keywords):
    """Starts a process that ends with the harness at the latest."""
    process = subprocess.Popen(arguments, **keywords)
    with _lock:
        _running[process.pid] = process
    return process


def end(process, signal_number=signal.SIGTERM, within=10.0):
    """Signals a process and waits; kills it when it does not go. Returns its exit code."""
    if process.poll() is None:
        process.send_signal(signal_number)
        try:
            process.wait(within)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
    with _lock:
        _running.pop(process.pid, None)
    return process.returncode


def processor_seconds(pid):
    """User and system time of all threads of a process, those that ended too; None when it is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the clock that pthread_getcpuclockid names
    except OSError:
        return None


def machine_seconds():
    """Processor time of the whole machine."""
    with open("/proc/stat") as file:
        fields = [int(field) for field in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    """Resident memory of a process; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def adjust(path, old, new):
    """Replaces a text in a file, which must have it."""
    with open(path) as file:
        text = file.read()
    assert old in text
    with open(path, "w") as file:
        file.write(text.replace(old, new))


def eventually(condition, within, every=0.05):
    """Polls until the condition is true; False when it does not become so in time."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(every)
    return bool(condition())


def listening(process, port, log, within):
    """Waits until a broker that was started listens on its port; raises when it ends or does not listen in time."""
    if not eventually(lambda: process.poll() is not None or port_open(port), within, 0.02):
        raise RuntimeError("the broker does not listen")
    if process.poll() is not None:
        raise RuntimeError("the broker does not start; see " + log)


class ResidentSampler:
    """Notes a process's memory twice a second while it is used as a context."""

    def __init__(self, pid_of):
        self.samples = []
        self._pid_of = pid_of
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def _sample(self):
        while not self._stop.wait(0.5):
            size = resident_bytes(self._pid_of())
            if size:
                self.samples.append(size)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    @property
    def greatest(self):
        return max(self.samples, default=0)


@atexit.register
def _end_all():
    with _lock:
        left = list(_running.values())
    for process in left:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
