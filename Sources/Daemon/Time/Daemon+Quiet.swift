import CivilTime
import Control
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Quiet hours and mutes: firings that are not urgent go to the ledger and the journal as always,
/// and to the destinations as one summary when the quiet ends.
extension Daemon {
  /// The quiet of all now. A recording has none, and hours need a clock that is trusted.
  private var commonQuiet: Quiet.Span? {
    guard let now = clock.live else { return nil }
    var quiet = Quiet(hours: settings.quietHours, choice: quietChoice)
    if !host.engine.isClockTrusted { quiet.hours = nil }
    return quiet.span(at: now, zone: host.engine.zone)
  }

  /// The quiet now, as far as it is of all destinations.
  var quietNow: Quiet.Span? { quiet(of: nil) }

  /// The quiet now for the destinations of a user. The mute of a member is for the member's own,
  /// and for all while nobody else has a reminder.
  func quiet(of user: UInt32?) -> Quiet.Span? {
    if let span = commonQuiet { return span }
    return mute(of: user, at: clock.live).map { Quiet.Span(until: $0.end, isMuted: true) }
  }

  private func mute(of user: UInt32?, at now: Instant?) -> Mutes.Interval? {
    guard let now else { return nil }
    let present = mutes.intervals.filter { $0.value.contains(now) }
    return user.flatMap { present[$0] }
      ?? present.filter { host.engine.hasNoReminder(exceptOf: $0.key) }.min { $0.key < $1.key }?
      .value
  }

  /// Mutes until a time, or without an end; or ends the quiet.
  /// - Throws: GeoremindError for a time that cannot be read or has passed, and for the quiet of
  ///   all that a member would end; StoreError.
  func mute(until text: String?, off: Bool, by caller: Caller) throws {
    guard let now = clock.live else {
      throw GeoremindError.refusedByPolicy(reason: "a recording cannot be muted")
    }
    let moment = off ? nil : try text.map { try end(typed: $0, at: now) }
    if caller.isMaster || settings.sharesChanges {
      try keep(off ? endOfCommonQuiet(at: now) : .muted(until: moment))
    } else {
      try mute(of: caller.user, until: moment, off: off, at: now)
    }
    let change =
      off
      ? "delivered to again"
      : moment.map { "muted until \($0.rfc3339(zone: host.engine.zone))" } ?? "muted"
    if refusals.permitsNews(of: caller.user) {
      log.notice("Destinations are \(change), by user \(caller.user)")
    }
    quietChanged()
  }

  private func mute(of user: UInt32, until end: Instant?, off: Bool, at now: Instant) throws {
    var new = mutes
    if off {
      new.end(of: user, at: now)
    } else if !new.begin(of: user, at: now, until: end) {
      throw GeoremindError.refusedByPolicy(
        reason: "\(Mutes.maximumUsers) users have muted already; root can mute all")
    }
    try store.state.keep(mutes: new.text)
    mutes = new
    guard off, commonQuiet != nil else { return }
    guard host.engine.hasNoReminder(exceptOf: user) else {
      throw GeoremindError.refusedByPolicy(reason: "the quiet is of all, and only root ends it")
    }
    try keep(endOfCommonQuiet(at: now))
  }

  private func endOfCommonQuiet(at now: Instant) -> Quiet.Choice? {
    var quiet = Quiet(hours: settings.quietHours, choice: quietChoice)
    quiet.end(at: now, zone: host.engine.zone)
    return quiet.choice
  }

  private func keep(_ choice: Quiet.Choice?) throws(StoreError) {
    try store.state.keep(quietChoice: choice?.text)
    quietChoice = choice
  }

  /// A span or a time as people type them.
  private func end(typed text: String, at now: Instant) throws -> Instant {
    if let span = TimeSpan(typed: text), span > .zero { return now + span }
    // 'tonight' at 21:00 is at once, which is no end.
    return try end(typed: text, "a span (2h) or a time (07:00)", after: now + .seconds(1))
  }

  /// The end of a quiet may have come, or have moved: held firings can be read then.
  func quietChanged() {
    updateStatusSoon()
    awaitEndOfQuiet()
    if quietNow == nil { control?.announce(.destination(JSONObject())) }
  }

  private func awaitEndOfQuiet() {
    guard let now = clock.live else { return }
    let ends = [commonQuiet?.until].compactMap(\.self) + mutes.intervals.values.compactMap(\.end)
    if let next = ends.filter({ now < $0 }).min() {
      quietTimer?.arm(in: (next - now).microseconds)
    } else {
      quietTimer?.disarm()
    }
  }

  // MARK: - Firings of a destination

