#pragma once

#include "vectors.h"

// Products and sums are rounded one after the other on every processor. Where one instruction does both with a single
// rounding, the compiler would use it for what is written with operators, but not for intrinsics, and the two ways of
// `hotedges.h` and `edgelist.h` would no longer answer alike. This holds for all that follows, in the headers
// that include this one too.
#pragma clang fp contract(off)

// Four circles at once. As operators of Swift's vectors these come out in parts of two, with moves between them.

typedef float four_floats __attribute__((ext_vector_type(4)));

/// From a place to the edges of circles given by their centres and radii, negative inside.
static inline four_floats edges(four_floats x, four_floats y, four_floats z, four_floats radius) {
  return __builtin_elementwise_sqrt(x * x + y * y + z * z) - radius;
}

/// The lesser of two in each lane.
static inline four_floats lesser_of(four_floats a, four_floats b) { return a < b ? a : b; }

/// The least of four numbers.
static inline float least_of(four_floats numbers) {
  four_floats halves = lesser_of(numbers.zwzw, numbers);
  return halves.y < halves.x ? halves.y : halves.x;
}

/// The same four but for one, given by its number, 0 to 3. As an operator of Swift's vectors it becomes a jump to one
/// of four places, which cannot be foreseen.
static inline four_floats with_number(four_floats numbers, int32_t lane, float number) {
  return (four_ints){0, 1, 2, 3} == lane ? (four_floats)number : numbers;
}

/// The same for whole numbers.
static inline four_ints with_whole_number(four_ints numbers, int32_t lane, int32_t number) {
  return (four_ints){0, 1, 2, 3} == lane ? (four_ints)number : numbers;
}

/// All bits of each of four numbers that is among four others, none of the rest.
static inline four_ints found_among(four_ints others, four_ints numbers) {
  return numbers == others | numbers == others.yzwx | numbers == others.zwxy | numbers == others.wxyz;
}

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
