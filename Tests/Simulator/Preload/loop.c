/* The event loop: timers of virtual time, and waiting, where the driver lets time pass. */

#include "world.h"
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

static const int64_t never = INT64_MAX;

static struct timer {
  unsigned char is_used, watches_steps, was_cancelled;
  int clock;
  int64_t due; /* by its clock; `never` is disarmed */
} timers[DESCRIPTORS];

/* The offset of the clocks that the last wait saw: another one is a step. */
static int64_t known_offset;

static struct timer *timer_of(int file) {
  return file >= 0 && file < DESCRIPTORS && timers[file].is_used ? &timers[file] : NULL;
}

void forget_timer(int file) {
  if (timer_of(file)) timers[file].is_used = 0;
}

/* The descriptor is a real one; only `make_ready` sets it. */
int timerfd_create(int clock, int flags) {
  if (!world) return syscall(SYS_timerfd_create, clock, flags);
  if (at_call(TIMER) == FAIL) return -1;
  int file = syscall(SYS_timerfd_create, CLOCK_MONOTONIC, flags);
  if (file < 0 || file >= DESCRIPTORS) return file;
  timers[file] = (struct timer){.is_used = 1, .clock = clock, .due = never};
  return file;
}

static void make_ready(int file) {
  timers[file].due = never;
  struct itimerspec soon = {{0, 0}, {0, 1}};
  syscall(SYS_timerfd_settime, file, 0, &soon, NULL);
}

int timerfd_settime(int file, int flags, const struct itimerspec *time, struct itimerspec *old) {
  struct timer *timer = world ? timer_of(file) : NULL;
  if (!timer) return syscall(SYS_timerfd_settime, file, flags, time, old);
  struct itimerspec none = {0};
  syscall(SYS_timerfd_settime, file, 0, &none, NULL);
  int64_t seconds = time->it_value.tv_sec;
  int64_t due = never;
  if (seconds < never / 1000001) due = seconds * 1000000 + (time->it_value.tv_nsec + 999) / 1000;
  if (due == 0) due = never;
  if (due != never && !(flags & TFD_TIMER_ABSTIME)) due += now_of(timer->clock);
  timer->watches_steps = (flags & TFD_TIMER_CANCEL_ON_SET) != 0;
  timer->was_cancelled = 0;
  timer->due = due;
  known_offset = world->real - world->monotonic;
  return 0;
}

ssize_t read(int file, void *place, size_t size) {
  enum role role = role_of(file);
  if (role == STATE_FILE || role == FEED || role == BROKER) {
    switch (at_call(READ)) {
    case FAIL: return -1;
    case SHORTEN: size = size > 1 ? size / 2 : size; break;
    default: break;
    }
  }
  ssize_t count = syscall(SYS_read, file, place, size);
  struct timer *timer = world ? timer_of(file) : NULL;
  if (count > 0 && timer && timer->was_cancelled) {
    timer->was_cancelled = 0;
    errno = ECANCELED;
    return -1;
  }
  return count;
}

/* A step of CLOCK_REALTIME, by the driver, wakes the timers that watch for it. */
static void notice_step(void) {
  int64_t offset = world->real - world->monotonic;
  if (offset == known_offset) return;
  known_offset = offset;
  for (int file = 0; file < DESCRIPTORS; file++) {
    if (!timers[file].is_used || !timers[file].watches_steps) continue;
    timers[file].was_cancelled = !is_missing(CLOCK_STEPS);
    make_ready(file);
  }
}

/* The time until the next timer is due, and which one it is. */
static int64_t next_timer(int *file) {
  int64_t soonest = never;
  for (int each = 0; each < DESCRIPTORS; each++) {
    if (!timers[each].is_used || timers[each].due == never) continue;
    int64_t left = timers[each].due - now_of(timers[each].clock);
    if (left < soonest) soonest = left, *file = each;
  }
  return soonest;
}

/* Waits in virtual time. A timeout of -1 is none. */
static int wait_for(int loop, struct epoll_event *events, int count, int64_t timeout) {
  if (at_call(RECEIVE) == FAIL) return -1;
  for (;;) {
    world->turns++;
    notice_step();
    int64_t program = end_programs();
    int ready = syscall(SYS_epoll_pwait, loop, events, count, 0, NULL, 8);
    if (ready != 0) return ready;
    int file = -1;
    int64_t due = next_timer(&file);
    if (due <= 0) {
      make_ready(file);
      // A nanosecond of the machine's time, in which nothing else happens.
      while ((ready = syscall(SYS_epoll_pwait, loop, events, count, 100, NULL, 8)) == 0) {}
      return ready;
    }
    if (timeout == 0) return 0;
    if (program < due) due = program;
    int64_t limit = timeout > 0 && timeout < due ? timeout : due;
    int64_t passed = rest(limit == never ? -1 : limit);
    if (timeout > 0 && (timeout -= passed) <= 0) timeout = 0;
  }
}

int epoll_wait(int loop, struct epoll_event *events, int count, int timeout) {
  if (!world) return syscall(SYS_epoll_pwait, loop, events, count, timeout, NULL, 8);
  return wait_for(loop, events, count, timeout < 0 ? -1 : timeout * 1000L);
}

int epoll_pwait(
    int loop, struct epoll_event *events, int count, int timeout, const sigset_t *signals) {
  if (!world) return syscall(SYS_epoll_pwait, loop, events, count, timeout, signals, 8);
  return epoll_wait(loop, events, count, timeout);
}

int epoll_pwait2(int loop, struct epoll_event *events, int count, const struct timespec *timeout,
                 const sigset_t *signals) {
  if (!world) return syscall(SYS_epoll_pwait2, loop, events, count, timeout, signals, 8);
  int64_t span = timeout ? timeout->tv_sec * 1000000 + (timeout->tv_nsec + 999) / 1000 : -1;
  return wait_for(loop, events, count, span);
}
