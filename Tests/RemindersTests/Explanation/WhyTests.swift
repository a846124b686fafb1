import CivilTime
import Geodesy
import JSONText
import Testing

@testable import Reminders

@Suite struct WhyTests {
  private func why(_ harness: borrowing EngineHarness, _ id: String = "a") throws -> Explanation {
    let answer = harness.engine.why(id, at: harness.now, placeName: { $0 == 1 ? "Rewe" : nil })
    return try #require(answer)
  }

  /// Gates that are shut, by name.
  private func shut(_ harness: borrowing EngineHarness, _ id: String = "a") throws -> [String] {
    try why(harness, id).gates.filter { !$0.isOpen }.map(\.name)
  }

  private func location(_ more: String = "") -> String {
    #"{"id":"a","title":"A",\#(EngineHarness.place())\#(more)}"#
  }

  @Test func aRepetitionIsWhatComesNext() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T16:05:00Z","nag_s":60,"repeat":"FREQ=DAILY"}"#)
    harness.wait(300)
    #expect(harness.events == ["a:due"])
    #expect(
      try why(harness).summary
        == "It fires again at 2026-06-12T16:06:00Z, and goes on until it is done")
    harness.send(.done(id: "a"))
    #expect(try why(harness).summary.hasPrefix("It fires when it is 2026-06-13"))
  }

  @Test func anAbsenceIsDecidedOnItsDay() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","on":"absent","due":"2026-06-13T18:00:00Z",\#(EngineHarness.place())}"#
    )
    harness.walk(from: 600, to: 0)
    // Today's visit says nothing about tomorrow.
    #expect(
      try why(harness).summary
        == "It fires when nobody has been there on that day by 2026-06-13T18:00:00Z")
    #expect(harness.engine.plan("a", at: harness.now)?.rings != nil)
    harness.wait(until: harness.now + .hours(20))
    harness.fix(0)
    #expect(try shut(harness) == ["absent"])
    #expect(harness.engine.plan("a", at: harness.now)?.rings == nil)
    harness.wait(until: harness.now + .hours(20))
    #expect(harness.events.isEmpty)
  }

  @Test func nobodyIsNoReminder() {
    #expect(EngineHarness().engine.why("a", at: EngineHarness.start) == nil)
  }

  @Test func withoutAFixThatIsWhatIsMissing() throws {
    var harness = EngineHarness()
    try harness.add(location())
    #expect(try shut(harness) == ["fix", "presence"])
  }

  @Test func anArrivalGoesThroughItsGates() throws {
    var harness = EngineHarness()
    try harness.add(location())
    harness.walk(from: 500, to: 410, step: 10)
    let far = try why(harness)
    #expect(try shut(harness) == ["place", "presence"])
    #expect(far.gates.first { $0.name == "fix" }?.says == "The last fix is of this second")
    let place = try #require(far.gates.first { $0.name == "place" })
    #expect(place.says.hasPrefix("Outside Home, where you are with 0.0 %: 310 m beyond the edge; "))
    #expect(place.says.hasSuffix(" (claim 5 m × 2.0); not at rest"))
    #expect(place.remedy == "you come 310 m nearer to Home")
    #expect(place.figures["edge_m"]?.double.map { abs($0 - 310) < 1 } == true)
    #expect(
      far.summary
        == "It fires when you come 310 m nearer to Home, and an arrival is decided")
    harness.walk(from: 400, to: 110, step: 10)
    #expect(try shut(harness) == ["place", "presence"])
    for distance in [105.0, 98, 90] where harness.firings.isEmpty { harness.fix(distance) }
    #expect(harness.events == ["a:arrive"])
    #expect(try shut(harness) == ["state"])
    #expect(try why(harness).lastFired == harness.now)
  }

  @Test func oldFixesShutAGate() throws {
    var harness = EngineHarness()
    try harness.add(location())
    harness.fix(500)
    harness.fix(500)
    harness.wait(300)
    #expect(try shut(harness).first == "fix")
  }

  @Test func eachConditionIsAGateOfItsOwn() throws {
    var harness = EngineHarness()
    let from = (EngineHarness.start + .hours(1)).json
    try harness.add(
      location(
        #","from":"\#(from)","due":"\#(from)","hours":"18:00-19:00","days":"sat","max_speed_mps":2"#
      ))
    harness.walk(from: 300, to: 0)
    #expect(try shut(harness) == ["due", "from", "hours", "days", "max_speed"])
    #expect(harness.firings.isEmpty)
    let gates = try why(harness).gates
    // One instant for all: the first at which they hold together.
    #expect(
      try why(harness).summary
        == "It fires when it is 2026-06-13T18:00:00Z, and you go slower")
    #expect(gates.first { $0.name == "from" }?.figures["opens"]?.string == from)
    #expect(
      gates.first { $0.name == "max_speed" }?.says
        == "It may fire up to 7.2 km/h, and you go 54 km/h")
  }

  /// What the gates say is what happens: when the last one opens, it fires.
  @Test func itFiresWhenTheGatesAreOpen() throws {
    var harness = EngineHarness()
    try harness.add(location(#","hours":"16:05-19:00""#))
    harness.walk(from: 300, to: 0)
    #expect(try shut(harness) == ["hours"])
    let opens = try #require(
      try why(harness).gates.first { !$0.isOpen }?.figures["opens"]?.string)
    harness.wait(until: try Instant(rfc3339: opens) - .seconds(1))
    #expect(harness.firings.isEmpty)
    harness.wait(2)
    #expect(harness.firings.map(\.time.json) == [opens])
  }

  @Test func departDwellAndCooldown() throws {
    var harness = EngineHarness()
    try harness.add(location(#","on":"depart""#))
    try harness.add(
      #"{"id":"b","title":"B",\#(EngineHarness.place()),"on":"dwell","dwell_s":60}"#)
    try harness.add(
      #"{"id":"c","title":"C",\#(EngineHarness.place()),"every_visit":true,"cooldown_s":600}"#)
    harness.walk(from: 300, to: 0)
    #expect(try shut(harness) == ["place"])
    #expect(try shut(harness, "b") == ["dwell"])
    #expect(try shut(harness, "c") == ["if_inside", "cooldown"])
    let depart = try #require(try why(harness).gates.first { $0.name == "place" })
    let margin = try #require(depart.figures["margin_m"]?.double)
    #expect((10...20).contains(margin))
    #expect(depart.says.hasPrefix("Inside Home, where you are with 100.0 %: "))
    #expect(depart.remedy?.hasSuffix(" beyond the edge of Home") == true)
  }

  /// The moment to leave counts, not the time of arrival.
  @Test func theCooldownOfATimeToLeave() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(
      #"{"id":"t","kind":"preemptive","title":"T","travel_s":2400,"cooldown_s":3600,"#
        + #""due":"2026-06-12T17:00:00Z","repeat":"FREQ=MINUTELY;INTERVAL=50","#
        + #"\#(EngineHarness.place())}"#)
    harness.wait(until: try Instant(rfc3339: "2026-06-12T17:01:00Z"))
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:20:00Z"])
    // It would leave at 17:10, ten minutes too early.
    #expect(try shut(harness, "t").contains("cooldown"))
    harness.wait(until: try Instant(rfc3339: "2026-06-12T17:30:00Z"))
    #expect(harness.firings.count == 1)
  }

  /// At rest a departure needs more than the margin of a moving device.
  @Test func theMarginIsTheOneThatCounts() throws {
    var harness = EngineHarness()
    try harness.add(location(#","on":"depart""#))
    harness.walk(from: 0, to: 0)
    for _ in 0..<60 { harness.fix(0, speed: 0, eph: 15) }
    for _ in 0..<3 { harness.fix(130, after: 60, speed: 0, eph: 15) }
    #expect(harness.events == [])
    #expect(try shut(harness) == ["place"])
    let place = try #require(try why(harness).gates.first { $0.name == "place" })
    #expect(place.figures["margin_m"]?.double.map { $0 > 30 } == true)
  }

  @Test func aDateSaysWhenItsConditionsLetItFire() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T21:00:00Z","hours":"08:00-18:00","days":"mon..fri"}"#
    )
    #expect(try why(harness).summary == "It fires when it is 2026-06-15T08:00:00Z")
    harness.wait(until: try Instant(rfc3339: "2026-06-15T08:00:00Z"))
    #expect(harness.events == ["a:due"])
    try harness.add(
      #"{"id":"b","title":"B","due":"2026-06-15T21:00:00Z","days":"fri"}"#)
    #expect(try shut(harness, "b") == ["state"])
  }

  @Test func aStoredConditionWithoutMeaningIsMarked() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T18:00:00Z",\#(EngineHarness.place()),"transport":"walking","hours":"08:00-10:00"}"#
    )
    #expect(
      try why(harness).gates.last?.says
        == "It is ignored: it does not go with a preemptive reminder: to wait for the hours would "
        + "make you late")
  }

  @Test func oneMadeInsideWaitsForTheNextVisit() throws {
    var harness = EngineHarness()
    harness.fix(0)
    try harness.add(location())
    harness.fix(0)
    harness.fix(0)
    #expect(try shut(harness) == ["if_inside"])
  }

  @Test func aDateSaysWhen() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","title":"A","due":"2026-06-12T17:00:00Z","lead_s":900}"#)
    let answer = try why(harness)
    #expect(try shut(harness) == ["due"])
    #expect(
      answer.gates.last?.says
        == "It fires at 2026-06-12T16:45:00Z, 15min before it is due at 2026-06-12T17:00:00Z, in 45min"
    )
    #expect(answer.gates.last?.figures["opens"]?.string == "2026-06-12T16:45:00Z")
    harness.send(.snooze(id: "a", .until(EngineHarness.start + .hours(3))))
    #expect(try shut(harness) == ["state"])
  }

  @Test func aTimeToLeaveSaysFromWhere() throws {
    var harness = EngineHarness()
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T18:00:00Z",\#(EngineHarness.place()),"transport":"walking"}"#
    )
    #expect(try why(harness).gates.contains { $0.says.hasPrefix("No position is known") })
    harness.fix(2000)
    let leave = try #require(try why(harness).gates.last)
    #expect(leave.name == "leave")
    let opens = try Instant(rfc3339: try #require(leave.figures["opens"]?.string))
    // 2 km × 1.3 at 5 km/h.
    #expect(abs((opens - EngineHarness.start).seconds - (7200 - 1872)) < 3)
    for _ in 0..<200 where harness.firings.isEmpty { harness.fix(2000, after: 60) }
    #expect(abs((try #require(harness.firings.first).time - opens).seconds) < 2)
  }

  @Test func ofACategoryTheNearestPlaceCounts() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"a","title":"A","near_category":"shop"}"#)
    harness.fix(300)
    #expect(try shut(harness) == ["place", "presence"])
    let home = NumberedPlace(number: 1, position: EngineHarness.home, radius: 100)
    harness.send(.place(number: 1, home, category: "shop"))
    harness.fix(300)
    let place = try #require(try why(harness).gates.first { $0.name == "place" })
    #expect(
      place.says.hasPrefix(
        "Outside Rewe, the nearest of category shop, where you are with 0.0 %: 200 m beyond the edge"
      ))
  }

  @Test func theAnswerIsJSON() throws {
    var harness = EngineHarness()
    try harness.add(location())
    harness.fix(500)
    let json = try why(harness).json
    #expect(json["id"]?.string == "a")
    #expect(json["gates"]?.array?.first?["gate"]?.string == "state")
    #expect(json["gates"]?.array?.first?["passed"]?.bool == true)
    #expect(json["summary"]?.string?.hasPrefix("It fires when ") == true)
  }
}
