import CivilTime
import Geodesy
import Glibc
import Positioning
import TestSupport
import Testing

@testable import Reminders

/// The anchor watch: what it reports, and what it does not.
@Suite struct AnchorWatchTests {
  private static let anchor = EngineHarness.home

  private func watch(
    radius: Double = 40, hold: Double = 30
  ) throws -> EngineHarness {
    var harness = EngineHarness()
    harness.fix(20)
    try harness.add(Self.document(radius: radius, hold: hold))
    return harness
  }

  private static func document(
    radius: Double = 40, hold: Double = 30, members: String = ""
  ) -> String {
    """
    {"id":"anchor","title":"Anchor watch",\(EngineHarness.place(radius: radius)),"on":"depart",
    "dwell_s":\(hold),"every_visit":true,"nag_s":60,"nag_limit":0,"anchor_watch":true\(members)}
    """
  }

  // MARK: - The decision

  @Test func aDriftFiresOneHoldAfterItHasLeftTheCircle() throws {
    var harness = try watch()
    for second in 1...60 { harness.fix(20.5 + Double(second)) }
    #expect(harness.events == ["anchor:depart"])
    // The 20th fix is 40.5 m away. 31 fixes span 30 s, and 25 of them are four fifths.
    #expect(harness.firings.first?.time == EngineHarness.start + .seconds(1 + 20 + 24))
    #expect(harness.firings.first?.why == "Dragging: 65 m from the anchor (circle 40 m)")
  }

  /// Priorities 1 to 3 overtake others on their way to a destination, and an alarm must.
  @Test(arguments: [0, 2, 7]) func anAlarmIsUrgent(priority: Int) throws {
    var harness = EngineHarness()
    harness.fix(20)
    try harness.add(Self.document(members: ",\"priority\":\(priority)"))
    for _ in 0..<40 { harness.fix(90) }
    #expect(harness.firings.map(\.priority) == [priority == 2 ? 2 : 1])
  }

