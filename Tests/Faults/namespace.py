"""A network of its own for a fault, where packets are delayed and lost."""

import ctypes
import os
import shutil
import subprocess

import processes

NEW_NETWORK = 0x40000000  # CLONE_NEWNET
NETEM = ["delay", "20ms", "5ms", "loss", "2%"]
WORDS = "2 % of packets lost and 20 ms delay each way (tc netem)"


class LossyNetwork:
    """A network namespace with a loopback that loses packets, for the calling thread and all that it starts; as a context."""

    def __init__(self):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._before = -1

    def __enter__(self):
        for program in ("ip", "tc"):
            if shutil.which(program) is None:
                raise processes.Unavailable(f"{program} is not installed (apt-get install iproute2)")
        self._before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        if self._libc.unshare(NEW_NETWORK) != 0:
            os.close(self._before)
            raise processes.Unavailable(f"no network namespace (needs root): {os.strerror(ctypes.get_errno())}")
        try:
            subprocess.run(["ip", "link", "set", "lo", "up"], check=True, capture_output=True, text=True)
            subprocess.run(["tc", "qdisc", "add", "dev", "lo", "root", "netem", *NETEM], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            self.__exit__()
            raise processes.Unavailable("the kernel has no netem: " + (error.stderr or "").strip()) from None
        return self

    def __exit__(self, *_):
        self._libc.setns(self._before, NEW_NETWORK)
        os.close(self._before)
