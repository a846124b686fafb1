package import CivilTime
package import Companion
package import JSONText

/// Finds what begins to fail, from one status of the daemon to the next.
///
/// A failure in the first status is known: a restart of this helper repeats no alarm. A restart of
/// the daemon repeats none either, for a failure that goes on.
package struct AlarmWatch: Sendable {
  /// Failures of the last status; nil before the first.
  private var known: Set<String>?
  private let events: Set<HookEvent>

  package init(events: Set<HookEvent>) { self.events = events }

  /// - Returns: a notice for each failure that has begun, in the form of a firing.
  package mutating func take(_ status: JSONObject, at now: Instant) -> [FiringNotice] {
    let failures = failures(in: status).filter { events.contains($0.event) }
    let new = failures.filter { known?.contains($0.key) == false }
    known = Set(failures.map(\.key))
    return new.enumerated().compactMap { number, failure in
      FiringNotice([
        "firing_id": .string("\(failure.event.rawValue)-\(now.microseconds + Int64(number))"),
        "reminder_id": "", "event": .string(failure.event.rawValue),
        "title": .string(failure.title), "time": .string(now.json), "why": .string(failure.reason),
        "priority": .int(failure.event == .positionLost ? 1 : 0),
      ])
    }
  }

  private struct Failure {
    let event: HookEvent
    let key: String
    let title: String
    let reason: String
  }

  private func failures(in status: JSONObject) -> [Failure] {
    var failures: [Failure] = []
    if status["position"]?.string == "lost" {
      failures.append(
        Failure(
          event: .positionLost, key: "position", title: "Position lost",
          reason: status["position_lost"]?["cause"]?.string == "frozen"
            ? "The receiver repeats the same position"
            : "No usable fix; reminders at places wait"))
    }
    for feed in status["feeds"]?.array ?? [] where feed["lost"]?.bool == true {
      let url = feed["url"]?.string ?? "?"
      failures.append(
        Failure(
          event: .feedLost, key: "feed \(url)", title: "Feed lost: \(url)",
          reason: feed["last_error"]?.string ?? "Nothing comes from it"))
    }
    if let reason = status["store_trouble"]?.string {
      failures.append(
        Failure(
          event: .storeFailure, key: "store", title: "Store failure", reason: reason))
    }
    return failures
  }
}
