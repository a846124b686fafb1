/// A reminder that stays unpacked, and is shared by the slots taken out of the table: one decision takes
/// out several, and a reminder has many parts to copy.
final class UnpackedReminder: Sendable {
  let reminder: Reminder
  /// A place alone brings it about, at any time.
  let isTimeless: Bool

  init(_ reminder: Reminder) {
    self.reminder = reminder
    isTimeless =
      reminder.kind == .location && reminder.trigger != .dwell && reminder.until == nil
      && reminder.isUnconditional
  }
}

/// Reminders that were unpacked lately, by slot.
///
/// Each slot has one place where it can be, so that asking for one costs next to nothing: another one of
/// the same place drives it out.
struct UnpackedReminders: Sendable {
  private struct Entry: Sendable {
    var slot: Int32 = -1
    /// That it took packed.
    var bytes: Int32 = 0
    var reminder: UnpackedReminder?
  }

  /// At most so many, and so many bytes while they were packed. More of them would push what every fix needs out of
  /// the processor's second cache.
  private static let limit = 128
  private static let byteLimit = 4 << 20

  private var entries: [Entry] = []
  private var bytes = 0

  private static func place(_ slot: Int32) -> Int { Int(slot) & (limit - 1) }

  /// nil where it is not among them.
  subscript(slot: Int32) -> UnpackedReminder? {
    let place = Self.place(slot)
    guard place < entries.count, entries[place].slot == slot else { return nil }
    return entries[place].reminder
  }

  mutating func insert(_ reminder: UnpackedReminder, at slot: Int32, byteCount: Int) {
    if entries.isEmpty || bytes + byteCount > Self.byteLimit {
      entries = Array(repeating: Entry(), count: Self.limit)
      bytes = 0
    }
    let place = Self.place(slot)
    bytes += byteCount - Int(entries[place].bytes)
    entries[place] = Entry(slot: slot, bytes: Int32(clamping: byteCount), reminder: reminder)
  }

  mutating func remove(_ slot: Int32) {
    let place = Self.place(slot)
    guard place < entries.count, entries[place].slot == slot else { return }
    bytes -= Int(entries[place].bytes)
    entries[place] = Entry()
  }
}
