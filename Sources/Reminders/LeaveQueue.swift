import CivilTime
import Geodesy

/// The reminders of one mode of transport that wait for their time to leave, in the order in which it
/// can become that.
///
/// What is far off rests in `LeaveCells`, many at once. What is near rests by itself in a heap, until its
/// slack may be all but used up by the clock of its grade (`LeaveReckoning`), and costs nothing until then: a
/// fix costs one look at the top of each heap. While the device stands still the clock is the time of day,
/// and a reminder is looked at shortly before it is time, and then. What moves away is looked at a few times
/// more, each time when the slack of the last look may be gone (the kinetic heaps of Basch, Guibas and
/// Hershberger, "Data Structures for Mobile Data", 1999, with the certificates of one moving point).
///
/// What has said "leave" rests likewise, until much slack may have come back.
///
/// 44 bytes a reminder: 36 for the entry and where it rests, 8 in its cell; 60 more while it is looked at
/// by itself (`AwakeLeaves`).
struct LeaveQueue: Sendable {
  enum Stage { case waiting, gone }

  /// Where an entry rests: far off, or at its place in `awake`.
  private struct Home: Equatable, Sendable {
    let number: Int32
    static let none = Home(number: -1)
    static let cell = Home(number: -2)
    static let fixed = Home(number: -3)
    static func awake(_ place: Int32) -> Home { Home(number: place) }
    var awake: Int32? { number >= 0 ? number : nil }
  }

  private var entries: [LeaveEntry] = []
  private var homes: [Home] = []
  private var free: [Int32] = []
  private var reckoning: LeaveReckoning
  private var cells: LeaveCells
  /// Those far off that say themselves how long the way takes, by the time of day.
  private var fixed = TimerHeap()
  private var awake: AwakeLeaves
  /// Nothing that waits near is to be looked at while the fastest clock is before this.
  private var nearQuietUntil = Int64.min
  /// Nothing far off becomes near while the fastest clock is before this.
  private var farQuietUntil = Int64.min
  /// With so many metres, and time that only goes on, none that has said "leave" is to be looked at.
  private var backLookedAt: Double?

  init(pace: TravelPace) {
    reckoning = LeaveReckoning(pace: pace)
    cells = LeaveCells(reckoning)
    awake = AwakeLeaves(grades: reckoning.gradeCount)
  }

  var count: Int { entries.count - free.count }

  var pace: TravelPace { reckoning.pace }

  /// Bytes of heap in use.
  var byteCount: Int {
    entries.capacity * MemoryLayout<LeaveEntry>.stride + homes.capacity * 4
      + free.capacity * 4 + cells.byteCount + fixed.byteCount + awake.byteCount
  }

  // MARK: - Coming and going

  /// Takes a reminder in that is put in its order by `reckonAll`. Complexity: O(1).
  mutating func append(_ entry: LeaveEntry) -> Int32 {
    let index = insert(entry)
    restFar(index, entry)
    return index
  }

  /// - Parameter moment: when it is time to leave as exactly as is known.
  mutating func add(
    _ entry: LeaveEntry, _ stage: Stage, moment: Instant?, again: TimeSpan, _ view: LeaveView
  ) -> Int32 {
    let index = insert(entry)
    switch stage {
    case .gone: restGone(wake(index), reckoning.look(at: entry, view), again: again, view)
    case .waiting:
      // The last seconds are as exact as the rule itself, and so is what the short numbers take for due;
      // the others begin with a look.
      let look = reckoning.look(at: entry, view)
      let left = moment.map { ($0 - Instant(microseconds: view.now)).microseconds } ?? 0
      let isSoon = left < LeaveReckoning.soon || look.slack <= reckoning.doubt(look.grade)
      if left > 0, isSoon {
        let time = view.now + min(left, LeaveReckoning.longestBlindRest)
        awake.setTimed(wake(index), at: time, isImminent: true)
        nearQuietUntil = .min
      } else {
        restAnywhere(index, view)
      }
    }
    return index
  }

  private mutating func insert(_ entry: LeaveEntry) -> Int32 {
    if let index = free.popLast() {
      entries[Int(index)] = entry
      return index
    }
    entries.append(entry)
    homes.append(.none)
    return Int32(entries.count - 1)
  }

