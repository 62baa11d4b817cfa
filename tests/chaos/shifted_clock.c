/* Loaded before libc (LD_PRELOAD), it adds an offset to the wall clock of a process; the file that CLOCK_OFFSET
   names holds it, in nanoseconds, and may change at any time. Clocks that only measure how long something took
   go on as they were, as when somebody sets the clock of a machine. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000L

static const volatile long none = 0;
static const volatile long *offset = &none;
static int (*real_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CLOCK_OFFSET");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    if (file < 0)
        return;
    void *found = mmap(NULL, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
    if (found != MAP_FAILED)
        offset = found;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (!real_gettime)
        real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real_gettime(clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        long nanoseconds = now->tv_nsec + *offset % SECOND;
        now->tv_sec += *offset / SECOND + (nanoseconds >= SECOND) - (nanoseconds < 0);
        now->tv_nsec = (nanoseconds + SECOND) % SECOND;
    }
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &exact))
        return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact))
        return -1;
    if (now)
        *now = exact.tv_sec;
    return exact.tv_sec;
}
