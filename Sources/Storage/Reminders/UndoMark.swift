import Bytes
import CivilTime
import Reminders

/// Names a reminder as a command left it, and so shows whether it was changed or has fired since.
/// The position of the device, and the time of the next repetition, are no part of it.
enum UndoMark {
  /// The mark of a row with `ReminderRow.written`.
  static func of(_ row: Row) throws(RowFault) -> String {
    let history: History
    let text = try row.textIfAny("history")
    do throws(ReminderError) {
      history = try History(text: text)
    } catch {
      throw RowFault(reason: error.description)
    }
    return of((0..<ReminderRow.reminderColumnCount).map(row.value(at:)), history)
  }

  /// The mark of a reminder that is to be stored: the mark of its row.
  /// - Parameter values: of the reminder's columns, as the row has them: nothing that reading might
  ///   alter makes a difference.
  static func of(_ values: [SQLValue], _ history: History) -> String {
    var bytes = ByteWriter(capacity: 512)
    for value in values {
      switch value {
      case .null: bytes.add(UInt8(ascii: "-"))
      case .integer(let number): bytes.add(decimal: Int(number))
      case .real(let number): bytes.add("\(number)")
      case .text(let text):
        bytes.add(UInt8(ascii: "'"))
        bytes.add(text)
      case .blob(let blob): bytes.add("\(blob)")
      }
      bytes.add(0)
    }
    var history = history
    history.stay = .unknown
    history.repetition?.next = Instant(microseconds: 0)
    bytes.add(history.text ?? "")
    return Fingerprint(bytes.text.utf8).text
  }
}

extension UndoLog {
  /// The mark of a reminder as it is; nil if there is none, or it is unreadable.
  func storedMark(of id: String) throws(StoreError) -> String? {
    try database.rows(
      of: "reminder", "SELECT \(ReminderRow.written) FROM reminder WHERE id = ?", [.text(id)],
      read: UndoMark.of
    ).values.first
  }
}
