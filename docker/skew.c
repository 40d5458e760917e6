/* Skews a process's wall clock: cc -O2 -shared -fPIC -o skew.so skew.c, then LD_PRELOAD=skew.so.
 * PLUMB_SKEW_FILE names a file of two 64-bit integers: nanoseconds to add, and a period in nanoseconds
 * in which their sign changes (0: never). It is mapped, so that a change takes effect at once. Other
 * clocks, timers and the kernel's own clock stay as they are, so it needs no privilege. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BILLION 1000000000LL

static const volatile int64_t none[2];
static const volatile int64_t *skew = none;
static int (*real)(clockid_t, struct timespec *);

#include <dlfcn.h>

__attribute__((constructor)) static void map_file(void) {
  real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  const char *file = getenv("PLUMB_SKEW_FILE");
  int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    void *at = mmap(NULL, sizeof none, PROT_READ, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) skew = at;
    close(fd);
  }
}

static int read_clock(clockid_t id, struct timespec *t) {
  return real ? real(id, t) : (int)syscall(SYS_clock_gettime, id, t);
}

int clock_gettime(clockid_t id, struct timespec *t) {
  int result = read_clock(id, t);
  int64_t add = skew[0], period = skew[1];
  if (result != 0 || add == 0 || (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE)) return result;
  if (period > 0) {
    struct timespec m;
    read_clock(CLOCK_MONOTONIC, &m);
    if ((m.tv_sec * BILLION + m.tv_nsec) / period % 2) add = -add;
  }
  int64_t all = t->tv_sec * BILLION + t->tv_nsec + add;
  t->tv_sec = all / BILLION;
  t->tv_nsec = all % BILLION;
  return 0;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  struct timespec s;
  int result = clock_gettime(CLOCK_REALTIME, &s);
  t->tv_sec = s.tv_sec;
  t->tv_usec = s.tv_nsec / 1000;
  return result;
}

time_t time(time_t *t) {
  struct timespec s;
  clock_gettime(CLOCK_REALTIME, &s);
  if (t) *t = s.tv_sec;
  return s.tv_sec;
}
