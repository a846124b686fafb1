import CivilTime
import Control
import Departure
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// Queries for the next firings, their reasons and the ledger.
extension ControlService {
  func next(limit: Int) -> JSONObject {
    let limit = max(1, min(limit, 1_000))
    let host = daemon.host
    let now = daemon.clock.now ?? Instant(microseconds: SystemClock.now())
    func timer(_ entry: Engine.Upcoming, waitsForClock: Bool) -> JSONValue {
      .object(
        JSONObject([
          "id": .string(entry.reminder.id), "title": .string(entry.reminder.title),
          "kind": .string(entry.reminder.kind.rawValue), "time": .string(entry.moment.json),
          "who": entry.reminder.who.map { .string("\($0)") },
          "waits_for_clock": waitsForClock ? true : nil,
          "repeated": entry.isRepeated ? true : nil,
        ]))
    }
    let engines = daemon.engines(for: caller)
    let held = host.waitingForClock(limit: limit, at: now, of: engines)
    let timers =
      held.map { timer($0, waitsForClock: true) }
      + host.upcoming(limit: limit - held.count, at: now, of: engines).map {
        timer($0, waitsForClock: false)
      }
    let nearby = engines.flatMap { tracker in
      tracker.engine.nearby(limit: limit).map { (tracker, $0) }
    }.sorted { ($0.1.distance, $0.1.reminder.id) < ($1.1.distance, $1.1.reminder.id) }
    let places = nearby.prefix(limit).map { tracker, entry -> JSONValue in
      [
        "id": .string(entry.reminder.id), "title": .string(entry.reminder.title),
        "who": tracker.name.map { .string($0) },
        "place": (entry.placeNumber.map { daemon.host.placeName($0) } ?? entry.reminder.knownName)
          .map { .string($0) },
        "on": .string(entry.reminder.trigger.rawValue),
        "distance_m": .double(Decimal.rounded(entry.distance, digits: 1)),
        "bearing_deg": bearing(from: tracker, to: entry).flatMap {
          .double(Decimal.rounded($0, digits: 1))
        },
      ]
    }
    let problems = daemon.fileProblems
    return JSONObject([
      "timers": .array(timers), "places": .array(places),
      "problems": problems.isEmpty ? nil : .array(problems),
      "quiet": daemon.quiet(of: caller.user) == nil ? nil : daemon.quietJSON(of: caller.user),
    ])
  }

  /// Degrees from true north, from the last fix to the middle of the place or region.
  private func bearing(from tracker: TrackerEngine, to entry: Engine.Nearby) -> Double? {
    let reminder = entry.reminder
    let middle =
      entry.placeNumber.flatMap { try? daemon.store.places.place(number: $0)?.position }
      ?? reminder.area?.middle ?? reminder.place?.position
    guard let position = tracker.engine.lastFix?.position, let middle else { return nil }
    return position.initialBearing(to: middle)
  }

  func why(_ entry: ReminderStore.Entry, from here: Standpoint?) throws -> JSONObject {
    let host = daemon.host
    guard daemon.mayKnowProgress(of: entry.reminder, caller) else {
      throw GeoremindError.refusedByPolicy(
        reason: "it would say where a tracker is that is not yours, and not shared with the group")
    }
    let tracker = host.holder(of: entry.reminder.id)
    guard let now = daemon.clock.now,
      let explanation = tracker.engine.why(
        entry.reminder.id, at: now, from: here, placeName: { host.placeName($0) })
    else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    var answer = explanation.json
    if tracker === host.own { answer["feed"] = daemon.followedFeed.map { .string("\($0)") } }
    return ["why": .object(answer)]
  }

  func forgetTrips(_ word: String?) throws -> JSONObject {
    let transport = word.flatMap(Reminder.Transport.init)
    guard word == nil || transport != nil else {
      throw GeoremindError.invalidReminder(
        field: "transport",
        reason: "must be one of "
          + Reminder.Transport.allCases.map(\.rawValue).joined(separator: ", "))
    }
    guard let now = daemon.clock.now else {
      throw GeoremindError.refusedByPolicy(reason: "the recording has not begun yet")
    }
    if !caller.isMaster { try requireSharing("the travel times", of: 0, by: "ForgetTrips") }
    daemon.host.handle(.forgetTrips(transport), at: now)
    return JSONObject()
  }

  /// Reads a time that a person typed.
  func parseTime(_ given: JSONObject) throws -> JSONObject {
    let zone = daemon.host.engine.zone
    do throws(TimeStampError) {
      return try daemon.time(typed: given["text"]?.string ?? "").json(in: zone)
    } catch {
      throw GeoremindError.invalidReminder(field: "text", reason: "\(error)")
    }
  }

  func log(_ given: JSONObject) throws -> JSONObject {
    let (since, until) = (try daemon.past(given, "since"), try daemon.past(given, "until"))
    let reminder = try given["reminder"]?.string.map(fired)
    let firings = try daemon.store.ledger.firings(
      limit: max(1, min(given["limit"]?.int ?? 1_000, 100_000)), since: since, until: until,
      reminder: reminder, before: given["before"]?.int.map(Int64.init), bytes: Self.maximumBytes)
    guard !firings.isCut else { throw tooMuch("ask for fewer firings by limit") }
    let consumers = reminder == nil ? nil : try daemon.store.consumers.all()
    return [
      "firings": .array(
        try firings.values.map { entry in
          .object(
            try consumers.map { try jsonWithOutcome(of: entry, $0) } ?? daemon.json(of: entry))
        })
    ]
  }

  /// The reminder that a text names; the ledger knows removed ones, too.
  private func fired(_ name: String) throws -> String {
    let ids = Set(try daemon.store.ledger.reminders(prefix: name))
      .union(try daemon.store.reminders.find(prefix: name))
    return try meant(by: name, beginning: ids)
  }
}