  /// Nor does it wait behind the other reminders of the same user.
  @Test func anAlarmAndItsRepetitionsDoNotWaitForTheShareOfTheirUser() throws {
    var harness = EngineHarness()
    harness.fix(20)
    try harness.add(Self.document(members: ",\"owner\":1000"))
    for number in 0..<300 {
      try harness.add(
        #"{"id":"r\#(number)","title":"T","due":"2026-06-12T15:00:00Z","owner":1000}"#)
    }
    for _ in 0..<40 { harness.fix(90) }
    harness.wait(120)
    let times = harness.firings.filter { $0.reminderID == "anchor" }.map(\.time)
    try #require(times.count >= 3)
    // Later ones are about the position, which is lost by then.
    #expect(times.prefix(3).map { $0 - times[0] } == [.zero, .minutes(1), .minutes(2)])
  }

  /// After "done" a drift is silent until the boat is back, at least five metres from the edge.
  @Test(arguments: [(37.0, 1), (34, 2)])
  func itIsBackFiveMetresInsideTheEdge(distance: Double, alarms: Int) throws {
    var harness = try watch(radius: 40, hold: 10)
    for _ in 0..<30 { harness.fix(90) }
    harness.send(.done(id: "anchor"))
    for _ in 0..<60 { harness.fix(distance) }
    for _ in 0..<60 { harness.fix(90) }
    #expect(harness.firings.count { $0.why.hasPrefix("Dragging") } == alarms)
  }

  /// A reflection throws the receiver to the other side of the harbour, and it claims to lie still.
  @Test func aJumpThatTheSpeedContradictsWaitsForThreeHolds() throws {
    var harness = try watch()
    for _ in 0..<20 { harness.fix(20, speed: 0.2) }
    for _ in 0..<80 { harness.fix(60, speed: 0.2) }
    for _ in 0..<30 { harness.fix(20, speed: 0.2) }
    #expect(harness.events == [])
    // The next jump does not end: it is a drag that nobody saw begin.
    let jump = harness.now
    for _ in 0..<120 { harness.fix(60, speed: 0.2) }
    #expect(harness.events == ["anchor:depart"])
    #expect(harness.firings.first.map { $0.time - jump } == .seconds(91))
  }

  /// A squall at seven knots is no jump; one that claims a quarter of its speed is found after three.
  @Test(arguments: [3.5, 0.9, nil]) func aFastDragWaitsForOneHold(speed: Double?) throws {
    var harness = try watch()
    for _ in 0..<20 { harness.fix(20, speed: 0.2) }
    let start = harness.now
    for second in 1...200 { harness.fix(20 + 3.5 * Double(second), speed: speed) }
    #expect(harness.events.first == "anchor:depart")
    let late = try #require(harness.firings.first.map { ($0.time - start).seconds })
    #expect(late < (speed == 0.9 ? 105 : 40))
  }

  @Test func aGustIsNoDrift() throws {
    var harness = try watch()
    for _ in 0..<29 { harness.fix(44) }
    harness.fix(34)
    for _ in 0..<300 { harness.fix(30) }
    #expect(harness.events == [])
  }

  /// Four fifths of the fixes decide, and the present one.
  @Test func halfOfTheFixesOutsideIsNoDrift() throws {
    var harness = try watch()
    for second in 0..<120 { harness.fix(second % 2 == 0 ? 44 : 38) }
    #expect(harness.events == [])
    for second in 0..<40 { harness.fix(second % 6 == 0 ? 38 : 44) }
    #expect(harness.events == ["anchor:depart"])
  }

  /// A boat that swings to its edge is back only with four fifths of the fixes 5 m inside.
  @Test func aFixInsideEndsNoAlarm() throws {
    var harness = try watch()
    for _ in 0..<31 { harness.fix(44) }
    for second in 0..<600 { harness.fix(second % 10 == 0 ? 30 : 44) }
    #expect(harness.engine.slot("anchor")?.history.stay != nil)
    #expect(Set(harness.firings.map { $0.why.prefix(6) }).isSubset(of: ["Draggi", "Still "]))
    #expect(harness.events.count == 11)
  }

  /// An inaccurate fix is compared, not refused: at HDOP 2.3 the watch sees as well.
  @Test(arguments: [41.0, 90, 140]) func aFixThatIsWorseThanTheRadiusIsCompared(
    eph: Double
  ) throws {
    var harness = try watch()
    for _ in 0..<600 { harness.fix(30, eph: eph) }
    #expect(harness.events == [])
    for _ in 0..<40 { harness.fix(120, eph: eph) }
    #expect(harness.events == ["anchor:depart"])
  }

  /// One wrong fix decides nothing, with any time between the fixes.
  @Test(arguments: [1.0, 10, 60, 300, 900]) func oneWrongFixIsNoDrift(interval: Double) throws {
    var settings = EngineSettings()
    settings.positionLostAfter = .hours(1)
    var harness = EngineHarness(settings: settings)
    harness.fix(20)
    try harness.add(Self.document())
    for fix in 0..<200 { harness.fix(fix % 20 == 19 ? 400 : 20 + Double(fix % 3), after: interval) }
    #expect(harness.events == [])
  }

  /// The same position to the last digit for three minutes, after others: the receiver hangs.
  @Test func aFrozenReceiverIsALostPosition() throws {
    var harness = try watch()
    for fix in 0..<30 { harness.fix(20 + Double(fix % 5)) }
    for _ in 0..<179 { harness.fix(24) }
    #expect(harness.events == [])
    for _ in 0..<3 { harness.fix(24) }
    #expect(harness.events == ["anchor:lost"])
    #expect(
      harness.firings.first?.why
        == "The position is lost: the receiver repeats the same one for 3min, 24 m from the anchor "
        + "(circle 40 m)")
    // It goes on, and hangs again.
    for fix in 0..<30 { harness.fix(20 + Double(fix % 5)) }
    harness.send(.done(id: "anchor"))
    let count = harness.events.count
    for _ in 0..<182 { harness.fix(24) }
    #expect(harness.events.count == count + 1)
  }

  /// A receiver that averages, and whose position has never varied, is at rest.
  @Test func aPositionThatNeverVariedIsNotFrozen() throws {
    var harness = try watch()
    for _ in 0..<3_600 { harness.fix(20) }
    #expect(harness.events == [])
  }

  @Test func setOutsideOfItsCircleItFires() throws {
    var harness = EngineHarness()
    harness.fix(60)
    try harness.add(Self.document())
    for _ in 0..<40 { harness.fix(60) }
    #expect(harness.events == ["anchor:depart"])
  }

  // MARK: - The alarm

  @Test func theAlarmRepeatsUntilItIsAcknowledgedAndTheWatchGoesOn() throws {
    var harness = try watch()
    for _ in 0..<31 { harness.fix(60) }
    for _ in 0..<90 * 60 { harness.fix(60) }
    #expect(harness.events.count > 80)
    harness.send(.done(id: "anchor"))
    let count = harness.events.count
    for _ in 0..<3_600 { harness.fix(60) }
    #expect(harness.events.count == count)
    // Back on the anchor, and adrift again.
    for _ in 0..<31 { harness.fix(20) }
    for _ in 0..<31 { harness.fix(60) }
    #expect(harness.events.count == count + 1)
  }

