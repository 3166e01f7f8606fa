#pragma once

#include <mosquitto.h>
#include <mqtt_protocol.h>

// Not in Swift's Glibc module.
#include <sys/eventfd.h>
#include <sys/prctl.h>

// prctl is variadic, and pthread_setname_np hidden without _GNU_SOURCE.
static inline int cmosquitto_name_current_thread(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}
