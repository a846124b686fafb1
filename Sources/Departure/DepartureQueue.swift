package import CivilTime
import Containers
package import Geodesy

/// The preemptive reminders of an engine, in the order in which it can become time to leave.
///
///     queue.follow(position)
///     queue.beginEvent(at: now)
///     while let slot = queue.nextDue(at: now, again: slack) { … }
///
/// The slack of a reminder is due − lead − travel time from here − now. Most wait by the clock of
/// their mode (`ModeClock`), and a fix costs one comparison with the top of each heap. A popped
/// entry is evaluated exactly: it is due, or it gets a new key.
///
/// Entries wait by the time of day when only time uses up their slack: with a travel time of their
/// own, or before the first position. Every fix checks those with less slack than metres may use up
/// uncounted, and the notified ones, which fire again when slack comes back.
///
/// Between two events the outcome equals an evaluation of every entry at each event.
package struct DepartureQueue: Sendable {
  /// An entry may be evaluated this late between fixes, so that a feed with a fix a second needs no
  /// timers between them; its key is earlier by as much. Microseconds.
  static let timerTolerance: Int64 = 1_200_000
  /// The routing engine is asked when the longest plausible way leaves less slack, microseconds.
  static let routingMargin: Int64 = 600_000_000

  /// By slot.
  var entries: [DepartureEntry?] = []
  /// By mode.
  var clocks: [ModeClock]
  /// Modes whose entries need new keys.
  private var outdated = Self.all(false)
  /// Entries that are due by the time of day.
  var timed = TimerHeap()
  /// Slots of the entries that every fix checks.
  private var watched: [Int32] = []
  /// The first this many of `watched` have not been checked in this event.
  private var unchecked = 0
  private var latestEvent = Instant(microseconds: .min)
  package private(set) var odometer = Odometer()
  package var routes = RouteBook()

  package init(_ estimator: TravelEstimator) {
    clocks = Transport.allCases.map { ModeClock(TravelPace(profile: estimator.profile(of: $0))) }
  }

  package func pace(of transport: Transport) -> TravelPace { clocks[transport.index].pace }

  // MARK: - Changes

  /// Adds a reminder, or replaces the entry that its slot has.
  /// - Complexity: O(log n).
  package mutating func set(_ slot: Int32, _ entry: DepartureEntry, at now: Instant) {
    unlink(slot)
    while entries.count <= Int(slot) { entries.append(nil) }
    entries[Int(slot)] = entry
    schedule(slot, at: now)
    // It may have slack already.
    if entry.stage == .notified { timed.push(slot: slot, at: now.microseconds) }
  }

  /// Removes a reminder, and the answers for it; harmless where the slot has none.
  /// - Complexity: O(log n).
  package mutating func remove(_ slot: Int32) {
    unlink(slot)
    routes.remove(slot)
  }

  func entry(_ slot: Int32) -> DepartureEntry? {
    Int(slot) < entries.count ? entries[Int(slot)] : nil
  }

  private mutating func unlink(_ slot: Int32) {
    guard let entry = entry(slot) else { return }
    clocks[entry.transport.index].heap.cancel(slot: slot)
    timed.cancel(slot: slot)
    unwatch(slot)
    entries[Int(slot)] = nil
  }

  /// Follows the device. The first position gives all entries new keys.
  package mutating func follow(_ position: Coordinate) {
    if odometer.position == nil { markOutdated() }
    odometer.follow(position)
    unchecked = watched.count
  }

  /// Sets the pace of a mode. Its entries get new keys unless only the trip's pace differs.
  /// - Complexity: O(1).
  package mutating func use(_ pace: TravelPace, for transport: Transport) {
    guard pace != self.pace(of: transport) else { return }
    if !clocks[transport.index].change(to: pace, metres: odometer.metres) {
      outdated[transport.index] = true
    }
    unchecked = watched.count
  }

  /// All entries get new keys at the next event: the clock was set, or the rule for notified ones
  /// has changed.
  package mutating func markOutdated() { outdated = Self.all(true) }

  private static func all(_ value: Bool) -> [Bool] {
    Array(repeating: value, count: Transport.allCases.count)
  }

  /// Stores the answer of a routing engine.
  package mutating func take(
    _ answer: RouteAnswer, at now: Instant, destination: (Int32) -> Coordinate?
  ) {
    let changed = routes.take(answer, at: now, destination: destination) {
      [clocks] seconds, metres, transport in
      let profile = clocks[transport.index].pace.profile
      return seconds >= metres / profile.topSpeed && seconds <= profile.longestPlausible(metres)
    }
    for slot in changed { schedule(slot, at: now) }
  }

  /// Drops answers that are later than now, after the clock was set back.
  package mutating func dropLaterRoutes(at now: Instant) {
    for slot in routes.dropLater(than: now) { schedule(slot, at: now) }
  }

  // MARK: - Checks

  /// Call it once for each event, before `nextDue`.
  /// - Complexity: O(1); O(n log n) after `markOutdated`, with another pace, or when time ran back.
  package mutating func beginEvent(at now: Instant) {
    if now < latestEvent { markOutdated() }
    latestEvent = now
    if outdated.contains(true) {
      for slot in entries.indices {
        guard let entry = entries[slot], outdated[entry.transport.index] else { continue }
        schedule(Int32(slot), at: now)
      }
      outdated = Self.all(false)
      unchecked = watched.count
    }
    // An answer lapses with time, too.
    if !routes.isEmpty { unchecked = watched.count }
  }

  /// The next reminder to decide about: it is time to leave, or a notified one has more slack than
  /// `again`. nil if there is none. A waiting one is removed; the caller sets it anew.
  /// - Complexity: O(1) if nothing is due, O(log n) for each entry evaluated.
  package mutating func nextDue(at now: Instant, again: TimeSpan) -> Int32? {
    while let first = timed.peek(), first.deadline <= now.microseconds {
      if check(first.slot, at: now, again) { return first.slot }
    }
    for mode in clocks.indices {
      let reading = clocks[mode].reading(now, odometer.metres)
      while let first = clocks[mode].heap.peek(), first.deadline <= reading {
        if check(first.slot, at: now, again) { return first.slot }
      }
    }
    while unchecked > 0 {
      unchecked = min(unchecked, watched.count) - 1
      guard unchecked >= 0 else { break }
      let slot = watched[unchecked]
      if check(slot, at: now, again) { return slot }
    }
    unchecked = 0
    return nil
  }

  private mutating func check(_ slot: Int32, at now: Instant, _ again: TimeSpan) -> Bool {
    guard let entry = entry(slot) else { return false }
    guard entry.stage == .notified else {
      let evaluation = evaluate(slot, entry, at: now)
      if case .due = evaluation { unlink(slot) } else { apply(evaluation, slot, entry) }
      return entries[Int(slot)] == nil
    }
    timed.cancel(slot: slot)
    guard entry.moment > now else {
      // No slack comes back after its moment, unless the clock is set back.
      unwatch(slot)
      routes.remove(slot)
      return false
    }
    dropLapsedRoute(slot, at: now)
    // Without a way there is as much slack as there can be.
    guard entry.moment - now > again, !isSurelyShort(entry, at: now, again),
      let way = way(slot, entry, at: now)
    else { return false }
    return entry.moment - way.time - now > again
  }

  /// When the next evaluation is due if no fix comes until then, microseconds.
  /// - Complexity: O(1).
  package var deadline: Int64? {
    var soonest = timed.peek()?.deadline ?? .max
    for clock in clocks {
      guard let first = clock.heap.peek() else { continue }
      soonest = min(soonest, time(of: first.deadline, clock))
    }
    return soonest == .max ? nil : soonest
  }

  /// The time at which a key must be evaluated if the device stays where it is.
  private func time(of key: Int64, _ clock: ModeClock) -> Int64 {
    key - clock.gain(odometer.metres) + Self.timerTolerance
  }

  /// When a waiting reminder is evaluated next if the device stays where it is.
  package func nextCheck(_ slot: Int32) -> Instant? {
    guard let entry = entry(slot), entry.stage == .waiting else { return nil }
    let clock = clocks[entry.transport.index]
    let time =
      timed.deadline(slot: slot) ?? clock.heap.deadline(slot: slot).map { self.time(of: $0, clock) }
    return time.map { Instant(microseconds: $0) }
  }

  /// The times to leave of waiting reminders as things stand, soonest first.
  ///
  /// Keys are lower bounds of them, so more are evaluated than returned; the walk of each heap ends
  /// after some thousands.
  /// - Complexity: O(n + limit log n) for n entries.
  package func soonest(limit: Int, at now: Instant) -> [(moment: Int64, slot: Int32)] {
    var found: [(moment: Int64, slot: Int32)] = []
    func walk(_ heap: TimerHeap, _ gain: Int64) {
      var visits = 0
      heap.forEachInOrder { key, slot in
        if found.count >= limit, let last = found.last, last.moment < key - gain { return false }
        visits += 1
        guard let entry = entry(slot), entry.stage == .waiting else { return true }
        let moment = (entry.moment - (way(slot, entry, at: now)?.time ?? .zero)).microseconds
        let place = found.firstIndex { ($0.moment, $0.slot) > (moment, slot) } ?? found.count
        if place < limit { found.insert((moment, slot), at: place) }
        if found.count > limit { found.removeLast() }
        return visits < 4_096 + 2 * limit
      }
    }
    walk(timed, 0)
    for clock in clocks { walk(clock.heap, clock.gain(odometer.metres)) }
    return found
  }

  // MARK: - The watched entries

  mutating func watch(_ slot: Int32) {
    guard let entry = entries[Int(slot)], entry.watchIndex < 0 else { return }
    entries[Int(slot)]?.watchIndex = Int32(watched.count)
    watched.append(slot)
  }

  /// The last one takes its place.
  mutating func unwatch(_ slot: Int32) {
    guard let index = entries[Int(slot)]?.watchIndex, index >= 0 else { return }
    entries[Int(slot)]?.watchIndex = -1
    let last = watched.removeLast()
    guard last != slot else { return }
    watched[Int(index)] = last
    entries[Int(last)]?.watchIndex = index
  }
}