  /// The way back out of the silence that `done` begins, while the boat drifts on.
  @Test func aSnoozeAfterDoneRingsAgainWhileTheBoatIsOutside() throws {
    var harness = try watch()
    for _ in 0..<60 { harness.fix(60) }
    harness.send(.done(id: "anchor"))
    let count = harness.events.count
    harness.send(.snooze(id: "anchor", .by(.minutes(1))))
    for _ in 0..<59 { harness.fix(60) }
    #expect(harness.events.count == count)
    let says = harness.engine.anchorStatus(at: harness.now)?.says
    #expect(says?.hasSuffix("the alarm waits for the end of the silence") == true)
    let gates = harness.engine.why("anchor", at: harness.now)?.gates.filter { !$0.isOpen }
    #expect(gates?.map(\.name) == ["state"])
    for _ in 0..<181 { harness.fix(60) }
    #expect(harness.events.count >= count + 3)
    #expect(harness.firings.last?.why.hasPrefix("Still dragging") == true)
    // It is back: a snooze has nothing to report.
    for _ in 0..<60 { harness.fix(20) }
    for event in [Event.done(id: "anchor"), .snooze(id: "anchor", .by(.minutes(1)))] {
      harness.send(event)
    }
    let quiet = harness.events
    for _ in 0..<180 { harness.fix(20) }
    #expect(harness.events == quiet)
  }

  @Test func aDriftDuringASnoozeIsReported() throws {
    var harness = try watch()
    harness.send(.snooze(id: "anchor", .by(.minutes(1))))
    for _ in 0..<120 { harness.fix(60) }
    #expect(harness.events.first == "anchor:depart")
  }

  /// A snooze of before is not meant for the circle that is set now.
  @Test(arguments: [35.0, 45]) func aCircleThatIsSetAnewIsWatched(radius: Double) throws {
    var harness = try watch()
    harness.send(.snooze(id: "anchor", .by(.hours(1))))
    try harness.replace(Self.document(radius: radius))
    for _ in 0..<31 { harness.fix(60) }
    #expect(harness.events == ["anchor:depart"])
  }

  @Test func aPositionLostBeforeTheHoursIsAnAlarmWhenTheyBegin() throws {
    var harness = EngineHarness()
    harness.fix(20)
    try harness.add(Self.document(members: #","hours":"17:00-06:00""#))
    harness.wait(until: EngineHarness.start + .minutes(50))
    harness.fix(20)
    harness.wait(until: EngineHarness.start + .minutes(60) - .seconds(1))
    #expect(harness.events == [])
    harness.wait(2)
    #expect(harness.events == ["anchor:lost"])
    #expect(
      harness.firings.first?.why
        == "The position is lost: no fix for 9min 59s, the last one 20 m from the anchor (circle 40 m)"
    )
  }

  @Test func aLostPositionIsAnAlarm() throws {
    var harness = try watch()
    harness.fix(20)
    harness.wait(119)
    #expect(harness.events == [])
    harness.wait(2)
    #expect(harness.events == ["anchor:lost"])
    #expect(
      harness.firings.first?.why
        == "The position is lost: no fix for 2min, the last one 20 m from the anchor (circle 40 m)")
    harness.wait(300)
    #expect(harness.events.count == 6 && Set(harness.events) == ["anchor:lost"])
    harness.send(.done(id: "anchor"))
    harness.wait(3_600)
    #expect(harness.events.count == 6)
    // It is back, and lost once more.
    harness.fix(20)
    harness.wait(121)
    #expect(harness.events.count == 7)
  }

  // MARK: - Restarts

  @Test func itSurvivesARestart() throws {
    var harness = try watch()
    harness.restartByLoading(after: 600)
    harness.wait(60)
    harness.fix(20)
    #expect(harness.events == [])
    for _ in 0..<31 { harness.fix(60) }
    #expect(harness.events == ["anchor:depart"])
    harness.restartByLoading(after: 5)
    for _ in 0..<120 { harness.fix(60) }
    #expect(harness.events.count > 2)
  }

  @Test func aDriftDuringAPowerCutIsReported() throws {
    var harness = try watch()
    harness.restartByLoading(after: 3_600)
    for _ in 0..<31 { harness.fix(200) }
    #expect(harness.events == ["anchor:depart"])
  }

