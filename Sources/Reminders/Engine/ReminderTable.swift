import CivilTime
import Geofencing
import JSONText

/// A reminder and its history, copied out of the table for a decision.
struct Slot {
  let index: Int32
  @Shared private(set) var reminder: Reminder
  var history: History
  /// By the last plan.
  let state: Reminder.State
  let hasFence: Bool

  init(
    index: Int32, _ reminder: Shared<Reminder>, _ history: History, state: Reminder.State,
    hasFence: Bool
  ) {
    (self.index, self.history, self.state, self.hasFence) = (index, history, state, hasFence)
    _reminder = reminder
  }
}

/// The engine's reminders: an array of slots with a free list, and a dictionary from ids to slots.
///
/// The number of a slot is also the number of its timer and fence.
///
/// Invariants: `byID` maps exactly the ids of the reminders to their slots; `free` has each vacant
/// slot once; the counts match the reminders.
struct ReminderTable: ~Copyable, Sendable {
  private struct Entry: Sendable {
    @Shared var reminder: Reminder
    var history: History
    var watchedSince = Instant(microseconds: .min)
    /// By the last plan; nil before the first.
    var standing: Standing?
    var marks: Marks = []

    var isArmed: Bool { standing?.state == .armed }
  }

  struct Marks: OptionSet, Sendable {
    let rawValue: UInt8
    /// A stay that fires as soon as speed and course allow it: asked at each fix.
    static let waiting = Marks(rawValue: 1)
    static let fence = Marks(rawValue: 2)
    static let dirty = Marks(rawValue: 4)
    /// An armed preemptive reminder: it depends on the position.
    static let preemptive = Marks(rawValue: 8)
    /// The fence was added before its presence was known.
    static let undetermined = Marks(rawValue: 16)
  }

  private var entries: [Entry?] = []
  private var free: [Int32] = []
  private var byID: [String: Int32] = [:]
  private(set) var armedCount = 0
  private(set) var preemptiveCount = 0
  /// Memory of all reminders, estimated as `byteCount(of:)` does.
  private(set) var byteCount = 0
  /// The same for each owner of reminders.
  private(set) var byteCounts: [UInt32: Int] = [:]

  /// Reminders in the table.
  var count: Int { byID.count }

  /// All slots, including vacant ones.
  var indices: Range<Int32> { 0..<Int32(entries.count) }

  /// Makes room for so many more reminders, by a quarter at least. That is in place of Swift's
  /// double: a service has an engine for each receiver.
  mutating func reserve(_ count: Int) {
    let needed = entries.count + count
    guard needed > entries.capacity else { return }
    entries.reserveCapacity(max(needed, entries.count * 5 / 4))
    byID.reserveCapacity(needed)
  }

  // MARK: - Reading

  func index(of id: String) -> Int32? { byID[id] }

  func isVacant(_ index: Int32) -> Bool { entries[Int(index)] == nil }

  /// nil where the slot is vacant.
  func slot(_ index: Int32) -> Slot? {
    guard let entry = entries[Int(index)] else { return nil }
    return Slot(
      index: index, entry.$reminder, entry.history,
      state: entry.standing?.state ?? .done, hasFence: entry.marks.contains(.fence))
  }

  /// Empty where the slot is vacant.
  func id(_ index: Int32) -> String { entries[Int(index)]?.reminder.id ?? "" }

  /// Its circle; nil without one or for a vacant slot.
  func place(_ index: Int32) -> Reminder.Place? { entries[Int(index)]?.reminder.place }

  /// The watch that it listens to; nil for a reminder of no category or a vacant slot.
  func nearKey(_ index: Int32) -> CategoryWatch.Key? {
    entries[Int(index)].flatMap { CategoryWatch.Key($0.reminder) }
  }

  /// `done` where the slot is vacant.
  func state(_ index: Int32) -> Reminder.State { standing(index).state }

  func standing(_ index: Int32) -> Standing {
    entries[Int(index)]?.standing ?? Standing(state: .done)
  }

  func marks(_ index: Int32) -> Marks { entries[Int(index)]?.marks ?? [] }

  /// Since when its place is watched without a break; a crossing before that is no pass.
  func watchedSince(_ index: Int32) -> Instant {
    entries[Int(index)]?.watchedSince ?? Instant(microseconds: .min)
  }

  func stay(_ index: Int32) -> Stay { entries[Int(index)]?.history.stay ?? .unknown }

  /// Estimated memory of one reminder; 0 where the slot is vacant.
  func byteCount(of index: Int32) -> Int { entries[Int(index)].map { Self.size($0.reminder) } ?? 0 }

  static func size(_ reminder: Reminder) -> Int {
    MemoryLayout<Entry>.stride + MemoryLayout<Reminder>.size + reminder.textByteCount
  }

