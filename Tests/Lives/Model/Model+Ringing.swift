/// Firings and their repetitions.
extension Model {
  /// The limit of repetitions in one round, where the user gives none.
  static let defaultLimit = 24
  /// A firing that comes by so many seconds after its moment is not late.
  static let tolerance = 2

  func isCoolingDown(_ record: Record) -> Bool {
    guard let cooldown = record.spec.cooldown, let last = record.lastRang else { return false }
    return now < last + cooldown - Self.tolerance
  }

  /// Fires now, and starts a round of repetitions.
  /// - Parameters:
  ///   - due: the due time that it rings for.
  ///   - late: the seconds since its moment, where that is late.
  ///   - spot: where the device was, if the last fix decided it.
  mutating func ring(
    _ record: inout Record, _ event: Firing.Event, due: Moment? = nil, late: Int? = nil,
    at spot: String? = nil
  ) {
    firings.append(
      Firing(
        time: now, id: record.spec.id, event: late == nil ? event : .late, due: due, late: late,
        spot: spot, who: who(record)))
    record.lastRang = now
    record.isUnacknowledged = true
    record.round = record.spec.nag.map { Record.Round(next: now + $0) }
    note(record.round?.next)
  }

  private func who(_ record: Record) -> String? {
    if record.spec.isAboutSeveral { return record.spec.isAbsence ? nil : record.mover }
    return record.spec.who == Self.machine ? nil : record.spec.who
  }

  /// Whether a round has as many repetitions as the user allows; 0 allows any number.
  func hasReachedLimit(_ record: Record) -> Bool {
    let limit = record.spec.nagLimit ?? Self.defaultLimit
    return limit != 0 && record.round.map { $0.count >= limit } ?? false
  }

  /// The next repetition, when its time has come and the hours and days are open.
  mutating func repeatFiring(_ record: inout Record) {
    let spec = record.spec
    guard let round = record.round, let span = spec.nag, record.silence == nil, round.next <= now
    else { return }
    guard spec.isUntil(now, in: zone) else {
      record.round = nil
      return
    }
    guard spec.isFrom(now, in: zone), spec.isInHours(now, in: zone), spec.isOnDays(now, in: zone)
    else { return }
    firings.append(Firing(time: now, id: spec.id, event: spec.kind.event, who: who(record)))
    record.round = Record.Round(next: now + span, count: round.count + 1)
    if hasReachedLimit(record) { record.round = nil }
    note(record.round?.next)
  }
}

extension ReminderSpec.Kind {
  /// The event of a repetition.
  fileprivate var event: Firing.Event {
    switch self {
    case .date: .due
    case .leave: .leave
    case .location(.arrive): .arrive
    case .location(.depart): .depart
    case .location(.dwell): .dwell
    case .location(.absent): .absent
    case .location(.silent): .silent
    }
  }
}
