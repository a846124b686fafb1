import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning
import TestSupport
import Testing

@testable import Reminders

/// Reminders that a start takes in behave as if each had been added.
@Suite struct LoadingTests {
  @Test func leadsThatHaveRungDoNotRingAgainAfterARestart() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"t","title":"T","due":"2026-06-12T18:00:00Z","lead_s":[3600,600]}"#)
    harness.wait(3_600)
    #expect(harness.events == ["t:due"])
    harness.restart(after: 60)
    harness.wait(60)
    harness.restartByLoading(after: 60)
    harness.wait(60)
    #expect(harness.events == ["t:due"])
    harness.wait(3_600)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T17:00:00Z", "2026-06-12T17:50:00Z"])
  }

  /// Only the journal has the firing: it was for the first of two leads.
  @Test(arguments: [(-3_600.0, 1), (-600, 2), (0, 2)])
  func aFiringOfTheJournalUsesTheLeadsThatHaveCome(after seconds: Double, used: Int) throws {
    let due = EngineHarness.start + .hours(2)
    let reminder = Reminder(
      id: "t", kind: .date, title: "T", due: .absolute(due),
      leads: [
        .init(days: 0, microseconds: 3_600_000_000), .init(days: 0, microseconds: 600_000_000),
      ])
    var schedule = Schedule(reminder, in: .utc)
    var history = History()
    schedule.follow(
      Firing(
        id: "f", reminderID: "t", kind: .date, title: "T", time: due + .seconds(seconds),
        event: .due, due: due, why: "w"), &history)
    #expect(history.leadsUsed.values.first ?? 2 == used)
    #expect((schedule.next(after: history.usedUpTo) == nil) == (used == 2))
  }

  /// A reminder of any kind whose moment and place lie within the trip of the test.
  private static func reminder(_ id: String, _ dice: inout SeededGenerator) -> String {
    func stamp(_ seconds: Int) -> String {
      (EngineHarness.start + .seconds(Double(seconds))).json
    }
    let due = stamp(Int.random(in: -600...1200, using: &dice))
    let place =
      "\"place\":{\"lat\":53.55,\"lon\":\(9.99 + Double.random(in: 0...0.04, using: &dice)),"
      + "\"radius_m\":\(Int.random(in: 50...300, using: &dice))}"
    var more = ""
    if Bool.random(using: &dice) { more += ",\"every_visit\":true" }
    if Int.random(in: 0..<4, using: &dice) == 0 {
      more += ",\"until\":\"\(stamp(Int.random(in: 0...900, using: &dice)))\""
    }
    if Int.random(in: 0..<4, using: &dice) == 0 {
      more += ",\"lead_s\":[\(Int.random(in: 0...300, using: &dice)),30]"
    }
    if Int.random(in: 0..<4, using: &dice) == 0 {
      more += ",\"from\":\"\(stamp(Int.random(in: 0...600, using: &dice)))\""
    }
    switch Int.random(in: 0..<6, using: &dice) {
    case 0: return "{\"id\":\"\(id)\",\"title\":\"T\",\"due\":\"\(due)\"\(more)}"
    case 1:
      return "{\"id\":\"\(id)\",\"title\":\"T\",\"due\":\"\(due.dropLast())\"\(more)}"
    case 2:
      let mode = ["driving", "cycling", "walking"].randomElement(using: &dice) ?? "driving"
      return "{\"id\":\"\(id)\",\"title\":\"T\",\"due\":\"\(due)\",\(place),"
        + "\"transport\":\"\(mode)\"\(more)}"
    case 3:
      return "{\"id\":\"\(id)\",\"title\":\"T\",\(place),\"on\":\"dwell\",\"dwell_s\":60\(more)}"
    case 4: return "{\"id\":\"\(id)\",\"title\":\"T\",\(place),\"on\":\"depart\"\(more)}"
    default: return "{\"id\":\"\(id)\",\"title\":\"T\",\(place)\(more)}"
    }
  }

  /// A trip with restarts at random moments, by either way; the firings must be the same.
  private static func trip(
    seed: UInt64, byLoading: Bool
  ) throws -> [String] {
    var dice = SeededGenerator(seed: seed)
    var harness = EngineHarness()
    for index in 0..<60 { try harness.add(reminder("r\(index)", &dice)) }
    var distance = 0.0
    for _ in 0..<8 {
      for _ in 0..<Int.random(in: 5...60, using: &dice) {
        harness.fix(distance, speed: 10)
        distance += 10
      }
      if Int.random(in: 0..<3, using: &dice) == 0 {
        let id = "r\(Int.random(in: 0..<60, using: &dice))"
        if Bool.random(using: &dice) {
          harness.send(.done(id: id))
        } else {
          harness.send(.snooze(id: id, .until(harness.now + .seconds(90))))
        }
      }
      let pause = Double.random(in: 0...120, using: &dice)
      if byLoading {
        harness.restartByLoading(after: pause)
      } else {
        harness.restart(after: pause)
      }
    }
    harness.wait(3600)
    return harness.firings.map { "\($0.time.json) \($0.reminderID) \($0.event.rawValue)" }.sorted()
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func loadedIsAsAdded(seed: UInt64) throws {
    let added = try Self.trip(seed: seed, byLoading: false)
    #expect(!added.isEmpty)
    let loaded = try Self.trip(seed: seed, byLoading: true)
    let difference = Set(loaded).symmetricDifference(added).sorted()
    #expect(loaded == added, "seed \(seed): \(difference)")
  }

  @Test func aRestartWithNothingDueChangesNothing() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"home","title":"Home",\#(EngineHarness.place())}"#)
    try harness.add(#"{"id":"tea","title":"Tea","due":"2027-01-01T00:00:00Z"}"#)
    try harness.add(
      #"{"id":"boat","title":"Boat","due":"2027-01-01T00:00:00Z",\#(EngineHarness.place()),"transport":"walking"}"#
    )
    harness.effects.removeAll()
    harness.restartByLoading(after: 60)
    #expect(harness.effects.isEmpty)
    #expect(harness.engine.armedCount == 3)
    #expect(
      harness.engine.upcoming(limit: 5, at: harness.now).map(\.reminder.id) == ["boat", "tea"])
  }

  /// Timers that ring nothing, dates at one moment, times to leave: the first moment is the same.
  @Test func theNextMomentIsTheFirstOfTheList() throws {
    var harness = EngineHarness()
    for number in 0..<40 {
      try harness.add(
        #"{"id":"p\#(number)","title":"P","due":"2026-06-12T21:00:00Z","repeat":"daily",\#(EngineHarness.place())}"#
      )
      try harness.add(#"{"id":"d\#(number)","title":"D","due":"2026-06-14T12:00:00Z"}"#)
    }
    harness.fix(20_000)
    try harness.add(
      #"{"id":"boat","title":"Boat","due":"2026-06-13T12:00:00Z",\#(EngineHarness.place()),"transport":"walking"}"#
    )
    for _ in 0..<60 {
      let first = harness.engine.upcoming(limit: 200, at: harness.now).first?.moment
      #expect(harness.engine.nextMoment(at: harness.now) == first)
      harness.wait(3600)
    }
    #expect(harness.events.count == 41)
  }

  @Test func anotherZoneMovesFloatingTimes() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"tea","title":"Tea","due":"2026-06-12T18:00:00"}"#)
    harness.engine.zone = TimeZoneRules(name: "X", fixedOffset: 3600, abbreviation: "X")
    harness.restartByLoading()
    #expect(harness.engine.standing("tea")?.due?.json == "2026-06-12T17:00:00Z")
    #expect(harness.engine.nextDeadline?.json == "2026-06-12T17:00:00Z")
  }

  @Test func aLoadThatIsAbandonedLeavesNothing() throws {
    var dice = SeededGenerator(seed: 3)
    var harness = EngineHarness()
    for number in 0..<60 { try harness.add(Self.reminder("r\(number)", &dice)) }
    let indices = harness.engine.slots.indices
    let kept = harness.kept
    let entries = indices.compactMap { index in
      harness.engine.slots.slot(index).map { ($0.reminder, kept[$0.reminder.id] ?? $0.history) }
    }
    var settings = EngineSettings()
    settings.asksRoutes = true
    var engine = Engine(settings: settings, zone: .utc)
    var other = Engine(settings: settings, zone: .utc)
    var effects: [Effect] = []
    var expected: [Effect] = []
    for _ in 0..<2 {
      engine.beginLoading(count: 60)
      for (reminder, history) in entries { engine.load(reminder, history) }
      engine.abandonLoading()
      #expect(engine.count == 0)
      #expect(engine.armedCount == 0)
      #expect(engine.fenceCount == 0)
      #expect(engine.nextDeadline == nil)
    }
    engine.beginLoading(count: 60)
    for (reminder, history) in entries { engine.load(reminder, history) }
    engine.finishLoading(at: harness.now, into: &effects)
    // The same without a load before it.
    other.beginLoading(count: 60)
    for (reminder, history) in entries { other.load(reminder, history) }
    other.finishLoading(at: harness.now, into: &expected)
    #expect(engine.count == 60)
    #expect(engine.fenceCount == other.fenceCount)
    #expect(engine.fenceCount > 0)
    for step in 0..<1_200 {
      #expect(engine.nextDeadline == other.nextDeadline)
      let now = harness.now + .seconds(Double(step))
      let fix = Fix(
        time: now,
        position: EngineHarness.home.destination(bearing: 90, distance: 3 * Double(step)))
      engine.handle(.fix(fix), at: now, into: &effects)
      other.handle(.fix(fix), at: now, into: &expected)
    }
    #expect(effects == expected)
    let firings = effects.filter { if case .fire = $0 { true } else { false } }
    #expect(firings.count > 20)
  }

  /// A store keeps ids apart, but a foreign hand may have been in it.
  @Test func ofTwoWithOneIdTheLaterCounts() throws {
    var engine = Engine(zone: .utc)
    var effects: [Effect] = []
    var history = History()
    history.stay = .outside(since: nil)
    engine.beginLoading(count: 300)
    for number in 0..<300 {
      let reminder = Reminder(
        id: "r\(number % 200)", kind: .location, title: "T\(number)",
        place: Reminder.Place(name: nil, position: EngineHarness.home, radius: 100))
      engine.load(reminder, history)
    }
    engine.finishLoading(at: EngineHarness.start, into: &effects)
    #expect(engine.count == 200)
    #expect(engine.fenceCount == 200)
    for number in 0..<200 {
      let title = number < 100 ? "T\(number + 200)" : "T\(number)"
      let found = engine.slot("r\(number)")?.reminder.title
      #expect(found == title)
    }
    let another = engine.slot("r200")?.reminder.title
    #expect(another == nil)
  }

  /// A database is a file that others may edit: a moment that no calendar has must not stop the
  /// engine.
  @Test(arguments: [Int64.min, .min / 2, .max / 2, .max], [false, true])
  func momentsBeyondAllCalendarsDoNotTrap(moment: Int64, isUsed: Bool) throws {
    var harness = EngineHarness()
    try harness.add(
      """
      {"id":"r","kind":"preemptive","title":"T","due":"2026-06-12T18:00:00Z","travel_s":60,
       "lead_s":[600,60],"place":{"lat":53.56,"lon":9.99}}
      """)
    try harness.add(
      """
      {"id":"s","kind":"preemptive","title":"T","due":"2026-06-12T18:00:00Z",
       "place":{"lat":53.56,"lon":9.99}}
      """)
    try harness.add(#"{"id":"t","title":"T","due":"2026-06-12T18:00:00","nag_s":600}"#)
    harness.fix(0)
    let instant = Instant(microseconds: moment)
    let name = LocalDateTime(microseconds: moment)
    for id in ["r", "s", "t"] {
      var history = History()
      history.usedUpTo = isUsed ? name : nil
      history.leadsUsed = [name: 2]
      history.lastRung = instant
      history.stay = .inside(Stay.Visit(since: instant, settledUpTo: name))
      history.early = .init(from: name, upTo: name, rung: instant)
      if id == "t" {
        history.isUnacknowledged = true
        history.repetition = .init(next: instant, count: Int(moment))
      }
      harness.kept[id] = history
    }
    harness.restartByLoading()
    harness.send(.zone(try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))))
    harness.walk(from: 0, to: 3_000, step: 300)
    harness.wait(30 * 86_400)
    #expect(harness.engine.count == 3)
  }

  /// A missed due time and a missed lead of the next one ring in the same event, not each at its
  /// own time in the past.
  @Test func allThatWasMissedRingsAtTheStart() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-13T20:30:00Z","repeat":"FREQ=DAILY","#
        + #""lead_s":["1d",0]}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-13T20:20:00Z"))
    let count = harness.firings.count
    harness.restartByLoading(after: 26 * 3600)
    #expect(harness.firings.count == count + 2)
    #expect(harness.firings.dropFirst(count).allSatisfy { $0.time == harness.now })
  }

  /// Two due times were missed: the later one by seconds, and as much as the earlier one.
  @Test func whatWasMissedWhileOffIsLate() throws {
    var harness = EngineHarness()
    harness.fix(2000)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":600,\#(EngineHarness.place()),"#
        + #""due":"2026-06-12T18:30:00Z","repeat":"hourly"}"#)
    let end = EngineHarness.start + .seconds(15_600)
    harness.restartByLoading(after: (end - harness.now).seconds + 7)
    harness.wait(60)
    #expect(harness.firings.map(\.due?.json) == ["2026-06-12T19:30:00Z", "2026-06-12T20:30:00Z"])
    #expect(harness.events == ["t:late", "t:late"])
  }
}
