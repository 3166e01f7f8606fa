"""F23: devices whose state moves to another directory."""

import os
import shutil
import subprocess
import time

from report import Outcome
from rig import Rig


def restored(options):
    """The directory is deleted between an export and an import; the broker keeps the session meanwhile."""
    count = 2 if options.short else 10
    outcome = Outcome("F23s", "kill -9, state directory deleted, started with an export that was imported", options.seed, n=count)
    with Rig(options, outcome) as rig:
        rig.start_gateway()
        rig.load()
        for number in range(count):
            time.sleep(rig.random.uniform(2.0, 3.0))
            rig.gateway.kill()
            file = os.path.join(rig.directory, f"{number}.state")
            _state(rig.gateway, "export", "--output", file)
            shutil.rmtree(rig.gateway.state)
            _state(rig.gateway, "import", file)
            rig.gateway.start()
            rig.recover()
        time.sleep(2.0)
        rig.finish()
        rig.require_order()
    return outcome


def _state(gateway, *arguments):
    """Runs `fathom state` with the gateway's configuration."""
    done = subprocess.run([gateway.binary, "state", *arguments, "--config", gateway.configuration], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"fathom state {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
