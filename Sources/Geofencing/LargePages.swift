public import CProcessor

#if canImport(Glibc)
  import Glibc
#endif

/// Asks the kernel to back storage with large pages where it is large itself.
///
/// A look at a random place reads a few cache lines far apart. With a million fences or timers each of
/// them would be on a page of 4 KiB that the processor has to look up first.
@usableFromInline
package func adviseLargePages(_ start: UnsafeMutableRawPointer, _ byteCount: Int) {
  guard byteCount >= 4 << 20 else { return }
  // Whole pages only, and nothing but advice: no data is touched, and a refusal is no loss.
  let first = (UInt(bitPattern: start) + 4_095) & ~4_095
  let past = (UInt(bitPattern: start) + UInt(byteCount)) & ~4_095
  let pages = unsafe UnsafeMutableRawPointer(bitPattern: first)
  _ = unsafe madvise(pages, Int(past - first), MADV_HUGEPAGE)
}

extension Array {
  /// Has an element on its way to the processor, which will be asked for soon. The index must be in the array.
  @inlinable @inline(__always)
  package func askFor(_ index: Int) {
    assert(indices.contains(index))
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let first = unsafe UnsafeRawPointer(start + index)
      unsafe prefetch(first)
      // Some lie across two lines.
      unsafe prefetch(first + (MemoryLayout<Element>.size - 1))
    }
  }

  /// Has an element of an array on its way that the element at `index` has at so many bytes, and what that array knows of
  /// itself. Nothing of it need be at hand: merely to name it would have Swift count one reference more, and wait for it.
  ///
  /// Swift keeps 32 bytes before the first element; did it not, lines would be asked for in vain, and nothing else would change.
  @inlinable @inline(__always)
  package func askFor<Inner>(_ inner: Int, of type: [Inner].Type, at offset: Int, in index: Int) {
    assert(indices.contains(index))
    assert(offset + MemoryLayout<[Inner]>.size <= MemoryLayout<Element>.size)
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let bits = unsafe UnsafeRawPointer(start + index).load(fromByteOffset: offset, as: UInt.self)
      guard let head = unsafe UnsafeRawPointer(bitPattern: bits) else { return }
      unsafe prefetch(head)
      unsafe prefetch(head + 32 + inner * MemoryLayout<Inner>.stride)
    }
  }

  /// Adds an element; where there is no room, moves all to twice as much, on large pages where that is large.
  /// Complexity: O(1) amortised.
  @inlinable
  package mutating func appendOnLargePages(_ element: Element) {
    if count == capacity { move(toCapacity: Swift.max(16, 2 * count)) }
    append(element)
  }

  /// Copies the elements to storage for `capacity` of them, on large pages where it is large.
  @inlinable
  package mutating func move(toCapacity capacity: Int) {
    var fresh: [Element] = []
    fresh.reserveCapacity(capacity)
    unsafe fresh.withUnsafeMutableBufferPointer { buffer in
      guard let start = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
      unsafe adviseLargePages(start, capacity * MemoryLayout<Element>.stride)
    }
    fresh.append(contentsOf: self)
    self = fresh
  }
}
