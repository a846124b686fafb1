import Geodesy
import Geofencing

/// The reminders of a `LeaveQueue` that wait near their time to leave, each looked at by itself.
///
/// They are few among all and are looked at often. So they lie side by side, and the heaps know them by
/// their place here: a look stays in the processor's cache, however many reminders there are.
///
/// What is so near its moment that metres which no odometer counts may use its slack up rests by the time
/// of day, and is looked at whenever the device is elsewhere.
///
/// 60 bytes each.
struct NearLeaves: Sendable {
  private enum Rest: UInt8, Sendable {
    /// In no heap.
    case none
    /// Until a moment of the time of day.
    case timed
    /// Until the near clock of its grade shows so much.
    case near
  }

  private struct Place: Sendable {
    var entry: LeaveEntry
    /// Its number in the queue; −1 where the place is free.
    var index: Int32
    /// That of its heap.
    var grade: UInt8 = 0
    var rest = Rest.none
    /// It is to be looked at when the device is elsewhere.
    var isImminent = false
    /// It is in `imminent`.
    var isListed = false
  }

  private var places: [Place] = []
  private var free: [Int32] = []
  private var timed = TimerHeap()
  private var near: GradedHeap
  /// Those that are imminent, and some that are not any more.
  private var imminent: [Int32] = []
  /// Where the device was when they were looked at.
  private var imminentSince: Direction?

  init(grades: Int) { near = GradedHeap(grades: grades) }

  /// Bytes of heap in use.
  var byteCount: Int {
    places.capacity * MemoryLayout<Place>.stride + (free.capacity + imminent.capacity) * 4
      + timed.byteCount + near.byteCount
  }

  // MARK: - Coming and going

  /// Its place, where it is to be let rest. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    var new = Place(entry: entry, index: index)
    if let place = free.popLast() {
      new.isListed = places[Int(place)].isListed
      places[Int(place)] = new
      return place
    }
    places.appendOnLargePages(new)
    return Int32(places.count - 1)
  }

  mutating func remove(_ place: Int32) {
    change(place, .none)
    places[Int(place)].index = -1
    free.append(place)
  }

  // MARK: - Resting

  /// Lets one wait until a moment, microseconds.
  /// - Parameter isImminent: or until the device is elsewhere.
  mutating func setTimed(_ place: Int32, at time: Int64, isImminent: Bool) {
    change(place, .timed)
    timed.push(slot: place, at: time)
    guard isImminent else { return }
    places[Int(place)].isImminent = true
    if !places[Int(place)].isListed {
      places[Int(place)].isListed = true
      imminent.append(place)
    }
  }

  /// Lets one wait until the near clock of a grade shows so much.
  mutating func setNear(_ place: Int32, _ grade: Int, at time: Int64) {
    change(place, .near, grade)
    near.set(place, grade, at: time)
  }

  /// Takes one out of its heap if that is another.
  @inline(__always)
  private mutating func change(_ place: Int32, _ rest: Rest, _ grade: Int = 0) {
    let old = (rest: places[Int(place)].rest, grade: Int(places[Int(place)].grade))
    places[Int(place)].isImminent = false
    guard old.rest != rest || old.grade != grade else { return }
    switch old.rest {
    case .none: break
    case .timed: timed.cancel(slot: place)
    case .near: near.cancel(place, old.grade)
    }
    places[Int(place)].rest = rest
    places[Int(place)].grade = UInt8(truncatingIfNeeded: grade)
  }

  /// Has those looked at that must be because the device is elsewhere; answers whether there are any.
  mutating func wakeImminent(_ view: LeaveView) -> Bool {
    guard view.here != imminentSince else { return false }
    imminentSince = view.here
    guard !imminent.isEmpty else { return false }
    for place in imminent {
      places[Int(place)].isListed = false
      if places[Int(place)].isImminent { timed.push(slot: place, at: view.now) }
    }
    imminent.removeAll(keepingCapacity: true)
    return true
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) {
    let grade = Int(places[Int(place)].grade)
    switch places[Int(place)].rest {
    case .none: break
    case .timed: timed.push(slot: place, at: view.now)
    case .near: near.set(place, grade, at: reckoning.nearClock(grade, view))
    }
  }

  mutating func lookAtAll(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    for place in timed.timedSlots { timed.push(slot: place, at: view.now) }
    near.setAll { reckoning.nearClock($0, view) }
  }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places[Int(place)].entry }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places[Int(place)].index }

  var firstTimed: (deadline: Int64, slot: Int32)? { timed.peek() }

  func firstNear(_ grade: Int) -> (deadline: Int64, slot: Int32)? { near.first(grade) }

  /// The numbers in the queue of all.
  var indices: [Int32] { (timed.timedSlots + near.numbers).map { places[Int($0)].index } }

  /// By how much each clock must go on at least before one is to be looked at.
  func shortestRest(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    sooner(
      timed.peek().map { $0.deadline - view.now },
      near.shortest { reckoning.nearClock($0, view) })
  }

  /// When one must have been looked at if no fix comes until then, microseconds.
  func deadline(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    var start = view
    start.now = 0
    return sooner(
      timed.peek()?.deadline,
      near.shortest { reckoning.nearClock($0, start) }.map { $0 + LeaveReckoning.nearPatience })
  }

  /// When one is looked at if the device stays where it is, microseconds.
  func nextLook(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    let grade = Int(places[Int(place)].grade)
    switch places[Int(place)].rest {
    case .timed: return timed.deadline(slot: place)
    case .near:
      return near.time(of: place, grade).map {
        $0 - reckoning.nearClock(grade, view) + view.now + LeaveReckoning.nearPatience
      }
    case .none: return nil
    }
  }

  /// Those that rest by the time of day while `body` answers true, by when they are looked at.
  func forEachTimed(_ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool) {
    timed.forEachInOrder { body($0, places[Int($1)].entry) }
  }

  /// Those that rest in one grade while `body` answers true, by when they are looked at if the device
  /// stays where it is.
  func forEachNear(
    _ grade: Int, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    let way = reckoning.nearClock(grade, view) - view.now
    near.forEachInOrder(grade) { body($0 - way, places[Int($1)].entry) }
  }
}
