import CivilTime
import Control
import JSONText
import Reminders
import Storage

/// Commands from people and files. Each goes to the engine, once its time is known, and is stored
/// in one commit with the engine's decisions.
extension Daemon {
  /// Adds reminders of which a snoozed one goes on with its snooze.
  /// - Parameter origin: the call, here and below, for `undo`.
  func addAll(_ entries: [ReminderStore.Entry], by origin: UserCommand? = nil) throws {
    try checkLimits(of: entries.map(\.reminder))
    try perform(
      Command(
        events: entries.map { .add($0.reminder, $0.history) }, saved: entries, origin: origin))
  }

  /// - Parameter changed: with what each has gone through so far.
  func save(
    new: [Reminder], changed: [ReminderStore.Entry], by origin: UserCommand? = nil
  ) throws {
    try checkLimits(of: new + changed.map(\.reminder))
    try perform(
      Command(
        events: new.map { .add($0, nil) } + changed.map { .replace($0.reminder) },
        saved: new.map { ($0, .unread, Standing(state: $0.state)) } + changed, origin: origin))
  }

  /// Carries out a command in one transaction. Before the first fix of a recording only the store
  /// takes it; the engine loads it later.
  /// - Parameter body: further changes of the same transaction.
  func perform(
    _ command: Command,
    and body: () throws(StoreError) -> Void = { () throws(StoreError) in }
  ) throws(StoreError) {
    if isLoaded, let now = clock.now { return try host.perform(command, at: now, and: body) }
    var changes = Changes()
    changes.save(command)
    try store.commit(changes, and: body)
  }

  /// Checks the memory that reminders need, and the work of finding their due times.
  func checkLimits(of reminders: [Reminder]) throws(GeoremindError) {
    try checkRoom(for: reminders)
    var budget = RepeatBudget()
    for reminder in reminders { try budget.charge(reminder, of: self) }
  }

  /// All reminders are in memory: a daemon killed for lack of it would be killed at each start.
  func checkRoom(for reminders: [Reminder]) throws(GeoremindError) {
    // No message of a client has more. Sizes are worked out near the limit alone.
    let maximumGrowth = reminders.count << 21
    guard host.reminderBytes + maximumGrowth > maximumReminderBytes / 2 else { return }
    let growth = reminders.reduce(0) { $0 + host.growth(by: $1) }
    guard growth <= 0 || host.reminderBytes + growth <= maximumReminderBytes else {
      throw .refusedByPolicy(
        reason: "all reminders together would take more than \(maximumReminderBytes >> 20) MiB; "
          + "remove some with 'georemind rm', completed ones first")
    }
    try checkShare(of: reminders)
  }

  /// One user has half of the room at most, so that the others find some.
  private func checkShare(of reminders: [Reminder]) throws(GeoremindError) {
    let share = maximumReminderBytes / 2
    for (owner, added) in Dictionary(grouping: reminders, by: \.owner) {
      guard let owner else { continue }
      let growth = added.reduce(0) { $0 + host.growth(by: $1) }
      guard growth > 0, host.reminderBytes(ofOwner: owner) + growth > share else { continue }
      throw .refusedByPolicy(
        reason: "the reminders of user \(owner) would take more than \(share >> 20) MiB, half of "
          + "the room; remove some with 'georemind rm', completed ones first")
    }
  }

  /// Places lie on disk, which must keep room for what fires. The user with most of the
  /// places adds none once half of the room is taken.
  /// - Parameter owner: of the places to add; nil for everyone's.
  func checkRoomForPlaces(of owner: UInt32?) throws {
    let bytes = try store.database.byteCount()
    if let owner, bytes >= maximumDatabaseBytes / 2,
      try store.places.count(ownedBy: owner) * 2 > store.places.count()
    {
      throw GeoremindError.refusedByPolicy(
        reason: "the database has \(bytes >> 20) MiB, and user \(owner) most of its places; "
          + "remove some with 'georemind place rm'")
    }
    guard bytes < maximumDatabaseBytes else {
      throw GeoremindError.refusedByPolicy(
        reason: "the database has \(maximumDatabaseBytes >> 20) MiB and takes no more places; "
          + "remove some with 'georemind place rm'")
    }
  }

  /// Removes reminders, in one commit.
  func remove(_ ids: [String], by origin: UserCommand? = nil) throws {
    try perform(Command(events: ids.map { .remove(id: $0) }, forgotten: ids, origin: origin))
  }

