/// The reference model: what the explanation pages, above all "What a reminder remembers", say
/// about reminders, after the regions are known that hold the device.
///
/// It is written from these pages alone, and shares no rule with the engine: a reminder is a list
/// of all its occurrences with marks. It asks each reminder at each full minute, at each event, and
/// around each moment that a reminder names (one second before, then, and one second after). It
/// keeps no timers.
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
  /// The names of all trackers; the machine itself is the first.
  let trackers: [String]
  var positions: [String: Position] = [:]
  /// When the daemon was started anew.
  var startedAt: Moment?
  /// Whether it is decided what its start finds.
  var isStarting = false
  var records: [String: Record] = [:]
  package internal(set) var firings: [Firing] = []
  /// Moments to evaluate, by the minute that they are in.
  private var agenda: [Int: Set<Moment>] = [:]

  /// The name of the machine's own tracker.
  package static let machine = "self"

  package init(zone: Zone, start: Moment, end: Moment, trackers: [String] = [Model.machine]) {
    self.zone = zone
    self.trackers = trackers
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

  /// Lets time pass without an evaluation: the daemon does not run.
  package mutating func sleep(to moment: Moment) { now = max(now, moment) }

  /// The next full minute, or an earlier moment of the agenda.
  private var nextMoment: Moment {
    let minute = now.quotient(60)
    return agenda[minute]?.filter { $0 > now }.min() ?? (minute + 1) * 60
  }

  /// Asks for an evaluation around a moment.
  mutating func note(_ moment: Moment?) {
    guard let moment, moment < end + 2 * 86_400 else { return }
    for near in moment - 1...moment + 1 where near > now {
      agenda[near.quotient(60), default: []].insert(near)
    }
  }

  /// Evaluates every reminder now.
  mutating func evaluate() { changeAll { $0.evaluate(&$1) } }

  /// Changes all records in their places: they are taken out meanwhile, for none is copied then.
  private mutating func changeAll(_ change: (inout Model, inout Record) -> Void) {
    var all: [String: Record] = [:]
    swap(&all, &records)
    var place = all.startIndex
    while place != all.endIndex {
      change(&self, &all.values[place])
      all.formIndex(after: &place)
    }
    swap(&all, &records)
  }

  private mutating func evaluate(_ record: inout Record) {
    guard !record.isDone else { return }
    let count = firings.count
    switch record.silence {
    case .until(let moment) where moment <= now: wake(&record, from: moment)
    case .until:
      switch record.spec.kind {
      case .location: follow(&record)
      case .date: break
      case .leave: useWhatIsDue(&record)
      }
    case .nextVisit, .leaving, nil:
      switch record.spec.kind {
      case .location: decidePlace(&record)
      case .date: decideDate(&record)
      case .leave: decideLeaving(&record)
      }
    }
    // A firing of its own takes the place of a repetition.
    if firings.count == count { repeatFiring(&record) }
  }

  /// Stores a record that a command has changed, and evaluates it.
  mutating func store(_ record: Record) {
    var record = record
    evaluate(&record)
    records[record.spec.id] = record
  }

  // MARK: - Position

  /// What is known of where a tracker is.
  struct Position {
    /// The regions that held the last fix since the start of the daemon; nil before it.
    var inside: Set<String>?
    /// The same, from before a restart as well: for travel times.
    var lastInside: Set<String>?
    /// The last fix since the start of the daemon.
    var heardAt: Moment?
    /// The name of the spot of the last fix.
    var spot: String?
    /// nil before the first fix since the start.
    var motion: Motion?
  }

  /// Of the tracker that a reminder is about. Several have no common position.
  func position(of record: Record) -> Position { positions[record.spec.who] ?? Position() }

  /// Whether a tracker had a fix since the start of the daemon.
  package func hasFix(of tracker: String) -> Bool { positions[tracker]?.inside != nil }

  /// A fix: whose, its spot, the regions that hold it, the regions crossed without a fix inside
  /// with the time of each crossing, and the speed and course.
  package mutating func fix(
    of tracker: String = Model.machine, at spot: String? = nil, inside regions: Set<String>,
    passing passed: [String: Double] = [:], _ motion: Motion
  ) {
    positions[tracker] = Position(
      inside: regions, lastInside: regions, heardAt: now, spot: spot, motion: motion)
    changeAll { model, record in
      guard record.spec.isLocation, !record.isDone else { return }
      let crossing = passed[record.spec.region]
      if record.spec.isAboutSeveral {
        model.move(tracker, of: &record, crossing: crossing)
      } else if record.spec.who == tracker {
        model.move(&record, crossing: crossing)
      }
    }
    evaluate()
    changeAll { $1.isMoving = false }
  }

  /// The daemon starts anew. The next fix says where the device is, and how fast it goes; until
  /// then the last one serves travel times only.
  package mutating func restart() {
    startedAt = now
    isStarting = true
    defer { isStarting = false }
    positions = positions.mapValues { Position(lastInside: $0.lastInside, spot: $0.spot) }
    evaluate()
  }

  // MARK: - Zone

  /// The system's zone has changed: the names stay, and the instants move.
  package mutating func change(to zone: Zone) {
    self.zone = zone
    for id in ids {
      guard var record = records[id] else { continue }
      let old = record
      list(&record)
      if record.spec.repeats != nil, !record.spec.isLocation {
        // What the old zone left out, and is over in the new one.
        let limit = old.next?.name ?? LocalTime(seconds: .max)
        let leftOut = Set(old.occurrences.filter { !$0.counts }.map(\.name))
        record.use { $0.due < now && $0.name < limit && leftOut.contains($0.name) }
      }
      records[id] = record
    }
    evaluate()
  }

  /// Notes all moments that a reminder names.
  mutating func noteMoments(of record: Record) {
    let spec = record.spec
    for occurrence in record.occurrences where occurrence.due != .min {
      for alarm in occurrence.leads + [occurrence.atDue] where alarm.planned < end + 86_400 {
        note(alarm.planned)
        note(alarm.rings)
        if case .leave(let travel) = spec.kind { note(alarm.planned - travel) }
      }
      note(occurrence.closes)
    }
    note(spec.from?.moment(in: zone))
    note(spec.until?.moment(in: zone))
    for day in zone.local(at: now).day...zone.local(at: max(now, end)).day + 1 {
      for second in [0, spec.hours?.start, spec.hours?.end] {
        guard let second else { continue }
        for moment in zone.moments(of: LocalTime(day: day, second: second)) { note(moment) }
      }
    }
    noteDwell(record)
    noteSilence(record)
  }
}
