/// Sorting by parts of the key instead of comparisons, for a million keys at a start.
package enum RadixSort {
  /// Sorts by the upper 32 bits; equal ones stay in order.
  /// - Complexity: O(n).
  package static func byUpperHalf(_ keys: inout [UInt64]) {
    guard keys.count > 64 else {
      // An insertion sort keeps the order of equals, as `sort` does not promise to.
      for i in keys.indices.dropFirst() {
        let key = keys[i]
        var gap = i
        while gap > 0, keys[gap - 1] >> 32 > key >> 32 {
          keys[gap] = keys[gap - 1]
          gap -= 1
        }
        keys[gap] = key
      }
      return
    }
    var other = [UInt64](repeating: 0, count: keys.count)
    for shift: UInt64 in [32, 43, 54] {
      var places = [Int](repeating: 0, count: 2_048)
      for key in keys { places[Int(key &>> shift & 2_047)] += 1 }
      var start = 0
      for digit in places.indices {
        let count = places[digit]
        places[digit] = start
        start += count
      }
      for key in keys {
        let digit = Int(key &>> shift & 2_047)
        other[places[digit]] = key
        places[digit] += 1
      }
      swap(&keys, &other)
    }
  }
}
