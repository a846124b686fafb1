import CSystemd

/// The memory of this process that the kernel counts as its own.
package enum ResidentMemory {
  /// Releases the pages of code that only the start or a large message needed, several megabytes.
  /// Code that runs again is mapped again, without reading the disk while it is in the page cache.
  package static func releaseCode() { georemind_unmap_code() }
}