  /// Completes the current occurrences, in one commit; for `pop` the next ones.
  func complete(
    _ entries: [ReminderStore.Entry], isPop: Bool = false, by origin: UserCommand? = nil
  ) throws {
    if isLoaded {
      let ids = entries.map(\.reminder.id)
      try perform(
        Command(events: ids.map { isPop ? .pop(id: $0) : .done(id: $0) }, origin: origin))
      for entry in entries { calendarsFollow(doneIn: entry) }
    } else {
      var done = entries
      for index in done.indices {
        done[index].history.isDone = true
        done[index].standing.state = .done
      }
      try perform(Command(saved: done, origin: origin))
    }
  }

  /// Puts reminders off, in one commit.
  func snooze(
    _ reminders: [Reminder], until text: String, by origin: UserCommand? = nil
  ) throws {
    guard isLoaded, let now = clock.now else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    if text == "next-visit" {
      guard reminders.allSatisfy({ $0.kind == .location }) else {
        throw GeoremindError.invalidReminder(
          field: "until", reason: "next-visit is for location reminders")
      }
      return try perform(
        Command(events: reminders.map { .snooze(id: $0.id, .nextVisit) }, origin: origin))
    }
    if text == "until-leave" {
      guard
        reminders.allSatisfy({ host.holder(of: $0.id).engine.isAtPlace(of: $0.id) })
      else {
        throw GeoremindError.invalidReminder(
          field: "until", reason: "until-leave is for a place where you are now; see next-visit")
      }
      return try perform(
        Command(events: reminders.map { .snooze(id: $0.id, .untilLeave) }, origin: origin))
    }
    let snooze: Snooze
    if let span = TimeSpan(typed: text), span > .zero {
      snooze = .by(span)
    } else {
      snooze = .until(
        try end(
          typed: text, "a span (20min), a time (18:00), next-visit or until-leave", after: now))
    }
    try perform(
      Command(events: reminders.map { .snooze(id: $0.id, snooze) }, origin: origin))
    for reminder in reminders {
      if case .until(let until) = host.history(reminder.id)?.silence {
        calendarsFollow(snoozeOf: reminder, until: until)
      }
    }
  }

  /// A reminder's document with changes. The radius of a known place goes with the place; a radius
  /// of the reminder's own stays.
  func document(of reminder: Reminder, with changes: JSONObject) throws -> JSONObject {
    var document = Reminder.document(reminder.json, with: changes)
    if changes["place"]?.string != nil, (changes["radius_m"] ?? .null) == .null,
      let place = reminder.place
    {
      let known = try place.name.flatMap { try store.places.place(named: $0) }
      if known?.radius != place.radius { document["radius_m"] = .double(place.radius) }
    }
    return document
  }

  /// A time as people type it, by the daemon's clock and in its zone.
  /// - Parameters:
  ///   - dayAlone: what a day without a time of day means; nil is `DefaultTime=`.
  ///   - direction: whether a bare time is the next or the last one.
  func time(
    typed text: String, dayAlone: DayAlone? = nil, direction: TimeDirection = .ahead
  ) throws(TimeStampError) -> TypedTime {
    try TypedTime(
      text, now: clock.now ?? Instant(microseconds: 0), zone: host.engine.zone,
      dayAlone: dayAlone ?? .at(settings.defaultTime), direction: direction)
  }

  /// The time of a parameter that looks back: a bare time is the last one, a day alone its
  /// beginning. nil where the call does not have it.
  func past(_ given: JSONObject, _ name: String) throws(GeoremindError) -> Instant? {
    guard let text = given[name]?.string else { return nil }
    do throws(TimeStampError) {
      return try time(typed: text, dayAlone: .start, direction: .back).stamp
        .instant(in: host.engine.zone)
    } catch {
      throw .invalidReminder(field: name, reason: "\(error)")
    }
  }

  /// A time to come, of the field `until`.
  /// - Parameters:
  ///   - forms: what may be given.
  ///   - earliest: an end up to here is refused.
  func end(typed text: String, _ forms: String, after earliest: Instant) throws -> Instant {
    let until: Instant
    do {
      until = try time(typed: text).stamp.instant(in: host.engine.zone)
    } catch {
      throw GeoremindError.invalidReminder(field: "until", reason: "give \(forms): \(error)")
    }
    guard until > earliest else {
      throw GeoremindError.invalidReminder(field: "until", reason: "that is in the past")
    }
    return until
  }
}
