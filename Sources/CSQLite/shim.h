#pragma once
#include <sqlite3.h>

/* Swift imports no variadic functions: this stands in for one. */

/* sqlite3_db_config for the switches that take an int; https://sqlite.org/c3ref/c_dbconfig_defensive.html */
static inline int georemind_db_switch(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}