  mutating func remove(_ index: Int32) {
    takeOut(index)
    free.append(index)
  }

  /// Takes an entry out of where it rests.
  private mutating func takeOut(_ index: Int32) {
    let home = homes[Int(index)]
    homes[Int(index)] = .none
    if let place = home.awake {
      awake.remove(place)
    } else if home == .cell {
      cells.remove(index, entries[Int(index)])
    } else if home == .fixed {
      fixed.cancel(slot: index)
    }
  }

  /// Its place in `awake`, where it is to be let rest.
  private mutating func wake(_ index: Int32) -> Int32 {
    if let place = homes[Int(index)].awake { return place }
    takeOut(index)
    let place = awake.insert(entries[Int(index)], index)
    homes[Int(index)] = .awake(place)
    return place
  }

  // MARK: - Resting

  /// Far off, whether it is or not.
  private mutating func restFar(_ index: Int32, _ entry: LeaveEntry) {
    takeOut(index)
    if entry.isFixed {
      restFixed(index, entry)
    } else {
      cells.insert(index, entry)
      homes[Int(index)] = .cell
    }
  }

  private mutating func restFixed(_ index: Int32, _ entry: LeaveEntry) {
    fixed.push(slot: index, at: timeOfFixed(entry))
    homes[Int(index)] = .fixed
  }

  /// When one that says itself how long the way takes is near.
  private func timeOfFixed(_ entry: LeaveEntry) -> Int64 {
    entry.moment - Int64(Double(entry.fixed) * 1e6) - LeaveReckoning.nearness
  }

  /// Far off where it is that, else near, to be looked at now.
  private mutating func restAnywhere(_ index: Int32, _ view: LeaveView) {
    let entry = entries[Int(index)]
    takeOut(index)
    if entry.isFixed, timeOfFixed(entry) > view.now {
      restFixed(index, entry)
    } else if !entry.isFixed, cells.insert(index, entry, reckoning, view) {
      homes[Int(index)] = .cell
    } else {
      return lookNow(wake(index), view)
    }
    farQuietUntil = .min
  }

  /// Has one that waits looked at, at this event.
  private mutating func lookNow(_ place: Int32, _ view: LeaveView) {
    awake.setTimed(place, at: view.now, isImminent: false)
    nearQuietUntil = .min
  }

  private mutating func restGone(
    _ place: Int32, _ look: LeaveReckoning.Look, again: TimeSpan, _ view: LeaveView
  ) {
    let rest = reckoning.restBeforeReturn(awake.entry(place), look, again: again, view)
    awake.setGone(place, rest.grade, at: reckoning.approach(rest.grade, view) + rest.length)
    backLookedAt = nil
  }

  // MARK: - Another reckoning

  /// Reckons every moment anew. Complexity: O(cells + those near or gone).
  mutating func reckonAll(_ view: LeaveView) {
    unquiet()
    var given: [Int32] = []
    cells.reckonAll(reckoning, view, into: &given)
    take(given, view)
    for index in awake.waiting { restAnywhere(index, view) }
    awake.lookAtGone()
  }

  /// Nothing is known of when something is to be looked at.
  private mutating func unquiet() {
    nearQuietUntil = .min
    farQuietUntil = .min
    backLookedAt = nil
  }

  /// What is known of the mode has changed. Complexity: O(those near or gone), O(cells) more where it is
  /// for good, O(n) for another profile.
  mutating func use(_ pace: TravelPace, _ view: LeaveView) {
    let old = self.pace
    guard pace != old else { return }
    var measured = old
    measured.measured = pace.measured
    reckoning = LeaveReckoning(pace: pace)
    unquiet()
    if pace.profile != old.profile { beginAnew() }
    if pace != measured { return reckonAll(view) }
    cells.lookAtNear(reckoning, view)
    awake.lookAtNear(reckoning, view)
    awake.lookAtGone()
  }

