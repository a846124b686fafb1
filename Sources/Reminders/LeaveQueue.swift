import CivilTime
import Geodesy
import Geofencing

/// The reminders of one mode of transport that wait for their time to leave, in the order in which it
/// can become that.
///
/// What is far off rests in `LeaveCells`, many at once. What is near rests, on a shelf with others or by itself in a
/// heap, until its slack may be all but used up by the clock of its grade (`LeaveReckoning`), and costs nothing until
/// then. While the device stands still the clock is the time of day, and a reminder is looked at shortly before it
/// is time, and then. What moves away is looked at a few times more, each time when the slack of the last look may be
/// gone (the kinetic heaps of Basch, Guibas and Hershberger, "Data Structures for Mobile Data", 1999, with the
/// certificates of one moving point).
///
/// What has said "leave" rests likewise, until much slack may have come back.
///
/// 44 bytes a reminder: 36 for the entry and where it rests, 8 in its cell; 20 more while it is on a shelf, 70 to 90 in
/// a heap of those near or gone (`NearLeaves`, `GoneLeaves`).
struct LeaveQueue: Sendable {
  enum Stage { case waiting, gone }

  /// Where an entry rests: far off, on a shelf of `near` or `gone`, or at its place there.
  struct Home: Equatable, Sendable {
    let number: Int32
    static let none = Home(number: -1)
    static let cell = Home(number: -2)
    static let fixed = Home(number: -3)
    static let nearShelf = Home(number: -4)
    static let goneShelf = Home(number: -5)
    /// Given out by a shelf, and not yet looked at.
    static let nearGiven = Home(number: -6)
    static let goneGiven = Home(number: -7)
    static func near(_ place: Int32) -> Home { Home(number: place << 1) }
    static func gone(_ place: Int32) -> Home { Home(number: place << 1 | 1) }
    var near: Int32? { number >= 0 && number & 1 == 0 ? number >> 1 : nil }
    var gone: Int32? { number >= 0 && number & 1 == 1 ? number >> 1 : nil }
    var isGone: Bool { gone != nil || self == .goneShelf || self == .goneGiven }
  }

  /// What is far off is looked at so rarely, many at once: by so much of the fastest clock, which leaves minutes of
  /// `LeaveReckoning.nearness`. Microseconds.
  static let farPause: Int64 = 360_000_000
  /// So long a look at it may wait for a fix; more than the pause, so that it is not too early for it.
  static let farPatience: Int64 = 370_000_000

  private(set) var entries: [LeaveEntry] = []
  var homes: [Home] = []
  var free: [Int32] = []
  /// Entries at the end that rest nowhere before `arrange`.
  private var appended = 0
  private(set) var reckoning: LeaveReckoning
  var cells: LeaveCells
  /// Those far off that say themselves how long the way takes, by the time of day.
  var fixed = TimerHeap()
  var near: NearLeaves
  var gone: GoneLeaves
  /// Nothing that is near is to be looked at while the fastest clock is before this.
  var nearQuietUntil = Int64.min
  /// What is far off is not to be looked at while the fastest clock is before this.
  var farQuietUntil = Int64.min
  /// With so many metres, and time that only goes on, none that has said "leave" is to be looked at.
  var backLookedAt: Double?
  /// So many of those that come to their moment next are noted, and those found with the last of them.
  static let mostComing = 256
  /// Those that come to their moment next, until they are asked for; some may be over by then.
  var coming: [Int32] = []
  /// What the cells have just given out.
  var given = LeaveCells.Given()
  /// The slots of those that are over and of which a routing engine may have spoken, until they are asked for.
  var over: [Int32] = []

  /// By what way shelves are looked at.
  private let kernel: ShelfKernel

  init(pace: TravelPace, _ kernel: ShelfKernel = ShelfKernel()) {
    self.kernel = kernel
    reckoning = LeaveReckoning(pace: pace)
    cells = LeaveCells(reckoning)
    near = NearLeaves(reckoning, kernel)
    gone = GoneLeaves(reckoning, kernel)
  }