  @Test func aReceiverThatNeverComesBackIsAnAlarm() throws {
    var harness = try watch()
    harness.restartByLoading(after: 3_600)
    harness.wait(121)
    #expect(harness.events == ["anchor:lost"])
  }

  // MARK: - Nights

  /// A night of ten hours: the boat lies 25 m from its anchor and swings from side to side, and
  /// the receiver's error wanders by 3 m an axis with reflections of 30 m for some seconds.
  @Test(arguments: 1...6) func aNightOfSwingingIsSilent(seed: UInt64) throws {
    var harness = try watch()
    var noise = Noise(seed: seed, sigma: 3, correlation: 60)
    for second in 0..<36_000 {
      let angle = 180 + 70 * sin(Double(second) / 240)
      let boat = Self.anchor.destination(bearing: angle, distance: 25)
      let (bearing, error) = noise.next(hasReflection: second % 900 < 8)
      harness.wait(1)
      harness.fix(at: boat.destination(bearing: bearing, distance: error))
    }
    #expect(harness.events == [])
    let watch = harness.engine.anchorWatch("anchor")
    #expect((25...70).contains(watch?.largestSwing ?? 0))
  }

  /// The anchor drags at 0.5 kn with the same receiver.
  @Test(arguments: 1...12) func aDragOfHalfAKnotIsReportedWithinTheHold(seed: UInt64) throws {
    var harness = try watch()
    var noise = Noise(seed: seed, sigma: 3, correlation: 60)
    var left: Instant?
    for second in 0..<900 {
      let distance = 25 + max(0, Double(second) - 300) * 0.257
      let boat = Self.anchor.destination(bearing: 200, distance: distance)
      let (bearing, error) = noise.next(hasReflection: false)
      harness.wait(1)
      harness.fix(at: boat.destination(bearing: bearing, distance: error))
      // Outside the circle by the receiver's error, three standard deviations.
      if left == nil, distance > 40 + 3 * 3 { left = harness.now }
    }
    let first = try #require(harness.firings.first)
    #expect(try first.time <= #require(left) + .seconds(30))
    #expect(first.event == .depart)
  }

  // MARK: - Its status

  @Test func theStatusSaysHowTheBoatLies() throws {
    var harness = EngineHarness()
    try harness.add(Self.document())
    let isUnknown = harness.engine.anchorStatus(at: harness.now)?.place == .unknown
    #expect(isUnknown)
    harness.fix(20)
    let inside = harness.engine.anchorStatus(at: harness.now)
    #expect(inside?.place == .inside && inside?.isAlarm == false)
    // The boat is east of the anchor.
    #expect(inside?.distance.map { ($0 - 20).magnitude < 0.1 } == true)
    #expect(inside?.bearing.map { ($0 - 270).magnitude < 0.1 } == true)
    for _ in 0..<40 { harness.fix(60) }
    let outside = harness.engine.anchorStatus(at: harness.now)
    #expect(outside?.place == .outside && outside?.isAlarm == true)
    harness.send(.snooze(id: "anchor", .until(harness.now + .minutes(10))))
    let silenced = harness.engine.anchorStatus(at: harness.now)
    let end = harness.now + .minutes(10)
    #expect(silenced?.place == .outside && silenced?.silencedUntil == end)
    harness.send(.remove(id: "anchor"))
    let hasEnded = harness.engine.anchorStatus(at: harness.now) == nil
    #expect(hasEnded)
  }
}

/// The error of a receiver: a first-order Gauss-Markov process on each axis.
private struct Noise {
  private var random: SeededGenerator
  private var x = 0.0
  private var y = 0.0
  private let sigma: Double
  private let memory: Double

  /// - Parameters:
  ///   - sigma: metres on each axis.
  ///   - correlation: seconds.
  init(seed: UInt64, sigma: Double, correlation: Double) {
    random = SeededGenerator(seed: seed)
    self.sigma = sigma
    memory = exp(-1 / correlation)
  }

  /// The bearing and size of the error, a second later.
  mutating func next(hasReflection: Bool) -> (bearing: Double, metres: Double) {
    let fresh = sigma * (1 - memory * memory).squareRoot()
    x = memory * x + fresh * gaussian()
    y = memory * y + fresh * gaussian()
    let metres = (x * x + y * y).squareRoot() + (hasReflection ? 30 : 0)
    return (atan2(y, x) * 180 / .pi, metres)
  }

  /// The sum of twelve (Irwin-Hall).
  private mutating func gaussian() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
  }
}
