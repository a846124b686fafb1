#pragma once
#include <zlib.h>

/* inflateInit2 is a macro, which Swift does not import. */
static inline int georemind_inflate_init(z_stream *stream, int windowBits) {
  return inflateInit2(stream, windowBits);
}
