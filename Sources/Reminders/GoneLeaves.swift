import CivilTime

/// The reminders of a `LeaveQueue` that have said "leave", until much slack may have come back.
///
/// Most of them miss much slack, and wait on shelves until little of it is missing, by their numbers in the queue. The
/// others are in a heap. They are many, for a way may take hours, and are looked at rarely: so they lie apart from
/// those near their time, and their lines of memory are far. Several are looked at together, some of them a little too
/// soon, for memory gives many lines at once in little more time than one.
///
/// 20 bytes each on a shelf, else 90.
struct GoneLeaves: Sendable {
  /// So much too soon, by the clock of approach, one is looked at with others: microseconds, and thousandths of metres.
  private static let haste: Int64 = 10_000_000
  private static let hasteOnTheWay: Int64 = 100_000
  /// Before everything a clock of approach may show, and by far.
  private static let atOnce = Int64.min / 2

  private var places = LeavePlaces()
  private var heap: GradedHeap
  private var shelves: GoneShelves
  /// Places that are to be looked at, and are not in the heap; some may be free again.
  private var due: [Int32] = []
  /// Those just given out by the shelves, to be looked at; they have no place, and some may be elsewhere by now.
  private(set) var given: [Int32] = []
  /// Those that the shelves have dropped, for they are over.
  private(set) var over: [Int32] = []
  /// None in the heap is to be looked at while the clock of approach of the first grade, the fastest one, is before this, …
  private var quietUntil = Int64.max
  /// … and the way, in thousandths of metres, before this.
  private var quietOnTheWayUntil = Int64.max

  init(_ reckoning: LeaveReckoning, _ kernel: ShelfKernel = ShelfKernel()) {
    heap = GradedHeap(grades: reckoning.gradeCount)
    shelves = GoneShelves(reckoning, kernel)
  }

  /// Bytes of heap in use.
  var byteCount: Int {
    places.byteCount + heap.byteCount + shelves.byteCount
      + (due.capacity + given.capacity + over.capacity) * 4
  }

  /// Reckons with another pace from now on. Where it leaves more slack, or has other clocks, `lookAtAll` must follow.
  ///
  /// - Parameter entries: those of the queue.
  mutating func use(_ reckoning: LeaveReckoning, _ entries: [LeaveEntry]) {
    shelves.use(reckoning, entries)
  }

  /// Its place, where it is to be let rest. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    places.insert(entry, index)
  }

  mutating func remove(_ place: Int32) {
    takeOut(place)
    places.remove(place)
  }

  private mutating func takeOut(_ place: Int32) {
    if places[place].kind == .graded { heap.cancel(place, Int(places[place].grade)) }
    places[place] = .init()
  }

  /// Lets one rest until the clock of approach of a grade has gone on by so much.
  mutating func set(
    _ place: Int32, _ grade: Int, after length: Int64, _ reckoning: LeaveReckoning,
    _ view: LeaveView
  ) {
    let time = reckoning.approach(grade, view) + length
    put(place, grade, at: time)
    if grade == 0 {
      quietOnTheWayUntil = min(quietOnTheWayUntil, time)
    } else {
      quietUntil = min(quietUntil, reckoning.approach(1, view) + length)
    }
  }

  /// Lets one rest that is to be looked at, at the next event.
  mutating func setAtOnce(_ place: Int32) {
    put(place, 1, at: Self.atOnce)
    quietUntil = .min
  }

  private mutating func put(_ place: Int32, _ grade: Int, at time: Int64) {
    let old = places[place]
    if old.kind != .graded || Int(old.grade) != grade {
      takeOut(place)
      places[place] = .init(kind: .graded, grade: UInt8(truncatingIfNeeded: grade))
    }
    heap.set(place, grade, at: time)
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32) {
    takeOut(place)
    due.append(place)
  }

  mutating func lookAtAll() {
    heap.setAll { _ in Self.atOnce }
    quietUntil = .min
    quietOnTheWayUntil = .min
    shelves.lookAtAll()
  }

  // MARK: - On shelves

  /// Has the shelves ready for an event. Complexity: O(1), and O(those on shelves) once in an hour.
  /// - Parameter entries: those of the queue.
  @inline(__always)
  mutating func settle(_ entries: [LeaveEntry], _ view: LeaveView) {
    shelves.settle(entries, view)
  }

  /// Lets one rest on a shelf that has so much slack outside its place, microseconds; false where it belongs on
  /// none.
  mutating func shelve(
    _ index: Int32, _ entry: LeaveEntry, slack: Int64, distance: Double, again: TimeSpan,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) -> Bool {
    guard
      let missing = shelves.missing(
        entry, slack: slack, distance: distance, again: again.seconds, reckoning)
    else { return false }
    return shelves.insert(index, entry, missing: missing, distance: distance, reckoning, view)
  }

  /// Takes one from its shelf, to be looked at, at the next event. Complexity: O(those on shelves).
  mutating func lookSoon(onShelf index: Int32) {
    shelves.remove(index)
    given.append(index)
  }

  /// Takes one from its shelf; harmless where it is on none. Complexity: O(those on shelves).
  mutating func unshelve(_ index: Int32) { shelves.remove(index) }

  // MARK: - What is to be looked at

  /// A place that is to be looked at; then it is to be let rest, or removed.
  mutating func next() -> Int32? {
    while let place = due.popLast() {
      if !places.isFree(place) { return place }
    }
    return nil
  }

  /// One that the shelves have given out.
  mutating func nextGiven() -> Int32? { given.popLast() }

  /// Those that are over have been taken note of.
  mutating func forgetOver() { over.removeAll(keepingCapacity: true) }

  /// Finds those that are to be looked at; false where there are none. Complexity: O(1) until shelves are to be looked
  /// at; then O(those on them).
  @inline(__always)
  mutating func look(again: TimeSpan, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Bool {
    shelves.look(again: again.seconds, reckoning, view, into: &given, over: &over)
    if reckoning.approach(1, view) >= quietUntil
      || reckoning.approach(0, view) >= quietOnTheWayUntil
    {
      takeFromHeap(reckoning, view)
    }
    return !due.isEmpty || !given.isEmpty
  }

  private mutating func takeFromHeap(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    let known = due.count
    quietUntil = .max
    quietOnTheWayUntil = .max
    let fastest = reckoning.approach(1, view)
    for grade in 0..<reckoning.gradeCount {
      let now = reckoning.approach(grade, view)
      guard let first = heap.first(grade) else { continue }
      if first.deadline <= now {
        let haste = grade == 0 ? Self.hasteOnTheWay : Self.haste
        heap.takeDue(grade, until: now + haste, most: 64, into: &due)
      }
      guard let next = heap.first(grade)?.deadline else { continue }
      if grade == 0 {
        quietOnTheWayUntil = next
      } else {
        quietUntil = min(quietUntil, next + (fastest - now))
      }
    }
    for place in due[known...] { places.askFor(place) }
  }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places.entry(place) }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places.index(place) }
}
