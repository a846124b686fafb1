import CivilTime
import JSONText
import Reminders

/// The content of a commit, as the arguments of `fleet.commit`.
extension Partition {
  /// Whether there is more to store than how far the log was read.
  package var hasChanges: Bool { !dirty.isEmpty || !refused.isEmpty }

  /// Whether the log was read further than the last commit says.
  package var isAhead: Bool { !isReplaying && committed != next - 1 }

  package var firingCount: Int { dirty.reduce(0) { $0 + $1.changes.firings.count } }

  /// How far the log is decided.
  package var offset: String {
    #"{"p":\#(number),"seq":\#(next - 1),"at":\#(now.microseconds),"#
      + #""replay":\#(replayPoint.sequence),"replay_at":\#(replayPoint.time.microseconds)}"#
  }

  /// One object for each changed device, with commas in between.
  package var steps: String {
    dirty.map { $0.step(partition: number, sequence: next - 1, at: now) }.joined(separator: ",")
  }

  /// One object for each refused message, with commas in between.
  package var refusals: String { refused.map(\.line).joined(separator: ",") }
}

extension Device {
  fileprivate func step(partition: Int, sequence: UInt64, at now: Instant) -> String {
    let step: JSONObject = [
      "d": .string(name), "p": .int(partition), "seq": .int(Int(clamping: sequence)),
      "at": .int(Int(now.microseconds)), "from": .int(Int(firingCount)),
      "zone": zone.map { .string($0) }, "state": engine.state(),
      "trips": changes.experience.map(\.json),
      "gone": changes.removed.isEmpty ? nil : .array(changes.removed.map { .string($0) }),
    ]
    let ids = Set(changes.documents.keys).union(changes.histories.keys)
    let reminders = ids.map { id -> JSONValue in
      let history = changes.histories[id] ?? engine.history(id) ?? .unread
      return [
        "id": .string(id), "h": .string(history.text ?? ""),
        "doc": changes.documents[id].map { .string($0) },
      ]
    }
    // Firings are JSON already.
    return JSONValue.object(step).line.dropLast() + #","r":\#(JSONValue.array(reminders).line)"#
      + #","f":[\#(changes.firings.joined(separator: ","))]}"#
  }
}
