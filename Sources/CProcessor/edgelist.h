#pragma once

#include "hotedges.h"

// The reading of a cell's list, written twice as what `hotedges.h` does: what most entries tell by themselves is sorted
// out, the rest is left to a closer look.

/// Four fences as a cell lists them: `EntryGroup`.
struct entry_group {
  eight_shorts xy, zr;
  four_ints tag;
};

/// A place as the entries of a level see it, and what counts there. Lengths are quanta but for the quantum itself.
struct list_view {
  /// x in the lower half, y in the upper.
  int32_t xy;
  int32_t z;
  /// What differences from it are to be corrected by, as `QuantisedPlace.middle` has it: half a quantum at the most.
  float middle_x, middle_y, middle_z;
  /// How far an edge is that is near, at the most.
  float skin;
  /// How far an edge may be off.
  float doubt;
  /// Metres.
  float quantum;
  /// All bits set where only edges count, none else: what is near is told with those of its number flipped.
  int32_t flip;
};

/// What has been found in a part of a list.
struct list_findings {
  /// Groups of edges that are near.
  uint32_t near;
  /// Fences that hold the place.
  uint32_t held;
  /// A bit for each four entries that have to be looked at closer: nothing of these is among the others.
  uint32_t asked;
  /// Metres to the nearest edge that is near, at least.
  float nearest;
};

enum {
  /// Groups of entries that are read at once, at most.
  list_most = 16,
  /// Room that is needed for the numbers of fences, of which the last are not used.
  list_room = 80,
};

/// Edges that are near, field by field. The last sixteen are room.
struct near_lanes {
  float x[list_room], y[list_room], z[list_room], radius[list_room], side[list_room];
  int32_t tag[list_room];
};

static inline four_ints four_tags_at(const int32_t *tags) {
  four_ints result;
  memcpy(&result, tags, sizeof result);
  return result;
}

/// Puts edges together by four, the last ones with lanes that have none.
static inline uint32_t list_groups(struct near_lanes *lanes, uint32_t edges, float doubt, struct near_group *near) {
  for (uint32_t i = edges; i < edges + 3; i++) {
    lanes->x[i] = lanes->y[i] = lanes->z[i] = 0;
    lanes->radius[i] = -1e30f;
    lanes->side[i] = 1;
    lanes->tag[i] = -1;
  }
  uint32_t groups = (edges + 3) / 4;
  for (uint32_t i = 0; i < groups; i++) {
    near[i].x = four_at(lanes->x + 4 * i);
    near[i].y = four_at(lanes->y + 4 * i);
    near[i].z = four_at(lanes->z + 4 * i);
    near[i].radius = four_at(lanes->radius + 4 * i);
    near[i].doubt = doubt;
    near[i].side = four_at(lanes->side + 4 * i);
    near[i].tag = four_tags_at(lanes->tag + 4 * i);
  }
  return groups;
}

/// A bit for each entry of up to sixteen groups: set where the place is in the circle or no farther from its edge than
/// the z with a margin above it says, as `QuantisedPlace.candidates` has it.
static inline uint64_t list_candidates(const struct entry_group *entries, uint32_t count, four_ints xy, four_ints z) {
  uint64_t candidates = 0;
  for (uint32_t i = 0; i < count; i++) {
    eight_shorts across = entries[i].xy - (eight_shorts)xy, along = entries[i].zr - (eight_shorts)z;
    // z and -r - 1.
    eight_shorts flipped = (eight_shorts)((four_ints)along ^ -65536);
    typedef uint32_t naturals __attribute__((ext_vector_type(4)));
    four_ints excess =
        (four_ints)((naturals)sums_of_products(across, across) + (naturals)sums_of_products(along, flipped));
    candidates |= (uint64_t)signs(excess & ~(four_ints)along) << 4 * i;
  }
  return candidates;
}

