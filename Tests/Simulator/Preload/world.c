/* Entering the world, the plan of faults, and the conversation with the driver. */

#include "world.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

struct world *world;
const char *state_folder, *world_folder;
unsigned char roles[DESCRIPTORS];
static int channel = -1;

/* The highest numbers, so that the daemon's own numbers stay as they would be. */
static int move_up(int file) {
  int moved = syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 900);
  syscall(SYS_close, file);
  return moved;
}

int open_record(const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", world_folder, name);
  int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  return move_up(syscall(SYS_openat, AT_FDCWD, path, flags, 0600));
}

void append(int record, const void *head, size_t head_size, const void *body, size_t body_size) {
  struct iovec parts[2] = {{(void *)head, head_size}, {(void *)body, body_size}};
  syscall(SYS_writev, record, parts, 2);
}

/* Only the daemon itself lives in the world: a program that it starts must not. */
__attribute__((constructor(101))) static void enter(void) {
  const char *folder = getenv("SIMULATED_WORLD");
  if (!folder) return;
  world_folder = strdup(folder);
  state_folder = strdup(getenv("SIMULATED_STATE"));
  channel = move_up(atoi(getenv("SIMULATED_CHANNEL")));
  char path[4096];
  snprintf(path, sizeof path, "%s/world", world_folder);
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  void *map = mmap(0, sizeof *world, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (map == MAP_FAILED || channel < 0) abort();
  unsetenv("LD_PRELOAD");
  unsetenv("SIMULATED_WORLD");
  unsetenv("SIMULATED_STATE");
  unsetenv("SIMULATED_CHANNEL");
  world = map;
  memset(world->counts, 0, sizeof world->counts);
}

// MARK: Faults

void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) syscall(SYS_pause);
}

static int is_planned(enum kind kind) {
  int64_t number = world->counts[kind] - world->at;
  return world->action != NOTHING && world->kind == (int32_t)kind && number >= 0
         && number < world->times;
}

enum action at_call(enum kind kind) {
  if (!world) return NOTHING;
  world->counts[kind]++;
  if (!is_planned(kind) || world->action == KILL_AFTER) return NOTHING;
  world->faults++;
  if (world->action == KILL_BEFORE) die();
  if (world->action == FAIL) errno = world->code;
  return world->action;
}

void after_call(enum kind kind) {
  if (!world || world->action != KILL_AFTER || !is_planned(kind)) return;
  world->faults++;
  die();
}

// MARK: Time and chance

int64_t now_of(clockid_t clock) {
  switch (clock) {
  case CLOCK_REALTIME:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_REALTIME_ALARM:
  case CLOCK_TAI: return world->real;
  case CLOCK_BOOTTIME:
  case CLOCK_BOOTTIME_ALARM: return world->monotonic + world->asleep;
  default: return world->monotonic;
  }
}

void pass_time(int64_t span) {
  world->real += span;
  world->monotonic += span;
}

/* A linear congruential generator (Knuth's MMIX). */
uint64_t next_random(void) {
  world->random = world->random * 6364136223846793005u + 1442695040888963407u;
  return world->random >> 16;
}

/* The driver answers the span by which time passes. It may step the clock or suspend the machine
   itself, in the shared map. */
int64_t rest(int64_t limit) {
  at_call(REST);
  int64_t span = 0;
  if (syscall(SYS_write, channel, &limit, sizeof limit) != sizeof limit) die();
  if (syscall(SYS_read, channel, &span, sizeof span) != sizeof span) die();
  pass_time(span);
  return span;
}
