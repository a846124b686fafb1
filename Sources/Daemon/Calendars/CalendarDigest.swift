import Bytes
import Interchange
import JSONText
import Reminders

/// The set of reminders of the calendar folders, in one text to compare between machines.
extension Daemon {
  /// SHA-256 in hexadecimal digits; nil without a calendar folder, and while one is being read.
  ///
  /// It is the digest of the reminders' digests, in ascending order. A reminder's digest is the one
  /// of its line of JSON as its file has it, and as if it had never fired. So all machines whose
  /// folders have the same reminders have the same digest, whatever the names of the files, and
  /// whichever of the reminders were done.
  /// - Complexity: O(n log n) after a change of the files, else O(1).
  var calendarDigest: String? {
    guard !calendars.isEmpty, !calendars.contains(where: \.isReading) else { return nil }
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
