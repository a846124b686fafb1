/* Failures at chosen moments in a program that was not built for them: preloaded (ld.so(8)), this
   stands between the C library and SQLite and libsystemd. The daemon under test is the one that ships.

   The file that FAULTS names holds one line, looked at before each operation:

     none                    nothing
     kill OPERATION N        the process dies at its Nth operation of that kind since it began or the
                             line was written; then the line is "done"
     tear write N            half of the Nth write is made, and the process dies; then the same
     fail OPERATION ERRNO    every operation of that kind fails
     wait OPERATION MS       every operation of that kind takes so much longer

   Operations on the database and what lies beside it, its logs and its journal: write, sync; on the system's journal: send.
   With "kill" there are written, synced and sent, too: just after.

   cc -shared -fPIC -o faults.so faults.c -ldl */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE, WRITTEN, SYNC, SYNCED, SEND, SENT, KINDS };
static const char *const names[KINDS] = {"write", "written", "sync", "synced", "send", "sent"};
static int counts[KINDS];

static const char *faults_file(void) {
  static const char *path;
  return path ? path : (path = getenv("FAULTS"));
}

static void die(void) {
  int file = open(faults_file(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file >= 0) {
    (void)!syscall(SYS_write, file, "done\n", 5);
    close(file);
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* What is to happen at this operation: 0 nothing, -1 tear it, else the errno to fail with. */
static int fault(enum kind kind) {
  static char last[64];
  char line[64] = "", verb[16] = "", name[16] = "";
  int number = 0, kept = errno;
  int file = faults_file() ? open(faults_file(), O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0) {
    (void)!read(file, line, sizeof line - 1);
    close(file);
  }
  if (strcmp(line, last)) memset(counts, 0, sizeof counts);
  strcpy(last, line);
  counts[kind]++;
  int words = sscanf(line, "%15s %15s %d", verb, name, &number);
  errno = kept;  // sscanf changes it, too, at the end of the line
  if (words != 3 || strcmp(name, names[kind])) return 0;
  if (!strcmp(verb, "kill") && counts[kind] == number) die();
  if (!strcmp(verb, "tear") && counts[kind] == number) return -1;
  if (!strcmp(verb, "fail")) return number;
  if (!strcmp(verb, "wait")) {
    struct timespec span = {number / 1000, number % 1000 * 1000000L};
    nanosleep(&span, NULL);
    errno = kept;
  }
  return 0;
}

static int is_database(int file) {
  char link[40], path[4096];
  int kept = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  errno = kept;
  if (length < 0) return 0;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  return name && !strncmp(name, "/georemind.db", 13);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) real = dlsym(RTLD_NEXT, "pwrite64");
  if (!is_database(file)) return real(file, bytes, count, offset);
  int what = fault(WRITE);
  if (what > 0) return errno = what, -1;
  if (what < 0) {
    real(file, bytes, count / 2, offset);
    die();
  }
  ssize_t written = real(file, bytes, count, offset);
  fault(WRITTEN);
  return written;
}

/* The same under the name that a program asks for which does not choose its offsets' size. */
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return pwrite64(file, bytes, count, offset);
}

int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  if (!is_database(file)) return real(file);
  int what = fault(SYNC);
  if (what > 0) return errno = what, -1;
  int result = real(file);
  fault(SYNCED);
  return result;
}

static int is_journal(const struct sockaddr_un *to) {
  return to && to->sun_family == AF_UNIX && !strcmp(to->sun_path, "/run/systemd/journal/socket");
}

/* An entry, on a socket that is connected to the journal's. */
ssize_t send(int socket, const void *bytes, size_t count, int flags) {
  static ssize_t (*real)(int, const void *, size_t, int);
  if (!real) real = dlsym(RTLD_NEXT, "send");
  struct sockaddr_un peer = {0};
  socklen_t size = sizeof peer - 1;
  int kept = errno;
  int known = getpeername(socket, (struct sockaddr *)&peer, &size) == 0;
  errno = kept;
  if (!known || !is_journal(&peer)) return real(socket, bytes, count, flags);
  int what = fault(SEND);
  if (what > 0) return errno = what, -1;
  ssize_t sent = real(socket, bytes, count, flags);
  fault(SENT);
  return sent;
}

/* One that is too large for that, through libsystemd. */
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  static ssize_t (*real)(int, const struct msghdr *, int);
  if (!real) real = dlsym(RTLD_NEXT, "sendmsg");
  if (!is_journal(message->msg_name)) return real(socket, message, flags);
  int what = fault(SEND);
  if (what > 0) return errno = what, -1;
  ssize_t sent = real(socket, message, flags);
  fault(SENT);
  return sent;
}
