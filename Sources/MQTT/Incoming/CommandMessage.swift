package import JSONText

/// A command to the daemon: `{"command": "done", "reminder_id": ID}`, `snooze` with `until`, or
/// `add` with `reminder`, a document as the daemon takes it with its times as people type them, or
/// with `text`, a title with its time behind it.
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
    func text(_ name: String, _ remedy: String) throws(Objection) -> JSONValue {
      guard let text = object[name]?.string, !text.isEmpty else {
        throw Objection(description: remedy)
      }
      return .string(text)
    }
    func id() throws(Objection) -> JSONValue {
      try text("reminder_id", "it has no reminder_id")
    }
    switch object["command"]?.string {
    case "done"?: (method, parameters) = ("Done", ["id": try id()])
    case "snooze"?:
      let until = try text("until", "snooze needs until, such as \"20min\"")
      (method, parameters) = ("Snooze", ["id": try id(), "until": until])
    case "add"?:
      let title = object["text"]?.string.map { JSONValue.object(["title": .string($0)]) }
      guard let reminder = object["reminder"] ?? title, reminder.object != nil else {
        throw Objection(description: "add needs text, or reminder, an object with a title")
      }
      (method, parameters) = ("Add", ["reminder": reminder, "typed": true])
    default: throw Objection(description: "its command is not add, done or snooze")
    }
  }
}
