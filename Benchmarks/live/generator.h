/* A load of frames at an even pace, and what is derived from them. */

#ifndef GENERATOR_H
#define GENERATOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

enum { MAXIMUM_DEVICES = 16384, REMEMBERED = 256, CONNECTIONS = 4 };

/* A frame of the script without its header: the rest of a JSON object, or of a message of Protocol Buffers. */
struct body {
    double uptime;
    char *rest;
    size_t length;
};

/* A connection of MQTT 3.1.1 with what was read and not yet parsed. */
struct connection {
    int socket;
    uint8_t *buffer;
    size_t held, capacity;
};

/* A message that the broker delivered. */
struct delivery {
    const char *topic, *payload;
    size_t topic_length, payload_length;
    int retained;
};

/* Seconds of the monotonic and of the wall clock. */
double monotonic_seconds(void);
double wall_seconds(void);

/* Connects with a clean session, without keep-alive and with TCP_NODELAY; ends the program where that fails. */
struct connection connection_open(int port, const char *client);

/* Subscribes at QoS 0. */
void connection_subscribe(struct connection *connection, const char *filter);

/* Publishes at QoS 1; waits until the socket has taken all of it. */
void connection_publish(struct connection *connection, const char *topic, uint16_t packet, const struct iovec *parts, int count);

/* Reads what is there and calls `deliver` for each message; receipts are ignored. */
void connection_read(struct connection *connection, void (*deliver)(const struct delivery *));

/* Notes that frame `sequence` of a device is published now. */
void results_sent(int device, long sequence, int measured);

/* Counts a derived message, and notes how long it took since its newest source frame. */
void results_take(const struct delivery *delivery);

/* Whether derived messages count from now on. */
void results_measure(int measured);

/* The gateway begins to read `frames` frames of `devices` devices in turn, the first with the sequence number `first`: how fast it is
   follows from when the last message derived of them comes. */
void results_follow(long first, int devices, long frames);

/* When the last derived message came, in seconds of the monotonic clock; some time ahead until the first of followed frames has come. */
double results_last(void);

/* Prints {"frames":, "kinds": {}, "answers":, "p50":, "p99":, "rate":} on one line; latencies in microseconds, frames per second. */
void results_print(void);

#endif
