#pragma once

#include "circles.h"

// Four ways over the Earth's surface at once, in single precision.

/// The greater of two in each lane; the first where the second is no number.
static inline four_floats greater_of(four_floats a, four_floats b) { return b > a ? b : a; }

/// Great-circle metres from one place to four others, all given as directions from the Earth's centre.
///
/// The arc sine is h (1 + s p(s)) of h and s = h², p by least squares on Chebyshev's nodes: up to s = 1/4, a sixth of a
/// great circle, it is off by 1.2e-7 of it. Beyond it is too little, and never less than that sixth.
static inline four_floats great_circle_metres(four_floats x, four_floats y, four_floats z,
                                              float here_x, float here_y, float here_z,
                                              float diameter) {
  four_floats dx = x - here_x, dy = y - here_y, dz = z - here_z;
  four_floats s = (dx * dx + dy * dy + dz * dz) * 0.25f;
  four_floats p = 0.05045593f * s + 0.03985828f;
  p = p * s + 0.07541888f;
  p = p * s + 0.16665593f;
  four_floats h = __builtin_elementwise_sqrt(s);
  return (h + h * s * p) * diameter;
}

/// What four rises add together at each of four distances: each from a start on, so long, by a slope.
static inline four_floats risen(four_floats distance, four_floats start, four_floats length, four_floats slope) {
  four_floats none = 0.0f;
  four_floats first = slope[0] * lesser_of(greater_of(none, distance - start[0]), (four_floats)length[0]);
  four_floats second = slope[1] * lesser_of(greater_of(none, distance - start[1]), (four_floats)length[1]);
  four_floats third = slope[2] * lesser_of(greater_of(none, distance - start[2]), (four_floats)length[2]);
  four_floats fourth = slope[3] * lesser_of(greater_of(none, distance - start[3]), (four_floats)length[3]);
  return (first + second) + (third + fourth);
}

/// A bit for each of four, the first one lowest: set where one of its numbers is below its least or above its most.
/// What is no number is neither.
static inline uint32_t strays(four_floats slack, float least, float most,
                              four_floats distance, float nearest, float farthest,
                              four_floats left, float shortest) {
  return signs((slack < least) | (slack > most) | (distance < nearest) | (distance > farthest) | (left < shortest));
}

/// Four numbers, those in the place of set bits being another.
static inline four_floats with_numbers(four_floats numbers, uint32_t lanes, float number) {
  four_ints bits = {1, 2, 4, 8};
  return (bits & (int32_t)lanes) != 0 ? (four_floats)number : numbers;
}
