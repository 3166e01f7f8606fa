"""A mosquitto of our own on loopback, with persistence and large finite queues."""

import os
import shutil
import signal
import subprocess

import processes

CONFIGURATION = """\
per_listener_settings false
listener {port} 127.0.0.1
{access}
persistence true
persistence_location {directory}/
autosave_interval {autosave}
max_queued_messages 1000000
max_inflight_messages 2000
max_packet_size 300000
set_tcp_nodelay true
log_type error
log_type warning
log_type notice
"""


class Broker:
    """Starts, stops, kills and stops for a while; the port stays the same."""

    def __init__(self, directory, autosave=10, passwords=None):
        self.directory = os.path.join(directory, "broker")
        os.makedirs(self.directory, exist_ok=True)
        self.port = processes.free_port()
        self.process = None
        self.password_file = os.path.join(self.directory, "passwords")
        self.database = os.path.join(self.directory, "mosquitto.db")
        access = "allow_anonymous true"
        if passwords:
            open(self.password_file, "w").close()
            os.chmod(self.password_file, 0o600)
            for name, password in passwords.items():
                self.set_password(name, password)
            access = f"allow_anonymous false\npassword_file {self.password_file}"
        if os.getuid() == 0:  # otherwise mosquitto gives up being root and cannot write here
            access += "\nuser root"
        self.configuration = os.path.join(self.directory, "mosquitto.conf")
        with open(self.configuration, "w") as file:
            file.write(CONFIGURATION.format(port=self.port, directory=self.directory, autosave=autosave, access=access))

    def set_password(self, name, password):
        """Writes an account; a running broker reads it on `reload`."""
        subprocess.run(["mosquitto_passwd", "-b", self.password_file, name, password], check=True, capture_output=True)

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def start(self):
        binary = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if binary is None:
            raise SystemExit("mosquitto is not installed")
        with open(os.path.join(self.directory, "log"), "a") as log:
            self.process = processes.spawn([binary, "-c", self.configuration], stdout=log, stderr=log)
        if not processes.eventually(lambda: self.process.poll() is not None or processes.port_open(self.port), 10, 0.02):
            raise RuntimeError("the broker does not listen")
        if self.process.poll() is not None:
            raise RuntimeError("the broker does not start; see " + os.path.join(self.directory, "log"))

    def stop(self):
        """SIGTERM: the broker saves what it holds."""
        processes.end(self.process)

    def kill(self):
        """SIGKILL: what came since the last save is gone."""
        processes.end(self.process, signal.SIGKILL)

    def forget(self):
        """Removes what the broker saved."""
        if os.path.exists(self.database):
            os.remove(self.database)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)
