"""The callback of a consumer that stores messages in PostgreSQL. Not run by the tests.

`id` is what makes a write repeatable: the same message twice is one row. The table:

CREATE TABLE derived (
  device text NOT NULL, kind text NOT NULL, id text NOT NULL,
  at timestamptz NOT NULL, quality text NOT NULL, message jsonb NOT NULL,
  PRIMARY KEY (device, kind, id));
CREATE INDEX ON derived (device, kind, at);
"""

import json


def take(client, userdata, message):
    if not message.payload:
        return
    text = message.payload.decode()
    m = json.loads(text)
    if "id" not in m:          # reports of what is committed
        return
    with connection.transaction():                       # psycopg 3
        connection.execute(
            "INSERT INTO derived VALUES (%s, %s, %s, to_timestamp(%s), %s, %s) ON CONFLICT DO NOTHING",
            (m["device"], m["kind"], m["id"], m["at"], m["quality"], text))
    client.ack(message.mid, message.qos)                 # paho-mqtt: Client(..., manual_ack=True)
