// Runs an unmodified daemon in virtual time: loaded by LD_PRELOAD, it replaces clocks, timers and the
// wait for events. Where the daemon would sleep, time jumps to its next timer or to the next line of the
// script, whichever comes first.
//
// A line of the script is "MICROSECONDS KIND TEXT", in order of time:
//   F  a line of the feed        C  a call on the control socket     S  a clock step in microseconds
//   K  a SIGKILL, after which the daemon is started again            E  the end, by SIGTERM
//
// Time and the place in the script are in a shared mapping, so they survive a kill.
// Environment: SIM_STATE (the mapping), SIM_SCRIPT, SIM_FEED (the path of the feed's socket), SIM_SOCK
// (the control socket). Without SIM_STATE nothing is changed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024 };
enum { NO_TIMER, TIMER, TIMER_CANCELLED_BY_STEPS };

// What survives a kill; scripts.py writes its beginning. Times are microseconds.
static struct {
  int64_t real, monotonic, position, unused[6];
  uint64_t random;
  int64_t steps;
} *state;
static const char *script;
static size_t script_length;
static int feed = -1, control = -1;

static struct {
  int kind, clock, cancelled;
  int64_t due;
} timers[DESCRIPTORS];

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("SIM_STATE");
  if (!path) return;
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR, 0);
  state = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  file = syscall(SYS_openat, AT_FDCWD, getenv("SIM_SCRIPT"), O_RDONLY, 0);
  struct stat status;
  fstat(file, &status);
  script_length = status.st_size;
  script = mmap(NULL, script_length, PROT_READ, MAP_PRIVATE, file, 0);
  syscall(SYS_close, file);
}

// ---- clocks -----------------------------------------------------------------------------------
static int64_t now(int clock) {
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
  return is_wall ? state->real : state->monotonic;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!state || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return syscall(SYS_clock_gettime, clock, time);
  time->tv_sec = now(clock) / 1000000;
  time->tv_nsec = now(clock) % 1000000 * 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  if (result) *result = time.tv_sec;
  return time.tv_sec;
}

// ---- timers -----------------------------------------------------------------------------------
int timerfd_create(int clock, int flags) {
  // The alarm clocks need a capability; any clock will do here.
  int is_alarm = clock == CLOCK_REALTIME_ALARM || clock == CLOCK_BOOTTIME_ALARM;
  int descriptor = syscall(SYS_timerfd_create, is_alarm && state ? CLOCK_REALTIME : clock, flags);
  if (descriptor >= 0 && descriptor < DESCRIPTORS) {
    timers[descriptor].kind = TIMER;
    timers[descriptor].clock = clock;
    timers[descriptor].due = 0;
  }
  return descriptor;
}

int timerfd_settime(int descriptor, int flags, const struct itimerspec *new, struct itimerspec *old) {
  if (!state || descriptor >= DESCRIPTORS || timers[descriptor].kind == NO_TIMER)
    return syscall(SYS_timerfd_settime, descriptor, flags, new, old);
  struct itimerspec disarmed = {0};
  syscall(SYS_timerfd_settime, descriptor, 0, &disarmed, NULL);
  int64_t seconds = new->it_value.tv_sec, due;
  due = seconds >= 9000000000000 ? INT64_MAX : seconds * 1000000 + (new->it_value.tv_nsec + 999) / 1000;
  if (due && due != INT64_MAX && !(flags & TFD_TIMER_ABSTIME)) due += now(timers[descriptor].clock);
  if (due && flags & TFD_TIMER_CANCEL_ON_SET) {
    timers[descriptor].kind = TIMER_CANCELLED_BY_STEPS;
    timers[descriptor].cancelled = 0;
    due = INT64_MAX;
  }
  timers[descriptor].due = due;
  return 0;
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < DESCRIPTORS) timers[descriptor].kind = NO_TIMER;
  return syscall(SYS_close, descriptor);
}

// Makes a timer readable.
static void expire(int descriptor) {
  struct itimerspec soon = {{0, 0}, {0, 1}};
  timers[descriptor].due = 0;
  syscall(SYS_timerfd_settime, descriptor, 0, &soon, NULL);
}

static void step_clock(int64_t step) {
  state->real += step;
  state->steps += step;
  for (int i = 0; i < DESCRIPTORS; i++) {
    if (timers[i].kind != TIMER_CANCELLED_BY_STEPS) continue;
    expire(i);
    timers[i].cancelled = 1;
  }
}

ssize_t read(int descriptor, void *bytes, size_t count) {
  ssize_t result = syscall(SYS_read, descriptor, bytes, count);
  if (result <= 0 || descriptor >= DESCRIPTORS || !timers[descriptor].cancelled) return result;
  timers[descriptor].cancelled = 0;
  errno = ECANCELED;
  return -1;
}