  var count: Int { entries.count - free.count }

  var pace: TravelPace { reckoning.pace }

  /// Bytes of heap in use.
  var byteCount: Int {
    entries.capacity * MemoryLayout<LeaveEntry>.stride + homes.capacity * 4
      + (free.capacity + over.capacity + coming.capacity) * 4 + given.byteCount + cells.byteCount
      + fixed.byteCount + near.byteCount + gone.byteCount
  }

  // MARK: - Coming and going

  /// Takes one of many in, which gets its number by `arrange`, and is put in its order by `reckonAll` after
  /// that. Nothing else may come in between. Complexity: O(1) amortised.
  mutating func append(_ entry: LeaveEntry) {
    entries.appendOnLargePages(entry)
    homes.appendOnLargePages(.none)
    appended += 1
  }

  /// Gives their numbers to those that came by `append`: what rests together lies side by side, so that
  /// all of it is at hand when it is time. Complexity: O(n).
  mutating func arrange() -> Range<Int32> {
    let start = entries.count - appended
    if appended > 1 {
      var arranged: [LeaveEntry] = []
      arranged.move(toCapacity: entries.capacity)
      arranged.append(contentsOf: entries[..<start])
      for number in cells.order(of: entries[start...]) { arranged.append(entries[number]) }
      entries = arranged
    }
    appended = 0
    for number in start..<entries.count {
      restFar(Int32(truncatingIfNeeded: number), entries[number])
    }
    return Int32(start)..<Int32(entries.count)
  }

  func slot(_ index: Int32) -> Int32 { entries[Int(index)].slot }

