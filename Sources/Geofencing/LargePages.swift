#if canImport(Glibc)
  import Glibc
#endif

extension Array {
  /// Copies the elements to storage for `capacity` of them, which the kernel is asked to back with
  /// large pages where it is large itself.
  ///
  /// A look at a random place reads a few cache lines far apart. With a million fences each of them
  /// would be on a page of 4 KiB that the processor has to look up first.
  mutating func move(toCapacity capacity: Int) {
    var fresh: [Element] = []
    fresh.reserveCapacity(capacity)
    unsafe fresh.withUnsafeMutableBufferPointer { buffer in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      let bytes = capacity * MemoryLayout<Element>.stride
      guard bytes >= 8 << 20 else { return }
      // Whole pages only, and nothing but advice: no data is touched, and a refusal is no loss.
      let first = (UInt(bitPattern: start) + 4_095) & ~4_095
      let past = (UInt(bitPattern: start) + UInt(bytes)) & ~4_095
      let pages = unsafe UnsafeMutableRawPointer(bitPattern: first)
      _ = unsafe madvise(pages, Int(past - first), MADV_HUGEPAGE)
    }
    fresh.append(contentsOf: self)
    self = fresh
  }
}
