#pragma once

#include "hotedges.h"

// Ways over the Earth's surface in single precision, and how much slack they leave: four by four for every processor, and
// sixteen by sixteen for those that have AVX-512. Both do the same operations on each number in the same order, so that they
// answer bit for bit the same.

/// The greater of two in each lane; the first where one of them is no number.
static inline four_floats greater_of(four_floats a, four_floats b) { return b > a ? b : a; }

/// Great-circle metres from one place to four others, all given as directions from the Earth's centre.
///
/// The arc over a chord c is c (1 + p(c²)), the terms of p by least squares on Chebyshev's nodes: up to a chord of 1, a sixth
/// of a great circle, it is off by 1.2e-7 of it. Beyond it is too little, and never less than that sixth. What waits for the
/// root is as little as can be: one look at a shelf with few on it takes as long as the longest row of steps.
static inline four_floats great_circle_metres(four_floats x, four_floats y, four_floats z,
                                              float here_x, float here_y, float here_z,
                                              float radius) {
  four_floats dx = x - here_x, dy = y - here_y, dz = z - here_z;
  four_floats square = dx * dx + dy * dy + dz * dz;
  four_floats fourth = square * square;
  four_floats low = 0.0416639825f * square + 1.0f;
  four_floats high = (0.000622785625f * square + 0.00471368f) + 0.000197093477f * fourth;
  return (__builtin_elementwise_sqrt(square) * radius) * (low + high * fourth);
}

/// Four stretches over which a way takes longer; where there are fewer, some that add nothing.
struct way_rises {
  /// Metres.
  four_floats starts, lengths;
  /// Seconds a metre, by a share more than there are.
  four_floats slopes;
};

