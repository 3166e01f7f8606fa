"""Brokers in mosquitto's place whose window is small: RabbitMQ and ejabberd, as Debian packages them."""

import glob
import os
import shutil

import processes
from broker import Server

RABBITMQ_CONFIGURATION = """\
listeners.tcp.1 = 127.0.0.1:{amqp}
mqtt.listeners.tcp.1 = 127.0.0.1:{port}
mqtt.allow_anonymous = true
mqtt.default_user = guest
mqtt.default_pass = guest
mqtt.prefetch = {prefetch}
"""

EJABBERD_CONFIGURATION = """\
hosts: [localhost]
loglevel: warning
auth_method: anonymous
anonymous_protocol: both
allow_multiple_connections: true
listen: [{{port: {port}, ip: "127.0.0.1", module: mod_mqtt, backlog: 1000}}]
modules:
  mod_mqtt:
    access_subscribe: {{"#": [{{allow: all}}]}}
    access_publish: {{"#": [{{allow: all}}]}}
    max_queue: unlimited
    session_expiry: 1 day
"""


def accounts(domain):
    """The settings of a gateway whose accounts are JIDs of `domain`, and those below `mqtt`; empty ones without a domain."""
    if not domain:
        return "", ""
    return (f"lanes: {{safety: {{account: {{username: gw{domain}, password: '-'}}}}}}\n",
            f"  out: {{username: gw{domain}, password: '-'}}\n")


class RabbitMQ(Server):
    """RabbitMQ with its MQTT plugin: it sends `prefetch` unacknowledged messages, 10 by default."""

    PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"

    def __init__(self, directory, *_, prefetch=10, **__):
        if not os.path.exists(self.PROGRAM) or shutil.which("epmd") is None:
            raise processes.Unavailable("RabbitMQ is not installed")
        super().__init__(directory)
        self.prefetch = prefetch

    def start(self):
        names = processes.free_port()
        processes.spawn(["epmd", "-address", "127.0.0.1", "-port", str(names)])
        configuration = RABBITMQ_CONFIGURATION.format(amqp=processes.free_port(), port=self.port, prefetch=self.prefetch)
        self._start(
            [self.PROGRAM], 40, "output", HOME=self.directory,
            RABBITMQ_NODENAME="faults@localhost", RABBITMQ_DIST_PORT=str(processes.free_port()),
            RABBITMQ_MNESIA_BASE=os.path.join(self.directory, "data"), RABBITMQ_LOG_BASE=os.path.join(self.directory, "log"),
            RABBITMQ_CONFIG_FILE=self._write("rabbitmq.conf", configuration),
            RABBITMQ_ENABLED_PLUGINS_FILE=self._write("plugins", "[rabbitmq_mqtt]."), ERL_EPMD_PORT=str(names))


class Ejabberd(Server):
    """ejabberd with mod_mqtt: it sends one unacknowledged message. An account is a JID, and any password is right."""

    LIBRARIES = "/usr/lib/*/ejabberd-*/ebin/ejabberd.app"
    DOMAIN = "@localhost"

    def __init__(self, directory, *_, **__):
        found = glob.glob(self.LIBRARIES)
        if not found or shutil.which("erl") is None:
            raise processes.Unavailable("ejabberd is not installed")
        super().__init__(directory)
        self.libraries = os.path.dirname(os.path.dirname(os.path.dirname(found[0])))

    def start(self):
        data = os.path.join(self.directory, "data")
        self._start(
            ["erl", "-noinput", "-mnesia", "dir", f'"{data}"', "-s", "ejabberd"], 40, "output", HOME=self.directory,
            ERL_LIBS=self.libraries, EJABBERD_LOG_PATH=os.path.join(self.directory, "log"),
            EJABBERD_CONFIG_PATH=self._write("ejabberd.yml", EJABBERD_CONFIGURATION.format(port=self.port)))
