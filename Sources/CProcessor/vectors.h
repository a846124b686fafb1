#pragma once

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int16_t eight_shorts __attribute__((ext_vector_type(8)));
typedef int32_t four_ints __attribute__((ext_vector_type(4)));

/// Of each two neighbours the sum of their products: a0 b0 + a1 b1, a2 b2 + a3 b3 and so on, modulo 2^32. One
/// instruction of most processors, which no operator of Swift's vectors becomes.
static inline four_ints sums_of_products(eight_shorts a, eight_shorts b) {
#ifdef __SSE2__
  // Asked for by its name: the compiler knows it, but would rather take apart what is multiplied.
  return (four_ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
  typedef uint32_t naturals __attribute__((ext_vector_type(4)));
  four_ints even = __builtin_convertvector(a.even, four_ints) * __builtin_convertvector(b.even, four_ints);
  four_ints odd = __builtin_convertvector(a.odd, four_ints) * __builtin_convertvector(b.odd, four_ints);
  return (four_ints)((naturals)even + (naturals)odd);
#endif
}

/// A bit for each of four numbers, the first one lowest: set where it is negative.
static inline uint32_t signs(four_ints numbers) {
  typedef _Bool bits __attribute__((ext_vector_type(4)));
  bits marks = __builtin_convertvector(numbers < 0, bits);
  uint8_t result;
  memcpy(&result, &marks, sizeof result);
  return result & 15;
}
