#pragma once

#include "vectors.h"

// Four circles at once. As operators of Swift's vectors these come out in parts of two, with moves between them.

typedef float four_floats __attribute__((ext_vector_type(4)));

/// From a place to the edges of circles given by their centres and radii, negative inside.
static inline four_floats edges(four_floats x, four_floats y, four_floats z, four_floats radius) {
  return __builtin_elementwise_sqrt(x * x + y * y + z * z) - radius;
}

/// The lesser of two in each lane.
static inline four_floats lesser_of(four_floats a, four_floats b) { return a < b ? a : b; }

/// A bit for each of four numbers, the first one lowest: set where it is not above another.
static inline uint32_t not_above(four_floats numbers, four_floats limits) {
  return signs(numbers <= limits);
}

/// The first of each two neighbours.
static inline four_floats firsts(eight_shorts pairs) {
  return __builtin_convertvector((four_ints)pairs << 16 >> 16, four_floats);
}

/// The second of each two neighbours.
static inline four_floats seconds(eight_shorts pairs) {
  return __builtin_convertvector((four_ints)pairs >> 16, four_floats);
}