/// What four rises add together at each of four distances: each from a start on, so long, by a slope.
static inline four_floats risen(four_floats distance, const struct way_rises *rises) {
  four_floats none = 0.0f, parts[4];
  for (int i = 0; i < 4; i++)
    parts[i] = rises->slopes[i] *
               lesser_of(greater_of(none, distance - rises->starts[i]), (four_floats)rises->lengths[i]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

enum {
  /// So many lie together on a shelf, each field of theirs by itself.
  shelf_lanes = 16,
  // Where fields begin, by numbers.
  shelf_x = 0,
  shelf_y = shelf_lanes,
  shelf_z = 2 * shelf_lanes,
  /// Seconds.
  shelf_moment = 3 * shelf_lanes,
  /// Which one it is: a whole number's bits, of which none are reckoned with.
  shelf_index = 4 * shelf_lanes,
  /// Numbers for each sixteen.
  shelf_block = 5 * shelf_lanes,
};

/// The moment and the place of a look.
struct shelf_view {
  /// Seconds.
  float now;
  float x, y, z;
};

/// How a slack is told that is never more than there is.
struct shelf_rule {
  /// Of the Earth, metres, by a share more than there are.
  float radius;
  /// Metres that a way may be longer than it is told.
  float doubtful_way;
  /// One less the share by which a time may be told too long.
  float shorter;
  /// Seconds that a way of no length takes, by a share more than there are, and those that a time may be told too long.
  float no_way;
};

/// Which stay on a shelf; the others are told.
struct shelf_bounds {
  /// Seconds of slack.
  float least, most;
  /// Metres.
  float nearest, farthest;
  /// Seconds until the moment.
  float shortest;
};

/// One that does not stay.
struct shelf_stray {
  /// Which one it is.
  int32_t index;
  /// Its number on the shelf.
  int32_t number;
  /// Seconds that it has at least.
  float slack;
  /// Metres.
  float distance;
  /// Seconds until the moment.
  float left;
  /// Its numbers there.
  float x, y, z, moment;
};

/// What a look tells of those that stay.
struct shelf_sight {
  /// Seconds of slack that each of them has at least; infinite where there is none.
  float least;
  /// Seconds of slack that one of them has at least.
  float most;
  /// Metres to the nearest one.
  float nearest;
  /// How many do not stay.
  uint32_t strays;
};

/// A bit for each of four, the first one lowest: set where one of its numbers is below its least or above its most.
/// What is no number is neither.
static inline uint32_t strays(four_floats slack, four_floats distance, four_floats left, struct shelf_bounds bounds) {
  return signs((slack < bounds.least) | (slack > bounds.most) | (distance < bounds.nearest) |
               (distance > bounds.farthest) | (left < bounds.shortest));
}

/// Four numbers, those in the place of set bits being another.
static inline four_floats with_numbers(four_floats numbers, uint32_t lanes, float number) {
  four_ints bits = {1, 2, 4, 8};
  return (bits & (int32_t)lanes) != 0 ? (four_floats)number : numbers;
}

/// One on a shelf, by its number there, and what has been told of it.
static inline struct shelf_stray shelf_stray_at(const float *blocks, uint32_t number, float slack, float distance,
                                                float left) {
  const float *start = blocks + number / shelf_lanes * shelf_block + number % shelf_lanes;
  int32_t index;
  __builtin_memcpy(&index, start + shelf_index, sizeof index);
  return (struct shelf_stray){index,          (int32_t)number, slack,          distance,           left,
                              start[shelf_x], start[shelf_y],  start[shelf_z], start[shelf_moment]};
}

/// Looks at all on a shelf. Behind the last one there must be whole blocks of numbers that are none; for as many as there are
/// there must be room for strays.
static inline struct shelf_sight shelf_look(const float *blocks, uint32_t count,
                                            struct shelf_view view, struct shelf_rule rule,
                                            const struct way_rises *rises, uint32_t rise_count,
                                            struct shelf_bounds bounds, struct shelf_stray *found) {
  float infinity = __builtin_inff();
  four_floats least = infinity, nearest = infinity, most = -infinity;
  uint32_t known = 0;
  for (uint32_t i = 0; i < count; i += 4) {
    const float *block = blocks + i / shelf_lanes * shelf_block + i % shelf_lanes;
    four_floats distance =
        great_circle_metres(four_at(block + shelf_x), four_at(block + shelf_y), four_at(block + shelf_z), view.x,
                            view.y, view.z, rule.radius) +
        rule.doubtful_way;
    four_floats left = four_at(block + shelf_moment) - view.now;
    four_floats slack = left * rule.shorter - rule.no_way;
    for (uint32_t j = 0; j < rise_count; j++) slack = slack - risen(distance, rises + j);
    uint32_t others = strays(slack, distance, left, bounds);
    if (!others) {
      least = lesser_of(slack, least);
      most = greater_of(most, slack);
      nearest = lesser_of(distance, nearest);
      continue;
    }
    least = lesser_of(with_numbers(slack, others, infinity), least);
    most = greater_of(most, with_numbers(slack, others, -infinity));
    nearest = lesser_of(with_numbers(distance, others, infinity), nearest);
    for (; others; others &= others - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(others);
      if (i + lane < count)
        found[known++] = shelf_stray_at(blocks, i + lane, slack[lane], distance[lane], left[lane]);
    }
  }
  return (struct shelf_sight){least_of(least), -least_of(-most), least_of(nearest), known};
}

#if defined(__x86_64__)

#define WIDE __attribute__((target("avx512f"), noinline))
#define WIDE_PART __attribute__((target("avx512f"), always_inline))

/// `great_circle_metres`.
WIDE_PART static inline __m512 wide_great_circle(const float *block, struct shelf_view view, float radius) {
  __m512 dx = _mm512_sub_ps(_mm512_loadu_ps(block + shelf_x), _mm512_set1_ps(view.x));
  __m512 dy = _mm512_sub_ps(_mm512_loadu_ps(block + shelf_y), _mm512_set1_ps(view.y));
  __m512 dz = _mm512_sub_ps(_mm512_loadu_ps(block + shelf_z), _mm512_set1_ps(view.z));
  __m512 square = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy)), _mm512_mul_ps(dz, dz));
  __m512 fourth = _mm512_mul_ps(square, square);
  __m512 low = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(0.0416639825f), square), _mm512_set1_ps(1.0f));
  __m512 high = _mm512_add_ps(_mm512_mul_ps(_mm512_set1_ps(0.000622785625f), square), _mm512_set1_ps(0.00471368f));
  high = _mm512_add_ps(high, _mm512_mul_ps(_mm512_set1_ps(0.000197093477f), fourth));
  return _mm512_mul_ps(_mm512_mul_ps(_mm512_sqrt_ps(square), _mm512_set1_ps(radius)),
                       _mm512_add_ps(low, _mm512_mul_ps(high, fourth)));
}

