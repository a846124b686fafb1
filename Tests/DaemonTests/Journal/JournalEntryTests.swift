import CivilTime
import Departure
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Testing

@testable import Daemon

/// What programs find in the journal.
@Suite struct JournalEntryTests {
  private static let time = Instant(microseconds: 1_780_000_000_000_000)

  private static func firing(
    _ kind: Reminder.Kind, _ event: Firing.Event, priority: Int = 0
  ) -> Firing {
    Firing(
      id: "id-\(event)", reminderID: "r", kind: kind, title: "Milk", priority: priority,
      time: time, event: event, why: "Arrived at Rewe")
  }

  private static let always: Set<String> = [
    "MESSAGE", "PRIORITY", "MESSAGE_ID", "CODE_FILE", "CODE_LINE", "CODE_FUNC",
    "GEOREMIND_FIRING_ID", "GEOREMIND_REMINDER_ID", "GEOREMIND_KIND", "GEOREMIND_EVENT",
    "GEOREMIND_TITLE",
  ]

  private static let placed: Set<String> = [
    "GEOREMIND_CATEGORY", "GEOREMIND_PLACE", "GEOREMIND_LATITUDE", "GEOREMIND_LONGITUDE",
    "GEOREMIND_EPH_M", "GEOREMIND_SOURCE", "GEOREMIND_DISTANCE_M", "GEOREMIND_FIX_TIME",
  ]

  private func names(_ entry: JournalEntry.Contents) -> Set<String> {
    Set(entry.fields.map { $0.name.description })
  }

  @Test(arguments: [Firing.Event.arrive, .depart, .dwell, .pass])
  func aPlace(_ event: Firing.Event) throws {
    var firing = Self.firing(.location, event)
    firing.category = "Shopping"
    firing.place = "Rewe"
    firing.position = Coordinate(latitude: 53.123456789, longitude: -9)
    firing.eph = 4.26
    firing.source = .deadReckoning
    firing.distance = 34
    firing.fixTime = Self.time
    let entry = Announcer.entry(for: firing).contents
    #expect(names(entry) == Self.always.union(Self.placed))
    #expect(entry.message == "Milk: arrived at Rewe")
    #expect(entry[.messageID] == MessageID.firing.rawValue)
    #expect(entry["GEOREMIND_KIND"] == "location")
    #expect(entry["GEOREMIND_EVENT"] == event.rawValue)
    #expect(entry["GEOREMIND_LATITUDE"] == "53.1234568")
    #expect(entry["GEOREMIND_LONGITUDE"] == "-9")
    #expect(entry["GEOREMIND_EPH_M"] == "4.3")
    #expect(entry["GEOREMIND_SOURCE"] == "dead-reckoning")
    #expect(entry["GEOREMIND_DISTANCE_M"] == "34")
    #expect(entry["GEOREMIND_FIX_TIME"] == "2026-05-28T20:26:40Z")
  }

  @Test func aDate() {
    var firing = Self.firing(.date, .due)
    firing.due = Self.time
    let entry = Announcer.entry(for: firing).contents
    #expect(names(entry) == Self.always.union(["GEOREMIND_DUE"]))
    #expect(entry["GEOREMIND_DUE"] == "2026-05-28T20:26:40Z")
  }

  @Test func aLateDate() {
    var firing = Self.firing(.date, .late)
    firing.due = Self.time
    firing.late = .seconds(90.5)
    let entry = Announcer.entry(for: firing).contents
    #expect(names(entry) == Self.always.union(["GEOREMIND_DUE", "GEOREMIND_LATE_S"]))
    #expect(entry[.messageID] == MessageID.lateFiring.rawValue)
    #expect(entry["GEOREMIND_LATE_S"] == "90.5")
  }

  @Test func aFiringThatAWrongClockBroughtAboutBefore() {
    var firing = Self.firing(.date, .due)
    firing.due = Self.time
    firing.repeated = .clock
    let entry = Announcer.entry(for: firing).contents
    #expect(names(entry) == Self.always.union(["GEOREMIND_DUE", "GEOREMIND_REPEATED"]))
    #expect(entry["GEOREMIND_REPEATED"] == "clock")
    #expect(firing.json["repeated"] == "clock")
  }

  @Test func aDeparture() {
    var firing = Self.firing(.preemptive, .leave)
    firing.due = Self.time
    firing.travel = .seconds(725.4)
    let entry = Announcer.entry(for: firing).contents
    #expect(names(entry) == Self.always.union(["GEOREMIND_DUE", "GEOREMIND_TRAVEL_S"]))
    #expect(entry["GEOREMIND_TRAVEL_S"] == "725")
  }

  /// RFC 5545 §3.8.1.9: 1 is the most urgent, 5 in the middle, 0 undefined.
  @Test(
    arguments: zip(
      0...9,
      [
        JournalPriority.notice, .alert, .critical, .error, .warning, .notice, .informational,
        .informational, .informational, .informational,
      ]))
  func priority(_ given: Int, _ expected: JournalPriority) {
    let entry = Announcer.entry(for: Self.firing(.date, .due, priority: given)).contents
    #expect(entry.priority == expected)
  }
}
