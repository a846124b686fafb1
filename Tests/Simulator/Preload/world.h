/* The simulated world of one daemon: what the preloaded functions share.

   The driver makes the file of `struct world` and maps it, too, so time, chance and the plan of
   faults survive a kill of the daemon. Times are microseconds. */

#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Calls at which a fault may happen, in the order of `KINDS` in Driver/world.py. */
enum kind {
  WRITE, SYNC, OPEN, REMOVE, JOURNAL, ANSWER, RECEIVE, ACCEPT, REST, TIMER, READ, SPAWN, KINDS
};

/* What happens at the planned call. */
enum action {
  NOTHING,
  /* The process dies before, or after, the call. A power cut is a kill for the daemon. */
  KILL_BEFORE,
  KILL_AFTER,
  /* The call fails with the errno of the plan. */
  FAIL,
  /* Half of the bytes are written. The second one dies then. */
  SHORTEN,
  TEAR,
};

enum { DESCRIPTORS = 1024 };

struct world {
  int64_t real;      /* CLOCK_REALTIME since 1970 */
  int64_t monotonic; /* CLOCK_MONOTONIC */
  int64_t asleep;    /* suspended so far: CLOCK_BOOTTIME is monotonic + asleep */
  uint64_t random;
  /* The plan: an action at the call number `at` of a kind, counted since the process began. */
  int32_t kind, action, code, times;
  int64_t at;
  int64_t counts[KINDS];
  int64_t faults; /* how many have happened */
  int64_t turns;
  /* The journal: 0 takes entries, else the errno that it refuses them with. An entry can be read
     `journal_delay` after it was sent. */
  int32_t journal_code, is_synchronized;
  int64_t journal_delay;
  int64_t boots; /* how often the machine has started */
  int64_t missing; /* what this daemon lacks, to see whether the simulator notices */
  int64_t has_programs; /* whether programs can be started */
};

/* What a process may lack: syncs of files, the search in the journal after a start, transactions,
   the notice of a clock that was set, the failures of programs. In the order of `MISSING` in Driver/world.py. */
enum { NOTHING_MISSING, SYNCS, LOOK_UP, TRANSACTIONS, CLOCK_STEPS, EXITS };

extern struct world *world; /* NULL outside of a simulation */
static inline int is_missing(int what) { return world && world->missing == what; }
extern const char *state_folder, *world_folder;

/* Counts a call and carries out a kill that is planned before it. Answers FAIL, SHORTEN or TEAR,
   with errno set for FAIL, or NOTHING. */
enum action at_call(enum kind kind);
/* After the call: carries out a kill that is planned there. */
void after_call(enum kind kind);
void die(void) __attribute__((noreturn));

int64_t now_of(clockid_t clock);
void pass_time(int64_t span);
uint64_t next_random(void);

/* Asks the driver what comes next, at most `limit` (-1: unlimited) from now; time passes. Answers
   the span that has passed. */
int64_t rest(int64_t limit);

/* Whether a descriptor is one of the state's files, and what kind of socket it is. */
enum role { PLAIN, STATE_FILE, JOURNAL_SOCKET, CLIENT, FEED, DATAGRAMS, BROKER };
enum { BROKER_PORT = 1883 };
extern unsigned char roles[DESCRIPTORS];
static inline enum role role_of(int file) {
  return file >= 0 && file < DESCRIPTORS ? roles[file] : PLAIN;
}
static inline void set_role(int file, enum role role) {
  if (file >= 0 && file < DESCRIPTORS) roles[file] = role;
}
void forget_timer(int file);

/* Ends the programs whose time has come. Answers the time until the next one, or INT64_MAX. */
int64_t end_programs(void);

/* A file of the world that entries are appended to, out of reach of the daemon's own numbers. */
int open_record(const char *name);
void append(int record, const void *head, size_t head_size, const void *body, size_t body_size);
