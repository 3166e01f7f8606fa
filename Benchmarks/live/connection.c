#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "generator.h"

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double monotonic_seconds(void) { return seconds(CLOCK_MONOTONIC); }
double wall_seconds(void) { return seconds(CLOCK_REALTIME); }

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void write_all(int socket, struct iovec *parts, int count) {
    while (count > 0) {
        ssize_t written = writev(socket, parts, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail("write");
        while (count > 0 && (size_t)written >= parts->iov_len) {
            written -= (ssize_t)parts->iov_len;
            parts++, count--;
        }
        if (count > 0) {
            parts->iov_base = (char *)parts->iov_base + written;
            parts->iov_len -= (size_t)written;
        }
    }
}

static size_t put_text(uint8_t *to, const char *text) {
    size_t length = strlen(text);
    to[0] = (uint8_t)(length >> 8), to[1] = (uint8_t)length;
    memcpy(to + 2, text, length);
    return length + 2;
}

static size_t put_size(uint8_t *to, size_t size) {
    size_t count = 0;
    do {
        to[count++] = (uint8_t)((size & 127) | (size > 127 ? 128 : 0));
        size >>= 7;
    } while (size);
    return count;
}

static void send_packet(int socket, uint8_t type, const uint8_t *body, size_t length) {
    uint8_t head[5] = {type};
    struct iovec parts[] = {{head, 1 + put_size(head + 1, length)}, {(void *)body, length}};
    write_all(socket, parts, 2);
}

static void expect(int socket, uint8_t type, size_t length) {
    uint8_t answer[8];
    if (recv(socket, answer, length, MSG_WAITALL) != (ssize_t)length || answer[0] != type || answer[length - 1] > 1)
        fail("the broker's answer");
}

struct connection connection_open(int port, const char *client) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    struct connection connection = {.socket = socket(AF_INET, SOCK_STREAM, 0), .capacity = 1 << 20};
    connection.buffer = malloc(connection.capacity);
    if (connect(connection.socket, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    uint8_t body[80];
    size_t length = put_text(body, "MQTT");
    memcpy(body + length, "\x04\x02\x00\x00", 4);
    length += 4;
    length += put_text(body + length, client);
    send_packet(connection.socket, 0x10, body, length);
    expect(connection.socket, 0x20, 4);
    return connection;
}

void connection_subscribe(struct connection *connection, const char *filter) {
    uint8_t body[80] = {0, 1};
    size_t length = 2 + put_text(body + 2, filter);
    body[length++] = 0;
    send_packet(connection->socket, 0x82, body, length);
    expect(connection->socket, 0x90, 5);
}

void connection_publish(struct connection *connection, const char *topic, uint16_t packet, const struct iovec *parts, int count) {
    uint8_t head[128], body[96];
    struct iovec all[8] = {{head, 0}, {body, 0}};
    size_t length = put_text(body, topic);
    body[length++] = (uint8_t)(packet >> 8), body[length++] = (uint8_t)packet;
    all[1].iov_len = length;
    for (int part = 0; part < count; part++) {
        all[2 + part] = parts[part];
        length += parts[part].iov_len;
    }
    head[0] = 0x32;
    all[0].iov_len = 1 + put_size(head + 1, length);
    write_all(connection->socket, all, 2 + count);
}

/* The length of the packet at `data` with its header, and of the header; 0 when it is not whole. */
static size_t packet_length(const uint8_t *data, size_t held, size_t *header) {
    size_t length = 0;
    for (size_t index = 1; index < held && index < 5; index++) {
        length |= (size_t)(data[index] & 127) << (7 * (index - 1));
        if (data[index] & 128) continue;
        *header = index + 1;
        return *header + length <= held ? *header + length : 0;
    }
    return 0;
}

static void take_packet(const uint8_t *data, size_t header, size_t length, void (*deliver)(const struct delivery *)) {
    if (data[0] >> 4 != 3) return;
    const uint8_t *body = data + header;
    size_t topic = (size_t)body[0] << 8 | body[1];
    size_t start = 2 + topic + ((data[0] & 6) ? 2 : 0);
    struct delivery delivery = {(const char *)body + 2, (const char *)body + start, topic, length - header - start, data[0] & 1};
    deliver(&delivery);
}

void connection_read(struct connection *connection, void (*deliver)(const struct delivery *)) {
    ssize_t count = recv(connection->socket, connection->buffer + connection->held, connection->capacity - connection->held, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) fail("the broker closed a connection");
    connection->held += (size_t)count;
    size_t taken = 0, header, length;
    while ((length = packet_length(connection->buffer + taken, connection->held - taken, &header)) > 0) {
        take_packet(connection->buffer + taken, header, length, deliver);
        taken += length;
    }
    memmove(connection->buffer, connection->buffer + taken, connection->held - taken);
    connection->held -= taken;
}
