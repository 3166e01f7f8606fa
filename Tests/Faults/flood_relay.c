/* A plain relay: what normal devices send on one stream is published again at QoS 1, everything else is read and forgotten. As a lane does, it
   reads the streams that concern all others too.

       cc -O2 flood_relay.c -lmosquitto -o relay && ./relay PORT STREAM KIND WINDOW */

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>

static const char *stream, *kind;

static void on_connect(struct mosquitto *client, void *data, int code) {
    (void)data;
    const char *streams[] = {stream, "status", "workout", "command"};
    for (int index = 0; code == 0 && index < 4; index++) {
        char topic[100];
        snprintf(topic, sizeof topic, "wearables/+/in/%s", streams[index]);
        mosquitto_subscribe(client, NULL, topic, 1);
    }
}

static void on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    (void)data;
    char device[40], topic[100];
    if (sscanf(message->topic, "wearables/%39[^/]", device) != 1 || device[0] != 'n') return;
    snprintf(topic, sizeof topic, "wearables/%s/out/%s", device, kind);
    mosquitto_publish(client, NULL, topic, message->payloadlen, message->payload, 1, false);
}

int main(int count, char **arguments) {
    if (count != 5) return 64;
    stream = arguments[2];
    kind = arguments[3];
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, atoi(arguments[4]));
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 30) != MOSQ_ERR_SUCCESS) return 1;
    return mosquitto_loop_forever(client, -1, 1);
}
