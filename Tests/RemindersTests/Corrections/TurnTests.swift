import CivilTime
import Testing

@testable import Reminders

/// However much is due at once, one event fires a bounded part of it, and nothing is lost.
@Suite struct TurnTests {
  private static func firings(_ effects: [Effect]) -> [Firing] {
    effects.compactMap { if case .fire(let firing) = $0 { firing } else { nil } }
  }

  private static func notices(_ effects: [Effect]) -> [Notice] {
    effects.compactMap { if case .say(let notice) = $0 { notice } else { nil } }
  }

  private static func date(_ id: String, _ seconds: Double) -> Reminder {
    Reminder(
      id: id, kind: .date, title: "T", due: .absolute(EngineHarness.start + .seconds(seconds)))
  }

  @Test(arguments: [1, 250, 251, 3_000])
  func anImportOfDueRemindersFiresInTurns(count: Int) {
    var engine = Engine(zone: .utc)
    var effects: [Effect] = []
    let early = EngineHarness.start - .seconds(1)
    engine.handle(.add(Self.date("now", 0), nil), at: early, into: &effects)
    let adds = (0..<count).map { Event.add(Self.date("r\($0)", Double(-$0 - 10)), nil) }
    engine.handle(adds, at: early, into: &effects)
    var fired = Self.firings(effects)
    #expect(fired.count == min(count, Engine.Turn.maximumFirings))
    // One that is due on time does not wait for them.
    effects.removeAll()
    engine.handle(.tick, at: EngineHarness.start, into: &effects)
    #expect(Self.firings(effects).contains { $0.reminderID == "now" })
    fired += Self.firings(effects)
    while engine.isBehind {
      effects.removeAll()
      engine.handle(.tick, at: EngineHarness.start, into: &effects)
      #expect(Self.firings(effects).count <= Engine.Turn.maximumFirings)
      fired += Self.firings(effects)
    }
    #expect(fired.count == count + 1)
    #expect(Set(fired.map(\.reminderID)).count == count + 1)
    let next = engine.nextDeadline
    #expect(next == nil)
  }

  @Test func aTimeThatManyShareFiresInTurnsAndSumsUpOnce() {
    var engine = Engine(zone: .utc)
    var effects: [Effect] = []
    for number in 0..<1_000 {
      engine.handle(.add(Self.date("r\(number)", 60), nil), at: EngineHarness.start, into: &effects)
    }
    var all: [Effect] = []
    let now = EngineHarness.start + .hours(1)
    repeat {
      effects.removeAll()
      engine.handle(.tick, at: now, into: &effects)
      #expect(Self.firings(effects).count <= Engine.Turn.maximumFirings)
      all += effects
    } while engine.isBehind
    #expect(Self.firings(all).count == 1_000)
    guard case .missed(let missed)? = Self.notices(all).first, Self.notices(all).count == 1 else {
      Issue.record("no digest, or several: \(Self.notices(all))")
      return
    }
    #expect(missed.reported == 1_000)
  }

  /// An arrival at a place of many reminders.
  @Test func manyRemindersOfAPlaceFireInTurns() throws {
    var harness = EngineHarness()
    for number in 0..<600 {
      try harness.add(
        #"{"id":"r\#(number)","kind":"location","title":"T",\#(EngineHarness.place())}"#)
    }
    harness.walk(from: 400, to: 10)
    harness.wait(1)
    #expect(harness.firings.count == 600)
    #expect(Set(harness.firings.map(\.reminderID)).count == 600)
  }

  /// Loaded in turns, with events in between, as in one.
  @Test(arguments: [1, 7, 1_000]) func loadingInTurnsIsAsLoadingAtOnce(count: Int) throws {
    var engine = Engine(zone: .utc)
    var effects: [Effect] = []
    engine.beginLoading(count: 50)
    for number in 0..<50 {
      engine.load(Self.date("d\(number)", 60 * Double(number + 10)), History())
    }
    let now = EngineHarness.start + .minutes(30)
    while !engine.startLoaded(atMost: count, at: now, into: &effects) {
      engine.handle(.tick, at: now, into: &effects)
    }
    while engine.isBehind { engine.handle(.tick, at: now, into: &effects) }
    #expect(Self.firings(effects).map(\.reminderID) == (0...20).map { "d\($0)" })
    #expect(engine.armedCount == 29)
    #expect(Self.notices(effects).count == 1)
  }
}
