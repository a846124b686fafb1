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
  /// The quiet now. A recording has none, and hours need a clock that is trusted.
  var quietNow: Quiet.Span? {
    guard let now = clock.live else { return nil }
    var quiet = Quiet(hours: settings.quietHours, choice: quietChoice)
    if !host.engine.isClockTrusted { quiet.hours = nil }
    return quiet.span(at: now, zone: host.engine.zone)
  }

  /// Mutes until a time, or without an end; or ends the quiet.
  /// - Throws: GeoremindError for a time that cannot be read or has passed; StoreError.
  func mute(until text: String?, off: Bool, by user: UInt32) throws {
    guard let now = clock.live else {
      throw GeoremindError.refusedByPolicy(reason: "a recording cannot be muted")
    }
    let choice: Quiet.Choice?
    if off {
      var quiet = Quiet(hours: settings.quietHours, choice: quietChoice)
      quiet.end(at: now, zone: host.engine.zone)
      choice = quiet.choice
    } else {
      choice = .muted(until: try text.map { try end(typed: $0, at: now) })
    }
    try store.state.keep(quietChoice: choice?.text)
    quietChoice = choice
    let change = choice.map { "Destinations are \($0.text)" } ?? "The mute has ended"
    if refusals.permitsNews(of: user) { log.notice("\(change), by user \(user)") }
    quietChanged()
  }

  /// A span or a time as people type them.
  private func end(typed text: String, at now: Instant) throws -> Instant {
    if let span = try? TimeSpan(parsing: text), span > .zero { return now + span }
    return try end(typed: text, "a span (2h) or a time (07:00)", after: now)
  }

  /// The end of the quiet may have come, or have moved: held firings can be read then.
  func quietChanged() {
    updateStatusSoon()
    guard let span = quietNow else {
      quietTimer?.disarm()
      control?.announce(.destination(JSONObject()))
      return
    }
    awaitEnd(of: span)
  }

  private func awaitEnd(of span: Quiet.Span) {
    guard let now = clock.live, let until = span.until else { return }
    quietTimer?.arm(in: (until - now).microseconds)
  }

  // MARK: - Firings of a destination

  /// The next firings without urgency for a destination: none while it is quiet, and then one
  /// summary for the held ones.
  func othersToDeliver(after seq: Int64, limit: Int, bytes: Int) throws -> [JSONObject] {
    if let span = quietNow {
      awaitEnd(of: span)
      return []
    }
    let held = try store.ledger.held(after: seq, limit: Self.maximumSummary)
    if held.count > 1, let summary = summary(of: held) { return [summary] }
    return try store.ledger.entries(after: seq, limit: limit, urgent: false, bytes: bytes)
      .map { json(of: $0) }
  }

  /// Limits of the firings and of the titles in a summary.
  private static let maximumSummary = 1_000
  private static let maximumNamed = 20

  /// A firing that stands for others, with the number of the last one.
  private func summary(of held: [LedgerEntry]) -> JSONObject? {
    guard let first = held.first, let last = held.last else { return nil }
    var titles: [String] = []
    var counts: [String: Int] = [:]
    for entry in held {
      if counts[entry.title] == nil { titles.append(entry.title) }
      counts[entry.title, default: 0] += 1
    }
    var names = titles.prefix(Self.maximumNamed).map { title in
      let count = counts[title] ?? 1
      return count > 1 ? "\(title) (\(count) times)" : title
    }
    if titles.count > names.count { names.append("and \(titles.count - names.count) more") }
    let words = HumanTime(now: last.time, zone: host.engine.zone)
    return JSONObject([
      "firing_id": .string("summary-\(last.id)"), "reminder_id": "",
      "kind": .string(last.kind.rawValue),
      "title": .string("\(held.count) firings while it was quiet"),
      "time": .string((clock.live ?? last.time).json), "event": "summary",
      "why": .string(
        "\(names.joined(separator: "; ")); from \(words.absolute(first.time)) to "
          + words.absolute(last.time)),
      "seq": .int(Int(last.seq)), "ledger": .string(ledgerID),
    ])
  }

  /// `quiet` of a status: nil without quiet hours and without a mute.
  var quietJSON: JSONValue? {
    let span = quietNow
    guard span != nil || settings.quietHours != nil else { return nil }
    return .object(
      JSONObject([
        "now": .bool(span != nil), "until": span?.until.map { .string($0.json) },
        "by": span.map { $0.isMuted ? "mute" : "hours" },
        "hours": settings.quietHours.map { .string("\($0)") },
        "held": span == nil ? nil : (try? store.ledger.heldCount()).map { .int($0) },
      ]))
  }
}