  /// With other bands the grades mean something else, and the cells have another size.
  private mutating func beginAnew() {
    let old = awake
    cells = LeaveCells(reckoning)
    awake = AwakeLeaves(grades: reckoning.gradeCount)
    for number in homes.indices where homes[number] != .none && homes[number] != .fixed {
      let index = Int32(truncatingIfNeeded: number)
      let place = homes[number].awake
      homes[number] = .none
      if let place, old.isGone(place) {
        awake.setGone(wake(index), 1, at: .min)
      } else {
        restFar(index, entries[number])
      }
    }
  }

  mutating func lookAtGone() {
    awake.lookAtGone()
    backLookedAt = nil
  }

  // MARK: - Looks

  /// When the first of them is to be looked at if no fix comes until then, microseconds.
  /// Complexity: O(1).
  func deadline(_ view: LeaveView) -> Int64? {
    guard count > 0 else { return nil }
    return sooner(
      sooner(cells.deadline(reckoning, view), fixed.peek()?.deadline),
      awake.deadline(reckoning, view))
  }

  /// A reminder whose moment may have come, by its slot; its entry is out of the heap, and is to be
  /// removed or added anew. nil where there is none.
  /// - Parameter exactDistance: how far a slot's place is, metres, 0 inside it; asked for only when that
  ///   decides. nil where it is not known.
  mutating func nextDue(
    _ view: LeaveView, routes: inout RouteBook, mode: Int, exactDistance: (Int32) -> Double?
  ) -> Int32? {
    guard count > 0 else { return nil }
    if awake.wakeImminent(view) { nearQuietUntil = .min }
    let clock = reckoning.fastestClock(view)
    if clock >= farQuietUntil { takeFromFar(clock, view) }
    guard clock >= nearQuietUntil else { return nil }
    while let first = awake.firstTimed, first.deadline <= view.now {
      if let slot = look(at: first.slot, view, &routes, mode, exactDistance) { return slot }
    }
    for grade in 1..<reckoning.gradeCount {
      let now = reckoning.nearClock(grade, view)
      while let first = awake.firstNear(grade), first.deadline <= now {
        if let slot = look(at: first.slot, view, &routes, mode, exactDistance) { return slot }
      }
    }
    nearQuietUntil = clock + (awake.shortestRest(reckoning, view) ?? .max / 2)
    return nil
  }

  /// Looks at one that waits near: answers its slot where its moment may have come, else lets it rest.
  @inline(__always)
  private mutating func look(
    at place: Int32, _ view: LeaveView, _ routes: inout RouteBook, _ mode: Int,
    _ exactDistance: (Int32) -> Double?
  ) -> Int32? {
    let entry = awake.entry(place)
    var look = reckoning.look(at: entry, view)
    if routes.isOn, !entry.isFixed { consult(&routes, &look, entry, mode, view) }
    if look.slack <= reckoning.doubt(look.grade) {
      guard !entry.isFixed, !routes.isOn, let distance = exactDistance(entry.slot),
        let left = reckoning.left(until: entry, from: distance, view)
      else {
        takeOut(awake.index(place))
        return entry.slot
      }
      look.step = left
    }
    if look.isImminent || look.grade == 0 {
      awake.setTimed(place, at: view.now + look.step, isImminent: look.isImminent)
    } else {
      awake.setNear(
        place, look.grade, at: reckoning.nearClock(look.grade, view) + look.step)
    }
    return nil
  }

  private mutating func takeFromFar(_ clock: Int64, _ view: LeaveView) {
    while let first = fixed.peek(), first.deadline <= view.now {
      lookNow(wake(first.slot), view)
    }
    var given: [Int32] = []
    cells.nextGiven(reckoning, view, into: &given)
    take(given, view)
    let rest = sooner(
      cells.shortestRest(reckoning, view), fixed.peek().map { $0.deadline - view.now })
    farQuietUntil = clock + (rest ?? .max / 2)
  }

  /// Takes what the cells have given out.
  private mutating func take(_ given: [Int32], _ view: LeaveView) {
    for index in given {
      homes[Int(index)] = .none
      lookNow(wake(index), view)
    }
  }

