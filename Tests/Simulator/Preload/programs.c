/* Programs that a hook starts. Each is a child that waits until its time is over in the world, and
   ends with the code of the plan; the driver finds its begin and its end in the record `programs`.

   Where the hook dies, a child reads the end of its channel and ends: systemd would kill it. */

#include "world.h"
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* The code in the record of a program that begins; of one that a signal ends, ENDED. */
enum { BEGINS = -1, ENDED = -2, FAILURE = 1 };
/* Microseconds. The longest takes longer than a hook allows (Driver/hook.py). */
static const int64_t spans[] = {20000, 20000, 20000, 700000, 5000000, 25000000, 60000000};

static struct program {
  pid_t process; /* 0 for none */
  int channel, code;
  int64_t due;
  char firing[48];
} programs[64];

static void record_program(const struct program *program, int64_t code) {
  static int log = -1;
  if (log < 0) log = open_record("programs");
  struct { int64_t time, process, code, size; } head = {
    world->real, program->process, code, (int64_t)strlen(program->firing)};
  append(log, &head, sizeof head, program->firing, head.size);
}

/* Waits for the end of a child that must come, and leaves its zombie to the hook. */
static void finish(struct program *program, int code) {
  siginfo_t information;
  record_program(program, code);
  waitid(P_PID, program->process, &information, WEXITED | WNOWAIT);
  syscall(SYS_close, program->channel);
  program->process = 0;
}

int64_t end_programs(void) {
  int64_t next = INT64_MAX;
  for (struct program *each = programs; each < programs + 64; each++) {
    int64_t left = each->due - world->monotonic;
    if (!each->process) continue;
    if (left <= 0) {
      unsigned char code = is_missing(EXITS) ? 0 : each->code;
      (void)!syscall(SYS_write, each->channel, &code, 1);
      finish(each, each->code);
    } else if (left < next) {
      next = left;
    }
  }
  return next;
}

int kill(pid_t process, int signal) {
  int result = syscall(SYS_kill, process, signal);
  for (struct program *each = programs; world && result == 0 && each < programs + 64; each++)
    if (each->process && each->process == abs(process)) finish(each, ENDED);
  return result;
}

/* The child: it holds nothing of the hook, blocks no signal, and leads a session. */
static void live(int channel) {
  unsigned char code = FAILURE;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  syscall(SYS_dup3, channel, 0, 0);
  syscall(SYS_close_range, 1, ~0U, 0);
  setsid();
  (void)!syscall(SYS_write, 0, "", 1);
  (void)!syscall(SYS_read, 0, &code, 1);
  _exit(code);
}

static const char *value(char *const names[], const char *name) {
  size_t length = strlen(name);
  for (; *names; names++)
    if (!strncmp(*names, name, length)) return *names + length;
  return "";
}

int posix_spawnp(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const names[]) {
  (void)path, (void)actions, (void)attributes, (void)arguments;
  struct program *program = programs;
  while (program < programs + 64 && program->process) program++;
  if (!world || !world->has_programs || program == programs + 64) return ENOENT;
  enum action action = at_call(SPAWN);
  if (action == FAIL) return errno;
  int ends[2];
  char begun;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return errno;
  pid_t child = fork();
  if (child == 0) live(ends[1]);
  syscall(SYS_close, ends[1]);
  (void)!syscall(SYS_read, ends[0], &begun, 1);
  int64_t span = spans[next_random() % (sizeof spans / sizeof *spans)];
  *program = (struct program){
    child, ends[0], action == SHORTEN ? FAILURE : 0, world->monotonic + span, ""};
  strncpy(program->firing, value(names, "GEOREMIND_FIRING_ID="), sizeof program->firing - 1);
  record_program(program, BEGINS);
  after_call(SPAWN);
  *process = child;
  return 0;
}

int posix_spawn(
    pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
    const posix_spawnattr_t *attributes, char *const arguments[], char *const names[]) {
  return posix_spawnp(process, path, actions, attributes, arguments, names);
}
