import CivilTime
import Geodesy
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// The table against a dictionary of what it should hold.
@Suite struct ReminderTableTests {
  private func reminder(_ number: Int, title: String = "T") -> Reminder {
    Reminder(id: "id-\(number)", kind: .date, title: title, due: .absolute(EngineHarness.start))
  }

  private func check(_ table: borrowing ReminderTable) {
    let isSound = table.isSound
    #expect(isSound)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func holdsWhatADictionaryHolds(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var table = ReminderTable()
    var model: [String: (slot: Int32, reminder: Reminder, history: History)] = [:]
    for step in 0..<3_000 {
      let one = reminder(
        Int.random(in: 0..<60, using: &dice), title: String(repeating: "t", count: step % 50 + 1))
      if let held = model[one.id] {
        switch Int.random(in: 0..<4, using: &dice) {
        case 0:
          table.remove(held.slot)
          model[one.id] = nil
        case 1:
          let state = Reminder.State.allCases.randomElement(using: &dice) ?? .armed
          let before = table.state(held.slot)
          let changed = table.set(Standing(state: state), held.slot)
          #expect(changed == (state != before))
          let isDone = Bool.random(using: &dice)
          let isOther = table.change(held.slot) { $0.isDone = isDone }
          #expect(isOther == (isDone != held.history.isDone))
          model[one.id]?.history.isDone = isDone
        case 2:
          var history = History()
          history.lastRung = Instant(seconds: Double(step))
          let marks = table.marks(held.slot)
          table.replace(held.slot, one, history)
          let kept = table.marks(held.slot)
          #expect(kept == marks)
          model[one.id] = (held.slot, one, history)
        default: table.set(.preemptive, Bool.random(using: &dice), held.slot)
        }
      } else {
        var history = History()
        history.lastRung = Instant(seconds: Double(step))
        let slot = table.insert(one, history)
        // The first plan is no change.
        let isChange = table.set(Standing(state: .done), slot)
        #expect(!isChange)
        model[one.id] = (slot, one, history)
      }
      if step % 50 == 0 { check(table) }
    }
    check(table)
    let (count, slots) = (table.count, table.indices.count)
    #expect(count == model.count)
    #expect(slots <= 60, "slots are used again")
    for number in 0..<60 {
      let expected = model["id-\(number)"]
      let found = table.index(of: "id-\(number)")
      #expect(found == expected?.slot)
      guard let found, let expected, let slot = table.slot(found) else { continue }
      #expect(slot.reminder == expected.reminder)
      #expect(slot.history == expected.history)
    }
    for (slot, _, _) in model.values { table.remove(slot) }
    let (left, bytes) = (table.count, table.byteCount)
    #expect(left == 0 && bytes == 0)
    check(table)
  }

  @Test func marksBelongToOneReminder() {
    var table = ReminderTable()
    let first = table.insert(reminder(1), History())
    table.set(.fence, true, first)
    table.set(.waiting, true, first)
    let marked = table.slot(first)
    #expect(marked?.hasFence == true)
    let both = table.marks(first)
    #expect(both == [.fence, .waiting])
    table.remove(first)
    table.remove(first)
    table.set(.dirty, true, first)
    let (isVacant, marks) = (table.isVacant(first), table.marks(first))
    #expect(isVacant && marks == [])
    let second = table.insert(reminder(2), History())
    #expect(second == first)
    let fresh = table.marks(second)
    #expect(fresh == [])
    check(table)
  }

  /// What the limit on memory goes by grows with every text and list of a reminder.
  @Test func sizesGrowWithWhatAReminderHolds() {
    let small = ReminderTable.size(reminder(1))
    let text = String(repeating: "x", count: 1_000)
    let changes: [(inout Reminder) -> Void] = [
      { $0.title = text }, { $0.notes = text }, { $0.category = text }, { $0.nearCategory = text },
      { $0.place = Reminder.Place(name: text, position: EngineHarness.home) },
      { $0.leads = Array(repeating: .seconds(1), count: 125) },
      { $0.unknown["x"] = .string(text) },
      { $0.repeatChanges.exceptions = Array(repeating: .absolute(EngineHarness.start), count: 40) },
    ]
    for change in changes {
      var one = reminder(1)
      change(&one)
      #expect(ReminderTable.size(one) >= small + 900)
    }
  }
}
