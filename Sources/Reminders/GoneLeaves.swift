/// The reminders of a `LeaveQueue` that have said "leave", until much slack may have come back.
///
/// They are many more than those near their time, for a way may take hours, and are looked at rarely: so
/// they lie apart from them, and their lines of memory are far. Several are looked at together, some of them
/// a little too soon, for memory gives many lines at once in little more time than one.
///
/// 60 bytes each.
struct GoneLeaves: Sendable {
  /// So much too soon, by the clock of approach, one is looked at with others. Microseconds.
  private static let haste: Int64 = 10_000_000

  /// The grade of its heap is kept with each.
  private var places = LeavePlaces<UInt8>()
  private var heap: GradedHeap
  /// Those out of the heap that are to be looked at; some may be free again.
  private var due: [Int32] = []

  init(grades: Int) { heap = GradedHeap(grades: grades) }

  /// Bytes of heap in use.
  var byteCount: Int { places.byteCount + heap.byteCount + due.capacity * 4 }

  /// Its place, where it is to be let rest. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    places.insert(entry, index, 0)
  }

  mutating func remove(_ place: Int32) {
    heap.cancel(place, Int(places[place]))
    places.remove(place)
  }

  /// Lets one rest until the clock of approach of a grade shows so much.
  mutating func set(_ place: Int32, _ grade: Int, at time: Int64) {
    let old = Int(places[place])
    if old != grade {
      heap.cancel(place, old)
      places[place] = UInt8(truncatingIfNeeded: grade)
    }
    heap.set(place, grade, at: time)
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32) {
    heap.set(place, Int(places[place]), at: .min)
  }

  mutating func lookAtAll() { heap.setAll { _ in .min } }

  /// One that is to be looked at; then it is to be let rest, or removed.
  mutating func next(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int32? {
    while true {
      while let place = due.popLast() {
        if !places.isFree(place) { return place }
      }
      for grade in 1..<reckoning.gradeCount {
        let now = reckoning.approach(grade, view)
        guard let first = heap.first(grade), first.deadline <= now else { continue }
        heap.takeDue(grade, until: now + Self.haste, most: 64, into: &due)
      }
      if due.isEmpty { return nil }
      for place in due { places.askFor(place) }
    }
  }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places.entry(place) }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places.index(place) }
}
