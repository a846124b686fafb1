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
    return Content(reminders: try parseJSON(source))
  }

  /// All or nothing: one wrong reminder refuses the file, with its line.
  ///
  /// A reminder without an `id` gets one from its position and text, the same at each reading.
  private static func parseJSON(_ source: ByteSource) throws(InterchangeError) -> [Reminder] {
    var elements = source.jsonElements(lists: [])
    var reminders: [Reminder] = []
    var lines: [String: Int] = [:]
    while let element = try elements.next() {
      do throws(Fault) {
        let reminder = try self.reminder(element.value, number: reminders.count)
        if let first = lines.updateValue(element.line, forKey: reminder.id) {
          throw Fault(
            "the id \"\(reminder.id)\" was already given on line \(first); give it another")
        }
        reminders.append(reminder)
      } catch {
        throw error.error(in: source.name, at: element.line)
      }
    }
    return reminders
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
