import Geofencing

/// The reminders of a `LeaveQueue` that have said "leave", until much slack may have come back.
///
/// They are many more than those near their time, for a way may take hours, and are looked at rarely: so
/// they lie apart from them. 60 bytes each.
struct GoneLeaves: Sendable {
  private struct Place: Sendable {
    var entry: LeaveEntry
    /// Its number in the queue; −1 where the place is free.
    var index: Int32
    var grade: UInt8 = 0
  }

  private var places: [Place] = []
  private var free: [Int32] = []
  private var heap: GradedHeap

  init(grades: Int) { heap = GradedHeap(grades: grades) }

  /// Bytes of heap in use.
  var byteCount: Int {
    places.capacity * MemoryLayout<Place>.stride + free.capacity * 4 + heap.byteCount
  }

  /// Its place, where it is to be let rest. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    let new = Place(entry: entry, index: index)
    if let place = free.popLast() {
      places[Int(place)] = new
      return place
    }
    places.appendOnLargePages(new)
    return Int32(places.count - 1)
  }

  mutating func remove(_ place: Int32) {
    heap.cancel(place, Int(places[Int(place)].grade))
    places[Int(place)].index = -1
    free.append(place)
  }

  /// Lets one rest until the clock of approach of a grade shows so much.
  mutating func set(_ place: Int32, _ grade: Int, at time: Int64) {
    let old = Int(places[Int(place)].grade)
    if old != grade {
      heap.cancel(place, old)
      places[Int(place)].grade = UInt8(truncatingIfNeeded: grade)
    }
    heap.set(place, grade, at: time)
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32) {
    heap.set(place, Int(places[Int(place)].grade), at: .min)
  }

  mutating func lookAtAll() { heap.setAll { _ in .min } }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places[Int(place)].entry }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places[Int(place)].index }

  func first(_ grade: Int) -> (deadline: Int64, slot: Int32)? { heap.first(grade) }
}
