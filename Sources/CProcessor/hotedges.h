#pragma once

#include "circles.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The nearest edges, field by field in one array. What they show of a place, and the copying of those that are near, is
// written twice: four by four for every processor, and sixteen by sixteen for those that have AVX-512, which spares a
// fifth of a drive's time among many fences. Both do the same operations on each number in the same order, so that they
// answer bit for bit the same.

enum {
  /// Numbers from one field of the hot edges to the next.
  hot_room = 64,
  /// No more edges are copied: then sixteen more could still be written.
  hot_most = 48,
  // Where fields begin. The first three are the way from the middle of the disc to the centre of a circle.
  hot_x = 0,
  hot_y = hot_room,
  hot_z = 2 * hot_room,
  hot_radius = 3 * hot_room,
  /// By how much the edge may be off.
  hot_doubt = 4 * hot_room,
  /// On which side of it the receiver is: -1 inside, 1 outside.
  hot_side = 5 * hot_room,
  hot_fields = 6 * hot_room,
};

/// Four circles of a level, as `NearGroup` has them.
struct near_group {
  four_floats x, y, z, radius, doubt, side;
  four_ints tag;
};

/// What hot edges show of a place.
struct hot_sight {
  /// Metres to the nearest edge, at least; 0 or less where one may have been crossed.
  float clearance;
  /// The same to whichever side of each edge; 0 or less where it is in doubt on which.
  float sure;
  /// A bit for each edge, the first one lowest: set where it is no more than a limit to it.
  uint64_t crossed;
};

/// What has been copied to the hot edges.
struct hot_copies {
  /// How many edges there are.
  uint32_t edges;
  /// Metres to the nearest edge of a level that was not copied, at least.
  float nearest;
};

static inline four_floats four_at(const float *numbers) {
  four_floats result;
  memcpy(&result, numbers, sizeof result);
  return result;
}

/// From a place to four hot edges, negative on the other side than it was on.
static inline four_floats hot_beyond(const float *hot, uint32_t i, float x, float y, float z) {
  return edges(four_at(hot + hot_x + i) - x, four_at(hot + hot_y + i) - y, four_at(hot + hot_z + i) - z,
               four_at(hot + hot_radius + i)) *
         four_at(hot + hot_side + i);
}

/// A bit for each hot edge, the first one lowest: set where it is no more than a limit to it from a place.
static inline uint64_t hot_crossed(const float *hot, uint32_t edges, float x, float y, float z, float limit) {
  uint64_t crossed = 0;
  for (uint32_t i = 0; i < edges; i += 4) {
    four_floats clearance = hot_beyond(hot, i, x, y, z) - four_at(hot + hot_doubt + i);
    crossed |= (uint64_t)not_above(clearance, limit) << i;
  }
  return crossed;
}

/// What the first hot edges show of a place, given by the way to it from the middle of the disc. Behind the last edge
/// there must be twelve unused ones at least.
static inline struct hot_sight hot_look(const float *hot, uint32_t edges, float x, float y, float z, float limit) {
  four_floats clearance = __builtin_inff(), sure = __builtin_inff();
  for (uint32_t i = 0; i < edges; i += 4) {
    four_floats beyond = hot_beyond(hot, i, x, y, z), doubt = four_at(hot + hot_doubt + i);
    clearance = lesser_of(beyond - doubt, clearance);
    sure = lesser_of(__builtin_elementwise_abs(beyond) - doubt, sure);
  }
  float least = least_of(clearance);
  // Mostly it is none.
  uint64_t crossed = least <= limit ? hot_crossed(hot, edges, x, y, z, limit) : 0;
  return (struct hot_sight){least, least_of(sure), crossed};
}

/// Where an edge was copied from: the number of the group in its level, the level and the lane.
static inline uint32_t hot_home(uint32_t group, uint32_t level, uint32_t lane) {
  return group << 5 | level << 2 | lane;
}

