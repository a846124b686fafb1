import CivilTime
import Geodesy
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// What an anchor watch says in its status, in `why` and in a repeated alarm.
@Suite struct AnchorNewsTests {
  private func watch(
    radius: Double = 40, settings: EngineSettings = EngineSettings()
  ) throws -> EngineHarness {
    var harness = EngineHarness(settings: settings)
    harness.fix(20)
    try harness.add(Self.document(radius: radius))
    return harness
  }

  private static func document(radius: Double) -> String {
    """
    {"id":"anchor","title":"Anchor watch",\(EngineHarness.place(radius: radius)),"on":"depart",
    "dwell_s":30,"every_visit":true,"nag_s":60,"nag_limit":0,"anchor_watch":true}
    """
  }

  private func says(_ harness: borrowing EngineHarness) -> String? {
    harness.engine.anchorStatus("anchor", at: harness.now)?.says
  }

  private func loss(_ harness: borrowing EngineHarness) -> PositionLoss? {
    harness.engine.positionLoss(at: harness.now)
  }

  private func why(_ harness: borrowing EngineHarness) throws -> Explanation {
    let answer = harness.engine.why("anchor", at: harness.now)
    return try #require(answer)
  }

  private func clock(_ harness: borrowing EngineHarness, _ time: Instant) -> String {
    harness.engine.clock(time, at: harness.now)
  }

  // MARK: - The status

  @Test func theLastPositionIsKnownAtOnce() throws {
    let harness = try watch()
    let status = harness.engine.anchorStatus(at: harness.now)
    #expect(status?.place == .inside && status?.says == nil)
    #expect(status?.distance.map { ($0 - 20).magnitude < 0.1 } == true)
  }

