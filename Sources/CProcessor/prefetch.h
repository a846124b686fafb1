#pragma once

/// Asks for the cache line at an address, which need not be there; nothing else happens.
static inline void prefetch(const void *address) {
  __builtin_prefetch(address);
}
