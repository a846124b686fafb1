import ReferenceModel

/// Actions that the lives leave out, because the engine does not yet follow the rules there. A case
/// goes when the engine follows; `georemind-lives --all` leaves nothing out.
package enum Gap: String, CaseIterable, Sendable {
  case nextVisit = "a snooze to the next visit keeps no timer: a dwell, or hours that open"
  case zone = "a zone change evaluates nothing: hours that it opens, a due time put ahead again"
  case noOccurrence = "a place with a repeating due time and no permitted day fires on arrival"
  case dueAhead = "a single due time at a place made inside, with `if_inside` wait, does not fire"
  case newDue = "a new due time at a place fires at once, though the visit has fired already"
  case waitingDate = "other hours, days or `from` of a repeating date lose an occurrence that waits"
  case motion = "hours do not open after the speed or course that failed first"
  case repeatedHour = "hours do not open in the hour that the clock repeats in autumn"
  case snoozed = "the end of a snooze fires twice: a time to leave, a place with due times"
  case repetition = "a repetition fires in the same second as a firing of its own"
  case newWindow = "other hours, days or `from` fire an occurrence again, or strand a repetition"
  case presence = "a new reminder does not know that the last fix was inside"
  case done = "done does not end a departure that waits, or the last occurrence of a series"

  /// The gap that an action falls into now.
  static func of(_ action: Life.Action, in model: Model, lastFix: Moment?) -> Gap? {
    switch action {
    case .add where lastFix == model.now, .edit where lastFix == model.now: return .presence
    case .snoozeToNextVisit(let id):
      let isPlain = model.spec(id).map { !$0.hasTimes && !$0.staysOrWaits } ?? true
      return isPlain ? nil : .nextVisit
    case .zone: return model.specs.allSatisfy(\.isSafeInZoneChange) ? nil : .zone
    case .snooze(let id, _):
      guard let spec = model.spec(id) else { return nil }
      if case .leave = spec.kind { return .snoozed }
      return spec.isLocation && spec.repeats != nil ? .snoozed : nil
    case .done(let id):
      guard let spec = model.spec(id), spec.isLocation, spec.everyVisit else { return nil }
      return spec.staysOrWaits || spec.repeats?.count != nil ? .done : nil
    case .add(let spec): return of(spec, in: model)
    case .edit(let spec): return of(spec, replacing: model.spec(spec.id), in: model)
    case .fix, .remove, .restart: return nil
    }
  }

  private static func of(_ spec: ReminderSpec, in model: Model) -> Gap? {
    if let hours = spec.hours, model.isClockChangeNear,
      [hours.start, hours.end].contains(where: { (1800...12_600).contains($0) })
    {
      return .repeatedHour
    }
    if spec.kind != .date, let nag = spec.nag {
      let opens = spec.hours != nil || spec.days != nil || spec.from != nil
      if nag % 60 == 0 || opens && (spec.repeats != nil || spec.everyVisit) { return .repetition }
    }
    let isLimited = spec.maximumSpeed != nil || spec.minimumSpeed != nil || spec.heading != nil
    if isLimited, spec.hasTimes, spec.kind != .location(.depart(0)) { return .motion }
    guard spec.isLocation, let due = spec.due else { return nil }
    if let repeats = spec.repeats {
      let isEveryDay = repeats.unit == .hourly || repeats == RepeatingTimes(.daily)
      return spec.days == nil || isEveryDay ? nil : .noOccurrence
    }
    let isAhead = due.moment(in: model.zone) > model.now && spec.ifInside == .wait
    return isAhead && model.inside?.contains(spec.region) == true ? .dueAhead : nil
  }

  private static func of(
    _ spec: ReminderSpec, replacing old: ReminderSpec?, in model: Model
  ) -> Gap? {
    let isNewDue = old.map { $0.due != spec.due || $0.repeats != spec.repeats } ?? false
    if spec.isLocation, isNewDue, model.inside?.contains(spec.region) == true { return .newDue }
    if let old, spec.kind == .date, spec.repeats != nil,
      (old.hours, old.from) != (spec.hours, spec.from) || old.days != spec.days
    {
      return .waitingDate
    }
    if let old, spec.isLocation && spec.repeats != nil || spec.nag != nil,
      (old.hours, old.from) != (spec.hours, spec.from) || old.days != spec.days
    {
      return .newWindow
    }
    return of(spec, in: model)
  }
}

extension Model {
  /// Whether the clock of some zone changes within three days.
  fileprivate var isClockChangeNear: Bool {
    Zone.all.flatMap(\.changeMoments).contains { abs($0 - now) < 3 * 86_400 }
  }
}

extension ReminderSpec {
  /// Whether a clock decides when it may fire.
  fileprivate var hasTimes: Bool {
    due != nil || hours != nil || days != nil || from != nil || until != nil
  }

  /// Whether it fires some time after the device has come or left.
  fileprivate var staysOrWaits: Bool {
    switch kind {
    case .location(.dwell): true
    case .location(.depart(let span)): span > 0
    case .location(.arrive), .date, .leave: false
    }
  }

  fileprivate var isSafeInZoneChange: Bool {
    if nag != nil, hasTimes { return false }
    switch kind {
    case .location: return !hasTimes
    case .date: return true
    case .leave: return false
    }
  }
}
