import CivilTime
import Lives
import ReferenceModel
import Testing

/// The engine against the reference model, in lives of two days; `make lives` has more of them.
@Suite struct LivesTests {
  @Test(arguments: UInt64(1)...12) func theEngineFiresWhatTheRulesSay(seed: UInt64) {
    let life = LifeGenerator.life(seed: seed)
    if Run(life).difference != nil { Issue.record(Comment(rawValue: Failure(life).text)) }
  }

  @Test(arguments: UInt64(1)...12) func whatIsBlockedFiresAfterDoingWhatWhySays(seed: UInt64) {
    for advice in Advice.follow(LifeGenerator.life(seed: seed)) where !advice.hasFired {
      Issue.record(Comment(rawValue: advice.transcript.joined(separator: "\n")))
    }
  }

  @Test func aSeedGivesTheSameLife() {
    #expect(LifeGenerator.life(seed: 7).text == LifeGenerator.life(seed: 7).text)
    #expect(LifeGenerator.life(seed: 7).text != LifeGenerator.life(seed: 8).text)
  }

  /// The model's zones are written by hand; the engine reads rules.
  @Test(arguments: Zone.all.map(\.name)) func theZonesOfTheModelAreTheEngines(name: String) throws {
    let zone = try #require(Zone.all.first { $0.name == name })
    let rules = try #require(TimeZoneRules(posix: zone.posix))
    // Each half hour of 2026.
    for moment in stride(from: 1_767_225_600, to: 1_798_761_600, by: 1800) {
      let wanted = rules.offset(at: Instant(seconds: Double(moment)))
      guard zone.offset(at: moment) != wanted else { continue }
      Issue.record("\(name) at \(Zone.utc.local(at: moment).text)Z")
      break
    }
  }

  @Test func inTheModelAStayFiresForEachDueTime() {
    let start = 1_781_280_000  // 2026-06-12T16:00:00Z
    var model = Model(zone: .utc, start: start, end: start + 2 * 86_400)
    var pill = ReminderSpec(id: "pill", kind: .location(.arrive), region: "home")
    pill.due = .absolute(start + 3600)
    pill.repeats = RepeatingTimes(.daily)
    model.fix(inside: [], Motion(speed: 1, course: 0))
    model.add(pill)
    model.advance(to: start + 60)
    model.fix(inside: ["home"], Motion(speed: 1, course: 0))
    model.advance(to: start + 2 * 86_400)
    #expect(model.firings.map(\.time) == [start + 3600, start + 90_000])
    #expect(model.firings.map(\.due) == [start + 3600, start + 90_000])
    #expect(model.firings.allSatisfy { $0.id == "pill" && $0.event == .arrive })
  }
}
