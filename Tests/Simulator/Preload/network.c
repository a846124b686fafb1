/* Sockets: feeds, clients of the control socket, and a helper's connections to it and to a broker.

   A connection to a TCP port becomes one to the driver's Unix socket `feed-PORT`, and a UDP socket
   becomes the Unix socket `udp-PORT`, on which the sender `from-ADDRESS` sends: Unix sockets
   deliver at once, so a run does not depend on the machine. */

#include "world.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

/* Puts another socket in the place of a descriptor, with its flags. */
static int replace(int file, int type) {
  int flags = syscall(SYS_fcntl, file, F_GETFL);
  int other = syscall(SYS_socket, AF_UNIX, type | (flags & O_NONBLOCK ? SOCK_NONBLOCK : 0), 0);
  if (other < 0) return -1;
  syscall(SYS_dup3, other, file, O_CLOEXEC);
  syscall(SYS_close, other);
  return 0;
}

static struct sockaddr_un in_world(const char *name, int number) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/%s-%d", world_folder, name, number);
  return address;
}

int connect(int file, const struct sockaddr *address, socklen_t size) {
  if (!world) return syscall(SYS_connect, file, address, size);
  if (address->sa_family == AF_UNIX) {
    const struct sockaddr_un *name = (const void *)address;
    if (!strcmp(name->sun_path, "/run/systemd/journal/socket")) {
      if (world->journal_code == ECONNREFUSED) return errno = ECONNREFUSED, -1;
      set_role(file, JOURNAL_SOCKET);
      return 0;
    }
    if (!strncmp(name->sun_path, "/run/", 5)) return errno = ENOENT, -1;
    int result = syscall(SYS_connect, file, address, size);
    if (!result) set_role(file, CLIENT);
    return result;
  }
  const struct sockaddr_in *port = (const void *)address;
  struct sockaddr_un other = in_world("feed", ntohs(port->sin_port));
  if (replace(file, SOCK_STREAM)) return -1;
  if (syscall(SYS_connect, file, &other, sizeof other)) {
    if (errno == ENOENT) errno = ECONNREFUSED;
    return -1;
  }
  set_role(file, ntohs(port->sin_port) == BROKER_PORT ? BROKER : FEED);
  return 0;
}

/* A stream with an address of its own is one that will connect: the address does not matter. */
static int is_stream(int file) {
  int type = 0;
  socklen_t size = sizeof type;
  return !getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_STREAM;
}

int bind(int file, const struct sockaddr *address, socklen_t size) {
  if (!world || address->sa_family != AF_INET) return syscall(SYS_bind, file, address, size);
  if (is_stream(file)) return 0;
  const struct sockaddr_in *port = (const void *)address;
  struct sockaddr_un other = in_world("udp", ntohs(port->sin_port));
  if (replace(file, SOCK_DGRAM)) return -1;
  syscall(SYS_unlink, other.sun_path);
  if (syscall(SYS_bind, file, &other, sizeof other)) return -1;
  set_role(file, DATAGRAMS);
  return 0;
}

/* The sender of a datagram is the number in the name of its socket: 127.0.0.NUMBER. */
ssize_t recvmsg(int file, struct msghdr *message, int flags) {
  if (role_of(file) != DATAGRAMS) return syscall(SYS_recvmsg, file, message, flags);
  struct sockaddr_un from = {0};
  struct msghdr inner = *message;
  inner.msg_name = &from;
  inner.msg_namelen = sizeof from;
  inner.msg_controllen = 0;
  ssize_t count = syscall(SYS_recvmsg, file, &inner, flags);
  if (count < 0) return count;
  const char *dash = strrchr(from.sun_path, '-');
  int number = 1;
  if (dash) sscanf(dash, "-%d", &number);
  struct sockaddr_in sender = {.sin_family = AF_INET, .sin_port = htons(40000)};
  sender.sin_addr.s_addr = htonl(0x7F000000u + number);
  if (message->msg_name && message->msg_namelen >= sizeof sender)
    memcpy(message->msg_name, &sender, sizeof sender);
  message->msg_namelen = sizeof sender;
  message->msg_controllen = 0;
  return count;
}

// MARK: Clients

int accept4(int file, struct sockaddr *address, socklen_t *size, int flags) {
  if (at_call(ACCEPT) == FAIL) return -1;
  int client = syscall(SYS_accept4, file, address, size, flags);
  if (world && client >= 0) set_role(client, CLIENT);
  after_call(ACCEPT);
  return client;
}

ssize_t recv(int file, void *place, size_t size, int flags) {
  enum role role = role_of(file);
  if (role == CLIENT || role == FEED || role == BROKER) {
    switch (at_call(READ)) {
    case FAIL: return -1;
    case SHORTEN: size = size > 1 ? size / 2 : size; break;
    default: break;
    }
  }
  return syscall(SYS_recvfrom, file, place, size, flags, NULL, NULL);
}

ssize_t send_entry(const void *bytes, size_t size);

ssize_t send(int file, const void *bytes, size_t size, int flags) {
  enum role role = role_of(file);
  if (role == JOURNAL_SOCKET) return send_entry(bytes, size);
  if (role != CLIENT && role != BROKER) return syscall(SYS_sendto, file, bytes, size, flags, NULL, 0);
  enum action action = at_call(ANSWER);
  if (action == FAIL) return -1;
  if (action == SHORTEN || action == TEAR) size = size > 1 ? size / 2 : size;
  ssize_t count = syscall(SYS_sendto, file, bytes, size, flags, NULL, 0);
  if (action == TEAR) die();
  after_call(ANSWER);
  return count;
}