/// Copies those of the edges of a level behind the first hot ones that are no farther than a limit, `x`, `y` and `z`
/// being the way from where they are told from to the middle of the disc. Sixteen at a time are copied or left: left
/// where there is no room for all that are near.
static inline struct hot_copies hot_copy(const struct near_group *groups, uint32_t count, float x, float y, float z,
                                         float limit, uint32_t level, uint32_t first, float *hot,
                                         uint32_t *homes) {
  four_floats nearest = __builtin_inff();
  for (uint32_t i = 0; i < count; i += 4) {
    uint32_t here = count - i < 4 ? count - i : 4, kept = 0;
    four_floats clearance[4];
    for (uint32_t j = 0; j < here; j++) {
      const struct near_group *group = groups + i + j;
      clearance[j] = edges(group->x - x, group->y - y, group->z - z, group->radius) * group->side - group->doubt;
      kept |= not_above(clearance[j], limit) << 4 * j;
    }
    if (first + (uint32_t)__builtin_popcount(kept) > hot_most) kept = 0;
    float copied = kept ? limit : -__builtin_inff();
    for (uint32_t j = 0; j < here; j++)
      nearest = lesser_of(clearance[j] <= copied ? (four_floats)__builtin_inff() : clearance[j], nearest);
    for (; kept; kept &= kept - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(kept);
      const float *from = (const float *)(groups + i + lane / 4) + lane % 4;
      hot[hot_x + first] = from[0] - x;
      hot[hot_y + first] = from[4] - y;
      hot[hot_z + first] = from[8] - z;
      hot[hot_radius + first] = from[12];
      hot[hot_doubt + first] = from[16];
      hot[hot_side + first] = from[20];
      homes[first] = hot_home(i + lane / 4, level, lane % 4);
      first++;
    }
  }
  return (struct hot_copies){first, least_of(nearest)};
}

/// Makes the sixteen behind the last hot edge unused: farther than any other.
static inline void hot_end(float *hot, uint32_t edges) {
  for (uint32_t i = edges; i < edges + 16; i++) {
    hot[hot_radius + i] = -1e30f;
    hot[hot_doubt + i] = 0;
    hot[hot_side + i] = 1;
  }
}

#if defined(__x86_64__)

/// Whether the processor has vectors of sixteen floats, and the system keeps them.
static inline _Bool has_wide_vectors(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}

#define WIDE __attribute__((target("avx512f"), noinline))
#define WIDE_PART __attribute__((target("avx512f"), always_inline))

WIDE_PART static inline __m512 wide_edges(__m512 x, __m512 y, __m512 z, __m512 radius) {
  __m512 squares = _mm512_add_ps(_mm512_add_ps(_mm512_mul_ps(x, x), _mm512_mul_ps(y, y)), _mm512_mul_ps(z, z));
  return _mm512_sub_ps(_mm512_sqrt_ps(squares), radius);
}

/// `hot_look`.
WIDE static struct hot_sight hot_look_wide(const float *hot, uint32_t edges, float x, float y, float z,
                                           float limit) {
  uint64_t crossed = 0;
  __m512 clearance = _mm512_set1_ps(__builtin_inff()), sure = clearance;
  __m512 px = _mm512_set1_ps(x), py = _mm512_set1_ps(y), pz = _mm512_set1_ps(z);
  for (uint32_t i = 0; i < edges; i += 16) {
    __m512 beyond = _mm512_mul_ps(
        wide_edges(_mm512_sub_ps(_mm512_loadu_ps(hot + hot_x + i), px),
                   _mm512_sub_ps(_mm512_loadu_ps(hot + hot_y + i), py),
                   _mm512_sub_ps(_mm512_loadu_ps(hot + hot_z + i), pz), _mm512_loadu_ps(hot + hot_radius + i)),
        _mm512_loadu_ps(hot + hot_side + i));
    __m512 doubt = _mm512_loadu_ps(hot + hot_doubt + i);
    __m512 here = _mm512_sub_ps(beyond, doubt);
    crossed |= (uint64_t)_mm512_cmp_ps_mask(here, _mm512_set1_ps(limit), _CMP_LE_OQ) << i;
    clearance = _mm512_min_ps(here, clearance);
    sure = _mm512_min_ps(_mm512_sub_ps(_mm512_abs_ps(beyond), doubt), sure);
  }
  return (struct hot_sight){_mm512_reduce_min_ps(clearance), _mm512_reduce_min_ps(sure), crossed};
}

