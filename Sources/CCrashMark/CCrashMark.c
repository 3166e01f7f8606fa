#include "CCrashMark.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static __thread crash_mark *current;

static uint8_t *bytes_of(crash_mark *mark) { return (uint8_t *)(mark + 1); }

crash_mark *crash_mark_map(int file, uint32_t capacity) {
    size_t size = sizeof(crash_mark) + capacity;
    // Allocated now: a page that finds no room on a full disk would end the process with SIGBUS.
    int error = posix_fallocate(file, 0, (off_t)size);
    // What a start with room for longer messages has left behind the end would stay there for good.
    if (error == 0 && ftruncate(file, (off_t)size) != 0) error = errno;
    if (error != 0) {
        errno = error;
        return NULL;
    }
    crash_mark *mark = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mark == MAP_FAILED) return NULL;
    if (mark->capacity > capacity || (uint64_t)mark->topic_length + mark->payload_length > capacity) mark->state = 0;
    mark->capacity = capacity;
    return mark;
}

void crash_mark_close(crash_mark *mark) { munmap(mark, sizeof(crash_mark) + mark->capacity); }

void crash_mark_begin(crash_mark *mark, const void *topic, size_t topic_length, const void *payload, size_t payload_length) {
    if (topic_length > mark->capacity) topic_length = mark->capacity;
    if (payload_length > mark->capacity - topic_length) payload_length = mark->capacity - topic_length;
    if (topic_length > 0) memcpy(bytes_of(mark), topic, topic_length);
    if (payload_length > 0) memcpy(bytes_of(mark) + topic_length, payload, payload_length);
    mark->topic_length = (uint32_t)topic_length;
    mark->payload_length = (uint32_t)payload_length;
    mark->state = 1;
    current = mark;
}

void crash_mark_end(crash_mark *mark) {
    mark->state = 0;
    current = NULL;
}

void crash_mark_clear(crash_mark *mark) { memset(bytes_of(mark), 0, mark->capacity); }

const uint8_t *crash_mark_bytes(const crash_mark *mark) { return (const uint8_t *)(mark + 1); }

static void on_fatal_signal(int number) {
    if (current) current->state = 2;
    signal(number, SIG_DFL);
    raise(number);
}

void crash_mark_install(void) {
    const int fatal[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
    // A stack overflow leaves no room for the handler on the thread's own stack, so it runs on another where there is one.
    struct sigaction action = {.sa_handler = on_fatal_signal, .sa_flags = SA_NODEFER | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    for (size_t index = 0; index < sizeof fatal / sizeof *fatal; index++) sigaction(fatal[index], &action, NULL);
}
