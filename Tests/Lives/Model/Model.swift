/// The reference model: what the rules of "What the daemon decides, and when" say about reminders,
/// after the regions are known that hold the device.
///
/// It is the slow and plain version of the engine, and shares no code with it. It asks each
/// reminder at each full minute, at each event, and around each moment that a reminder names
/// (one second before, then, and one second after). It keeps no timers.
///
///     var model = Model(zone: .utc, start: start, end: end)
///     model.add(spec)
///     model.advance(to: start + 3600)
///     model.fix(inside: ["home"], Motion(speed: 1, course: 90))
///     model.firings
package struct Model {
  package internal(set) var zone: Zone
  package internal(set) var now: Moment
  /// No occurrence after this is of interest.
  let end: Moment
  /// The regions that held the last fix; nil before the first.
  package internal(set) var inside: Set<String>?
  /// nil before the first fix since the start.
  var motion: Motion?
  var records: [String: Record] = [:]
  package internal(set) var firings: [Firing] = []
  /// Moments to evaluate, by the minute that they are in.
  private var agenda: [Int: Set<Moment>] = [:]

  package init(zone: Zone, start: Moment, end: Moment) {
    self.zone = zone
    self.end = end
    now = start
  }

  package func spec(_ id: String) -> ReminderSpec? { records[id]?.spec }

  package var specs: [ReminderSpec] { records.values.map(\.spec) }

  /// A list of its own: to change a dictionary while its keys are listed copies it.
  private var ids: [String] { Array(records.keys) }

  // MARK: - Time

  /// Lets time pass, with an evaluation at each moment that matters.
  package mutating func advance(to moment: Moment) {
    evaluate()
    while now < moment {
      now = min(moment, nextMoment)
      evaluate()
    }
  }

  /// The next full minute, or an earlier moment of the agenda.
  private var nextMoment: Moment {
    let minute = now.quotient(60)
    return agenda[minute]?.filter { $0 > now }.min() ?? (minute + 1) * 60
  }

  /// Asks for an evaluation around a moment.
  mutating func note(_ moment: Moment?) {
    guard let moment else { return }
    for near in moment - 1...moment + 1 where near > now {
      agenda[near.quotient(60), default: []].insert(near)
    }
  }

  /// Evaluates every reminder now.
  mutating func evaluate() {
    for id in ids { evaluate(id) }
  }

  private mutating func evaluate(_ id: String) {
    guard var record = records[id] else { return }
    let count = firings.count
    switch record.state {
    case .done: break
    case .snoozed(let until): if until <= now { wake(&record) }
    case .expired: repeatUntilAcknowledged(&record)
    case .armed, .fired, .snoozedToNextVisit:
      switch record.spec.kind {
      case .location: decidePlace(&record)
      case .date: decideDate(&record)
      case .leave(let travel): decideLeaving(&record, travel: travel)
      }
      if record.state == .armed, !record.spec.isBeforeEnd(now, in: zone) {
        record.state = .expired
      }
      // A firing of its own starts a new round of repetitions.
      if firings.count == count { repeatUntilAcknowledged(&record) }
    }
    records[id] = record
  }

  // MARK: - Position

  /// A fix: the regions that hold it, the regions crossed without a fix inside with the time of each
  /// crossing, and the speed and course.
  package mutating func fix(
    inside regions: Set<String>, passing passed: [String: Double] = [:], _ motion: Motion
  ) {
    self.motion = motion
    let before = inside ?? []
    inside = regions
    for id in ids {
      guard var record = records[id] else { continue }
      let region = record.spec.region
      if let time = passed[region] { pass(&record, at: time) }
      if !regions.contains(region) {
        if before.contains(region) { leave(&record) }
      } else if record.visit == nil {
        arrive(&record)
      }
      records[id] = record
    }
    evaluate()
  }

  /// The daemon starts anew: how fast the device goes, the next fix tells.
  package mutating func restart() { motion = nil }

  // MARK: - Zone

  /// The system's zone has changed: readings of the clock are other moments.
  package mutating func change(to zone: Zone) {
    // What has told to leave and is over stays so while a snooze lasts.
    for id in ids {
      guard var record = records[id], case .leave = record.spec.kind,
        record.leadsUsed == record.spec.allLeads.count
      else { continue }
      completePassed(&record)
      records[id] = record
    }
    let oldZone = self.zone
    self.zone = zone
    for id in ids {
      guard var record = records[id] else { continue }
      let old = record.occurrences
      record.occurrences = occurrences(of: record.spec)
      recover(&record, leftOutOf: old, in: oldZone)
      noteMoments(of: record)
      records[id] = record
    }
    evaluate()
  }

  /// The due times of a reminder, in the present zone: all of a series with an end.
  func occurrences(of spec: ReminderSpec) -> [Moment] {
    guard let due = spec.due else { return [] }
    let first = due.moment(in: zone)
    guard let repeats = spec.repeats else { return [first] }
    let start = if case .floating(let local) = due { local } else { zone.local(at: first) }
    let last = LocalTime(seconds: repeats.count == nil ? end + 3 * 86_400 : .max)
    // In the hour that the clock shows twice, the first due time may be in the second one.
    return repeats.readings(from: start, to: last).map { $0 == start ? first : zone.moment(of: $0) }
  }

  /// Notes all moments that a reminder names.
  mutating func noteMoments(of record: Record) {
    let spec = record.spec
    for due in record.occurrences {
      for lead in spec.allLeads {
        note(due - lead)
        if case .leave(let travel) = spec.kind { note(due - lead - travel) }
      }
    }
    note(spec.from?.moment(in: zone))
    note(spec.until?.moment(in: zone))
    for day in zone.local(at: now).day...zone.local(at: max(now, end)).day + 1 {
      for second in [0, spec.hours?.start, spec.hours?.end] {
        guard let second else { continue }
        for moment in zone.moments(of: LocalTime(day: day, second: second)) { note(moment) }
      }
    }
    note(dwellEnd(of: record))
  }
}
