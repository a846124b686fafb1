import Bytes
import JSONText
package import Reminders

/// Reminder files: the contract's JSON, as an array or objects in sequence, and calendars.
package enum ReminderFile {
  /// The reminders of a file.
  package struct Content {
    package var reminders: [Reminder]
    /// How far they have come by a calendar, by their ids.
    package var calendar: [String: CalendarReminder] = [:]
    /// Parts of a calendar that cannot be read.
    package var leftOut: [Refusal] = []
    /// Wrong reminders of a JSON list, by their lines.
    package var wrong: [Refusal] = []

    package init(reminders: [Reminder] = []) { self.reminders = reminders }
  }

  /// A larger file is refused: it is no list of reminders.
  package static let maximumSize = 1 << 30

  package static func read(path: String) throws(InterchangeError) -> Content {
    try parse(try ByteSource(path: path).readAll(limit: maximumSize), file: path)
  }

  /// Reads JSON or a calendar (RFC 5545), by content.
  package static func parse(_ bytes: [UInt8], file: String) throws(InterchangeError) -> Content {
    let source = ByteSource(bytes: bytes, name: file)
    if try FileKind.of(source) == .calendar {
      let reading = CalendarReading(try CalendarDocument(source))
      var content = Content(reminders: reading.reminders.map(\.reminder))
      for found in reading.reminders { content.calendar[found.reminder.id] = found }
      content.leftOut = reading.leftOut
      return content
    }
    return try parseJSON(source)
  }

  /// All of a file: one wrong reminder refuses it, with its line.
  package static func parseWhole(
    _ bytes: [UInt8], file: String
  ) throws(InterchangeError) -> Content {
    let content = try parse(bytes, file: file)
    guard let wrong = content.wrong.first else { return content }
    throw Fault(wrong.reason).error(in: file, at: wrong.line)
  }

  /// A reminder without an `id` gets one from its position and text, the same at each reading.
  private static func parseJSON(_ source: ByteSource) throws(InterchangeError) -> Content {
    var elements = source.jsonElements(lists: [])
    var content = Content()
    var lines: [String: Int] = [:]
    var number = 0
    while let element = try elements.next() {
      defer { number += 1 }
      do throws(Fault) {
        let reminder = try self.reminder(element.value, number: number)
        if let first = lines[reminder.id] {
          throw Fault(
            "the id \"\(reminder.id)\" was already given on line \(first); give it another")
        }
        lines[reminder.id] = element.line
        content.reminders.append(reminder)
      } catch {
        content.wrong.append(Refusal(line: error.line ?? element.line, reason: error.reason))
      }
    }
    return content
  }

  private static func reminder(_ value: JSONValue, number: Int) throws(Fault) -> Reminder {
    guard let object = value.object else {
      throw Fault("a reminder is an object in braces, not \(value.kind)")
    }
    do {
      let reminder = try Reminder(
        json: object, newID: Fingerprint("\(number):\(value.line)".utf8).text)
      try reminder.checkNames()
      return reminder
    } catch {
      throw Fault("\(error)")
    }
  }
}
