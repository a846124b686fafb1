import Geodesy

/// The reminders of a `LeaveQueue` that are looked at by themselves: those near their time to leave, and
/// those that have said "leave".
///
/// They are few among all and are looked at often. So they lie side by side, and the heaps know them by
/// their place here: a look stays in the processor's cache, however many reminders there are.
///
/// 60 bytes each.
struct AwakeLeaves: Sendable {
  private struct Place: Sendable {
    var entry: LeaveEntry
    /// Its number in the queue; −1 where the place is free.
    var index: Int32
    /// That of its heap.
    var grade: UInt8
    var isGone: Bool
  }

  private var places: [Place] = []
  private var free: [Int32] = []
  /// Those that wait, by the near clocks.
  private var near: GradedHeap
  /// Those that have said "leave", by the clocks of approach.
  private var gone: GradedHeap
  /// Those that must be looked at with every fix, and some that need not any more.
  private var imminent: [Int32] = []
  /// Where the device was when they were looked at.
  private var imminentSince: Direction?

  init(grades: Int) {
    near = GradedHeap(grades: grades)
    gone = GradedHeap(grades: grades)
  }

  /// Bytes of heap in use.
  var byteCount: Int {
    places.capacity * MemoryLayout<Place>.stride + (free.capacity + imminent.capacity) * 4
      + near.byteCount + gone.byteCount
  }

  // MARK: - Coming and going

  /// Its place, where it is to be put in a heap. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    let new = Place(entry: entry, index: index, grade: 0, isGone: false)
    if let place = free.popLast() {
      places[Int(place)] = new
      return place
    }
    places.append(new)
    return Int32(places.count - 1)
  }

  mutating func remove(_ place: Int32) {
    cancel(place)
    places[Int(place)].index = -1
    free.append(place)
  }

  private mutating func cancel(_ place: Int32) {
    let grade = Int(places[Int(place)].grade)
    if places[Int(place)].isGone { gone.cancel(place, grade) } else { near.cancel(place, grade) }
  }

  // MARK: - Resting

  /// Lets one wait until the near clock of a grade shows so much.
  mutating func setNear(_ place: Int32, _ grade: Int, at time: Int64) {
    change(place, grade, isGone: false)
    near.set(place, grade, at: time)
  }

  /// Lets one that has said "leave" rest until the clock of approach shows so much.
  mutating func setGone(_ place: Int32, _ grade: Int, at time: Int64) {
    change(place, grade, isGone: true)
    gone.set(place, grade, at: time)
  }

  /// Takes one out of its heap if that is another.
  private mutating func change(_ place: Int32, _ grade: Int, isGone: Bool) {
    let number = Int(place)
    guard places[number].grade != grade || places[number].isGone != isGone else { return }
    cancel(place)
    places[number].grade = UInt8(truncatingIfNeeded: grade)
    places[number].isGone = isGone
  }

  /// Has one looked at when the device is elsewhere.
  mutating func markImminent(_ place: Int32) { imminent.append(place) }

  /// Those to be looked at because the device is elsewhere.
  mutating func takeImminent(_ here: Direction?) -> [Int32] {
    guard here != imminentSince else { return [] }
    imminentSince = here
    guard !imminent.isEmpty else { return [] }
    defer { imminent.removeAll(keepingCapacity: true) }
    return imminent.filter { places[Int($0)].index >= 0 }
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) {
    let grade = Int(places[Int(place)].grade)
    if places[Int(place)].isGone {
      gone.set(place, grade, at: .min)
    } else {
      near.set(place, grade, at: reckoning.nearClock(grade, view))
    }
  }

  mutating func lookAtNear(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    near.setAll { reckoning.nearClock($0, view) }
  }

  mutating func lookAtGone() { gone.setAll { _ in .min } }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places[Int(place)].entry }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places[Int(place)].index }

  func isGone(_ place: Int32) -> Bool { places[Int(place)].isGone }

  func firstNear(_ grade: Int) -> (deadline: Int64, slot: Int32)? { near.first(grade) }

  func firstGone(_ grade: Int) -> (deadline: Int64, slot: Int32)? { gone.first(grade) }

  /// The numbers in the queue of those that wait.
  var waiting: [Int32] { near.numbers.map { places[Int($0)].index } }

  /// By how much each clock must go on at least before one that waits is due.
  func shortestRest(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    near.shortest { reckoning.nearClock($0, view) }
  }

  /// When one that waits is looked at if the device stays where it is, microseconds.
  func nextLook(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    guard !places[Int(place)].isGone else { return nil }
    let grade = Int(places[Int(place)].grade)
    return near.time(of: place, grade).map { $0 - reckoning.nearClock(grade, view) + view.now }
  }

  /// Those that wait in one grade while `body` answers true, by when they are looked at if the device
  /// stays where it is.
  func forEachInOrder(
    _ grade: Int, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    let way = reckoning.nearClock(grade, view) - view.now
    near.forEachInOrder(grade) { body($0 - way, places[Int($1)].entry) }
  }
}
