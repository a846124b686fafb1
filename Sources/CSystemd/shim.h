// libsystemd and the Linux calls that the Glibc module leaves out.
#pragma once
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/socket.h>

// GNU: declared only with _GNU_SOURCE.
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);
