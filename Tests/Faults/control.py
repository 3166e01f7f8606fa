"""The negative control: a plain MQTT client in the gateway's place.

    python3 control.py PORT

It does what MQTT clients usually do: the library acknowledges a message when it hands it over, a worker takes it from there, works
for 0.2 ms and publishes what it made of it. Its session is kept by the broker, everything is QoS 1, nothing is wrong with it, and a
kill loses what was acknowledged and not yet published.
"""

import hashlib
import json
import queue
import sys
import time

import pahoclient


def main(port):
    inbox = queue.Queue()
    client = pahoclient.make_client("gw-control", clean=False)
    client.max_inflight_messages_set(200)
    client.on_connect = lambda *_: client.subscribe("wearables/+/in/#", 1)
    client.on_message = lambda _client, _data, message: inbox.put((message.topic, message.payload))
    client.reconnect_delay_set(0.1, 0.5)
    client.connect_async("127.0.0.1", port, 30)
    client.loop_start()
    while True:
        topic, payload = inbox.get()
        device, stream = topic.split("/")[1::2]
        frame = json.loads(payload)
        done = time.perf_counter() + 0.0002
        while time.perf_counter() < done:
            pass
        anchor = f"{device}/{stream}/{frame['boot']}/{frame['seq']}"
        body = {"id": hashlib.sha256(anchor.encode()).hexdigest()[:32], "device": device, "kind": "echo",
                "at": frame["sent"], "deviceTime": frame["uptime"], "received": time.time()}
        client.publish(f"wearables/{device}/out/echo", json.dumps(body), 1)


if __name__ == "__main__":
    main(int(sys.argv[1]))
