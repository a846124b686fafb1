package import ReferenceModel

/// Two days of one to three trackers and of their user, as a list of actions.
package struct Life: Sendable {
  package enum Action: Equatable, Sendable {
    /// A fix of a tracker at a spot.
    case fix(String, of: String = Model.machine, Motion)
    indirect case add(ReminderSpec)
    indirect case edit(ReminderSpec)
    case remove(String)
    case done(String)
    case pop(String)
    case snooze(String, until: Moment)
    /// By so many seconds.
    case snoozeBy(String, Int)
    case snoozeToNextVisit(String)
    case snoozeUntilLeave(String)
    case zone(Zone)
    /// The daemon is stopped and started again at once.
    case restart
    /// The daemon is stopped, and started again at this time; it sees nothing of what lies between.
    case off(until: Moment)
  }

  package struct Step: Sendable {
    package let time: Moment
    package var action: Action
  }

  package let seed: UInt64
  package let zone: Zone
  package let start: Moment
  package let end: Moment
  /// The names of those who have a position; the machine itself is the first.
  package var trackers = [Model.machine]
  /// By rising time.
  package var steps: [Step]

  /// Inserts an action after those of the same time.
  mutating func insert(_ action: Action, at time: Moment) {
    let place = steps.firstIndex { $0.time > time } ?? steps.endIndex
    steps.insert(Step(time: time, action: action), at: place)
  }

  /// The reminders as they are added, by id.
  var specs: [String: ReminderSpec] {
    var specs: [String: ReminderSpec] = [:]
    for case .add(let spec) in steps.map(\.action) { specs[spec.id] = spec }
    return specs
  }

  /// Changes a reminder where it is added and where it is edited.
  mutating func change(_ id: String, _ body: (inout ReminderSpec) -> Void) {
    for place in steps.indices {
      switch steps[place].action {
      case .add(var spec) where spec.id == id:
        body(&spec)
        steps[place].action = .add(spec)
      case .edit(var spec) where spec.id == id:
        body(&spec)
        steps[place].action = .edit(spec)
      default: break
      }
    }
  }

  /// One line for each action, by the clock of the life.
  package var text: String {
    var zone = zone
    let names = trackers.joined(separator: ", ")
    var lines = ["start \(zone.local(at: start).text) \(zone.name), \(names)"]
    for step in steps {
      lines.append("\(zone.local(at: step.time).text) \(step.action.text)")
      if case .zone(let next) = step.action { zone = next }
    }
    return (lines + ["end"]).joined(separator: "\n")
  }
}

extension Life.Action {
  /// Whether it is what the user or the system does; a fix comes often.
  var changesReminders: Bool { if case .fix = self { false } else { true } }

  var text: String {
    switch self {
    case .fix(let spot, let tracker, let motion):
      "fix of \(tracker) at \(spot), \(motion.speed) m/s, \(motion.course)°"
    case .add(let spec): "add \(spec.json)"
    case .edit(let spec): "edit \(spec.json)"
    case .remove(let id): "remove \(id)"
    case .done(let id): "done \(id)"
    case .pop(let id): "pop \(id)"
    case .snooze(let id, let until): "snooze \(id) until \(Zone.utc.local(at: until).text)Z"
    case .snoozeBy(let id, let span): "snooze \(id) by \(span) s"
    case .snoozeToNextVisit(let id): "snooze \(id) to the next visit"
    case .snoozeUntilLeave(let id): "snooze \(id) until it is left"
    case .zone(let zone): "zone \(zone.name)"
    case .restart: "restart"
    case .off(let until): "off until \(Zone.utc.local(at: until).text)Z"
    }
  }
}