  /// The next firings without urgency for a destination of a user: none while it is quiet, and then
  /// one summary for the held ones.
  /// - Parameter isTogether: whether firings of one visit are one.
  func othersToDeliver(
    to user: UInt32, after seq: Int64, limit: Int, bytes: Int, isTogether: Bool
  ) throws -> [JSONObject] {
    if quiet(of: user) != nil {
      awaitEndOfQuiet()
      return []
    }
    let mute = mutes.intervals[user]
    let held = try store.ledger.held(
      after: seq, limit: Self.maximumSummary, from: mute?.start, to: mute?.end)
    // A summary is for one person, or for nobody in particular.
    let together = held.prefix { $0.firing.recipient == held.first?.firing.recipient }
    if together.count > 1, let summary = summary(of: Array(together)) { return [summary] }
    if let first = held.first, held.count > 1 { return [json(of: first)] }
    let entries = try store.ledger.entries(
      after: seq, limit: isTogether ? Self.maximumNamed : limit, urgent: false, bytes: bytes)
    guard isTogether, let first = entries.first else { return entries.map { json(of: $0) } }
    let visit = entries.prefix { $0.firing.isOfVisit(of: first.firing) }
    return [visit.count > 1 ? json(ofVisit: Array(visit)) : json(of: first)]
  }

  /// A firing that stands for others at one place and time, with the number of the last one.
  private func json(ofVisit visit: [LedgerEntry]) -> JSONObject {
    guard let last = visit.last else { return JSONObject() }
    var document = json(of: last)
    document["firing_id"] = .string("visit-\(last.id)")
    document["reminder_id"] = ""
    document["reminder_ids"] = .array(visit.map { .string($0.reminderID) })
    document["title"] = .string("\(visit.count) at \(last.place ?? "")")
    document["why"] = .string(titles(of: visit))
    let priorities = visit.map(\.priority).filter { $0 > 0 }
    document["priority"] = priorities.min().map { .int($0) }
    for member in ["category", "distance_m", "due"] { document[member] = nil }
    return document
  }

  /// Limits of the firings and of the titles in a summary.
  private static let maximumSummary = 1_000
  private static let maximumNamed = 20

  /// A firing that stands for others, with the number of the last one.
  private func summary(of held: [LedgerEntry]) -> JSONObject? {
    guard let first = held.first, let last = held.last else { return nil }
    let words = HumanTime(now: last.time, zone: host.engine.zone)
    return JSONObject([
      "firing_id": .string("summary-\(last.id)"), "reminder_id": "",
      "kind": .string(last.kind.rawValue),
      "title": .string("\(held.count) firings while it was quiet"),
      "time": .string((clock.live ?? last.time).json), "event": "summary",
      "why": .string(
        "\(titles(of: held)); from \(words.absolute(first.time)) to "
          + words.absolute(last.time)),
      "for": last.firing.recipient.map { .string($0) },
      "seq": .int(Int(last.seq)), "ledger": .string(ledgerID),
    ])
  }

  /// The titles of firings, each once.
  private func titles(of entries: [LedgerEntry]) -> String {
    var titles: [String] = []
    var counts: [String: Int] = [:]
    for entry in entries {
      if counts[entry.title] == nil { titles.append(entry.title) }
      counts[entry.title, default: 0] += 1
    }
    var names = titles.prefix(Self.maximumNamed).map { title in
      let count = counts[title] ?? 1
      return count > 1 ? "\(title) (\(count) times)" : title
    }
    if titles.count > names.count { names.append("and \(titles.count - names.count) more") }
    return names.joined(separator: "; ")
  }

  /// `quiet` of a status: nil without quiet hours and without a mute.
  /// - Parameter user: for whose destinations; nil for all.
  func quietJSON(of user: UInt32?) -> JSONValue? {
    let span = quiet(of: user)
    guard span != nil || settings.quietHours != nil else { return nil }
    let mute = user.flatMap { mutes.intervals[$0] }
    let end = mute.map { $0.end ?? Instant(microseconds: .max) }
    let held = span == nil ? nil : try? store.ledger.heldCount(from: mute?.start, to: end)
    return .object(
      JSONObject([
        "now": .bool(span != nil), "until": span?.until.map { .string($0.json) },
        "by": span.map { $0.isMuted ? "mute" : "hours" },
        "all": span == nil ? nil : .bool(quietNow != nil),
        "hours": settings.quietHours.map { .string("\($0)") },
        "held": held.map { .int($0) },
      ]))
  }
}

extension Firing {
  /// Whether both belong to one visit of one tracker, and are for the same person.
  fileprivate func isOfVisit(of other: Firing) -> Bool {
    [.arrive, .dwell, .pass].contains(event) && place != nil
      && (event, place, time) == (other.event, other.place, other.time)
      && (who, recipient) == (other.who, other.recipient)
  }
}
