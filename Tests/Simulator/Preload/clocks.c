/* Clocks, sleeping, and chance: all from the world. */

#include "world.h"
#include <dlfcn.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/timex.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!world || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return syscall(SYS_clock_gettime, clock, time);
  int64_t now = now_of(clock);
  time->tv_sec = now / 1000000;
  time->tv_nsec = now % 1000000 * 1000;
  return 0;
}

time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *place, void *zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *place = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

int adjtimex(struct timex *state) {
  if (!world) return syscall(SYS_adjtimex, state);
  memset(state, 0, sizeof *state);
  state->status = world->is_synchronized ? 0 : STA_UNSYNC;
  return world->is_synchronized ? TIME_OK : TIME_ERROR;
}

// MARK: Sleeping: time passes, and nothing else happens

int nanosleep(const struct timespec *span, struct timespec *left) {
  if (!world) return syscall(SYS_nanosleep, span, left);
  pass_time(span->tv_sec * 1000000 + span->tv_nsec / 1000);
  return 0;
}

int usleep(useconds_t span) {
  return nanosleep(&(struct timespec){span / 1000000, span % 1000000 * 1000}, NULL);
}

unsigned sleep(unsigned span) {
  nanosleep(&(struct timespec){span, 0}, NULL);
  return 0;
}

/* The journal's socket has room unless the journal is full; others are asked without waiting. */
int poll(struct pollfd *files, nfds_t count, int timeout) {
  if (!world) return syscall(SYS_poll, files, count, timeout);
  if (count == 1 && role_of(files[0].fd) == JOURNAL_SOCKET) {
    files[0].revents = world->journal_code ? 0 : files[0].events & POLLOUT;
    return files[0].revents != 0;
  }
  int ready = syscall(SYS_poll, files, count, 0);
  if (ready == 0 && timeout > 0) pass_time((int64_t)timeout * 1000);
  return ready;
}

// MARK: Chance

ssize_t getrandom(void *place, size_t size, unsigned flags) {
  if (!world) return syscall(SYS_getrandom, place, size, flags);
  for (size_t index = 0; index < size; index++) ((unsigned char *)place)[index] = next_random();
  return size;
}

int getentropy(void *place, size_t size) { return getrandom(place, size, 0) < 0 ? -1 : 0; }

void arc4random_buf(void *place, size_t size) { getrandom(place, size, 0); }

uint32_t arc4random(void) {
  uint32_t number;
  getrandom(&number, sizeof number, 0);
  return number;
}

/* Swift's generator makes the system call itself. */
long syscall(long number, ...) {
  static long (*real)(long, ...);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  va_list list;
  va_start(list, number);
  long values[6];
  for (int index = 0; index < 6; index++) values[index] = va_arg(list, long);
  va_end(list);
  if (world && number == SYS_getrandom)
    return getrandom((void *)values[0], values[1], values[2]);
  return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
