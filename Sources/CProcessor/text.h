#pragma once

#include <stdint.h>
#include <string.h>

/// A bit for each of sixteen bytes, the first one lowest: set where it is below '+', or 0x7F or above.
/// Swift's vectors have no such mask of bits, and compare one byte after the other.
static inline uint16_t unusual_text(const void *bytes) {
  typedef int8_t block __attribute__((ext_vector_type(16)));
  typedef _Bool bits __attribute__((ext_vector_type(16)));
  block text;
  memcpy(&text, bytes, sizeof text);
  // As numbers with a sign those of 0x80 and above are negative.
  bits marks = __builtin_convertvector(text < '+' | text == 0x7F, bits);
  uint16_t result;
  memcpy(&result, &marks, sizeof result);
  return result;
}
