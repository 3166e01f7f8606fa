#pragma once

#include <nats/nats.h>
#include <sys/ioctl.h>

// Later versions leave it to the event loop to close the socket of a connection that has ended.
void natsConnection_ProcessCloseEvent(natsSock *socket) __attribute__((weak));

static inline void nats_close_socket(natsSock *socket) {
    if (natsConnection_ProcessCloseEvent) natsConnection_ProcessCloseEvent(socket);
}

/// How many bytes can be read from a socket without waiting.
static inline int nats_readable_bytes(natsSock socket) {
    int count = 0;
    return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}
