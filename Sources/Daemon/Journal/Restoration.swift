import CivilTime
import Logging
import Reminders
import Storage

/// Adds to a database restored from a copy the firings that only the journal has, so that they do
/// not fire again.
///
/// A repeated decision may differ by microseconds and so have another id. So each firing goes back
/// into the ledger, and its reminder to the state after it. Changes by people after the copy are
/// lost.
struct Restoration {
  let store: Store
  let log: Logger
  let zone: TimeZoneRules
  /// The firings that the journal has since a time, earliest first.
  let journal: Journal?

  typealias Journal = (_ since: Instant) throws -> [Firing]

  /// Does nothing where the database is no copy, or was used before.
  func run() throws {
    guard let copied = try store.ledger.copyTime() else { return }
    var firings: [Firing] = []
    do {
      firings = try journal?(copied) ?? []
    } catch {
      log.error("Firings since the backup of \(copied.rfc3339()) cannot be looked up: \(error)")
    }
    var histories: [String: History] = [:]
    for firing in firings {
      guard let entry = try store.reminders.reminder(id: firing.reminderID) else { continue }
      var history = histories[firing.reminderID] ?? entry.history
      var schedule = Schedule(entry.reminder, in: zone)
      schedule.follow(firing, &history)
      histories[firing.reminderID] = history
    }
    var changes = Changes()
    // The engine computes what follows from them when it loads them.
    changes.histories = histories.map {
      Changes.Step(id: $0.key, $0.value, Standing(state: .armed))
    }
    let ids = Set(firings.map(\.id))
    let head = try store.ledger.head()
    try store.commit(changes) { () throws(StoreError) in
      try store.ledger.record(firings)
      let known = try store.ledger.undelivered().values.filter { ids.contains($0.firing.id) }
      try store.ledger.markDelivered(known.map(\.seq), at: copied)
      // A destination that had received all of the copy's has received these.
      try store.consumers.advance(from: head)
      try store.ledger.beginAfterCopy()
    }
    let (time, count) = (copied.rfc3339(), ids.count)
    log.notice("The store is a backup of \(time); \(count) firings since then are in the journal")
  }
}

extension Firing {
  /// Out of the fields of its entry in the journal; nil where they are no firing.
  init?(journal fields: [String: String], time: Instant) {
    func field(_ name: String) -> String? { fields["GEOREMIND_\(name)"] }
    guard let id = field("FIRING_ID"), let reminder = field("REMINDER_ID"),
      let kind = field("KIND").flatMap(Reminder.Kind.init(rawValue:)),
      let event = field("EVENT").flatMap(Event.init(rawValue:))
    else { return nil }
    let due = field("DUE").flatMap { try? Instant(rfc3339: $0) }
    let late = field("LATE_S").flatMap { Double($0) }.map { TimeSpan(seconds: $0) }
    self.init(
      id: id, reminderID: reminder, kind: kind, title: field("TITLE") ?? "",
      category: field("CATEGORY"), time: time, event: event, place: field("PLACE"), due: due,
      late: late, repeated: field("REPEATED").flatMap(Repeated.init(rawValue:)),
      why: "Read back from the journal after a backup was restored")
  }
}