  // MARK: - Changes

  /// Changes one slot; returns whether its history differs afterwards.
  mutating func change(_ index: Int32, _ body: (inout History) -> Void) -> Bool {
    guard let former = entries[Int(index)]?.history else { return false }
    var history = former
    body(&history)
    guard history != former else { return false }
    entries[Int(index)]?.history = history
    return true
  }

  /// Takes what a plan has found; returns whether it differs from an earlier one.
  mutating func set(_ standing: Standing, _ index: Int32) -> Bool {
    guard !isVacant(index) else { return false }
    let former = entries[Int(index)]?.standing
    guard former != standing else { return false }
    armedCount += (standing.state == .armed ? 1 : 0) - (former?.state == .armed ? 1 : 0)
    entries[Int(index)]?.standing = standing
    return former != nil
  }

  mutating func watch(_ index: Int32, since time: Instant) {
    entries[Int(index)]?.watchedSince = time
  }

  mutating func set(_ mark: Marks, _ isSet: Bool, _ index: Int32) {
    guard !isVacant(index), marks(index).contains(mark) != isSet else { return }
    if mark == .preemptive { preemptiveCount += isSet ? 1 : -1 }
    entries[Int(index)]?.marks.formSymmetricDifference(mark)
  }

  /// Puts a reminder into a free slot. Its id must not be in the table. Complexity: O(1) amortised.
  mutating func insert(_ reminder: Reminder, _ history: History) -> Int32 {
    precondition(byID[reminder.id] == nil)
    let entry = Entry(reminder: reminder, history: history)
    let index: Int32
    if let vacant = free.popLast() {
      index = vacant
      entries[Int(index)] = entry
    } else {
      index = Int32(entries.count)
      reserve(1)
      entries.append(entry)
    }
    byID[reminder.id] = index
    count(reminder, 1)
    return index
  }

  /// Replaces the reminder of a slot by another one of the same id; its marks stay, and the time
  /// since when its place is watched. Does nothing where the slot is vacant. Complexity: O(1).
  mutating func replace(_ index: Int32, _ reminder: Reminder, _ history: History) {
    guard let old = entries[Int(index)]?.reminder else { return }
    precondition(old.id == reminder.id)
    count(old, -1)
    count(reminder, 1)
    entries[Int(index)]?.reminder = reminder
    entries[Int(index)]?.history = history
  }

  private mutating func count(_ reminder: Reminder, _ sign: Int) {
    let bytes = sign * Self.size(reminder)
    byteCount += bytes
    guard let owner = reminder.owner else { return }
    let sum = (byteCounts[owner] ?? 0) + bytes
    byteCounts[owner] = sum == 0 ? nil : sum
  }

  /// Does nothing where the slot is vacant. Complexity: O(1).
  mutating func remove(_ index: Int32) {
    guard let entry = entries[Int(index)] else { return }
    set(.preemptive, false, index)
    if entry.isArmed { armedCount -= 1 }
    count(entry.reminder, -1)
    byID[entry.reminder.id] = nil
    entries[Int(index)] = nil
    free.append(index)
  }

  /// Whether the invariants hold. Complexity: O(slots); for tests.
  var isSound: Bool {
    let slots = indices.compactMap { slot($0) }
    let vacant = indices.filter { isVacant($0) }
    return slots.count == byID.count && slots.allSatisfy { byID[$0.reminder.id] == $0.index }
      && free.sorted() == vacant
      && armedCount == slots.count { $0.state == .armed }
      && preemptiveCount == indices.count { marks($0).contains(.preemptive) }
      && byteCount == slots.reduce(0) { $0 + Self.size($1.reminder) }
      && byteCounts
        == slots.reduce(into: [:]) { sums, slot in
          if let owner = slot.reminder.owner {
            sums[owner, default: 0] += Self.size(slot.reminder)
          }
        }
  }
}

extension Reminder {
  /// Estimated heap memory of its texts in bytes, from their UTF-8 lengths.
  fileprivate var textByteCount: Int {
    var count = id.utf8.count + title.utf8.count
    for text in [notes, category, place?.name, nearCategory] { count += text?.utf8.count ?? 0 }
    count += area?.textByteCount ?? 0
    if repeatRule != nil { count += MemoryLayout<RepeatRule>.stride }
    if repeatChanges != RepeatChanges() { count += MemoryLayout<RepeatChanges>.stride }
    count += 8 * leads.count
    count += 32 * (repeatChanges.additions.count + repeatChanges.exceptions.count)
    count += 8 * repeatChanges.exceptionDays.count
    if !unknown.isEmpty { count += JSONValue.object(unknown).line.utf8.count }
    return count
  }
}
