/* A daemon without transactions: each statement is a commit of its own. */

#include "world.h"
#include <dlfcn.h>
#include <string.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef int prepare(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **);

int sqlite3_prepare_v3(
    sqlite3 *database, const char *sql, int size, unsigned flags, sqlite3_stmt **statement,
    const char **rest) {
  static prepare *real;
  if (!real) real = (prepare *)dlsym(RTLD_NEXT, "sqlite3_prepare_v3");
  int is_bracket = !strcmp(sql, "BEGIN IMMEDIATE") || !strcmp(sql, "COMMIT");
  if (is_missing(TRANSACTIONS) && is_bracket) sql = "SELECT 1", size = -1;
  return real(database, sql, size, flags, statement, rest);
}
