// libsystemd and the Linux calls that the Glibc module leaves out.
#pragma once
// What both this module and Glibc would declare belongs to Glibc: otherwise it depends on the build
// which of the two a file has to import for a timespec.
#pragma clang module import SwiftGlibc
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <unistd.h>

// GNU: declared only with _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
int memfd_create(const char *name, unsigned flags);

// Processes that lose their parent become children of this process (prctl(2)). Answers 0 or -1.
static inline int georemind_adopt_orphans(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

// sched_setattr(2), which the C library has from 2.41 on: asks for time slices of this length, in
// nanoseconds, and leaves all else as it is. Answers 0 or an error number.
static inline int georemind_request_time_slice(uint64_t length) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {0};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return errno;
  // Real-time and idle policies have no such slices: SCHED_OTHER is 0, SCHED_BATCH 3.
  if (attributes.policy != 0 && attributes.policy != 3) return 0;
  attributes.runtime = length;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : errno;
}

// Symbols of the linker: the read-only part of this program, its code among it.
extern const char __executable_start[], etext[];

// Unmaps that part. Pages that are still in use come back from the page cache (madvise(2)).
static inline void georemind_unmap_code(void) {
  madvise((void *)__executable_start, (size_t)(etext - __executable_start), MADV_DONTNEED);
}
