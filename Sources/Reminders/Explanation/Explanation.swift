package import CivilTime
package import JSONText
import Positioning

/// Why a reminder has not fired, or will not fire again: each gate, open or shut. It is computed
/// from the engine's own state.
package struct Explanation: Equatable, Sendable {
  /// A requirement for firing.
  package struct Gate: Equatable, Sendable {
    /// A word for programs: `state`, `place`, `hours` …
    package let name: String
    package let isOpen: Bool
    /// Its status with figures, as a sentence without a full stop.
    package let says: String
    /// For a shut gate: the event that opens it, as a sentence without a full stop.
    package let remedy: String?
    /// Figures for programs.
    package let figures: JSONObject

    init(
      _ name: String, _ isOpen: Bool, _ says: String, remedy: String? = nil,
      figures: JSONObject = JSONObject()
    ) {
      self.name = name
      self.isOpen = isOpen
      self.says = says
      self.remedy = isOpen ? nil : remedy
      self.figures = figures
    }
  }

  package let id: String
  package let title: String
  package let kind: Reminder.Kind
  package let state: Reminder.State
  /// Time of the query, in the engine's time.
  package let time: Instant
  package internal(set) var gates: [Gate] = []
  /// The last firing, also a repetition.
  package internal(set) var lastFired: Instant?
  /// When it is repeated next, as RFC 3339; nil while no firing waits to be acknowledged.
  var repeats: String?

  /// The events still required for firing, in one sentence.
  package var summary: String {
    if let repeats { return "It fires again at \(repeats), and goes on until it is done" }
    let shut = gates.filter { !$0.isOpen }
    guard !shut.isEmpty else { return "Nothing is in its way: it fires at the next decision" }
    var remedies: [String] = []
    for remedy in shut.compactMap(\.remedy) where !remedies.contains(remedy) {
      remedies.append(remedy)
    }
    return remedies.isEmpty
      ? "Nothing will make it fire as it is"
      : "It fires when \(remedies.joined(separator: ", and "))"
  }

  package var json: JSONObject {
    JSONObject([
      "id": .string(id), "title": .string(title), "kind": .string(kind.rawValue),
      "state": .string(state.rawValue), "time": .string(time.json),
      "last_fired": lastFired.map { .string($0.json) },
      "gates": .array(gates.map { .object($0.json) }),
      "summary": .string(summary),
    ])
  }
}

extension Explanation.Gate {
  var json: JSONObject {
    var object = JSONObject([
      "gate": .string(name), "passed": .bool(isOpen), "says": .string(says),
      "remedy": remedy.map { .string($0) },
    ])
    for (key, value) in figures.members { object[key] = value }
    return object
  }
}
