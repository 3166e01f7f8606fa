/* A plain relay: what arrives on one topic is published on another, at QoS 1, as libmosquitto does by itself.

       cc -O2 latency_relay.c -lmosquitto -o relay && ./relay PORT FROM TO */

#include <mosquitto.h>
#include <stdlib.h>

static const char *from, *to;

static void on_connect(struct mosquitto *client, void *data, int code) {
    (void)data;
    if (code == 0) mosquitto_subscribe(client, NULL, from, 1);
}

static void on_message(struct mosquitto *client, void *data, const struct mosquitto_message *message) {
    (void)data;
    mosquitto_publish(client, NULL, to, message->payloadlen, message->payload, 1, false);
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    from = arguments[2];
    to = arguments[3];
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("relay", true, NULL);
    mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(arguments[1]), 30) != MOSQ_ERR_SUCCESS) return 1;
    return mosquitto_loop_forever(client, -1, 1);
}
