import CivilTime
import Departure
import Reminders

/// Which engine has a reminder, and what events concern it.
extension EngineHost {
  /// The engine that has the reminder; the machine's own for an unknown one.
  func holder(of id: String) -> TrackerEngine { homes[id] ?? own }

  /// The engine that is to have the reminder.
  func home(of reminder: Reminder) -> TrackerEngine {
    let home = tracker(reminder.who)
    if home !== own || !homes.isEmpty { homes[reminder.id] = home === own ? nil : home }
    return home
  }

  /// The events for each engine, in the order in which the engines are first concerned.
  /// - Complexity: O(events × engines).
  func shares(of events: [Event]) -> [(TrackerEngine, [Event])] {
    let isRouted = events.contains { if case .routed = $0 { true } else { false } }
    guard all.count > 1 || isRouted || events.contains(where: { $0.reminder?.who != nil }) else {
      return [(own, events)]
    }
    var shares: [(TrackerEngine, [Event])] = []
    for event in events {
      for (tracker, event) in destinations(of: event) {
        if let index = shares.firstIndex(where: { $0.0 === tracker }) {
          shares[index].1.append(event)
        } else {
          shares.append((tracker, [event]))
        }
      }
    }
    return shares
  }

  private func destinations(of event: Event) -> [(TrackerEngine, Event)] {
    if case .routed(var answer) = event {
      let tracker = answer.takeTracker(of: all)
      return [(tracker, .routed(answer))]
    }
    guard let id = event.changedReminder else { return all.map { ($0, event) } }
    let old = holder(of: id)
    guard let reminder = event.reminder else {
      if case .remove = event { homes[id] = nil }
      return [(old, event)]
    }
    let new = home(of: reminder)
    guard new !== old else { return [(new, event)] }
    // The history goes along, except for the stay of the other tracker.
    var moved = event
    if case .replace = event, var history = old.engine.history(id) {
      history.stay = .unknown
      moved = .add(reminder, history)
    }
    return [(old, .remove(id: id)), (new, moved)]
  }
}

extension Event {
  /// The reminder that it brings.
  var reminder: Reminder? {
    switch self {
    case .add(let reminder, _), .replace(let reminder, _), .restore(let reminder, _),
      .reopen(let reminder):
      reminder
    default: nil
    }
  }
}

/// Requests of several engines to one routing engine: the lowest bits of a number say whose.
extension RouteRequest {
  fileprivate static let bits = 12

  func numbered(by tracker: TrackerEngine) -> RouteRequest {
    var request = self
    request.number = number << Self.bits | tracker.number
    return request
  }
}

extension RouteAnswer {
  /// The engine that has asked; the number is its own from here on.
  fileprivate mutating func takeTracker(of all: [TrackerEngine]) -> TrackerEngine {
    let place = number & (1 << RouteRequest.bits - 1)
    number >>= RouteRequest.bits
    return all[all.indices.contains(place) ? place : 0]
  }
}
