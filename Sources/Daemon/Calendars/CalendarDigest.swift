import Bytes
import Interchange
import JSONText
import Reminders

/// The set of reminders of the calendar folders, in one text to compare between machines.
extension Daemon {
  /// SHA-256 in hexadecimal digits; nil without a calendar folder.
  ///
  /// It is the digest of the reminders' digests, in ascending order. Of a reminder it is that of
  /// its line of JSON as its file has it, and as if it had never fired. So it is the same on all
  /// machines whose folders have the same reminders, whatever the files are called and whatever
  /// was done.
  /// - Complexity: O(n log n) after a change of the files, else O(1).
  var calendarDigest: String? {
    guard !calendars.isEmpty else { return nil }
    if let knownCalendarDigest { return knownCalendarDigest }
    let hashes = calendars.flatMap { $0.files.values.flatMap(\.hashes) }.sorted()
    let digest = SHA256.hexadecimal(hashes.joined().utf8)
    knownCalendarDigest = digest
    return digest
  }
}

extension CalendarReading {
  /// The digests of its reminders.
  var hashes: [String] {
    reminders.map { found in
      var reminder = found.reminder
      reminder.state = .armed
      return SHA256.hexadecimal(JSONValue.object(reminder.json).line.utf8)
    }
  }
}