  /// One that has said "leave" and may have as much slack again, as `nextDue`.
  /// - Parameter over: gets those whose due time has passed; they are to be removed.
  mutating func nextBack(
    _ view: LeaveView, again: TimeSpan, over: inout [Int32]
  ) -> Int32? {
    // No clock of approach goes on without metres.
    guard backLookedAt != view.metres else { return nil }
    for grade in 1..<reckoning.gradeCount {
      let now = reckoning.approach(grade, view)
      while let first = awake.firstGone(grade), first.deadline <= now {
        let entry = awake.entry(first.slot)
        if entry.moment <= view.now {
          takeOut(awake.index(first.slot))
          over.append(entry.slot)
          continue
        }
        let look = reckoning.look(at: entry, view)
        restGone(first.slot, look, again: again, view)
        if look.slack > again.microseconds - LeaveReckoning.soon { return entry.slot }
      }
    }
    backLookedAt = view.metres
    return nil
  }

  /// Looks at one of them anew, unless it is far off.
  mutating func lookSoon(_ index: Int32, _ view: LeaveView) {
    guard let place = homes[Int(index)].awake else { return }
    awake.lookSoon(place, reckoning, view)
    nearQuietUntil = .min
    backLookedAt = nil
  }

  /// When one of them is looked at if the device stays where it is, microseconds.
  func nextLook(_ index: Int32, _ view: LeaveView) -> Int64? {
    let home = homes[Int(index)]
    if home == .fixed { return fixed.deadline(slot: index) }
    if home == .cell {
      return view.now + cells.restLength(entries[Int(index)], reckoning, view)
    }
    return home.awake.flatMap { awake.nextLook($0, reckoning, view) }
  }

  /// The moments to leave as things stand, soonest first, at most `limit`; looks at some thousands.
  func soonest(limit: Int, _ view: LeaveView) -> [(moment: Int64, slot: Int32)] {
    var found: [(moment: Int64, slot: Int32)] = []
    var looks = 0
    func note(_ earliest: Int64, _ entry: LeaveEntry) -> Bool {
      if found.count >= limit, let last = found.last, last.moment < earliest { return false }
      let moment = reckoning.look(at: entry, view).slack + view.now
      let place = found.firstIndex { $0.moment > moment } ?? found.count
      if place < limit { found.insert((moment, entry.slot), at: place) }
      if found.count > limit { found.removeLast() }
      looks += 1
      return looks < 4_096 + 2 * limit
    }
    awake.forEachTimed(note)
    for grade in 1..<reckoning.gradeCount {
      looks = 0
      awake.forEachNear(grade, reckoning, view, note)
    }
    looks = 0
    fixed.forEachInOrder { note($0, entries[Int($1)]) }
    looks = 0
    cells.forEachInOrder(reckoning, view) { note($0, entries[Int($1)]) }
    return found
  }

  /// What a routing engine has said takes the place of the estimate; where it has said nothing lately,
  /// it is to be asked.
  private func consult(
    _ routes: inout RouteBook, _ look: inout LeaveReckoning.Look, _ entry: LeaveEntry, _ mode: Int,
    _ view: LeaveView
  ) {
    guard let here = view.here, look.distance > Double(entry.radius) else { return }
    let untilWorst = reckoning.stepBeforeWorst(entry, look, view)
    guard untilWorst <= 0 else {
      look.step = min(look.step, untilWorst)
      return
    }
    let now = Instant(microseconds: view.now)
    let answer = routes.answer(entry.slot, from: here, at: now)
    if let answer {
      let seconds = pace.routed(answer, distance: look.distance)
      look.slack = entry.moment - view.now - Int64(seconds * 1e6)
      // A way slower than the estimate grows faster with each metre, too.
      let overhead = pace.profile.overhead.seconds
      let usual = pace.seconds(look.distance) - overhead
      let ratio = max(1, (seconds - overhead) / max(1, usual))
      reckoning.setStep(&look, Int64(Double(look.slack) / ratio))
    }
    look.step = min(look.step, RouteBook.interval(look.slack))
    if answer.map({ routes.isStale($0, from: here, slack: look.slack, at: now) }) ?? true {
      routes.want(entry.slot, by: mode, slack: look.slack)
    }
  }
}
