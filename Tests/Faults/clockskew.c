/* Preloaded into the gateway: its wall clock is as many seconds off as the eight bytes of the file CLOCK_SKEW_FILE say at the moment
   (a signed integer in the machine's order), its monotonic clocks and its timers are as they are. (libfaketime 0.9.10 shifts timers on monotonic clocks too, so that a program on libdispatch stands still.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic long long *mapped;

/* Before any thread of the program. A clock that cannot be moved would let a test pass: the program ends. */
__attribute__((constructor)) static void map(void) {
    const char *path = getenv("CLOCK_SKEW_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *mapped, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        perror("CLOCK_SKEW_FILE");
        _exit(70);
    }
    close(file);
    mapped = memory;
}

static long long skew(void) {
    return mapped ? atomic_load_explicit(mapped, memory_order_relaxed) : 0;
}

static int real_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    return real(clock, now);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = real_gettime(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += skew();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}

/* A deadline on the skewed wall clock, as the kernel must see it; one on the monotonic clock stays. A wait that is under way when the clock is
   moved keeps its length. */
static struct timespec deadline(const struct timespec *asked) {
    struct timespec result = *asked, wall, monotonic;
    long long moved = skew();
    real_gettime(CLOCK_REALTIME, &wall);
    real_gettime(CLOCK_MONOTONIC, &monotonic);
    if (llabs(asked->tv_sec - wall.tv_sec - moved) < llabs(asked->tv_sec - monotonic.tv_sec)) result.tv_sec -= moved;
    return result;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    static int (*real)(sem_t *, const struct timespec *);
    struct timespec moved = deadline(until);
    if (!real) real = (int (*)(sem_t *, const struct timespec *))dlsym(RTLD_NEXT, "sem_timedwait");
    return real(semaphore, &moved);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    static int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    struct timespec moved = deadline(until);
    if (!real) {
        real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlvsym(
            RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
        if (!real) real = (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    }
    return real(condition, mutex, &moved);
}
