import Geodesy

/// The reminders of a `LeaveQueue` that wait near their time to leave.
///
/// Most are on shelves (`LeaveShelves`), by their numbers in the queue. In heaps is what shelves cannot tell of: what has
/// a travel time of its own, what a routing engine is asked about, and what is on the other side of the globe. These
/// are few and are looked at often: so they lie side by side, and the heaps know them by their place here. A look stays
/// in the processor's cache, however many reminders there are.
///
/// What is so near its moment that metres which no odometer counts may use its slack up is imminent: it is
/// looked at whenever the device is elsewhere, and at its moment. It leaves shelves and heaps for that, for it would
/// be the first and the last of them in turns.
///
/// 20 bytes each on a shelf, else 70 to 90.
struct NearLeaves: Sendable {
  private struct Imminent: Sendable {
    var place: Int32
    /// Its moment, as far as is known.
    var time: Int64
  }

  private var places = LeavePlaces()
  private var shelves: LeaveShelves
  private var timed = TimerHeap()
  private var near: GradedHeap
  private var imminent: [Imminent] = []
  /// None of them has its moment before this, microseconds.
  private var firstImminent = Int64.max
  /// So many of them, the first ones, are to be looked at.
  private var imminentToLookAt = 0
  /// Where the device was when they were looked at.
  private var imminentSince: Direction?
  /// Of those that are to be looked at all are, whether their moment has come or not.
  private var asksAllImminent = false
  /// Places just taken, to be looked at; some may be free again.
  private var fresh: [Int32] = []
  /// Those just given out by the shelves, to be looked at; they have no place, and some may be elsewhere.
  private(set) var given: [Int32] = []
  /// The event that has brought what is to be looked at, microseconds.
  private var latestEvent = Int64.min

  init(_ reckoning: LeaveReckoning, _ kernel: ShelfKernel = ShelfKernel()) {
    near = GradedHeap(grades: reckoning.gradeCount)
    shelves = LeaveShelves(reckoning, kernel)
  }

  /// Reckons with another pace from now on. Where it leaves less slack, or has other clocks, `lookAtAll` must follow.
  mutating func use(_ reckoning: LeaveReckoning) { shelves.use(reckoning) }

  /// Bytes of heap in use.
  var byteCount: Int {
    places.byteCount + imminent.capacity * MemoryLayout<Imminent>.stride
      + (fresh.capacity + given.capacity) * 4
      + timed.byteCount + near.byteCount + shelves.byteCount
  }

  // MARK: - Coming and going

