import CivilTime
import Geodesy
import Geofencing

/// A reminder and how far it has come, taken out for a decision.
struct Slot {
  let index: Int32
  let kept: UnpackedReminder
  var progress: Progress
  /// Inside, not settled, and held back by a condition that may come to hold.
  let isWaiting: Bool
  let hasFence: Bool

  var reminder: Reminder { kept.reminder }
}

/// What a decision may change of a slot.
struct Standing: Equatable {
  var progress: Progress
  var isWaiting: Bool
}

/// A reminder to take in at a start: packed, and with what it has gone through.
package struct PackedEntry {
  package var packed: PackedReminder
  package var progress: Progress

  package init(packed: PackedReminder, progress: Progress) {
    self.packed = packed
    self.progress = progress
  }
}

/// The engine's reminders, each in a slot whose number is also that of its timer and its fence.
///
/// A slot is 48 bytes and the packed reminder. Reminders that were unpacked lately are kept so, for
/// one decision asks for the same one several times, and the next fix may again.
///
/// Invariant: a vacant slot is in `free`, any other in `ids`.
struct SlotTable: ~Copyable, Sendable {
  private struct Record: Sendable {
    var packed: PackedReminder
    var kept = Kept()
    var marks = Marks(rawValue: 0)

    init(packed: PackedReminder) { self.packed = packed }

    /// Where it refers to the bytes that are packed.
    static let offsetOfPacked = MemoryLayout<Record>.offset(of: \.packed)
  }

  /// The progress, but for what few have. Without a reference in it: one event reads it a dozen times.
  private struct Kept: Sendable {
    var insideSince = Int64.min
    var occurrence = Int64.min
    var lastFired = Int64.min
    var snoozedUntil = Int64.min
    var leadsFired: UInt16 = 0
    var state = Reminder.State.armed
    var presence = Presence.unknown
    var visitSettled = false
    var isUnacknowledged = false

    mutating func take(_ progress: Progress) {
      state = progress.state
      presence = progress.presence
      insideSince = progress.insideSince?.microseconds ?? .min
      visitSettled = progress.visitSettled
      occurrence = progress.occurrence?.microseconds ?? .min
      leadsFired = UInt16(clamping: progress.leadsFired)
      lastFired = progress.lastFired?.microseconds ?? .min
      isUnacknowledged = progress.isUnacknowledged
      snoozedUntil = progress.snoozedUntil?.microseconds ?? .min
    }
  }

  struct Marks: OptionSet, Sendable {
    let rawValue: UInt8
    static let waiting = Marks(rawValue: 1)
    static let fence = Marks(rawValue: 2)
    static let dirty = Marks(rawValue: 4)
    /// An armed preemptive reminder, to be looked at anew when the first position comes.
    static let preemptive = Marks(rawValue: 8)
    /// Its fence was added before its presence could be known.
    static let undetermined = Marks(rawValue: 16)
  }

  private var records: [Record] = []
  private var free: [Int32] = []
  private var ids = ReminderIndex()
  private var recent = UnpackedReminders()
  /// The places of its category that a reminder is inside of; few reminders have any.
  private var placesInside: [Int32: [Int64]] = [:]
  /// Few reminders are being told again.
  private var nagging: [Int32: Progress.Nagging] = [:]
  /// Slots whose reminder turned out not to be one, with the reason.
  private var unreadable: [Int32: String] = [:]
  /// Reminders in state `armed`.
  private(set) var armedCount = 0
  /// Bytes of heap that the packed reminders take.
  private(set) var packedBytes = 0
  private(set) var preemptiveCount = 0

  /// Reminders in the table.
  var count: Int { ids.count }

  /// All slots, vacant ones too.
  var indices: Range<Int32> { 0..<Int32(records.count) }

  /// Bytes of heap in use.
  var byteCount: Int {
    records.capacity * MemoryLayout<Record>.stride + ids.byteCount + packedBytes
  }

  mutating func reserveCapacity(_ count: Int) { records.move(toCapacity: count) }

  // MARK: - Look-up

  func index(of id: String) -> Int32? {
    ids.find(ArraySlice(id.utf8), id: { records[Int($0)].packed.id })
  }

  /// Has a slot on its way to the processor, which will be asked for soon. The slot may be vacant.
  func askForRecord(_ index: Int32) { records.askFor(Int(index)) }

  /// The same for what is packed in it, when the slot itself is at hand.
  func askForWords(_ index: Int32) {
    guard let offset = Record.offsetOfPacked else { return }
    records.askFor(0, of: [UInt8].self, at: offset, in: Int(index))
    records.askFor(64, of: [UInt8].self, at: offset, in: Int(index))
  }

  func isVacant(_ index: Int32) -> Bool { records[Int(index)].packed.isVacant }

  func packed(_ index: Int32) -> PackedReminder { records[Int(index)].packed }

  /// Its circle; nil where it has none, or none that can be.
  @inline(__always)
  func place(_ index: Int32) -> (position: Coordinate, radius: Double)? {
    records.span[Int(index)].packed.place
  }

  func state(_ index: Int32) -> Reminder.State { records[Int(index)].kept.state }

  func marks(_ index: Int32) -> Marks { records[Int(index)].marks }

  /// Whether it is being told again.
  func isNagging(_ index: Int32) -> Bool { !nagging.isEmpty && nagging[index] != nil }

  /// The slot unpacked, and kept so for a while; nil where it is vacant or cannot be read.
  mutating func slot(_ index: Int32) -> Slot? {
    if let kept = recent[index] { return slot(index, kept) }
    guard !isVacant(index) else { return nil }
    do throws(ReminderError) {
      let reminder = UnpackedReminder(try packed(index).unpacked())
      keep(reminder, at: index)
      return slot(index, reminder)
    } catch {
      unreadable[index] = error.description
      return nil
    }
  }