/// Finds the edges that are near and the fences that hold the place among up to sixteen groups of entries. `near` has
/// room for as many groups, `held` for `list_room` numbers. Fences that have been told before are told no second time:
/// their numbers are in `told_groups`, `told_count` times four.
static inline struct list_findings list_edges(const struct entry_group *entries, uint32_t count,
                                              struct list_view view, const four_ints *told_groups,
                                              uint32_t told_count, struct near_group *near, int32_t *held) {
  struct near_lanes lanes;
  uint32_t near_count = 0, held_count = 0, asked = 0;
  four_floats nearest = __builtin_inff();
  four_ints xy = view.xy, z = view.z & 0xFFFF;
  // No reach is higher than a cell, 6 434 quanta. What is corrected is 0.87 quanta at the most, and half of one is
  // allowed for already.
  int32_t margin = 2 + (int32_t)(view.skin < 0 ? 0 : view.skin > 16000 ? 16000 : view.skin);
  uint64_t candidates = list_candidates(entries, count, xy, z | (int32_t)((uint32_t)-margin << 16));
  while (candidates != 0) {
    uint32_t i = (uint32_t)__builtin_ctzll(candidates) / 4;
    candidates &= ~(15ULL << 4 * i);
    const struct entry_group *group = entries + i;
    eight_shorts across = group->xy - (eight_shorts)xy, along = group->zr - (eight_shorts)z;
    four_floats wx = firsts(across) + view.middle_x, wy = seconds(across) + view.middle_y;
    four_floats wz = firsts(along) + view.middle_z, radius = seconds(along);
    four_floats edge = edges(wx, wy, wz, radius), away = __builtin_elementwise_abs(edge);
    uint32_t is_near = not_above(away, view.skin), is_held = not_above(edge, 0);
    uint32_t is_shape = signs(group->tag);
    if (told_count && (is_near | is_held)) {
      four_ints found = 0;
      for (uint32_t j = 0; j < told_count; j++) found |= found_among(told_groups[j], group->tag);
      uint32_t is_new = ~signs(found) | is_shape;
      is_near &= is_new, is_held &= is_new;
    }
    if ((is_near & not_above(away, view.doubt)) | (is_shape & (is_near | is_held))) {
      asked |= 1U << i;
      continue;
    }
    for (; is_held; is_held &= is_held - 1) held[held_count++] = group->tag[__builtin_ctz(is_held)];
    if (!is_near) continue;
    four_ints bits = {1, 2, 4, 8};
    nearest = lesser_of(((int32_t)is_near & bits) != 0 ? away : (four_floats)__builtin_inff(), nearest);
    wx *= view.quantum, wy *= view.quantum, wz *= view.quantum, radius *= view.quantum;
    float numbers[4][4];
    memcpy(numbers[0], &wx, 16), memcpy(numbers[1], &wy, 16), memcpy(numbers[2], &wz, 16);
    memcpy(numbers[3], &radius, 16);
    for (; is_near; is_near &= is_near - 1) {
      uint32_t lane = (uint32_t)__builtin_ctz(is_near);
      lanes.x[near_count] = numbers[0][lane];
      lanes.y[near_count] = numbers[1][lane];
      lanes.z[near_count] = numbers[2][lane];
      lanes.radius[near_count] = numbers[3][lane];
      lanes.side[near_count] = edge[lane] < 0 ? -1 : 1;
      lanes.tag[near_count] = group->tag[lane] ^ view.flip;
      near_count++;
    }
  }
  return (struct list_findings){list_groups(&lanes, near_count, view.doubt * view.quantum, near), held_count, asked,
                                (least_of(nearest) - view.doubt) * view.quantum};
}

#if defined(__x86_64__)

#define WIDE __attribute__((target("avx512f,avx512bw"), noinline))

