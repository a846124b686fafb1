import Testing

@testable import Geofencing

@Suite struct LargePagesTests {
  /// On both sides of the size from which the kernel is asked.
  @Test(arguments: [1_000, 9 << 20])
  func keepsTheElements(capacity: Int) {
    var array = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) }
    let copy = array
    array.move(toCapacity: capacity)
    #expect(array == copy)
    #expect(array.capacity >= capacity)
    array.append(contentsOf: repeatElement(1, count: capacity - array.count))
    #expect(array.count == capacity)
  }
}
