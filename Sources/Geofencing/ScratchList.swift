/// A list that is emptied again and again: that costs nothing, nor does its storage go.
struct ScratchList<Element: BitwiseCopyable & Sendable>: Sendable {
  private var storage: [Element] = []
  private(set) var count = 0

  init() {}

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(i: Int) -> Element {
    assert(i < count)
    return storage[i]
  }

  @inline(__always)
  var indices: Range<Int> { 0..<count }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count < storage.count {
      storage[count] = element
    } else {
      storage.append(element)
    }
    count += 1
  }

  @inline(__always)
  mutating func removeAll() { count = 0 }

  var elements: ArraySlice<Element> { storage[0..<count] }
}

extension [FenceID] {
  /// Drops a fence that may be in the list, whose order does not matter. Returns whether it was.
  @inline(__always)
  @discardableResult
  mutating func dropAny(_ fence: FenceID) -> Bool {
    var i = count
    while i > 0 {
      i -= 1
      guard self[i] == fence else { continue }
      let last = count - 1
      self[i] = self[last]
      removeLast()
      return true
    }
    return false
  }

  /// The offset of a fence in the list; nil where it is not in it. Asks all, which costs less in a short one than
  /// to stop at the right one.
  @inline(__always)
  func offset(of fence: FenceID) -> Int? {
    let list = span
    var offset = -1
    for i in list.indices { offset = list[i] == fence ? i : offset }
    return offset < 0 ? nil : offset
  }
}
