package import CivilTime
import Containers
package import Geodesy

/// The evaluation of entries, and the keys that follow from it.
extension DepartureQueue {
  /// The result of an evaluation.
  enum Evaluation {
    case due
    /// Wait until the clock of the mode shows this.
    case clock(Int64)
    /// Wait until this time of day; if `watched`, every fix checks it as well.
    case time(Int64, watched: Bool)
  }

  /// Gives an entry its key; a due one is found by the next `nextDue`.
  mutating func schedule(_ slot: Int32, at now: Instant) {
    guard let entry = entry(slot) else { return }
    if entry.stage == .notified {
      if entry.moment > now { watch(slot) }
      return
    }
    var evaluation = evaluate(slot, entry, at: now)
    if case .due = evaluation { evaluation = .time(now.microseconds, watched: false) }
    apply(evaluation, slot, entry)
  }

  mutating func apply(_ evaluation: Evaluation, _ slot: Int32, _ entry: DepartureEntry) {
    let mode = entry.transport.index
    switch evaluation {
    case .due: break
    case .clock(let key):
      clocks[mode].heap.push(slot: slot, at: key)
      timed.cancel(slot: slot)
      unwatch(slot)
    case .time(let deadline, let isWatched):
      clocks[mode].heap.cancel(slot: slot)
      timed.push(slot: slot, at: deadline)
      if isWatched { watch(slot) } else { unwatch(slot) }
    }
  }

  /// Evaluates a waiting entry exactly, and bounds how long it can wait.
  mutating func evaluate(
    _ slot: Int32, _ entry: DepartureEntry, at now: Instant
  ) -> Evaluation {
    dropLapsedRoute(slot, at: now)
    let way = way(slot, entry, at: now)
    let left = (entry.moment - now).microseconds
    let slack = left - (way?.time ?? .zero).microseconds
    guard slack > 0 else { return .due }
    guard let distance = way?.distance else {
      return .time(now.microseconds + slack, watched: false)
    }
    if let fixed = entry.fixed {
      // Inside the place it counts again from the first metre outside.
      let outside = left - fixed.microseconds
      return .time(now.microseconds + (outside > 0 ? outside : slack), watched: outside <= 0)
    }
    let clock = clocks[entry.transport.index]
    // Inside the place the way is 0 and comes back at the edge, so the full way bounds the slack.
    var safe = Double(left) - clock.pace.seconds(distance) * 1e6
    var timeout = slack
    if routes.isOn, let here = odometer.here {
      bound(&safe, &timeout, slot, entry, left: left, slack, distance, here, at: now)
    }
    let step = Int64(min(max(safe, -1e18), 2e18)) - clock.margin - Self.timerTolerance
    guard step > 0 else { return .time(now.microseconds + timeout, watched: true) }
    return .clock(clock.reading(now, odometer.metres) + step)
  }

  /// Adds what a routing engine changes: another way, the end of its answer, the next request.
  /// - Parameters:
  ///   - safe: the gain of the mode's clock after which to evaluate again, microseconds.
  ///   - timeout: the time after which to evaluate again, microseconds.
  private mutating func bound(
    _ safe: inout Double, _ timeout: inout Int64, _ slot: Int32, _ entry: DepartureEntry,
    left: Int64, _ slack: Int64, _ distance: Double, _ here: Vector, at now: Instant
  ) {
    let clock = clocks[entry.transport.index]
    let answer = routes.answer(slot, from: here, at: now)
    if let answer {
      let routed = Double(left) - clock.pace.routed(answer, distance: distance) * 1e6
      let remainder = RouteBook.remainder(of: answer, from: here, at: now)
      // A steeper way uses up slack faster than the clock runs, by this factor at most.
      safe = min(
        routed / clock.pace.detour(answer), Double(remainder.time),
        remainder.metres * clock.slope)
      timeout = min(timeout, remainder.time + 1)
    }
    let worst =
      Double(left - Self.routingMargin) - clock.pace.longest(distance) * 1e6
    if worst > 0 {
      safe = min(safe, worst / max(1, clock.pace.longestSteepness / clock.pace.steepness))
      timeout = min(timeout, Int64(min(worst, 2e18)) + 1)
      return
    }
    let interval = RouteBook.interval(slack)
    safe = min(safe, Double(interval))
    timeout = min(timeout, interval)
    if distance > entry.radius,
      answer.map({ routes.isStale($0, from: here, slack: slack, at: now) }) ?? true
    {
      routes.want(slot, by: entry.transport, slack: slack)
    }
  }

  /// Whether the straight line through the Earth alone shows that a notified entry has no more
  /// slack than `again`; it spares most of them the great circle at each fix.
  func isSurelyShort(_ entry: DepartureEntry, at now: Instant, _ again: TimeSpan) -> Bool {
    guard let here = odometer.here, entry.fixed == nil, routes.isEmpty else { return false }
    let distance = (here - entry.goal).length * Sphere.radius - ModeClock.distanceError
    guard distance > entry.radius else { return false }
    let seconds = clocks[entry.transport.index].pace.seconds(distance)
    return (entry.moment - now).seconds - seconds < again.seconds
  }

  mutating func dropLapsedRoute(_ slot: Int32, at now: Instant) {
    if let here = odometer.here { routes.dropLapsed(slot, from: here, at: now) }
  }

  // MARK: - The way

  func way(_ slot: Int32, _ entry: DepartureEntry, at now: Instant) -> Way? {
    way(
      slot, to: entry.place, radius: entry.radius, fixed: entry.fixed, by: entry.transport, at: now)
  }

  /// The way of a reminder by the best source there is; nil before the first position, unless it is
  /// fixed.
  package func way(
    _ slot: Int32, to place: Coordinate, radius: Double, fixed: TimeSpan?, by transport: Transport,
    at now: Instant
  ) -> Way? {
    guard let position = odometer.position, let here = odometer.here else {
      return fixed.map { Way(time: $0, source: .fixed) }
    }
    let distance = position.distance(to: place)
    guard distance > radius else { return Way(distance: distance, time: .zero, source: .there) }
    if let fixed { return Way(distance: distance, time: fixed, source: .fixed) }
    let pace = pace(of: transport)
    if let answer = routes.answer(slot, from: here, at: now) {
      let seconds = pace.routed(answer, distance: distance)
      return Way(distance: distance, time: TimeSpan(seconds: seconds), source: .routed(answer))
    }
    return Way(
      distance: distance, time: TimeSpan(seconds: pace.seconds(distance)), source: .estimated)
  }
}