  /// As `slot`, for those who only look.
  func peek(_ index: Int32) -> Slot? {
    if let kept = recent[index] { return slot(index, kept) }
    guard !isVacant(index), let reminder = try? packed(index).unpacked() else { return nil }
    return slot(index, UnpackedReminder(reminder))
  }

  /// The reminder of a slot that time can bring nothing about for, as far as that can be told at once.
  /// Complexity: O(1), and a fraction of what `slot` takes.
  func timeless(_ index: Int32) -> UnpackedReminder? {
    guard let kept = recent[index], kept.isTimeless, !isNagging(index),
      records[Int(index)].kept.occurrence == .min
    else { return nil }
    return state(index) == .armed || state(index) == .fired ? kept : nil
  }

  private func slot(_ index: Int32, _ kept: UnpackedReminder) -> Slot {
    let marks = records[Int(index)].marks
    return Slot(
      index: index, kept: kept, progress: progress(index),
      isWaiting: marks.contains(.waiting),
      hasFence: marks.contains(.fence))
  }

  private mutating func keep(_ reminder: UnpackedReminder, at index: Int32) {
    recent.insert(reminder, at: index, byteCount: records[Int(index)].packed.byteCount)
  }

  /// Slots that could not be read since it was asked last, each once.
  mutating func takeUnreadable() -> [(index: Int32, reason: String)] {
    guard !unreadable.isEmpty else { return [] }
    defer { unreadable = [:] }
    return unreadable.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  // MARK: - Progress

  func progress(_ index: Int32) -> Progress {
    let record = records[Int(index)].kept
    func instant(_ microseconds: Int64) -> Instant? {
      microseconds == .min ? nil : Instant(microseconds: microseconds)
    }
    // Made in one piece: what is put together in a variable is copied once more.
    return Progress(
      state: record.state, presence: record.presence, insideSince: instant(record.insideSince),
      placesInside: placesInside.isEmpty ? [] : placesInside[index] ?? [],
      visitSettled: record.visitSettled, occurrence: instant(record.occurrence),
      leadsFired: Int(record.leadsFired), lastFired: instant(record.lastFired),
      isUnacknowledged: record.isUnacknowledged, snoozedUntil: instant(record.snoozedUntil),
      nagging: nagging.isEmpty ? nil : nagging[index])
  }

  private mutating func set(_ progress: Progress, _ index: Int32) {
    let wasArmed = records[Int(index)].kept.state == .armed
    if wasArmed != (progress.state == .armed) { armedCount += wasArmed ? -1 : 1 }
    records[Int(index)].kept.take(progress)
    if !placesInside.isEmpty || !progress.placesInside.isEmpty {
      placesInside[index] = progress.placesInside.isEmpty ? nil : progress.placesInside
    }
    if !nagging.isEmpty || progress.nagging != nil { nagging[index] = progress.nagging }
  }

  /// Changes one slot; answers whether anything that is kept has changed.
  mutating func change(_ index: Int32, _ body: (inout Standing) -> Void) -> Bool {
    guard !isVacant(index) else { return false }
    let before = Standing(
      progress: progress(index), isWaiting: marks(index).contains(.waiting))
    var standing = before
    body(&standing)
    set(.waiting, standing.isWaiting, index)
    guard standing.progress != before.progress else { return false }
    set(standing.progress, index)
    return true
  }

  mutating func set(_ mark: Marks, _ isSet: Bool, _ index: Int32) {
    guard marks(index).contains(mark) != isSet else { return }
    if mark == .preemptive { preemptiveCount += isSet ? 1 : -1 }
    records[Int(index)].marks.formSymmetricDifference(mark)
  }

  // MARK: - Coming and going

  /// Its id must not be in the table. Complexity: O(1) amortised.
  mutating func insert(_ entry: PackedEntry, unpacked: Reminder) -> Int32 {
    let index = place(entry)
    _ = ids.insertIfNew(index, id: { records[Int($0)].packed.id })
    keep(UnpackedReminder(unpacked), at: index)
    return index
  }

  /// Takes in one of many, which are not found by their ids before `endAppending`. Complexity: O(1).
  mutating func append(_ entry: PackedEntry) -> Int32 {
    records.append(Record(packed: entry.packed))
    let index = Int32(records.count - 1)
    took(entry, index)
    return index
  }

  /// Has all found by their ids. Answers those whose id another one has that came later; they are
  /// not found, and it is for the caller to remove them. Complexity: O(reminders).
  mutating func endAppending() -> [Int32] {
    ids.fill(
      slots: records.count, isVacant: { records[Int($0)].packed.isVacant },
      id: { records[Int($0)].packed.id })
  }

  private mutating func place(_ entry: PackedEntry) -> Int32 {
    guard let index = free.popLast() else { return append(entry) }
    records[Int(index)] = Record(packed: entry.packed)
    took(entry, index)
    return index
  }

  private mutating func took(_ entry: PackedEntry, _ index: Int32) {
    armedCount += 1
    packedBytes += entry.packed.byteCount
    set(entry.progress, index)
  }

  private mutating func vacate(_ index: Int32) {
    if records[Int(index)].kept.state == .armed { armedCount -= 1 }
    packedBytes -= records[Int(index)].packed.byteCount
    records[Int(index)] = Record(packed: .vacant)
    placesInside[index] = nil
    nagging[index] = nil
    free.append(index)
  }

  /// Complexity: O(1).
  mutating func remove(_ index: Int32) {
    guard !isVacant(index) else { return }
    ids.remove(index, id: { records[Int($0)].packed.id })
    set(.preemptive, false, index)
    recent.remove(index)
    unreadable[index] = nil
    vacate(index)
  }
}