/// The same field of four groups.
WIDE_PART static inline __m512 wide_field(const four_floats *a, const four_floats *b, const four_floats *c,
                                          const four_floats *d) {
  __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)*a), (__m128)*b, 1);
  __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256((__m128)*c), (__m128)*d, 1);
  return _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_castps_pd(low)), _mm256_castps_pd(high), 1));
}

/// `hot_copy`.
WIDE static struct hot_copies hot_copy_wide(const struct near_group *groups, uint32_t count, float x, float y,
                                            float z, float limit, uint32_t level, uint32_t first, float *hot,
                                            uint32_t *homes) {
  __m512 nearest = _mm512_set1_ps(__builtin_inff());
  __m512 px = _mm512_set1_ps(x), py = _mm512_set1_ps(y), pz = _mm512_set1_ps(z);
  __m512i home = _mm512_add_epi32(_mm512_setr_epi32(0, 1, 2, 3, 32, 33, 34, 35, 64, 65, 66, 67, 96, 97, 98, 99),
                                  _mm512_set1_epi32((int32_t)(level << 2)));
  for (uint32_t i = 0; i < count; i += 4) {
    // Where there are less than four groups the last one stands for those that lack.
    uint32_t last = count - 1 - i;
    const struct near_group *a = groups + i, *b = a + (last < 1 ? last : 1), *c = a + (last < 2 ? last : 2),
                            *d = a + (last < 3 ? last : 3);
    __mmask16 here = last < 3 ? (__mmask16)(0xFFFF >> (12 - 4 * last)) : 0xFFFF;
#define FIELD(name) wide_field(&a->name, &b->name, &c->name, &d->name)
    __m512 wx = _mm512_sub_ps(FIELD(x), px), wy = _mm512_sub_ps(FIELD(y), py), wz = _mm512_sub_ps(FIELD(z), pz);
    __m512 radius = FIELD(radius), doubt = FIELD(doubt), side = FIELD(side);
#undef FIELD
    __m512 clearance = _mm512_sub_ps(_mm512_mul_ps(wide_edges(wx, wy, wz, radius), side), doubt);
    __mmask16 kept = _mm512_mask_cmp_ps_mask(here, clearance, _mm512_set1_ps(limit), _CMP_LE_OQ);
    uint32_t more = (uint32_t)__builtin_popcount(kept);
    if (first + more > hot_most) kept = 0, more = 0;
    nearest = _mm512_mask_min_ps(nearest, here & (__mmask16)~kept, clearance, nearest);
    _mm512_storeu_ps(hot + hot_x + first, _mm512_maskz_compress_ps(kept, wx));
    _mm512_storeu_ps(hot + hot_y + first, _mm512_maskz_compress_ps(kept, wy));
    _mm512_storeu_ps(hot + hot_z + first, _mm512_maskz_compress_ps(kept, wz));
    _mm512_storeu_ps(hot + hot_radius + first, _mm512_maskz_compress_ps(kept, radius));
    _mm512_storeu_ps(hot + hot_doubt + first, _mm512_maskz_compress_ps(kept, doubt));
    _mm512_storeu_ps(hot + hot_side + first, _mm512_maskz_compress_ps(kept, side));
    _mm512_storeu_si512(homes + first, _mm512_maskz_compress_epi32(kept, home));
    first += more;
    home = _mm512_add_epi32(home, _mm512_set1_epi32(4 << 5));
  }
  return (struct hot_copies){first, _mm512_reduce_min_ps(nearest)};
}

#undef WIDE
#undef WIDE_PART

#else

static inline _Bool has_wide_vectors(void) { return 0; }

static inline struct hot_sight hot_look_wide(const float *hot, uint32_t edges, float x, float y, float z,
                                             float limit) {
  return hot_look(hot, edges, x, y, z, limit);
}

static inline struct hot_copies hot_copy_wide(const struct near_group *groups, uint32_t count, float x, float y,
                                              float z, float limit, uint32_t level, uint32_t first, float *hot,
                                              uint32_t *homes) {
  return hot_copy(groups, count, x, y, z, limit, level, first, hot, homes);
}

#endif
