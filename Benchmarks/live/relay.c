/* A relay with libmosquitto: receives every frame at QoS 1, which acknowledges it; with a third argument it also publishes each frame
   again on out/frame.

       cc -O2 relay.c -lmosquitto -o relay && ./relay PORT [again] */

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int again;

static void on_connect(struct mosquitto *client, void *data, int code) {
    (void)data;
    if (code == 0) mosquitto_subscribe(client, NULL, "wearables/+/in/+", 1);
}

static void on_subscribe(struct mosquitto *client, void *data, int message, int count, const int *granted) {
    (void)client, (void)data, (void)message, (void)count, (void)granted;
    puts("ready");
    fflush(stdout);
}

static void on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    (void)data;
    if (!again) return;
    char topic[128];
    const char *in = strstr(message->topic, "/in/");
    if (!in || in - message->topic > 100) return;
    snprintf(topic, sizeof topic, "%.*s/out/frame", (int)(in - message->topic), message->topic);
    mosquitto_publish(client, NULL, topic, message->payloadlen, message->payload, 1, false);
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    again = count > 2;
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("relay", true, NULL);
    mosquitto_property *properties = NULL;
    mosquitto_property_add_int16(&properties, MQTT_PROP_RECEIVE_MAXIMUM, 200);
    mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 200);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect_bind_v5(client, "127.0.0.1", atoi(arguments[1]), 60, NULL, properties)) return 1;
    return mosquitto_loop_forever(client, -1, 1);
}
