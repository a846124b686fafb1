import CSystemd

/// The memory of this process that the kernel counts as its own.
package enum ResidentMemory {
  /// Releases the pages of code that only the start or a large message needed, several megabytes.
  /// Code that runs again is mapped again, without reading the disk while it is in the page cache.
  package static func releaseCode() { georemind_unmap_code() }

  /// Returns the free pages of the heap to the system.
  /// - Complexity: O(heap): some milliseconds for a hundred megabytes.
  package static func releaseHeap() { malloc_trim(0) }

  /// Gives each block of a megabyte or more pages of its own, which its end returns to the system.
  /// Otherwise the C library raises that limit with each such block that is freed (mallopt(3)), and
  /// a table that has grown leaves its former places in the heap.
  package static func separateLargeBlocks() { mallopt(M_MMAP_THRESHOLD, 1 << 20) }
}
