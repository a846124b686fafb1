package import JSONText

/// A command to the daemon: `{"command": "done", "reminder_id": ID}`, or `snooze` with `until`.
package struct CommandMessage: Equatable, Sendable {
  package let method: String
  package let parameters: JSONObject

  package struct Objection: Error, Equatable, CustomStringConvertible {
    package let description: String
  }

  private static let maximumLength = 4_096

  package init(_ payload: [UInt8]) throws(Objection) {
    guard payload.count <= Self.maximumLength, let object = (try? JSONParser.parse(payload))?.object
    else { throw Objection(description: "it is no JSON object") }
    guard let id = object["reminder_id"]?.string, !id.isEmpty else {
      throw Objection(description: "it has no reminder_id")
    }
    switch object["command"]?.string {
    case "done"?:
      method = "Done"
      parameters = ["id": .string(id)]
    case "snooze"?:
      guard let until = object["until"]?.string, !until.isEmpty else {
        throw Objection(description: "snooze needs until, such as \"20min\"")
      }
      method = "Snooze"
      parameters = ["id": .string(id), "until": .string(until)]
    default: throw Objection(description: "its command is neither done nor snooze")
    }
  }
}
