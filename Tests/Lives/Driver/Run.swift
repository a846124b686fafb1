import Positioning
package import ReferenceModel

/// One life, lived by the model and by the engine.
package struct Run {
  package private(set) var model: Model
  private var engine: EngineRun
  /// The reminders and edits that the engine took.
  package private(set) var accepted: [ReminderSpec] = []
  /// The reminders and edits that the engine refused, with its reason.
  package private(set) var refused: [(spec: ReminderSpec, reason: String)] = []
  /// The actions that were carried out, with the fixes that confirmed the position.
  package private(set) var taken: [Life.Step] = []
  private var otherState: Difference?
  private var tracks: [String: Track] = [:]
  private let trackers: [String]

  /// What is known of where a tracker went.
  private struct Track {
    var crossings = Crossings()
    /// Since its last fix.
    var isRestarted = false
    var lastFix: (spot: Spot, motion: Motion, time: Moment)?

    /// Returns the crossed regions with the times at which they were crossed.
    mutating func pass(
      _ fix: Fix, at spot: Spot, _ motion: Motion, _ now: Moment
    ) -> [String: Double] {
      lastFix = (spot, motion, now)
      isRestarted = false
      return crossings.follow(fix)
    }
  }

  /// - Parameters:
  ///   - comparesStates: as it goes on and at its end, not only the firings.
  ///   - store: holds the reminders at a restart.
  package init(_ life: Life, comparesStates: Bool = true, store: LifeStore = LifeStore()) {
    trackers = life.trackers
    model = Model(
      zone: life.zone, start: life.start, end: life.end, trackers: life.trackers)
    engine = EngineRun(
      zone: life.zone, start: life.start, trackers: life.trackers, store: store)
    for (number, step) in life.steps.enumerated() {
      if step.time < model.now { continue }
      advance(to: step.time)
      if !isRefused(step.action) { take(step.action) }
      if comparesStates, step.action.changesReminders || number % 5 == 0 { compareStates() }
    }
    advance(to: max(life.end, model.now))
    if comparesStates { compareStates() }
  }

  private mutating func advance(to moment: Moment) {
    model.advance(to: moment)
    engine.advance(to: moment)
  }

  /// Keeps the first difference of the states that model and engine name.
  private mutating func compareStates() {
    guard otherState == nil else { return }
    for spec in model.specs {
      let ours = model.state(spec.id)?.rawValue ?? "unknown"
      let theirs = engine.state(spec.id) ?? "unknown"
      guard ours != theirs else { continue }
      otherState = Difference(
        time: model.now, id: spec.id, model: "\(spec.id) is \(ours)", engine: "is \(theirs)")
    }
  }

  /// The first moment at which the two differ: in what they fire, else in a state.
  package var difference: Difference? {
    guard let firings = otherFirings else { return otherState }
    return otherState.map { $0.time < firings.time ? $0 : firings } ?? firings
  }

  /// The first moment at which the two fire differently, with what each of them fires then.
  private var otherFirings: Difference? {
    let ours = Dictionary(grouping: model.firings, by: \.time)
    let theirs = Dictionary(grouping: engine.firings, by: \.time)
    for time in Set(ours.keys).union(theirs.keys).sorted() {
      let all = ours[time] ?? []
      let wanted = all.map { $0.without(whatIsUnsaidIn: all) }.sorted { $0.order < $1.order }
      let found = (theirs[time] ?? []).map { $0.without(whatIsUnsaidIn: all) }
        .sorted { $0.order < $1.order }
      if wanted != found { return Difference(time: time, model: wanted, engine: found) }
    }
    return nil
  }

  /// Whether the daemon refuses this before the engine learns of it: an edit of an unknown reminder,
  /// a snooze of what has expired, and one to the past, or to the next visit of what has none.
  private func isRefused(_ action: Life.Action) -> Bool {
    switch action {
    case .edit(let spec): model.spec(spec.id) == nil
    case .snooze(let id, let until): until <= model.now || model.state(id) == .expired
    case .snoozeBy(let id, _): model.state(id) == .expired
    case .snoozeToNextVisit(let id):
      model.state(id) == .expired
        || model.spec(id).map { !$0.isLocation || $0.repeats != nil } ?? false
    case .snoozeUntilLeave(let id): model.state(id) == .expired || !engine.isAtPlace(id)
    default: false
    }
  }

  /// Whether this can change something. A command for a reminder that is done or unknown is refused.
  private func isMeaningful(_ action: Life.Action) -> Bool {
    switch action {
    case .fix, .add, .zone, .restart, .off: true
    case .edit(let spec): model.isOpen(spec.id)
    case .done(let id), .pop(let id): model.isOpen(id)
    case .remove(let id): model.spec(id) != nil
    case .snooze(let id, _), .snoozeBy(let id, _), .snoozeToNextVisit(let id),
      .snoozeUntilLeave(let id):
      model.isOpen(id)
    }
  }

  private mutating func take(_ action: Life.Action) {
    let isMeaningful = isMeaningful(action)
    switch action {
    case .fix(let name, let tracker, let motion):
      if let spot = Spot(rawValue: name) { fix(of: tracker, at: spot, motion) }
    case .add(let spec):
      guard take(spec, by: engine.add(spec)) else { return }
      model.add(spec)
      note(action)
      return confirmPosition()
    case .edit(let spec):
      guard take(spec, by: engine.edit(spec)) else { return }
      model.edit(spec)
      note(action)
      return confirmPosition()
    case .remove(let id):
      model.remove(id)
      engine.remove(id)
    case .done(let id):
      model.done(id)
      engine.done(id)
    case .pop(let id):
      model.pop(id)
      engine.pop(id)
    case .snooze(let id, let until):
      model.snooze(id, until: until)
      engine.snooze(id, until: until)
    case .snoozeBy(let id, let span):
      model.snooze(id, by: span)
      engine.snooze(id, by: span)
    case .snoozeToNextVisit(let id):
      confirmPosition()
      model.snoozeToNextVisit(id)
      engine.snoozeToNextVisit(id)
    case .snoozeUntilLeave(let id):
      model.snoozeUntilLeave(id)
      engine.snoozeUntilLeave(id)
    case .zone(let zone):
      model.change(to: zone)
      engine.change(to: zone)
    case .off(let until):
      model.sleep(to: until)
      restart(at: until)
    case .restart: restart(at: model.now)
    }
    if isMeaningful { note(action) }
  }

  private mutating func note(_ action: Life.Action) {
    taken.append(Life.Step(time: model.now, action: action))
  }

  private mutating func restart(at moment: Moment) {
    engine.restart(at: moment)
    model.restart()
    for name in trackers {
      tracks[name]?.crossings.restart()
      tracks[name]?.isRestarted = true
    }
  }

  private mutating func fix(of tracker: String, at spot: Spot, _ motion: Motion) {
    let fix = engine.fix(of: tracker, at: spot, motion)
    let crossed = tracks[tracker, default: Track()].pass(fix, at: spot, motion, model.now)
    model.fix(
      of: tracker, at: spot.rawValue, inside: spot.regions, passing: crossed, motion)
  }

  /// One more fix of each where its last one was, if there was none since a restart: the receivers
  /// are on while the user makes a reminder.
  private mutating func confirmPosition() {
    for name in trackers {
      guard let track = tracks[name], track.isRestarted, let lastFix = track.lastFix,
        lastFix.time < model.now
      else { continue }
      fix(of: name, at: lastFix.spot, lastFix.motion)
      note(.fix(lastFix.spot.rawValue, of: name, lastFix.motion))
    }
  }

  private mutating func take(_ spec: ReminderSpec, by reason: String?) -> Bool {
    if let reason {
      refused.append((spec, reason))
      return false
    }
    accepted.append(spec)
    return true
  }
}