  /// Its place, where it is to be let rest. Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    places.insert(entry, index)
  }

  mutating func remove(_ place: Int32) {
    change(place, .none)
    places.remove(place)
  }

  // MARK: - Resting

  /// Lets one wait until a moment, microseconds.
  mutating func setTimed(_ place: Int32, at time: Int64) {
    change(place, .timed)
    timed.push(slot: place, at: time)
  }

  /// Lets one wait until the near clock of a grade shows so much.
  @inline(__always)
  mutating func setNear(_ place: Int32, _ grade: Int, at time: Int64) {
    change(place, .graded, grade)
    near.set(place, grade, at: time)
  }

  /// Lets one wait until a moment, microseconds, or until the device is elsewhere.
  mutating func setImminent(_ place: Int32, at time: Int64) {
    change(place, .imminent)
    firstImminent = min(firstImminent, time)
    let number = places[place].number
    if number >= 0 {
      imminent[Int(number)].time = time
    } else {
      places[place].number = Int32(imminent.count)
      imminent.append(Imminent(place: place, time: time))
    }
  }

  /// Has one looked at by itself, at this event.
  mutating func setFresh(_ place: Int32, _ view: LeaveView) {
    change(place, .none)
    latestEvent = view.now
    fresh.append(place)
  }

  /// Takes one out of where it rests if that is elsewhere.
  @inline(__always)
  private mutating func change(
    _ place: Int32, _ kind: LeavePlaces.Rest.Kind, _ grade: Int = 0
  ) {
    let old = places[place]
    guard old.kind != kind || Int(old.grade) != grade else { return }
    switch old.kind {
    case .none: break
    case .timed: timed.cancel(slot: place)
    case .graded: near.cancel(place, Int(old.grade))
    case .imminent: removeImminent(Int(old.number))
    }
    places[place] = LeavePlaces.Rest(kind: kind, grade: UInt8(truncatingIfNeeded: grade))
  }

  private mutating func removeImminent(_ number: Int) {
    let last = imminent.removeLast()
    if number < imminent.count {
      imminent[number] = last
      places[last.place].number = Int32(number)
    }
    imminentToLookAt = min(imminentToLookAt, imminent.count)
    if imminent.isEmpty { firstImminent = .max }
  }

  /// Has one looked at, at the next event.
  mutating func lookSoon(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) {
    let grade = Int(places[place].grade)
    switch places[place].kind {
    case .none: break
    case .timed: timed.push(slot: place, at: view.now)
    case .graded: near.set(place, grade, at: reckoning.nearClock(grade, view))
    case .imminent: setImminent(place, at: view.now)
    }
  }

  mutating func lookAtAll(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    for place in timed.timedSlots { timed.push(slot: place, at: view.now) }
    near.setAll { reckoning.nearClock($0, view) }
    shelves.lookAtAll(view)
    if !imminent.isEmpty {
      firstImminent = view.now
      asksAllImminent = true
    }
  }

  // MARK: - On shelves

  /// Has the shelves ready for an event. Complexity: O(1), and O(those on shelves) once in an hour.
  /// - Parameter entries: those of the queue.
  @inline(__always)
  mutating func settle(_ entries: [LeaveEntry], _ view: LeaveView) {
    shelves.settle(entries, view)
  }

  /// Lets those wait on shelves that cells have given out.
  mutating func shelve(
    _ given: LeaveCells.Given, _ entries: [LeaveEntry], _ reckoning: LeaveReckoning,
    _ view: LeaveView
  ) {
    shelves.insert(given, entries, reckoning, view)
  }

  /// Lets one wait on a shelf that surely has so much slack, in seconds.
  mutating func shelve(
    _ index: Int32, _ entry: LeaveEntry, sureSlack: Float, distance: Double,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    shelves.insert(index, entry, sureSlack: sureSlack, distance: distance, reckoning, view)
  }

  /// Takes one from its shelf; harmless where it is on none. Complexity: O(those on shelves).
  mutating func unshelve(_ index: Int32) { shelves.remove(index) }

  /// Takes all from their shelves. Complexity: O(those).
  mutating func unshelveAll() -> [Int32] { shelves.removeAll() }

  /// When one is looked at that is on a shelf, if the device stays where it is, microseconds.
  func nextLook(onShelf index: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    shelves.nextLook(index, reckoning, view)
  }

  // MARK: - What is to be looked at

  /// Looks at those on the shelves; what has hardly any slack is given out, to be looked at by itself.
  @inline(__always)
  mutating func lookAtShelves(_ reckoning: LeaveReckoning, _ view: LeaveView) {
    let known = given.count
    shelves.look(reckoning, view, into: &given)
    if given.count > known { latestEvent = view.now }
  }

  /// One that the shelves have given out.
  mutating func nextGiven() -> Int32? { given.popLast() }

  /// Those that have little slack left for the first time, until they are known.
  var approaching: [Int32] { shelves.approaching }

  mutating func forgetApproaching() { shelves.forgetApproaching() }

  /// One that has just come.
  @inline(__always)
  mutating func nextFresh() -> Int32? {
    guard !fresh.isEmpty else { return nil }
    while let place = fresh.popLast() {
      if !places.isFree(place), places[place].kind == .none { return place }
    }
    return nil
  }

  /// Has those looked at that are imminent: all where the device is elsewhere, else those whose moment has come.
  @inline(__always)
  mutating func wakeImminent(_ view: LeaveView) {
    let isElsewhere = view.here != imminentSince
    guard firstImminent <= view.now || isElsewhere else { return }
    if isElsewhere { asksAllImminent = true }
    latestEvent = view.now
    imminentSince = view.here
    imminentToLookAt = imminent.count
    firstImminent = .max
  }

  /// One that is imminent; where it stays that, `setImminent` is called for it before the next one.
  @inline(__always)
  mutating func nextImminent(_ view: LeaveView) -> Int32? {
    while imminentToLookAt > 0 {
      imminentToLookAt -= 1
      let one = imminent[imminentToLookAt]
      if asksAllImminent || one.time <= view.now { return one.place }
      firstImminent = min(firstImminent, one.time)
    }
    asksAllImminent = false
    return nil
  }

  var firstTimed: (deadline: Int64, slot: Int32)? { timed.peek() }

  func firstNear(_ grade: Int) -> (deadline: Int64, slot: Int32)? { near.first(grade) }

  // MARK: - Reading

  func entry(_ place: Int32) -> LeaveEntry { places.entry(place) }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places.index(place) }

  /// The numbers in the queue of all.
  var indices: [Int32] { places.indices }

  /// By how much each clock must go on at least before one is to be looked at that is not imminent.
  @inline(__always)
  func shortestRest(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    sooner(
      timed.peek().map { $0.deadline - view.now },
      near.shortest { reckoning.nearClock($0, view) })
  }

  /// When one must have been looked at if no fix comes until then, microseconds.
  @inline(__always)
  func deadline(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    guard fresh.isEmpty, given.isEmpty, imminentToLookAt == 0 else { return latestEvent }
    var start = view
    start.now = 0
    let exact = sooner(timed.peek()?.deadline, imminent.isEmpty ? nil : firstImminent)
    return sooner(
      sooner(exact, shelves.deadline(reckoning, view)),
      near.shortest { reckoning.nearClock($0, start) }.map { $0 + LeaveReckoning.nearPatience })
  }

  /// When one is looked at if the device stays where it is, microseconds.
  func nextLook(_ place: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    let grade = Int(places[place].grade)
    switch places[place].kind {
    case .timed: return timed.deadline(slot: place)
    case .graded:
      return near.time(of: place, grade).map {
        $0 - reckoning.nearClock(grade, view) + view.now + LeaveReckoning.nearPatience
      }
    case .imminent: return imminent[Int(places[place].number)].time
    case .none: return nil
    }
  }

  /// Those on shelves while `body` answers true, by their moments as things stand.
  func forEachShelved(
    _ entries: [LeaveEntry], _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    shelves.forEachInOrder(entries, reckoning, view, body)
  }

  /// Those that rest by the time of day while `body` answers true, by when they are looked at.
  func forEachTimed(_ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool) {
    timed.forEachInOrder { body($0, places.entry($1)) }
  }

  /// Those that are imminent while `body` answers true, by their moments.
  func forEachImminent(_ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool) {
    for one in imminent.sorted(by: { $0.time < $1.time }) {
      guard body(one.time, places.entry(one.place)) else { break }
    }
  }

  /// Those that rest in one grade while `body` answers true, by when they are looked at if the device
  /// stays where it is.
  func forEachNear(
    _ grade: Int, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    let way = reckoning.nearClock(grade, view) - view.now
    near.forEachInOrder(grade) { body($0 - way, places.entry($1)) }
  }
}