// ---- script -----------------------------------------------------------------------------------
static void call(const char *text, size_t length) {
  if (control < 0) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, getenv("SIM_SOCK"), sizeof address.sun_path - 1);
    control = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (syscall(SYS_connect, control, &address, sizeof address)) {
      syscall(SYS_close, control);
      control = -1;
      return;
    }
  }
  (void)!send(control, text, length, MSG_NOSIGNAL);
  (void)!send(control, "", 1, MSG_NOSIGNAL);
}

static void run_line(const char *line, size_t length) {
  switch (*line) {
    case 'F':
      if (feed < 0) return;
      (void)!send(feed, line + 2, length - 2, MSG_NOSIGNAL | MSG_DONTWAIT);
      (void)!send(feed, "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
      return;
    case 'C': call(line + 2, length - 2); return;
    case 'S': step_clock(strtoll(line + 2, NULL, 10)); return;
    case 'E': kill(getpid(), SIGTERM); return;
    case 'K':
      kill(getpid(), SIGKILL);
      for (;;) pause();
  }
}

// Whether answers to calls had been waiting.
static int read_answers(void) {
  char bytes[65536];
  int found = 0;
  while (control >= 0 && recv(control, bytes, sizeof bytes, MSG_DONTWAIT) > 0) found = 1;
  return found;
}

// ---- waiting ----------------------------------------------------------------------------------
static int wait_real(int epoll, struct epoll_event *events, int count, int milliseconds) {
  return syscall(SYS_epoll_pwait, epoll, events, count, milliseconds, NULL, 8);
}

static int wait_virtual(int epoll, struct epoll_event *events, int count, int64_t timeout) {
  for (;;) {
    int ready = wait_real(epoll, events, count, 0);
    if (ready != 0) return ready;
    if (read_answers()) continue;
    int64_t pause = INT64_MAX;
    int first = -1;
    for (int i = 0; i < DESCRIPTORS; i++) {
      if (timers[i].kind == NO_TIMER || !timers[i].due || timers[i].due == INT64_MAX) continue;
      int64_t left = timers[i].due - now(timers[i].clock);
      if (left < pause) pause = left, first = i;
    }
    if (first >= 0 && pause <= 0) {
      expire(first);
      while ((ready = wait_real(epoll, events, count, 1000)) == 0) {}
      return ready;
    }
    if (timeout == 0) return 0;
    int times_out = timeout > 0 && timeout < pause;
    if (times_out) pause = timeout;
    int64_t until_line = INT64_MAX;
    const char *line = NULL, *end = NULL;
    if ((size_t)state->position < script_length) {
      line = script + state->position;
      until_line = strtoll(line, (char **)&line, 10) + state->steps - state->real;
      if (until_line < 0) until_line = 0;
      end = memchr(line, '\n', script + script_length - line);
      line++;
    }
    int64_t step = until_line < pause ? until_line : pause;
    if (step == INT64_MAX) {
      struct timespec millisecond = {0, 1000000};
      syscall(SYS_nanosleep, &millisecond, NULL);
      continue;
    }
    state->real += step;
    state->monotonic += step;
    if (line && until_line <= pause) {
      state->position = end + 1 - script;
      run_line(line, end - line);
    } else if (times_out) {
      return 0;
    }
  }
}

int epoll_wait(int epoll, struct epoll_event *events, int count, int timeout) {
  if (!state) return wait_real(epoll, events, count, timeout);
  return wait_virtual(epoll, events, count, timeout < 0 ? -1 : timeout * 1000LL);
}

int epoll_pwait(int epoll, struct epoll_event *events, int count, int timeout, const sigset_t *signals) {
  (void)signals;
  return epoll_wait(epoll, events, count, timeout);
}

int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *timeout,
                 const sigset_t *signals) {
  (void)signals;
  int64_t microseconds = timeout ? timeout->tv_sec * 1000000LL + timeout->tv_nsec / 1000 : -1;
  if (!state) return wait_real(epoll, events, count, microseconds < 0 ? -1 : microseconds / 1000);
  return wait_virtual(epoll, events, count, microseconds);
}

// ---- the feed, and randomness -----------------------------------------------------------------
int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  const struct sockaddr_un *path = (const void *)address;
  const char *feed_path = getenv("SIM_FEED");
  if (!state || address->sa_family != AF_UNIX || !feed_path || strcmp(path->sun_path, feed_path))
    return syscall(SYS_connect, descriptor, address, length);
  int pair[2], size = 1 << 20;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair)) return -1;
  setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  dup3(pair[0], descriptor, O_CLOEXEC);
  syscall(SYS_close, pair[0]);
  feed = pair[1];
  return 0;
}

ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  if (!state) return syscall(SYS_getrandom, bytes, count, flags);
  for (size_t i = 0; i < count; i++) {
    state->random = state->random * 6364136223846793005ULL + 1442695040888963407ULL;
    ((unsigned char *)bytes)[i] = state->random >> 33;
  }
  return count;
}

int getentropy(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }

void arc4random_buf(void *bytes, size_t count) { getrandom(bytes, count, 0); }