/// Where the model and the engine part.
package struct Difference: Equatable {
  package let time: Moment
  /// The reminder that it is about.
  package let id: String?
  /// What each of them says or fires.
  package let model: String
  package let engine: String

  fileprivate init(time: Moment, id: String, model: String, engine: String) {
    (self.time, self.id, self.model, self.engine) = (time, id, model, engine)
  }

  fileprivate init(time: Moment, model: [Firing], engine: [Firing]) {
    self.time = time
    id = Set(model).symmetricDifference(engine).map(\.id).min() ?? model.first?.id
    func words(_ firings: [Firing]) -> String {
      firings.isEmpty ? "fires nothing" : "fires " + firings.map(\.order).joined(separator: ", ")
    }
    self.model = words(model)
    self.engine = words(engine)
  }
}

extension Firing {
  /// Without a due time, if the model gives none for such a firing.
  fileprivate func without(whatIsUnsaidIn wanted: [Firing]) -> Firing {
    var firing = self
    if wanted.contains(where: { $0.id == id && $0.event == event && $0.due == nil }) {
      firing.due = nil
    }
    return firing
  }

  /// All of it but the time: a text to sort and to print.
  var order: String {
    var words = "\(id) \(event.rawValue)"
    if let due { words += " due \(Zone.utc.local(at: due).text)Z" }
    if let late { words += " late by \(late) s" }
    if let spot { words += " at \(spot)" }
    if let who { words += " of \(who)" }
    return words
  }
}
