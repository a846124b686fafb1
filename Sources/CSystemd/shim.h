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
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/socket.h>

// GNU: declared only with _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
