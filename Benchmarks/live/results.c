#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generator.h"

enum { KINDS = 16, LATENCIES = 1 << 18 };

/* How long the first derived message of followed frames may take, in seconds. */
static const double FIRST = 10;

static struct { long sequence; double at; int measured; } sent[MAXIMUM_DEVICES][REMEMBERED];
static struct { char name[40]; long count; } kinds[KINDS];
static double latencies[LATENCIES];
static long frames, latency_count;
static int measuring;
static double last;

/* The frames that are followed, and the first one near their end of which something was derived: the last ones may wait for a timer. */
static struct { long first, frames, reached; int devices; double begins, ends; } followed;

void results_sent(int device, long sequence, int measured) {
    long slot = sequence % REMEMBERED;
    sent[device][slot].sequence = sequence;
    sent[device][slot].at = monotonic_seconds();
    sent[device][slot].measured = measured;
    frames += measured;
}

void results_measure(int measured) { measuring = measured; }

void results_follow(long first, int devices, long count) {
    followed.first = first;
    followed.devices = devices;
    followed.frames = frames = count;
    followed.begins = monotonic_seconds();
    last = followed.begins + FIRST;
}

double results_last(void) { return last; }

static void follow(int device, long sequence) {
    const long frame = (sequence - followed.first) * followed.devices + device;
    if (followed.reached || frame < followed.frames / 50 * 49 || frame >= followed.frames) return;
    followed.reached = frame;
    followed.ends = last;
}

static const char *find(const char *text, size_t length, const char *wanted) {
    return memmem(text, length, wanted, strlen(wanted));
}

static void count_kind(const char *name, size_t length) {
    for (int kind = 0; kind < KINDS; kind++) {
        if (!kinds[kind].name[0]) snprintf(kinds[kind].name, sizeof kinds[kind].name, "%.*s", (int)length, name);
        if (strlen(kinds[kind].name) != length || memcmp(kinds[kind].name, name, length)) continue;
        kinds[kind].count++;
        return;
    }
}

/* The newest frame that a message names: `"seq":41` or `"seq":[41,42]`; -1 when it names none. */
static long newest_sequence(const struct delivery *delivery) {
    const char *end = delivery->payload + delivery->payload_length;
    const char *at = find(delivery->payload, delivery->payload_length, "\"seq\":");
    if (!at) return -1;
    at += 6;
    if (at < end && *at == '[') {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        at = comma ? comma + 1 : at + 1;
    }
    while (at < end && *at == ' ') at++;
    return at < end && *at >= '0' && *at <= '9' ? strtol(at, NULL, 10) : -1;
}

void results_take(const struct delivery *delivery) {
    if (delivery->retained) return;
    const char *out = find(delivery->topic, delivery->topic_length, "/out/");
    if (!out) return;
    size_t kind = delivery->topic_length - (size_t)(out + 5 - delivery->topic);
    if (measuring) count_kind(out + 5, kind);
    const char *dash = memrchr(delivery->topic, '-', (size_t)(out - delivery->topic));
    long sequence = newest_sequence(delivery);
    long device = dash ? strtol(dash + 1, NULL, 10) : -1;
    if (sequence < 0 || device < 0 || device >= MAXIMUM_DEVICES) return;
    last = monotonic_seconds();
    if (followed.frames) follow((int)device, sequence);
    long slot = sequence % REMEMBERED;
    if (sent[device][slot].sequence != sequence || !sent[device][slot].measured || latency_count == LATENCIES) return;
    latencies[latency_count++] = last - sent[device][slot].at;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(double part) {
    return latency_count ? 1e6 * latencies[(long)(part * (double)(latency_count - 1))] : -1;
}

void results_print(void) {
    qsort(latencies, (size_t)latency_count, sizeof *latencies, ascending);
    printf("{\"frames\":%ld,\"kinds\":{", frames);
    for (int kind = 0; kind < KINDS && kinds[kind].count; kind++)
        printf("%s\"%s\":%ld", kind ? "," : "", kinds[kind].name, kinds[kind].count);
    const double rate = followed.reached ? (double)(followed.reached + 1) / (followed.ends - followed.begins) : 0;
    printf("},\"answers\":%ld,\"p50\":%.0f,\"p99\":%.0f,\"rate\":%.0f}\n", latency_count, quantile(0.5), quantile(0.99), rate);
}
