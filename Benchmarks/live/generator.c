/* Publishes frames of many devices at an even pace and notes what is derived from them and how soon.

       cc -O2 -D_GNU_SOURCE generator.c connection.c results.c -o generator
       ./generator PORT STREAM NAME DEVICES PERIOD WARMUP SECONDS SPREAD SCRIPT

   A line of SCRIPT is an uptime, a space, and a frame without its opening brace and header. Device n sends the lines in order,
   beginning with line n % SPREAD, one each PERIOD seconds; devices are spread evenly over a period. First come
   WARMUP seconds in which frames are sent HURRY times as fast, so that compilers at run time have done their work, then PAUSE seconds,
   then SECONDS that count. Prints "measuring", then "measured", then the results as JSON. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "generator.h"

enum { HURRY = 4, PAUSE = 1 };

static struct body *bodies;
static long body_count;
static struct connection publishers[CONNECTIONS], observer;

static void read_script(const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    if (!file) exit(66);
    while ((length = getline(&line, &capacity, file)) > 0) {
        char *space = strchr(line, ' ');
        if (!space) exit(65);
        *space = 0;
        line[length - 1] = 0;
        bodies = realloc(bodies, sizeof *bodies * (size_t)(body_count + 1));
        bodies[body_count++] = (struct body){line, space + 1, strlen(space + 1)};
        line = NULL;
    }
    fclose(file);
}

static void publish(const char *stream, const char *name, int device, long sequence, const struct body *body, int measured) {
    static uint16_t packet;
    char topic[80], head[200];
    snprintf(topic, sizeof topic, "wearables/%s-%d/in/%s", name, device, stream);
    int length = snprintf(head, sizeof head, "{\"schema\":\"wearables/1\",\"boot\":\"b7f3\",\"seq\":%ld,\"uptime\":%s,\"sent\":%.6f,",
                          sequence, body->uptime, wall_seconds());
    struct iovec parts[] = {{head, (size_t)length}, {(void *)body->rest, body->length}};
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

int main(int count, char **arguments) {
    if (count != 10) return 64;
    const char *stream = arguments[2], *name = arguments[3];
    const int port = atoi(arguments[1]), devices = atoi(arguments[4]), spread = atoi(arguments[8]);
    const double period = atof(arguments[5]), warmup = atof(arguments[6]), seconds = atof(arguments[7]);
    prctl(PR_SET_TIMERSLACK, 1000);
    read_script(arguments[9]);
    observer = connection_open(port, "observer");
    connection_subscribe(&observer, "wearables/+/out/#");
    for (int index = 0; index < CONNECTIONS; index++) {
        char client[20];
        snprintf(client, sizeof client, "devices-%d", index);
        publishers[index] = connection_open(port, client);
    }

    const long before = (long)(HURRY * warmup / period) * devices, all = before + (long)(seconds / period * devices);
    double start = monotonic_seconds();
    for (long frame = 0; frame < all; frame++) {
        const int device = (int)(frame % devices), measured = frame >= before;
        const long line = frame / devices + device % spread;
        const double interval = period / devices / (measured ? 1 : HURRY);
        if (line >= body_count) return 65;
        if (frame == before) {
            receive_until(start + (double)before * interval / HURRY + PAUSE);
            start = monotonic_seconds() - (double)before * interval;
            results_measure(1);
            say("measuring");
        }
        receive_until(start + (double)frame * interval);
        publish(stream, name, device, frame / devices, &bodies[line], measured);
    }
    receive_until(start + (double)all * period / devices);
    results_measure(0);
    say("measured");
    receive_until(monotonic_seconds() + 1);
    results_print();
    return 0;
}
