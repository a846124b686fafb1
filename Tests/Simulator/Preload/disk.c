/* The disk: calls on the state's files are counted, may fail, and are recorded for the driver,
   which takes from a power cut's disk what no sync has secured (Driver/disk.py). */

#include "world.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* One record: this head, then `size` bytes, which are a path, two paths, or what was written. */
struct record {
  uint32_t call; /* one of the letters in Driver/disk.py */
  int32_t file;
  int64_t offset;
  int64_t size;
};

static void record(char call, int file, int64_t offset, const void *bytes, size_t size) {
  static int log = -1;
  if (log < 0) log = open_record("disk");
  struct record head = {(uint32_t)call, file, offset, (int64_t)size};
  append(log, &head, sizeof head, bytes, size);
}

static int is_state(const char *path) {
  size_t length = state_folder ? strlen(state_folder) : 0;
  return world && !strncmp(path, state_folder, length) && (path[length] == '/' || !path[length]);
}

/* A file with chance in it, instead of the kernel's. */
static int open_chance(void) {
  int file = syscall(SYS_memfd_create, "chance", MFD_CLOEXEC);
  uint64_t numbers[32];
  for (int index = 0; index < 32; index++) numbers[index] = next_random();
  (void)!syscall(SYS_write, file, numbers, sizeof numbers);
  syscall(SYS_lseek, file, 0, SEEK_SET);
  return file;
}

/* What the machine says of itself, which would differ from one machine to the next. */
static int is_of_machine(const char *path) {
  return !strncmp(path, "/run/", 5) || !strncmp(path, "/sys/class/rtc", 14)
         || !strncmp(path, "/etc/georemind", 14) || !strcmp(path, "/.dockerenv");
}

static int open_in_world(int folder, const char *path, int flags, mode_t mode) {
  if (!world) return syscall(SYS_openat, folder, path, flags, mode);
  if (!strcmp(path, "/dev/urandom")) return open_chance();
  if (!strcmp(path, "/proc/sys/kernel/random/boot_id")) {
    int file = syscall(SYS_memfd_create, "boot", MFD_CLOEXEC);
    char id[38];
    snprintf(id, sizeof id, "00000000-0000-4000-8000-%012x\n", (unsigned)world->boots);
    (void)!syscall(SYS_write, file, id, 37);
    syscall(SYS_lseek, file, 0, SEEK_SET);
    return file;
  }
  if (is_of_machine(path)) return errno = ENOENT, -1;
  if (!is_state(path)) return syscall(SYS_openat, folder, path, flags, mode);
  if (at_call(OPEN) == FAIL) return -1;
  struct stat status;
  int existed = syscall(SYS_newfstatat, folder, path, &status, 0) == 0;
  int file = syscall(SYS_openat, folder, path, flags, mode);
  if (file < 0) return file;
  set_role(file, STATE_FILE);
  record(existed ? (flags & O_TRUNC ? 't' : 'o') : 'c', file, 0, path, strlen(path));
  after_call(OPEN);
  return file;
}

/* The third argument of open, where there is one. */
static mode_t mode_of(int flags, va_list rest) {
  return flags & O_CREAT ? va_arg(rest, mode_t) : 0;
}

#define OPEN_WITH(name, folder, ...)                                  \
  int name(__VA_ARGS__ const char *path, int flags, ...) {            \
    va_list rest;                                                     \
    va_start(rest, flags);                                            \
    mode_t mode = mode_of(flags, rest);                               \
    va_end(rest);                                                     \
    return open_in_world(folder, path, flags, mode);                  \
  }
#define COMMA ,
OPEN_WITH(open, AT_FDCWD)
OPEN_WITH(open64, AT_FDCWD)
OPEN_WITH(openat, folder, int folder COMMA)
OPEN_WITH(openat64, folder, int folder COMMA)

int access(const char *path, int mode) {
  if (world && !strcmp(path, "/run/systemd/journal/socket")) return 0;
  if (world && is_of_machine(path)) return errno = ENOENT, -1;
  return syscall(SYS_access, path, mode);
}

int close(int file) {
  if (world && role_of(file) == STATE_FILE) record('x', file, 0, "", 0);
  set_role(file, PLAIN);
  forget_timer(file);
  return syscall(SYS_close, file);
}

// MARK: Writing

static ssize_t write_state(int file, const void *bytes, size_t size, int64_t offset) {
  enum action action = at_call(WRITE);
  if (action == FAIL) return -1;
  if (action == SHORTEN || action == TEAR) size = size > 1 ? size / 2 : size;
  ssize_t count = syscall(SYS_pwrite64, file, bytes, size, offset);
  if (count > 0) record('w', file, offset, bytes, count);
  if (action == TEAR) die();
  after_call(WRITE);
  return count;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  if (!world || role_of(file) != STATE_FILE)
    return syscall(SYS_pwrite64, file, bytes, size, offset);
  return write_state(file, bytes, size, offset);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  return pwrite64(file, bytes, size, offset);
}

ssize_t write(int file, const void *bytes, size_t size) {
  if (!world || role_of(file) != STATE_FILE) return syscall(SYS_write, file, bytes, size);
  ssize_t count = write_state(file, bytes, size, syscall(SYS_lseek, file, 0, SEEK_CUR));
  if (count > 0) syscall(SYS_lseek, file, count, SEEK_CUR);
  return count;
}

int ftruncate64(int file, off64_t size) {
  if (world && role_of(file) == STATE_FILE) {
    if (at_call(WRITE) == FAIL) return -1;
    record('s', file, size, "", 0);
  }
  return syscall(SYS_ftruncate, file, size);
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

static int sync_state(int number, int file) {
  if (!world || role_of(file) != STATE_FILE) return syscall(number, file);
  if (at_call(SYNC) == FAIL) return record('l', file, 0, "", 0), errno = EIO, -1;
  if (!is_missing(SYNCS)) record('f', file, 0, "", 0);
  after_call(SYNC);
  return 0;
}
int fsync(int file) { return sync_state(SYS_fsync, file); }
int fdatasync(int file) { return sync_state(SYS_fdatasync, file); }

// MARK: Names

int rename(const char *old, const char *new) {
  if (!world || !is_state(old)) return syscall(SYS_rename, old, new);
  if (at_call(REMOVE) == FAIL) return -1;
  int result = syscall(SYS_rename, old, new);
  char paths[8192];
  int size = snprintf(paths, sizeof paths, "%s%c%s", old, 0, new);
  if (result == 0) record('r', -1, 0, paths, size);
  after_call(REMOVE);
  return result;
}

int unlink(const char *path) {
  if (!world || !is_state(path)) return syscall(SYS_unlink, path);
  if (at_call(REMOVE) == FAIL) return -1;
  int result = syscall(SYS_unlink, path);
  if (result == 0) record('u', -1, 0, path, strlen(path));
  after_call(REMOVE);
  return result;
}
