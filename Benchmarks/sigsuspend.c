/* valgrind before 3.20 writes to the signal mask given to sigsuspend. libdispatch keeps that mask in read-only memory, so every
   Swift program with an asynchronous `main` ends valgrind with SIGSEGV. Preloaded, this passes a copy.

       cc -O2 -shared -fPIC sigsuspend.c -o sigsuspend.so */

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, _NSIG / 8);
}
