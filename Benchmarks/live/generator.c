/* Publishes frames of many devices and notes what is derived from them and how soon.

       cc -O2 -D_GNU_SOURCE generator.c connection.c results.c -o generator
       ./generator PORT STREAM NAME DEVICES PERIOD WARMUP SECONDS SPREAD ENCODING SCRIPT [BURST]

   An entry of SCRIPT is a line with an uptime and a length, then so many bytes: a frame without its header, in JSON (ENCODING json)
   also without its opening brace; then a newline. Device n sends the entries in order, beginning with entry n % SPREAD, one each
   PERIOD seconds; devices are spread evenly over a period. First come WARMUP seconds in which frames are sent HURRY times as fast, so
   that compilers at run time have done their work, then PAUSE seconds, then SECONDS that count. Prints "measuring", then "measured",
   then the results as JSON.

   With BURST there is no even pace after the warm-up: it prints "warm", waits for a line of standard input, sends BURST frames of each
   device as fast as the broker takes them, prints "sent", and waits until nothing has been derived for QUIET seconds. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "generator.h"

enum { HURRY = 4, PAUSE = 1 };
static const double QUIET = 2;

static struct body *bodies;
static long body_count;
static int is_protobuf;
static struct connection publishers[CONNECTIONS], observer;

static void read_script(const char *path) {
    FILE *file = fopen(path, "r");
    struct body body;
    if (!file) exit(66);
    while (fscanf(file, "%lf %zu", &body.uptime, &body.length) == 2) {
        body.rest = malloc(body.length);
        if (fgetc(file) != '\n' || fread(body.rest, 1, body.length, file) != body.length) exit(65);
        bodies = realloc(bodies, sizeof *bodies * (size_t)(body_count + 1));
        bodies[body_count++] = body;
    }
    fclose(file);
}

/* The fields 1 to 5 of the message Frame in docs/contract/wearables.proto. */
static size_t protobuf_head(char *head, long sequence, double uptime, double sent) {
    static const char BEGIN[] = "\x0a\x0bwearables/1\x12\x04" "b7f3\x18";
    size_t length = sizeof BEGIN - 1;
    memcpy(head, BEGIN, length);
    do {
        head[length++] = (char)((sequence & 127) | (sequence > 127 ? 128 : 0));
        sequence >>= 7;
    } while (sequence);
    head[length++] = 0x21;
    memcpy(head + length, &uptime, 8);
    head[length + 8] = 0x29;
    memcpy(head + length + 9, &sent, 8);
    return length + 17;
}

static void publish(const char *stream, const char *name, int device, long sequence, const struct body *body, int measured) {
    static uint16_t packet;
    char topic[80], head[200];
    snprintf(topic, sizeof topic, "wearables/%s-%d/in/%s", name, device, stream);
    const double sent = wall_seconds();
    const size_t length = is_protobuf ? protobuf_head(head, sequence, body->uptime, sent)
                                      : (size_t)snprintf(head, sizeof head,
                                                         "{\"schema\":\"wearables/1\",\"boot\":\"b7f3\",\"seq\":%ld,\"uptime\":%.6f,\"sent\":%.6f,",
                                                         sequence, body->uptime, sent);
    struct iovec parts[] = {{head, length}, {body->rest, body->length}};
    packet = packet == 65535 ? 1 : packet + 1;
    results_sent(device, sequence, measured);
    connection_publish(&publishers[device % CONNECTIONS], topic, packet, parts, 2);
}

/* Takes what arrives until an instant of the monotonic clock. */
static void receive_until(double instant) {
    struct pollfd sources[CONNECTIONS + 1];
    for (int index = 0; index <= CONNECTIONS; index++)
        sources[index] = (struct pollfd){index ? publishers[index - 1].socket : observer.socket, POLLIN, 0};
    for (;;) {
        double left = instant - monotonic_seconds();
        struct timespec timeout = {0};
        if (left > 0) timeout = (struct timespec){(time_t)left, (long)(1e9 * (left - (double)(time_t)left))};
        if (ppoll(sources, CONNECTIONS + 1, &timeout, NULL) <= 0 && left <= 0) return;
        for (int index = 0; index <= CONNECTIONS; index++)
            if (sources[index].revents) connection_read(index ? &publishers[index - 1] : &observer, results_take);
        if (left <= 0) return;
    }
}

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}

static const struct body *body_of(long frame, int devices, int spread) {
    const long entry = frame / devices + (long)(frame % devices) % spread;
    if (entry >= body_count) exit(65);
    return &bodies[entry];
}

int main(int count, char **arguments) {
    if (count != 11 && count != 12) return 64;
    const char *stream = arguments[2], *name = arguments[3];
    const int port = atoi(arguments[1]), devices = atoi(arguments[4]), spread = atoi(arguments[8]);
    const double period = atof(arguments[5]), warmup = atof(arguments[6]), seconds = atof(arguments[7]);
    const long burst = count == 12 ? atol(arguments[11]) : 0;
    if (devices > MAXIMUM_DEVICES) return 64;
    is_protobuf = !strcmp(arguments[9], "protobuf");
    prctl(PR_SET_TIMERSLACK, 1000);
    read_script(arguments[10]);
    observer = connection_open(port, "observer");
    connection_subscribe(&observer, "wearables/+/out/#");
    for (int index = 0; index < CONNECTIONS; index++) {
        char client[20];
        snprintf(client, sizeof client, "devices-%d", index);
        publishers[index] = connection_open(port, client);
    }

    const double interval = period / devices;
    const long hurried = (long)(HURRY * warmup / interval), before = burst ? hurried / devices * devices : hurried;
    const long paced = (long)(seconds / interval), first = before / devices;
    double start = monotonic_seconds();
    for (long frame = 0; frame < before; frame++) {
        receive_until(start + (double)frame * interval / HURRY);
        publish(stream, name, (int)(frame % devices), frame / devices, body_of(frame, devices, spread), 0);
    }
    receive_until(start + (double)before * interval / HURRY + PAUSE);

    if (burst) {
        say("warm");
        if (getchar() == EOF) return 1;
        results_measure(1);
        for (long frame = first * devices; frame < (first + burst) * devices; frame++) {
            publish(stream, name, (int)(frame % devices), frame / devices, body_of(frame, devices, spread), 0);
            if (frame % 64 == 0) receive_until(0);
        }
        receive_until(monotonic_seconds() + 0.2);
        say("sent");
        if (getchar() == EOF) return 1;
        results_follow(first, devices, burst * devices);
        while (monotonic_seconds() < results_last() + QUIET) receive_until(monotonic_seconds() + 0.01);
        say("processed");
        results_print();
        return 0;
    }

    start = monotonic_seconds();
    results_measure(1);
    say("measuring");
    for (long frame = 0; frame < paced; frame++) {
        receive_until(start + (double)frame * interval);
        publish(stream, name, (int)((before + frame) % devices), (before + frame) / devices, body_of(before + frame, devices, spread), 1);
    }
    receive_until(start + (double)paced * interval);
    results_measure(0);
    say("measured");
    receive_until(monotonic_seconds() + 1);
    results_print();
    return 0;
}
