"""paho-mqtt 1.6 and 2.x behind one constructor."""

import contextlib

import paho.mqtt.client as mqtt


def make_client(client_id, clean=True, version=mqtt.MQTTv311):
    """A client whose callbacks may end in *rest, so that both generations of paho can call them."""
    if hasattr(mqtt, "CallbackAPIVersion"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=client_id, clean_session=clean, protocol=version)
    return mqtt.Client(client_id=client_id, clean_session=clean, protocol=version)


@contextlib.contextmanager
def connected(client, port):
    """A client as a context: connected to a broker on this machine, and disconnected at its end."""
    client.connect("127.0.0.1", port)
    client.loop_start()
    try:
        yield client
    finally:
        client.disconnect()
        client.loop_stop()


def accepted(code):
    """Whether a connect code of either generation means success."""
    return getattr(code, "value", code) == 0