/// `list_edges`.
WIDE static struct list_findings list_edges_wide(const struct entry_group *entries, uint32_t count,
                                                 struct list_view view, const four_ints *told_groups,
                                                 uint32_t told_count, struct near_group *near, int32_t *held) {
  struct near_lanes lanes;
  uint32_t near_count = 0, held_count = 0, asked = 0;
  __m512 nearest = _mm512_set1_ps(__builtin_inff());
  __m512i xy = _mm512_set1_epi32(view.xy), z = _mm512_set1_epi32(view.z & 0xFFFF);
  __m512i flip = _mm512_set1_epi32(view.flip);
  __m512 middle_x = _mm512_set1_ps(view.middle_x), middle_y = _mm512_set1_ps(view.middle_y);
  __m512 middle_z = _mm512_set1_ps(view.middle_z);
  __m512 skin = _mm512_set1_ps(view.skin), doubt = _mm512_set1_ps(view.doubt), quantum = _mm512_set1_ps(view.quantum);
  // Four groups are twelve parts of 128 bits: xy, zr and tag of each in turn.
  const __m512i to_xy = _mm512_setr_epi64(0, 1, 6, 7, 12, 13, 0, 0);
  const __m512i last_xy = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 11);
  const __m512i to_zr = _mm512_setr_epi64(2, 3, 8, 9, 14, 15, 0, 0);
  const __m512i last_zr = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 12, 13);
  const __m512i to_tag = _mm512_setr_epi64(4, 5, 10, 11, 0, 0, 0, 0);
  const __m512i last_tag = _mm512_setr_epi64(0, 1, 2, 3, 8, 9, 14, 15);
  for (uint32_t i = 0; i < count; i += 4) {
    uint32_t here = count - i < 4 ? count - i : 4;
    // What lies behind the list is not touched.
    uint32_t words = (1U << 6 * here) - 1;
    const char *from = (const char *)(entries + i);
    __m512i a = _mm512_maskz_loadu_epi64((__mmask8)words, from);
    __m512i b = _mm512_maskz_loadu_epi64((__mmask8)(words >> 8), from + 64);
    __m512i c = _mm512_maskz_loadu_epi64((__mmask8)(words >> 16), from + 128);
    __m512i across = _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(a, to_xy, b), last_xy, c);
    __m512i along = _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(a, to_zr, b), last_zr, c);
    __m512i tag = _mm512_permutex2var_epi64(_mm512_permutex2var_epi64(a, to_tag, b), last_tag, c);
    across = _mm512_sub_epi16(across, xy);
    along = _mm512_sub_epi16(along, z);
    __m512 wx = _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(across, 16), 16));
    __m512 wy = _mm512_cvtepi32_ps(_mm512_srai_epi32(across, 16));
    __m512 wz = _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(along, 16), 16));
    wx = _mm512_add_ps(wx, middle_x), wy = _mm512_add_ps(wy, middle_y), wz = _mm512_add_ps(wz, middle_z);
    __m512 radius = _mm512_cvtepi32_ps(_mm512_srai_epi32(along, 16));
    __m512 edge = wide_edges(wx, wy, wz, radius), away = _mm512_abs_ps(edge);
    __mmask16 valid = (__mmask16)((1U << 4 * here) - 1);
    __mmask16 is_near = _mm512_mask_cmp_ps_mask(valid, away, skin, _CMP_LE_OQ);
    __mmask16 is_held = _mm512_mask_cmp_ps_mask(valid, edge, _mm512_setzero_ps(), _CMP_LE_OQ);
    __mmask16 is_shape = _mm512_cmplt_epi32_mask(tag, _mm512_setzero_si512());
    if (told_count && (is_near | is_held)) {
      __mmask16 is_told = 0;
      for (uint32_t j = 0; j < told_count; j++) {
        four_ints tags = told_groups[j];
        is_told |= _mm512_cmpeq_epi32_mask(tag, _mm512_set1_epi32(tags.x)) |
                   _mm512_cmpeq_epi32_mask(tag, _mm512_set1_epi32(tags.y)) |
                   _mm512_cmpeq_epi32_mask(tag, _mm512_set1_epi32(tags.z)) |
                   _mm512_cmpeq_epi32_mask(tag, _mm512_set1_epi32(tags.w));
      }
      is_told &= (__mmask16)~is_shape;
      is_near &= (__mmask16)~is_told, is_held &= (__mmask16)~is_told;
    }
    uint32_t special =
        _mm512_mask_cmp_ps_mask(is_near, away, doubt, _CMP_LE_OQ) | (is_shape & (uint32_t)(is_near | is_held));
    if (special) {
      special |= special >> 1;
      special = (special | special >> 2) & 0x1111;
      for (uint32_t j = 0; j < 4; j++) asked |= (special >> 4 * j & 1) << (i + j);
      is_near &= (__mmask16)~(special * 15);
      is_held &= (__mmask16)~(special * 15);
    }
    if (!(is_near | is_held)) continue;
    _mm512_storeu_si512(held + held_count, _mm512_maskz_compress_epi32(is_held, tag));
    held_count += (uint32_t)__builtin_popcount(is_held);
    nearest = _mm512_mask_min_ps(nearest, is_near, away, nearest);
    __mmask16 is_inside = _mm512_cmp_ps_mask(edge, _mm512_setzero_ps(), _CMP_LT_OQ);
    __m512 side = _mm512_mask_blend_ps(is_inside, _mm512_set1_ps(1), _mm512_set1_ps(-1));
    _mm512_storeu_ps(lanes.x + near_count, _mm512_maskz_compress_ps(is_near, _mm512_mul_ps(wx, quantum)));
    _mm512_storeu_ps(lanes.y + near_count, _mm512_maskz_compress_ps(is_near, _mm512_mul_ps(wy, quantum)));
    _mm512_storeu_ps(lanes.z + near_count, _mm512_maskz_compress_ps(is_near, _mm512_mul_ps(wz, quantum)));
    _mm512_storeu_ps(lanes.radius + near_count, _mm512_maskz_compress_ps(is_near, _mm512_mul_ps(radius, quantum)));
    _mm512_storeu_ps(lanes.side + near_count, _mm512_maskz_compress_ps(is_near, side));
    _mm512_storeu_si512(lanes.tag + near_count, _mm512_maskz_compress_epi32(is_near, _mm512_xor_si512(tag, flip)));
    near_count += (uint32_t)__builtin_popcount(is_near);
  }
  return (struct list_findings){list_groups(&lanes, near_count, view.doubt * view.quantum, near), held_count, asked,
                                (_mm512_reduce_min_ps(nearest) - view.doubt) * view.quantum};
}

#undef WIDE

#else

static inline struct list_findings list_edges_wide(const struct entry_group *entries, uint32_t count,
                                                   struct list_view view, const four_ints *told_groups,
                                                   uint32_t told_count, struct near_group *near, int32_t *held) {
  return list_edges(entries, count, view, told_groups, told_count, near, held);
}

#endif
