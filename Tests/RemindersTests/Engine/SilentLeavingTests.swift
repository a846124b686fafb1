import CivilTime
import Departure
import Testing

@testable import Reminders

/// A time to leave is silent where the device is at the place, or clearly on the way there.
@Suite struct SilentLeavingTests {
  /// Due two hours after the harness begins, at its home.
  private func add(_ harness: inout EngineHarness, more: String = "") throws {
    try harness.add(
      #"{"id":"a","title":"A","due":"2026-06-12T18:00:00Z","transport":"driving",\#(more)"#
        + EngineHarness.place() + "}")
  }

  /// At rest 8 km off, then on the way at metres a second for so long; a fix each ten seconds.
  private func drive(
    _ harness: inout EngineHarness, leaving seconds: Double, _ speed: Double, for span: Double
  ) -> Double {
    while (harness.now - EngineHarness.start).seconds < seconds { harness.fix(8_000, after: 10) }
    var distance = 8_000.0
    for _ in 0..<Int(span / 10) {
      distance = max(0, distance - speed * 10)
      harness.fix(distance, after: 10, speed: speed)
    }
    return distance
  }

  private func why(_ harness: borrowing EngineHarness) throws -> [String] {
    let answer = harness.engine.why("a", at: harness.now)
    return try #require(answer).gates.map(\.says)
  }

  @Test func whoIsThereHearsNothing() throws {
    var harness = EngineHarness()
    harness.fix(0)
    try add(&harness, more: #""lead_s":900,"#)
    harness.wait(6_400)
    let gates = try why(harness)
    #expect(gates.contains { $0.contains("You are at Home, so it stays silent") }, "\(gates)")
    harness.wait(2 * 3_600)
    #expect(harness.firings.isEmpty && harness.silences == ["at Home"])
    #expect(harness.standings["a"]?.state == .expired)
    #expect(!harness.notices.contains(.expired(id: "a", title: "A")))
  }

  /// Inside when it was time to leave, and away again before it is due.
  @Test func whoLeavesThePlaceHearsItThen() throws {
    var harness = EngineHarness()
    harness.fix(0)
    try add(&harness, more: #""lead_s":900,"#)
    harness.wait(6_600)
    #expect(harness.firings.isEmpty)
    harness.walk(from: 0, to: 2_000)
    #expect(harness.events == ["a:late"])
  }

  /// The formula takes 22 minutes: whoever leaves half an hour early and is slow hears nothing in
  /// the car.
  @Test func whoIsOnTheWayHearsNothing() throws {
    var harness = EngineHarness()
    try add(&harness)
    // In the place at 17:58.
    let distance = drive(&harness, leaving: 7_200 - 2_740, 3, for: 2_760)
    #expect(distance == 0)
    harness.wait(3_600)
    #expect(harness.firings.isEmpty)
    #expect(harness.silences.count == 1 && harness.silences[0].hasPrefix("on the way to Home, "))
  }

  @Test func whyAndTheNoticeSayWhatIsToBeExpected() throws {
    var harness = EngineHarness(punctuality: 0.85)
    try add(&harness)
    // The formula with the prior's 85 % leaves some minutes to what half of the trips take.
    _ = drive(&harness, leaving: 7_200 - 1_900, 5, for: 400)
    #expect(harness.firings.isEmpty)
    let words = try #require(harness.silences.first)
    #expect(words.hasPrefix("on the way to Home, ") && words.hasSuffix("early"), "\(words)")
    let gates = try why(harness)
    #expect(gates.contains { $0.hasPrefix("You are on the way to Home, ") }, "\(gates)")
  }

  /// It stops for dinner on the way: ten minutes later the reminder rings.
  @Test func whoRestsOnTheWayHearsIt() throws {
    var harness = EngineHarness()
    try add(&harness)
    let distance = drive(&harness, leaving: 7_200 - 1_500, 5, for: 480)
    #expect(harness.firings.isEmpty && harness.silences.count == 1)
    for _ in 0..<60 { harness.fix(distance, after: 10) }
    #expect(harness.events == ["a:late"])
    #expect(harness.silences.count == 1)
  }

  @Test func whoTurnsAwayHearsIt() throws {
    var harness = EngineHarness()
    try add(&harness)
    var distance = drive(&harness, leaving: 7_200 - 1_500, 5, for: 480)
    #expect(harness.firings.isEmpty)
    for _ in 0..<30 where harness.firings.isEmpty {
      distance += 100
      harness.fix(distance, after: 10, speed: 10)
    }
    #expect(harness.events == ["a:late"])
  }

  /// Nobody knows whether a device without a position goes on.
  @Test func withoutAPositionForTenMinutesItRings() throws {
    var harness = EngineHarness()
    try add(&harness)
    _ = drive(&harness, leaving: 7_200 - 1_500, 5, for: 480)
    harness.wait(599)
    #expect(harness.firings.isEmpty)
    harness.wait(1)
    #expect(harness.events == ["a:late"])
  }

  /// Due on the way: the next day counts, and nothing rings in the car.
  @Test func dueOnTheWayItGoesOnToTheNextDay() throws {
    var harness = EngineHarness()
    try add(&harness, more: #""repeat":"FREQ=DAILY","#)
    _ = drive(&harness, leaving: 7_200 - 900, 5, for: 1_400)
    #expect(harness.events == ["a:leave"])
    var again = EngineHarness()
    try add(&again, more: #""repeat":"FREQ=DAILY","#)
    _ = drive(&again, leaving: 7_200 - 1_500, 5, for: 1_900)
    #expect(again.firings.isEmpty)
    #expect(again.standings["a"]?.due?.json == "2026-06-13T18:00:00Z")
  }

  /// Too late to be there a quarter of an hour before, and in time for the due time.
  @Test func aMissedLeadSaysHowMuchTimeIsLeft() throws {
    var harness = EngineHarness()
    harness.wait(7_200 - 1_353 - 400)
    harness.fix(8_000)
    try add(&harness, more: #""lead_s":900,"#)
    let firing = try #require(harness.firings.first)
    #expect(firing.event == .late)
    #expect(
      firing.why.hasPrefix(
        "Leave for Home within 6min 39s to be there at 18:00; to be there 15min before, it was "
          + "time 8min 21s ago ("), "\(firing.why)")
  }

  /// The pace of the user's own figure is not known: a train, for example.
  @Test func anOwnTravelTimeIsSilentAtThePlaceAlone() throws {
    var harness = EngineHarness()
    try add(&harness, more: #""travel_s":1200,"#)
    _ = drive(&harness, leaving: 7_200 - 1_500, 5, for: 480)
    #expect(harness.events == ["a:leave"])
    var there = EngineHarness()
    there.fix(0)
    try add(&there, more: #""travel_s":1200,"#)
    there.wait(3 * 3_600)
    #expect(there.firings.isEmpty && there.silences == ["at Home"])
  }
}
