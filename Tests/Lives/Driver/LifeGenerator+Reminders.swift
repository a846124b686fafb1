import ReferenceModel

/// Reminders with a few conditions each, all about the two days of the life.
extension LifeGenerator {
  mutating func reminder(_ id: String, at time: Moment) -> ReminderSpec {
    let name = pick(KindName.allCases)
    var spec = ReminderSpec(id: id, kind: kind(name), region: region(name))
    if case .date = spec.kind {
      set(.due, of: &spec, at: time)
      if happens(25) { set(.leads, of: &spec, at: time) }
    }
    if case .leave = spec.kind { set(.due, of: &spec, at: time) }
    if spec.isAbsence { set(.due, of: &spec, at: time) }
    if life.trackers.count > 1, name != .date, happens(60) {
      set(name == .leave || name == .silent || happens(40) ? .who : .several, of: &spec, at: time)
    }
    let applicable = conditions(for: spec)
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      set(pick(applicable), of: &spec, at: time)
    }
    repair(&spec)
    return spec
  }

  /// The same reminder with another value of a condition, without it, or elsewhere.
  mutating func edited(_ spec: ReminderSpec, at time: Moment) -> ReminderSpec {
    var spec = spec
    let name = KindName(spec)
    let applicable = conditions(for: spec)
    let condition = pick(applicable)
    if happens(30), name.isLocation, name != .silent {
      spec.region = region(name)
    } else if happens(30), condition.isSet(in: spec), condition != .due {
      condition.remove(from: &spec)
    } else if happens(15) {
      changeKind(&spec, name)
    } else {
      set(condition, of: &spec, at: time)
    }
    if happens(20) { set(pick(applicable), of: &spec, at: time) }
    repair(&spec)
    return spec
  }

  /// All but the tracker, which no edit changes here.
  private func conditions(for spec: ReminderSpec) -> [Condition] {
    Condition.allCases.filter {
      $0 != .who && $0 != .several && $0.applies(to: KindName(spec))
        && !(spec.isAboutSeveral && $0.isAboutMotion)
    }
  }

  /// Another event at the place, or another time for the way.
  private mutating func changeKind(_ spec: inout ReminderSpec, _ name: KindName) {
    switch name {
    case .arrive, .depart, .dwell:
      let other = pick([KindName.arrive, .depart, .dwell])
      spec.kind = kind(other)
      if !Condition.ifInside.applies(to: other) { spec.ifInside = .wait }
    case .leave: spec.kind = kind(.leave)
    case .silent: spec.kind = kind(.silent)
    case .category, .area, .date, .absent: break
    }
  }

  private mutating func kind(_ name: KindName) -> ReminderSpec.Kind {
    switch name {
    case .arrive: .location(.arrive)
    case .depart: .location(.depart(pick([0, 0, 0, 60, 1800])))
    case .dwell: .location(.dwell(pick([30, 300, 1800, 7200])))
    case .category, .area: .location(pick([.arrive, .arrive, .depart(0), .dwell(600)]))
    case .date: .date
    case .absent: .location(.absent)
    case .silent: .location(.silent(pick([1800, 7200, 6 * 3600])))
    case .leave: .leave(travel: pick([600, 1800, 5400]))
    }
  }

  private mutating func region(_ name: KindName) -> String {
    switch name {
    case .arrive, .depart, .dwell, .leave, .absent: pick(Area.circles).rawValue
    case .category: Area.food.rawValue
    case .area: Area.campus.rawValue
    case .date, .silent: ""
    }
  }

  private mutating func stamp(_ moment: Moment, floating percent: Int) -> Stamp {
    happens(percent) ? .floating(life.zone.local(at: moment)) : .absolute(moment)
  }

  private mutating func set(_ condition: Condition, of spec: inout ReminderSpec, at time: Moment) {
    switch condition {
    case .due:
      let first = spec.isLocation ? time - 12 * 3600 : time + 60
      spec.due = stamp(moment(from: first, to: life.end), floating: 75)
    case .repeats:
      let hourly = RepeatingTimes(.hourly, interval: pick([1, 1, 2, 3, 5]))
      let daily = RepeatingTimes(.daily, count: happens(20) ? 2 : nil)
      spec.repeats = pick([hourly, hourly, daily, daily, daily, RepeatingTimes(.weekly)])
      if happens(10) { spec.repeats = RepeatingTimes(.daily, interval: 2) }
      if happens(5) { spec.repeats = RepeatingTimes(.monthly) }
      // Long enough ago that the series has begun.
      let first = spec.isLocation ? time - 86_400 : time - 43_200
      spec.due = .floating(life.zone.local(at: moment(from: first, to: life.end - 86_400)))
    case .lead:
      spec.leads = [pick([300, 900, 1800, 3600, Lead(days: 1, seconds: 0), 86_400])]
    case .leads:
      let longer: [Lead] = [1200, 1800, Lead(days: 1, seconds: 0), Lead(days: 1, seconds: 1800)]
      spec.leads = [pick(longer), pick([0, 600])]
      if happens(20) { spec.leads = [Lead(days: 1, seconds: 0), 82_800, 3600] }
      // Days before a time to leave are not compared: the travel time comes before the calendar.
      if case .leave = spec.kind { spec.leads = [pick([1200, 1800]), pick([0, 600])] }
    case .hours, .night: spec.hours = hours(isNight: condition == .night)
    case .days:
      let today = LocalTime.weekday(ofDay: life.zone.local(at: time).day)
      spec.days = Set([today, today + 1, today + 2].map { $0 % 7 }.filter { _ in happens(50) })
      if spec.days == [] { spec.days = [(today + 1) % 7] }
    case .from:
      // Often in the very second of a fix, or shortly after it.
      let start = fix(from: time, to: life.end - 36_000).map { $0 + pick([0, 1, 20, 59]) }
      spec.from = stamp(start ?? moment(from: time, to: life.end - 36_000), floating: 50)
    case .until:
      // Often in the very second of a fix, or shortly before it.
      let end = fix(from: time + 21, to: life.end).map { $0 - pick([0, 0, 1, 20]) }
      spec.until = stamp(end ?? moment(from: time + 3600, to: life.end), floating: 50)
    case .cooldown:
      // Often the very time between two due times.
      spec.cooldown = pick([600, 3600, 7200, 86_400, 30 * 3600])
    case .nag: spec.nag = pick([60, 300, 900, 3600])
    case .nagLimit:
      spec.nag = pick([60, 900, 3600])
      spec.nagLimit = pick([0, 1, 3])
    case .everyVisit: spec.everyVisit = true
    case .maximumSpeed: spec.maximumSpeed = pick([1, 1.5, 10, 14])
    case .minimumSpeed: spec.minimumSpeed = pick([1, 1.5])
    case .heading:
      let first = pick([0, 90, 250])
      spec.heading = Heading(first: first, last: (first + pick([100, 190])) % 360)
    case .ifInside: spec.ifInside = .fire
    case .who: spec.who = pick(Array(life.trackers.dropFirst()))
    case .several: spec.who = pick(["anyone", "all"])
    }
  }

  /// Sometimes the time of a fix.
  private mutating func fix(from start: Moment, to end: Moment) -> Moment? {
    guard happens(40) else { return nil }
    return life.steps.map(\.time).filter { $0 >= start && $0 <= end }
      .randomElement(using: &random)
  }

  private mutating func hours(isNight: Bool) -> Hours {
    let step = pick([3600, 1800, 60, 1])
    func time(_ hours: ClosedRange<Int>) -> Int {
      Int.random(in: hours.lowerBound * 3600...hours.upperBound * 3600, using: &random) / step
        * step
    }
    if isNight { return Hours(start: time(18...23), end: max(60, time(1...9))) }
    let start = time(0...20)
    return Hours(start: start, end: max(start + 60, time(start / 3600 + 1...23)))
  }

  /// Moves times that exclude each other, which the engine refuses.
  private mutating func repair(_ spec: inout ReminderSpec) {
    let zone = life.zone
    if spec.repeats?.unit == .hourly {
      if !spec.leads.isEmpty { spec.leads = [300] }
      // The way takes less time than there is between two due times.
      if case .leave = spec.kind { spec.kind = .leave(travel: 600) }
    }
    // A series that is not over when the reminder is made.
    if !spec.isLocation, spec.repeats?.count != nil { spec.repeats?.count = 5 }
    guard var until = spec.until?.moment(in: zone) else { return }
    let moments = [spec.due, spec.from].compactMap { $0?.moment(in: zone) }
    guard let earliest = moments.max() else { return }
    // Now and then it ends in the very second in which it is due.
    if until < earliest || happens(10) { until = earliest }
    spec.until = happens(50) ? .floating(zone.local(at: until)) : .absolute(until)
  }
}