  @Test func aDragIsSaidUntilTheBoatIsBack() throws {
    var harness = try watch()
    for _ in 0..<10 { harness.fix(60) }
    #expect(says(harness)?.hasPrefix("Outside: an alarm in ") == true)
    for _ in 0..<30 { harness.fix(60) }
    let began = try #require(harness.firings.first?.time)
    #expect(says(harness) == "ALARM: dragging since \(clock(harness, began))")
    let repeats = harness.engine.anchorStatus(at: harness.now)?.repeats
    #expect(repeats == began + .minutes(1))
    harness.send(.done(id: "anchor"))
    harness.fix(60)
    #expect(
      says(harness) == "Dragging since \(clock(harness, began)); acknowledged, and silent until "
        + "the boat is back in the circle")
    let why = try why(harness)
    #expect(why.gates.contains { $0.name == "acknowledged" && !$0.isOpen })
    #expect(why.summary == "It fires when the boat is back in its circle and leaves it again")
    for _ in 0..<40 { harness.fix(20) }
    #expect(says(harness) == nil)
  }

  @Test func aFrozenReceiverIsALossSinceItsLastNewPosition() throws {
    var harness = try watch()
    for fix in 0..<30 { harness.fix(20 + Double(fix % 5)) }
    let since = harness.now
    for _ in 0..<200 { harness.fix(24) }
    #expect(harness.events.first == "anchor:lost")
    #expect(loss(harness) == PositionLoss(since: since, cause: .frozen))
    let (isLost, isSilent) = (harness.engine.hasLostPosition, harness.engine.isPositionLost)
    #expect(isLost && !isSilent)
    #expect(
      says(harness) == "ALARM: no position since \(clock(harness, since)): the receiver repeats "
        + "the same position")
    #expect(try !why(harness).gates.contains { $0.name == "fix" && $0.isOpen })
    harness.send(.done(id: "anchor"))
    harness.fix(24)
    #expect(says(harness)?.hasSuffix("acknowledged, and silent until it is back") == true)
    harness.fix(22)
    #expect(loss(harness) == nil && says(harness) == nil)
  }

  @Test func aSilentReceiverIsALossSinceItsLastFix() throws {
    var harness = try watch()
    harness.fix(20)
    let since = harness.now
    harness.wait(130)
    #expect(loss(harness) == PositionLoss(since: since, cause: .silence))
    #expect(
      says(harness)
        == "ALARM: no position since \(clock(harness, since)): no usable fix comes")
  }

  // MARK: - Back from an outage

  @Test func aPositionThatIsBackIsNoDrift() throws {
    var harness = try watch()
    harness.fix(20)
    harness.wait(140)
    #expect(harness.events == ["anchor:lost"])
    for _ in 0..<60 { harness.fix(22) }
    #expect(harness.events == ["anchor:lost", "anchor:lost"])
    #expect(
      harness.firings.last?.why.hasPrefix("The position is back, 22 m from the anchor") == true)
    #expect(says(harness)?.contains("the position was lost, and is back since") == true)
    // A drift after it is one.
    for _ in 0..<40 { harness.fix(70) }
    #expect(harness.events.last == "anchor:depart")
    #expect(harness.firings.last?.why.hasPrefix("Dragging: 70 m") == true)
  }

  @Test func theWayEndsAtAnOutage() throws {
    var harness = try watch()
    for _ in 0..<400 { harness.fix(10) }
    #expect(try why(harness).gates.contains { $0.says.contains("in the last 5 min") })
    harness.wait(400)
    for _ in 0..<60 { harness.fix(38) }
    #expect(try !why(harness).gates.contains { $0.says.contains("in the last 5 min") })
    for _ in 0..<300 { harness.fix(38) }
    #expect(try why(harness).gates.contains { $0.says.contains("; 0 m in the last 5 min") })
  }

  @Test func theEndOfASnoozeSaysWhatTheAlarmIs() throws {
    var harness = try watch()
    for _ in 0..<40 { harness.fix(60) }
    harness.send(.snooze(id: "anchor", .by(.minutes(1))))
    for _ in 0..<61 { harness.fix(60) }
    #expect(harness.events == ["anchor:depart", "anchor:depart"])
    #expect(harness.firings.last?.why.hasPrefix("Still dragging: 60 m") == true)
  }

  // MARK: - The swing, and another circle

  @Test func theLargestSwingIsAtLeastThePresentDistance() throws {
    var harness = try watch()
    for distance in [11.0, 11, 12] { harness.fix(distance) }
    func swing(_ harness: borrowing EngineHarness) -> Double {
      (harness.engine.anchorWatch("anchor")?.largestSwing ?? 0).rounded()
    }
    #expect(swing(harness) == 12)
    harness.fix(104)
    #expect(swing(harness) == 104)
    // It was a single one.
    harness.fix(12)
    #expect(swing(harness) == 12)
  }

  @Test func anotherRadiusKeepsWhatTheWatchKnows() throws {
    var harness = try watch()
    for fix in 0..<40 { harness.fix(25 + Double(fix % 3)) }
    let before = harness.engine.anchorWatch("anchor")
    let edited = try #require(try JSONParser.parse(Self.document(radius: 60)).object)
    harness.send(.replace(try Reminder(json: edited)))
    let after = harness.engine.anchorWatch("anchor")
    #expect(after == before && after?.distance != nil)
  }

  // MARK: - Why

  @Test func aRingingAlarmSaysWhenItRingsAgain() throws {
    var harness = try watch()
    for _ in 0..<40 { harness.fix(60) }
    let first = try #require(harness.firings.first?.time)
    let again = harness.engine.text(first + .minutes(1))
    #expect(
      try why(harness).summary == "It fires again at \(again), and goes on until it is done")
    #expect(try why(harness).lastFired == first)
    for _ in 0..<60 { harness.fix(60) }
    #expect(try why(harness).lastFired == first + .minutes(1))
    #expect(try !why(harness).gates.contains { $0.name == "presence" })
  }

  @Test func theGateThatWaitsIsNamed() throws {
    var harness = try watch()
    for _ in 0..<60 { harness.fix(20, speed: 0.2) }
    for _ in 0..<50 { harness.fix(100, speed: 0.2) }
    let why = try why(harness)
    #expect(!why.summary.contains("Nothing is in its way"))
    let gate = try #require(why.gates.first { $0.name == "dwell" })
    #expect(!gate.isOpen && gate.says.hasPrefix("Outside after a jump of the receiver: an alarm"))
  }

  @Test(arguments: [
    (LengthUnits.metric, "Dragging: 400 m from the anchor (circle 40 m)"),
    (.nautical, "Dragging: 400 m from the anchor (circle 40 m)"),
    (.imperial, "Dragging: 0.2 mi from the anchor (circle 131 ft)"),
  ])
  func sentencesHaveTheUnitsOfTheSettings(_ units: LengthUnits, _ words: String) throws {
    var settings = EngineSettings()
    settings.units = units
    var harness = try watch(settings: settings)
    for distance in [100.0, 200, 300] { harness.fix(distance) }
    for _ in 0..<60 { harness.fix(400) }
    #expect(harness.firings.first?.why.hasPrefix(words) == true)
    let gate = try why(harness).gates.first { $0.name == "place" }
    #expect(gate?.says.contains(String(words.split(separator: ": ")[1].prefix(5))) == true)
  }
}