  /// - Parameter moment: when it is time to leave as exactly as is known.
  mutating func add(
    _ entry: LeaveEntry, _ stage: Stage, moment: Instant?, again: TimeSpan, _ view: LeaveView
  ) -> Int32 {
    settle(view)
    let index = insert(entry)
    switch stage {
    case .gone: restGone(index, entry, reckoning.look(at: entry, view), again: again, view)
    case .waiting:
      // The last seconds are as exact as the rule itself, and so is what the short numbers take for due;
      // the others begin with a look.
      let look = reckoning.look(at: entry, view)
      let left = moment.map { ($0 - Instant(microseconds: view.now)).microseconds } ?? 0
      let isSoon = left < LeaveReckoning.soon || look.slack <= look.doubt
      if left > 0, isSoon {
        let time = view.now + min(left, LeaveReckoning.longestBlindRest)
        near.setImminent(wake(index), at: time)
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
    entries.appendOnLargePages(entry)
    homes.appendOnLargePages(.none)
    return Int32(entries.count - 1)
  }

  mutating func remove(_ index: Int32) {
    takeOut(index)
    free.append(index)
  }

  /// Takes an entry out of where it rests.
  mutating func takeOut(_ index: Int32) {
    let home = homes[Int(index)]
    homes[Int(index)] = .none
    if let place = home.near {
      near.remove(place)
    } else if let place = home.gone {
      gone.remove(place)
    } else if home == .cell {
      cells.remove(index, entries[Int(index)])
    } else if home == .fixed {
      fixed.cancel(slot: index)
    } else if home == .nearShelf {
      near.unshelve(index)
    } else if home == .goneShelf {
      gone.unshelve(index)
    }
  }

  /// Has the shelves ready for an event. Complexity: O(1), and O(those on shelves) once in an hour.
  @inline(__always)
  mutating func settle(_ view: LeaveView) {
    near.settle(entries, view)
    gone.settle(entries, view)
  }

  /// Has entries, and where they rest, on their way to the processor, for all of them at once: memory gives many lines in
  /// little more time than one. Changes nothing; but were it not to be allowed to, the whole queue would be copied for it.
  mutating func askFor(_ indices: [Int32]) {
    for index in indices {
      homes.askFor(Int(index))
      entries.askFor(Int(index))
    }
  }

  /// Its place in `near`, where it is to be let rest.
  mutating func wake(_ index: Int32) -> Int32 {
    if let place = homes[Int(index)].near { return place }
    takeOut(index)
    let place = near.insert(entries[Int(index)], index)
    homes[Int(index)] = .near(place)
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
  mutating func lookNow(_ place: Int32, _ view: LeaveView) {
    near.setTimed(place, at: view.now)
    nearQuietUntil = .min
  }

  // MARK: - Another reckoning

  /// Reckons every moment anew. Complexity: O(cells + those near or gone).
  mutating func reckonAll(_ view: LeaveView) {
    unquiet()
    settle(view)
    cells.reckonAll(reckoning, view, into: &given)
    for index in near.unshelveAll() {
      homes[Int(index)] = .none
      restAnywhere(index, view)
    }
    for index in near.given where homes[Int(index)] == .nearGiven { restAnywhere(index, view) }
    for index in near.indices { restAnywhere(index, view) }
    takeGiven(view)
    near.lookAtAll(reckoning, view)
    gone.lookAtAll()
  }

  /// Nothing is known of when something is to be looked at.
  mutating func unquiet() {
    nearQuietUntil = .min
    farQuietUntil = .min
    backLookedAt = nil
  }

  /// What is known of the mode has changed. Complexity: O(those near or gone) at most for a trip under way, O(cells)
  /// more where it is for good, O(n) for another profile.
  mutating func use(_ pace: TravelPace, _ view: LeaveView) {
    let old = self.pace
    guard pace != old else { return }
    var underWay = old
    underWay.trip = pace.trip
    reckoning = LeaveReckoning(pace: pace)
    unquiet()
    if pace.profile != old.profile { beginAnew() }
    near.use(reckoning)
    gone.use(reckoning, entries)
    if pace != underWay { return reckonAll(view) }
    let hasOtherClocks = pace.steepest != old.steepest
    // Ways that take no longer leave no less slack to what waits.
    if hasOtherClocks || !pace.trip.isNowhereSlower(than: old.trip) {
      cells.lookAtNear(reckoning, view)
      near.lookAtAll(reckoning, view)
    }
    // Ways that take no less give no slack back to what has said "leave".
    if hasOtherClocks || !old.trip.isNowhereSlower(than: pace.trip) { gone.lookAtAll() }
  }

  /// With other bands the grades mean something else, and the cells have another size.
  private mutating func beginAnew() {
    cells = LeaveCells(reckoning)
    near = NearLeaves(reckoning, kernel)
    gone = GoneLeaves(reckoning, kernel)
    for number in homes.indices where homes[number] != .none && homes[number] != .fixed {
      let index = Int32(truncatingIfNeeded: number)
      let wasGone = homes[number].isGone
      homes[number] = .none
      if wasGone { gone.setAtOnce(leave(index)) } else { restFar(index, entries[number]) }
    }
  }

  // MARK: - Looks

  /// When the first of them is to be looked at if no fix comes until then, microseconds.
  /// Complexity: O(1).
  func deadline(_ view: LeaveView) -> Int64? {
    guard count > 0 else { return nil }
    var start = view
    start.now = 0
    let far = sooner(cells.shortestRest(reckoning, start), fixed.peek()?.deadline)
    return sooner(far.map { $0 + Self.farPatience }, near.deadline(reckoning, view))
  }

  /// Looks at one of them anew, unless it is far off.
  mutating func lookSoon(_ index: Int32, _ view: LeaveView) {
    let home = homes[Int(index)]
    if let place = home.near {
      near.lookSoon(place, reckoning, view)
      nearQuietUntil = .min
    } else if home == .nearShelf {
      near.setFresh(wake(index), view)
      nearQuietUntil = .min
    } else if let place = home.gone {
      gone.lookSoon(place)
      backLookedAt = nil
    } else if home == .goneShelf {
      gone.lookSoon(onShelf: index)
      homes[Int(index)] = .goneGiven
      backLookedAt = nil
    }
  }
}
