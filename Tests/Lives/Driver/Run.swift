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
  private var crossings = Crossings()
  private var isRestarted = false
  private var lastFix: (spot: Spot, motion: Motion, time: Moment)?

  package init(_ life: Life) {
    model = Model(zone: life.zone, start: life.start, end: life.end)
    engine = EngineRun(zone: life.zone, start: life.start)
    for step in life.steps {
      model.advance(to: step.time)
      engine.advance(to: step.time)
      if isPossible(step.action) { take(step.action) }
    }
    model.advance(to: life.end)
    engine.advance(to: life.end)
  }

  /// The first moment at which the two fire differently, with what each of them fires then.
  package var difference: Difference? {
    let ours = Dictionary(grouping: model.firings, by: \.time)
    let theirs = Dictionary(grouping: engine.firings, by: \.time)
    for time in Set(ours.keys).union(theirs.keys).sorted() {
      let wanted = (ours[time] ?? []).sorted { $0.order < $1.order }
      let found = (theirs[time] ?? []).sorted { $0.order < $1.order }
      if wanted != found { return Difference(time: time, model: wanted, engine: found) }
    }
    return nil
  }

  /// Whether the user can do this now. A command for a reminder that is done or unknown is none.
  private func isPossible(_ action: Life.Action) -> Bool {
    switch action {
    case .fix, .add, .remove, .zone, .restart: true
    case .edit(let spec): model.isOpen(spec.id)
    case .done(let id): model.isOpen(id)
    case .snooze(let id, let until): until > model.now && model.canSnooze(id, until: until)
    case .snoozeToNextVisit(let id): model.canSnoozeToNextVisit(id)
    }
  }

  private mutating func take(_ action: Life.Action) {
    switch action {
    case .fix(let name, let motion):
      if let spot = Spot(rawValue: name) { fix(at: spot, motion) }
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
    case .snooze(let id, let until):
      model.snooze(id, until: until)
      engine.snooze(id, until: until)
    case .snoozeToNextVisit(let id):
      model.snoozeToNextVisit(id)
      engine.snoozeToNextVisit(id)
    case .zone(let zone):
      model.change(to: zone)
      engine.change(to: zone)
    case .restart:
      engine.restart()
      crossings.restart()
      model.restart()
      isRestarted = true
    }
    note(action)
  }

  private mutating func note(_ action: Life.Action) {
    taken.append(Life.Step(time: model.now, action: action))
  }

  private mutating func fix(at spot: Spot, _ motion: Motion) {
    lastFix = (spot, motion, model.now)
    isRestarted = false
    let crossed = crossings.follow(engine.fix(at: spot, motion))
    model.fix(inside: spot.regions, passing: crossed, motion)
  }

  /// One more fix where the last one was, if there was none since a restart: the receiver is on
  /// while the user makes a reminder.
  private mutating func confirmPosition() {
    guard isRestarted, let lastFix, lastFix.time < model.now else { return }
    fix(at: lastFix.spot, lastFix.motion)
    note(.fix(lastFix.spot.rawValue, lastFix.motion))
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
  package let model: [Firing]
  package let engine: [Firing]

  /// The reminder that the difference is about.
  package var id: String? {
    let differing = Set(model).symmetricDifference(engine)
    return differing.map(\.id).min() ?? model.first?.id
  }
}

extension Firing {
  var order: String { "\(id) \(event.rawValue)" }
}