/// One part of `risen`.
WIDE_PART static inline __m512 wide_rise(__m512 distance, const struct way_rises *rises, int number) {
  // The second where the first is no number, as for the greater of four.
  __m512 beyond = _mm512_max_ps(_mm512_sub_ps(distance, _mm512_set1_ps(rises->starts[number])), _mm512_setzero_ps());
  return _mm512_mul_ps(_mm512_set1_ps(rises->slopes[number]),
                       _mm512_min_ps(beyond, _mm512_set1_ps(rises->lengths[number])));
}

/// `shelf_look`.
WIDE static struct shelf_sight shelf_look_wide(const float *blocks, uint32_t count,
                                               struct shelf_view view, struct shelf_rule rule,
                                               const struct way_rises *rises, uint32_t rise_count,
                                               struct shelf_bounds bounds, struct shelf_stray *found) {
  __m512 least = _mm512_set1_ps(__builtin_inff()), nearest = least, most = _mm512_set1_ps(-__builtin_inff());
  uint32_t known = 0;
  for (uint32_t i = 0; i < count; i += shelf_lanes) {
    const float *block = blocks + i / shelf_lanes * shelf_block;
    __m512 distance =
        _mm512_add_ps(wide_great_circle(block, view, rule.radius), _mm512_set1_ps(rule.doubtful_way));
    __m512 left = _mm512_sub_ps(_mm512_loadu_ps(block + shelf_moment), _mm512_set1_ps(view.now));
    __m512 slack = _mm512_sub_ps(_mm512_mul_ps(left, _mm512_set1_ps(rule.shorter)), _mm512_set1_ps(rule.no_way));
    for (uint32_t j = 0; j < rise_count; j++)
      slack = _mm512_sub_ps(
          slack, _mm512_add_ps(_mm512_add_ps(wide_rise(distance, rises + j, 0), wide_rise(distance, rises + j, 1)),
                               _mm512_add_ps(wide_rise(distance, rises + j, 2), wide_rise(distance, rises + j, 3))));
    __mmask16 others = _mm512_cmp_ps_mask(slack, _mm512_set1_ps(bounds.least), _CMP_LT_OQ) |
                       _mm512_cmp_ps_mask(slack, _mm512_set1_ps(bounds.most), _CMP_GT_OQ) |
                       _mm512_cmp_ps_mask(distance, _mm512_set1_ps(bounds.nearest), _CMP_LT_OQ) |
                       _mm512_cmp_ps_mask(distance, _mm512_set1_ps(bounds.farthest), _CMP_GT_OQ) |
                       _mm512_cmp_ps_mask(left, _mm512_set1_ps(bounds.shortest), _CMP_LT_OQ);
    __mmask16 stay = (__mmask16)~others;
    least = _mm512_mask_min_ps(least, stay, slack, least);
    most = _mm512_mask_max_ps(most, stay, slack, most);
    nearest = _mm512_mask_min_ps(nearest, stay, distance, nearest);
    if (!others) continue;
    float slacks[shelf_lanes], distances[shelf_lanes], lefts[shelf_lanes];
    _mm512_storeu_ps(slacks, slack);
    _mm512_storeu_ps(distances, distance);
    _mm512_storeu_ps(lefts, left);
    for (uint32_t rest = others; rest; rest &= rest - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(rest);
      if (i + lane < count)
        found[known++] = shelf_stray_at(blocks, i + lane, slacks[lane], distances[lane], lefts[lane]);
    }
  }
  return (struct shelf_sight){_mm512_reduce_min_ps(least), _mm512_reduce_max_ps(most), _mm512_reduce_min_ps(nearest),
                              known};
}

#undef WIDE
#undef WIDE_PART

#else

static inline struct shelf_sight shelf_look_wide(const float *blocks, uint32_t count,
                                                 struct shelf_view view, struct shelf_rule rule,
                                                 const struct way_rises *rises, uint32_t rise_count,
                                                 struct shelf_bounds bounds, struct shelf_stray *found) {
  return shelf_look(blocks, count, view, rule, rises, rise_count, bounds, found);
}

#endif
