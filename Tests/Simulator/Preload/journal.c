/* The journal: the file `journal` of the world, and the calls of libsystemd that read it.

   journald is another process: what its socket has taken survives the daemon. */

#define SD_JOURNAL_SUPPRESS_LOCATION
#include "world.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

/* One entry: this head, then the datagram. Values of several lines do not occur in what is read
   back here, but they must not be taken for fields: see `field`. */
struct entry {
  int64_t time;
  int64_t size;
};

static int journal_file(void) {
  static int file = -1;
  if (file < 0) file = open_record("journal");
  return file;
}

ssize_t send_entry(const void *bytes, size_t size) {
  if (at_call(JOURNAL) == FAIL) return -1;
  if (world->journal_code) return errno = world->journal_code, -1;
  struct entry head = {world->real, (int64_t)size};
  append(journal_file(), &head, sizeof head, bytes, size);
  after_call(JOURNAL);
  return size;
}

/* Large entries only. */
int sd_journal_sendv(const struct iovec *fields, int count) {
  char *datagram = malloc(1 << 21), *end = datagram;
  for (int index = 0; index < count; index++) {
    memcpy(end, fields[index].iov_base, fields[index].iov_len);
    end += fields[index].iov_len;
    *end++ = '\n';
  }
  ssize_t sent = send_entry(datagram, end - datagram);
  free(datagram);
  return sent < 0 ? -errno : 0;
}

// MARK: Reading

struct sd_journal {
  char *bytes;
  size_t size;
  size_t position, current, next_field;
  char *matches[8];
  int count;
  int64_t since;
};

/* The next field of an entry: its start and length without the line end; moves `place` on. */
static const char *field(const char *bytes, size_t size, size_t *place, size_t *length) {
  if (*place >= size) return NULL;
  const char *start = bytes + *place, *end = memchr(start, '\n', size - *place);
  if (!end) return NULL;
  const char *equals = memchr(start, '=', end - start);
  if (!equals) {  // NAME, eight bytes of length, the value
    uint64_t value;
    memcpy(&value, end + 1, sizeof value);
    *place = end + 1 + sizeof value + value + 1 - bytes;
    return field(bytes, size, place, length);
  }
  *length = end - start;
  *place = end + 1 - bytes;
  return start;
}

static void load(sd_journal *journal) {
  struct stat status;
  fstat(journal_file(), &status);
  journal->bytes = realloc(journal->bytes, status.st_size + 1);
  journal->size = syscall(SYS_pread64, journal_file(), journal->bytes, status.st_size, 0);
}

void sd_journal_flush_matches(sd_journal *journal) {
  while (journal->count > 0) free(journal->matches[--journal->count]);
}

int sd_journal_open(sd_journal **place, int flags) {
  (void)flags;
  sd_journal *journal = calloc(1, sizeof *journal);
  load(journal);
  *place = journal;
  return 0;
}

void sd_journal_close(sd_journal *journal) {
  sd_journal_flush_matches(journal);
  free(journal->bytes);
  free(journal);
}

/* All entries are this user's. */
int sd_journal_add_match(sd_journal *journal, const void *data, size_t size) {
  if (size >= 5 && !memcmp(data, "_UID=", 5)) return 0;
  if (journal->count == 8) return -E2BIG;
  journal->matches[journal->count++] = strndup(data, size);
  return 0;
}

int sd_journal_seek_realtime_usec(sd_journal *journal, uint64_t time) {
  journal->position = 0;
  journal->since = time;
  return 0;
}

static int is_match(sd_journal *journal, const char *bytes, size_t size) {
  size_t place = 0, length;
  const char *found;
  while ((found = field(bytes, size, &place, &length)))
    for (int index = 0; index < journal->count; index++) {
      const char *match = journal->matches[index];
      if (strlen(match) == length && !memcmp(match, found, length)) return 1;
    }
  return 0;
}

int sd_journal_next(sd_journal *journal) {
  const char *wanted = journal->count ? journal->matches[0] : "";
  if (is_missing(LOOK_UP) && !strncmp(wanted, "GEOREMIND_FIRING_ID", 19)) return 0;
  struct entry head;
  while (journal->position + sizeof head <= journal->size) {
    memcpy(&head, journal->bytes + journal->position, sizeof head);
    journal->current = journal->position;
    journal->position += sizeof head + head.size;
    /* An entry from ahead of the clock is older than the step back. */
    int is_recent = head.time <= world->real && head.time + world->journal_delay > world->real;
    if (head.time < journal->since || is_recent) continue;
    if (is_match(journal, journal->bytes + journal->current + sizeof head, head.size)) return 1;
  }
  return 0;
}

int sd_journal_wait(sd_journal *journal, uint64_t timeout) {
  int64_t span = world->journal_delay > 0 ? world->journal_delay : 1000;
  pass_time((uint64_t)span < timeout ? span : (int64_t)timeout);
  load(journal);
  return SD_JOURNAL_APPEND;
}

int sd_journal_get_realtime_usec(sd_journal *journal, uint64_t *time) {
  struct entry head;
  memcpy(&head, journal->bytes + journal->current, sizeof head);
  *time = head.time;
  return 0;
}

void sd_journal_restart_data(sd_journal *journal) { journal->next_field = 0; }

int sd_journal_enumerate_data(sd_journal *journal, const void **data, size_t *length) {
  struct entry head;
  memcpy(&head, journal->bytes + journal->current, sizeof head);
  const char *bytes = journal->bytes + journal->current + sizeof head;
  *data = field(bytes, head.size, &journal->next_field, length);
  return *data != NULL;
}
