package import CivilTime
package import Containers
package import Geodesy

/// The times to leave of an engine, in the order in which they come.
///
///     queue.follow(position)
///     queue.beginEvent(at: now)
///     while let slot = queue.nextDue(at: now) { … }
///
/// The moment to leave is due − lead − travel time from here. A heap has each reminder by that
/// moment as things stand. Where the position, the learnt trips or the clock have changed, all of
/// them are computed anew: some hundred nanoseconds for each.
///
/// Notified reminders are in the heap while they have more slack than `again`.
package struct DepartureQueue: Sendable {
  /// The routing engine is asked when the longest plausible way leaves less slack, microseconds.
  static let routingMargin: Int64 = 600_000_000

  package var predictor: TravelPredictor {
    didSet {
      guard predictor != oldValue else { return }
      for slot in entries.indices { change(Int32(slot)) { $0.ratio = nil } }
      isOutdated = true
    }
  }
  /// Slack that makes a notified reminder wait again.
  package var again = TimeSpan.minutes(10) {
    didSet { isOutdated = isOutdated || again != oldValue }
  }
  package var routes = RouteBook()
  /// The last position; nil before the first.
  package private(set) var position: Coordinate?
  /// The same as a vector.
  package private(set) var here: Vector?
  /// By slot.
  private var entries: [Boxed<DepartureEntry>] = []
  private var times = TimerHeap()
  private var isOutdated = false
  private var latestEvent = Instant(microseconds: .min)

  package init(_ predictor: TravelPredictor) { self.predictor = predictor }

  // MARK: - Changes

  /// Adds a reminder, or replaces the entry that its slot has.
  /// - Complexity: O(log n).
  package mutating func set(_ slot: Int32, _ entry: DepartureEntry, at now: Instant) {
    while entries.count <= Int(slot) { entries.append(.none) }
    entries[Int(slot)] = .some(entry)
    schedule(slot, at: now)
  }

  /// Removes a reminder, and the answers for it; harmless where the slot has none.
  /// - Complexity: O(log n).
  package mutating func remove(_ slot: Int32) {
    times.cancel(slot: slot)
    routes.remove(slot)
    if Int(slot) < entries.count { entries[Int(slot)] = .none }
  }

  package func entry(_ slot: Int32) -> DepartureEntry? {
    Int(slot) < entries.count ? entries[Int(slot)].wrappedValue : nil
  }

  /// Passes how far the reminder of a slot has come, and when it is evaluated next.
  package mutating func pass(_ tape: inout StateTape, _ slot: Int32) {
    let entry = entry(slot)
    var (isNotified, silentUntil) = (entry?.stage == .notified, Instant?.none)
    if case .silent(let until) = entry?.stage { silentUntil = until }
    var hasReported = entry?.hasReportedSilence ?? false
    var check = times.deadline(slot: slot)
    tape.pass(&isNotified)
    tape.pass(&silentUntil)
    tape.pass(&hasReported)
    tape.pass(&check)
    guard tape.isReading, !tape.hasFailed, entry != nil else { return }
    change(slot) {
      $0.stage = isNotified ? .notified : silentUntil.map { .silent(until: $0) } ?? .waiting
      $0.hasReportedSilence = hasReported
    }
    if let check { times.push(slot: slot, at: check) } else { times.cancel(slot: slot) }
  }

  mutating func change(_ slot: Int32, _ body: (inout DepartureEntry) -> Void) {
    guard var entry = entry(slot) else { return }
    body(&entry)
    entries[Int(slot)] = .some(entry)
  }

  /// A routing engine's answer for the way of a slot that counts from here.
  package func answer(_ slot: Int32, at now: Instant) -> RouteBook.Answer? {
    here.flatMap { routes.answer(slot, from: $0, at: now) }
  }

  /// Follows the device.
  package mutating func follow(_ position: Coordinate) {
    guard position != self.position else { return wakeSilent() }
    self.position = position
    here = Vector(position)
    wakeSilent()
    isOutdated = true
  }

  /// A silent reminder is decided anew at each position.
  private mutating func wakeSilent() {
    for slot in entries.indices {
      guard case .silent = entry(Int32(slot))?.stage else { continue }
      change(Int32(slot)) { $0.stage = .waiting }
      isOutdated = true
    }
  }

  /// All moments are computed anew at the next event: the clock was set.
  package mutating func markOutdated() { isOutdated = true }

  /// Stores the answer of a routing engine.
  package mutating func take(
    _ answer: RouteAnswer, at now: Instant, destination: (Int32) -> Coordinate?
  ) {
    let changed = routes.take(answer, at: now, destination: destination) {
      [predictor] seconds, metres, transport in
      let profile = predictor.estimator[transport]
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
  /// - Complexity: O(1); O(n) after a new position, new knowledge, or when time ran back.
  package mutating func beginEvent(at now: Instant) {
    if isOutdated || now < latestEvent {
      isOutdated = false
      for slot in entries.indices { schedule(Int32(slot), at: now) }
    }
    latestEvent = now
  }

  /// The next reminder to decide about: it is time to leave, or a notified one has more slack than
  /// `again`. nil if there is none. The caller sets it anew.
  /// - Complexity: O(log n) for each entry evaluated.
  package mutating func nextDue(at now: Instant) -> Int32? {
    while let first = times.peek(), first.deadline <= now.microseconds {
      schedule(first.slot, at: now)
      guard let deadline = times.deadline(slot: first.slot), deadline <= now.microseconds else {
        continue
      }
      times.cancel(slot: first.slot)
      return first.slot
    }
    return nil
  }

  /// When the next evaluation is due if no fix comes until then, microseconds.
  package var deadline: Int64? { times.peek()?.deadline }

  /// When a reminder is evaluated next if the device stays where it is.
  package func nextCheck(_ slot: Int32) -> Instant? {
    times.deadline(slot: slot).map { Instant(microseconds: $0) }
  }

  /// The slots of waiting reminders in the order of their times to leave as things stand.
  package func soonest(limit: Int) -> [Int32] {
    var found: [Int32] = []
    guard limit > 0 else { return found }
    times.forEachInOrder { _, slot in
      if let stage = entry(slot)?.stage, stage != .notified { found.append(slot) }
      return found.count < limit
    }
    return found
  }

  /// Places to be at within a span from now, the soonest eight, with a routing engine's answer.
  package func goals(
    within span: TimeSpan, at now: Instant
  ) -> [(goal: TripGoal, routed: RouteBook.Answer?)] {
    var found: [(goal: TripGoal, routed: RouteBook.Answer?)] = []
    for slot in entries.indices {
      guard let entry = entry(Int32(slot)), entry.goal.due > now, entry.goal.due - now <= span
      else {
        continue
      }
      found.append((entry.goal, answer(Int32(slot), at: now)))
    }
    found.sort { $0.goal.due < $1.goal.due }
    return Array(found.prefix(TripLog.maximumGoals))
  }

  // MARK: - Evaluation

  /// Gives an entry the moment of its next evaluation; a due one is found by the next `nextDue`.
  private mutating func schedule(_ slot: Int32, at now: Instant) {
    guard let entry = entry(slot), let next = next(slot, entry, at: now) else {
      times.cancel(slot: slot)
      return
    }
    times.push(slot: slot, at: next.microseconds)
  }

  private mutating func next(_ slot: Int32, _ entry: DepartureEntry, at now: Instant) -> Instant? {
    guard entry.stage != .notified || entry.moment > now else {
      // No slack comes back after its moment, unless the clock is set back.
      routes.remove(slot)
      return nil
    }
    if let here { routes.dropLapsed(slot, from: here, at: now) }
    let way = way(slot, entry, at: now)
    let moment = entry.moment - (way?.time ?? .zero)
    // An answer that lapses gives place to the estimate.
    let change = answer(slot, at: now).map {
      $0.time + RouteBook.longestAge + TimeSpan(microseconds: 1)
    }
    switch entry.stage {
    case .notified:
      let start = max(now, entry.from ?? now)
      guard let way, entry.moment - way.time - start > again else { return change }
      return now
    case .silent(let until):
      return max(moment, until)
    case .waiting:
      guard moment > now else { return moment }
      let request = way.flatMap { askRoute(slot, entry, $0, slack: moment - now, at: now) }
      return [moment, change, request].compactMap { $0 }.min()
    }
  }

  /// Asks for a route where it may matter; returns when to ask again.
  private mutating func askRoute(
    _ slot: Int32, _ entry: DepartureEntry, _ way: Way, slack: TimeSpan, at now: Instant
  ) -> Instant? {
    let transport = entry.goal.transport
    guard routes.isOn, transport.hasRoads, entry.fixed == nil, let here, let distance = way.distance
    else { return nil }
    let longest = predictor.estimator[transport].longestPlausible(distance)
    let spare =
      (entry.moment - now).microseconds - Self.routingMargin
      - Int64(min(max(longest, way.time.seconds) * 1e6, 1e18))
    if spare > 0 { return now + TimeSpan(microseconds: spare + 1) }
    if distance > entry.goal.radius {
      if answer(slot, at: now).map({
        routes.isStale($0, from: here, slack: slack.microseconds, at: now)
      }) ?? true {
        routes.want(slot, by: transport, slack: slack.microseconds)
      }
    }
    return now + TimeSpan(microseconds: RouteBook.interval(slack.microseconds))
  }
}
