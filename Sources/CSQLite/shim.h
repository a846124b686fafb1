#pragma once
#include <sqlite3.h>

/* Swift imports neither variadic functions nor the SQLITE_TRANSIENT cast: these stand in for them. */

/* sqlite3_db_config for the switches that take an int; https://sqlite.org/c3ref/c_dbconfig_defensive.html */
static inline int georemind_db_switch(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

/* sqlite3_bind_text64 with SQLite taking a copy of the UTF-8 bytes. */
static inline int georemind_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
