package import CivilTime
import JSONText
package import Phones
package import Reminders

/// The content of a message, for the engine of its device.
package enum DeviceMessage: Sendable {
  case position(PhonePosition)
  /// A new reminder, or another one in the place of the one with its id.
  case add(Reminder)
  /// The reminder changes; its history stays where it still applies.
  case edit(Reminder)
  case done(String)
  case remove(String)
  case snooze(String, Snooze)
  /// The zone of the device's floating times.
  case zone(TimeZoneRules)

  /// The reason of a refusal.
  package struct Refusal: Error, Equatable {
    package let reason: String
  }

  /// Whether a text can be the name of a device: 1…64 letters, digits, `-` and `_`, not `_` first.
  package static func isName(_ text: String) -> Bool {
    1...64 ~= text.utf8.count && text.utf8.first != UInt8(ascii: "_")
      && text.utf8.allSatisfy {
        0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D || $0 == 0x5F
      }
  }

  /// Reads a message: one document, or an array of them. A bad one of an array costs itself.
  ///
  /// Positions have the form of OwnTracks or of a Traccar server; a command is an object with one
  /// member. `docs/reference/fleet-messages.md` has the members.
  package static func read(
    _ payload: [UInt8], of device: String, at now: Instant
  ) -> [Result<DeviceMessage, Refusal>] {
    guard payload.count <= LogMessage.maximumSize else {
      return [.failure(Refusal(reason: "it is longer than 64 KiB"))]
    }
    let value: JSONValue
    do { value = try JSONParser.parse(payload) } catch {
      return [.failure(Refusal(reason: "it is no JSON: \(error)"))]
    }
    var messages: [Result<DeviceMessage, Refusal>] = []
    for document in value.array ?? [value] {
      do throws(Refusal) {
        for message in try read(document, of: device, at: now) {
          messages.append(.success(message))
        }
      } catch {
        messages.append(.failure(error))
      }
    }
    return messages
  }

  private static func read(
    _ document: JSONValue, of device: String, at now: Instant
  ) throws(Refusal) -> [DeviceMessage] {
    guard let object = document.object else { throw Refusal(reason: "it is no JSON object") }
    do throws(UnusableMessage) {
      if OwnTracks.isMessage(object) {
        return positions(try OwnTracks.read(object, name: device), at: now)
      }
      if TraccarServer.isMessage(object) {
        return positions(try TraccarServer.read(object, name: device), at: now)
      }
    } catch {
      throw Refusal(reason: error.rawValue)
    }
    guard object.members.count == 1, let (verb, value) = object.members.first,
      let command = commands[verb]
    else {
      throw Refusal(
        reason:
          "it is no position, and no command: \(commands.keys.sorted().joined(separator: ", "))")
    }
    do { return [try command(value)] } catch let refusal as Refusal { throw refusal } catch {
      throw Refusal(reason: "\(verb): \(error)")
    }
  }

  /// The positions of the present: an older one, sent late, says where the device was.
  private static func positions(_ message: PhoneMessage, at now: Instant) -> [DeviceMessage] {
    message.current(at: now).positions.filter { $0.time - now < PhonePosition.maximumAge }
      .map { .position($0) }
  }

  /// The commands, by their one member.
  private static let commands: [String: @Sendable (JSONValue) throws -> DeviceMessage] = [
    "add": { .add(try reminder($0)) },
    "edit": { .edit(try reminder($0)) },
    "done": { .done(try text($0)) },
    "remove": { .remove(try text($0)) },
    "snooze": { value in
      let id = try text(value["id"] ?? .null)
      if value["next_visit"]?.bool == true { return .snooze(id, .nextVisit) }
      if let minutes = value["minutes"]?.double, 0...1e7 ~= minutes {
        return .snooze(id, .by(.minutes(minutes)))
      }
      return .snooze(id, .until(try Instant(rfc3339: text(value["until"] ?? .null))))
    },
    "zone": { .zone(try TimeZoneRules(named: text($0))) },
  ]

  private static func reminder(_ value: JSONValue) throws -> Reminder {
    guard let object = value.object else { throw Refusal(reason: "a reminder is a JSON object") }
    let reminder = try Reminder(json: object)
    guard !reminder.id.isEmpty else { throw Refusal(reason: "a reminder of a fleet has an id") }
    guard !JSONValue.object(reminder.json).line.contains(#"\u0000"#) else {
      throw Refusal(reason: "a text has a NUL, which no database takes")
    }
    return reminder
  }

  private static func text(_ value: JSONValue) throws -> String {
    guard let text = value.string, !text.isEmpty else { throw Refusal(reason: "a text is missing") }
    return text
  }
}
