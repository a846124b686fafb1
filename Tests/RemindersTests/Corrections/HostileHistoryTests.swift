import CivilTime
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// A history that no engine has written, by a hand or a fault of the disk: it is refused when it is
/// read, or the engine lives with it. Nothing traps, and no deadline keeps coming back.
@Suite struct HostileHistoryTests {
  private static let place = EngineHarness.place()
  private static let reminders = [
    #""kind":"date","due":"2026-06-12T18:00:00Z","nag_s":600"#,
    #""kind":"date","due":"2026-06-13T18:00:00","lead_s":[86400,3600,0],"repeat":"daily""#,
    #""kind":"date","due":"2026-06-12T16:00:01","repeat":"FREQ=SECONDLY;COUNT=3","owner":1000"#,
    #""kind":"date","due":"2026-06-12T18:00:00","repeat":"FREQ=DAILY;COUNT=2","hours":"09:00-17:00""#,
    #""kind":"location",\#(place),"every_visit":true,"nag_s":60"#,
    #""kind":"location",\#(place),"on":"depart","dwell_s":300,"until":"2026-06-14T00:00:00Z""#,
    #""kind":"location",\#(place),"on":"dwell","dwell_s":600,"due":"2026-06-12T18:00:00","repeat":"daily""#,
    #""kind":"location",\#(place),"on":"absent","due":"2026-06-12T18:00:00","repeat":"daily""#,
    #""kind":"location","who":"anna","on":"silent","dwell_s":3600"#,
    #""kind":"location","near_category":"shops","radius_m":100,"every_visit":true"#,
    #""kind":"preemptive",\#(place),"due":"2026-06-12T18:00:00Z","transport":"walking","nag_s":60"#,
    #""kind":"preemptive",\#(place),"due":"2026-06-12T18:00:00","repeat":"daily","lead_s":[3600,0]"#,
  ]
  private static let names = [
    "0001-01-01T00:00:00", "1970-01-01T00:00:00", "2026-06-12T16:00:01", "2026-06-12T18:00:00",
    "2026-06-13T18:00:00", "2100-01-01T00:00:00", "9999-12-31T23:59:59",
  ]
  private static let now = EngineHarness.start.microseconds

  private static func text(_ dice: inout SeededGenerator) -> String {
    func instant(_ dice: inout SeededGenerator) -> JSONValue {
      let spread = Int64.random(in: -100_000_000_000...100_000_000_000, using: &dice)
      return .int(Int([.min, -1, 0, .max, now, now &+ spread].randomElement(using: &dice) ?? 0))
    }
    func name(_ dice: inout SeededGenerator) -> JSONValue {
      .string(names.randomElement(using: &dice) ?? "")
    }
    func count(_ dice: inout SeededGenerator) -> JSONValue {
      .int([0, 1, 2, 3, 4, 24, 65_535].randomElement(using: &dice) ?? 0)
    }
    var object: JSONObject = ["v": 1]
    for key in ["used", "settled", "early_from", "early_to"] where Bool.random(using: &dice) {
      object[key] = name(&dice)
    }
    for key in ["since", "rung", "again", "there", "early_rung"] where Bool.random(using: &dice) {
      object[key] = instant(&dice)
    }
    for key in ["repeated", "early_leads"] where Bool.random(using: &dice) {
      object[key] = count(&dice)
    }
    for key in ["open", "done", "expired", "unread"] where Int.random(in: 0..<4, using: &dice) == 0
    {
      object[key] = true
    }
    object["stay"] = [nil, "outside", "inside"].randomElement(using: &dice) ?? nil
    object["silent"] = [nil, "next-visit", instant(&dice)].randomElement(using: &dice) ?? nil
    object["places"] = [nil, [], [-9, 1, 7]].randomElement(using: &dice) ?? nil
    object["members"] = [nil, ["anna": true, "": false]].randomElement(using: &dice) ?? nil
    if Bool.random(using: &dice) {
      var leads = JSONObject()
      for name in names where Bool.random(using: &dice) { leads[name] = count(&dice) }
      object["leads"] = .object(leads)
    }
    return JSONValue.object(object).line
  }

  @Test(arguments: reminders.indices)
  func anyHistoryIsRefusedOrLivedWith(number: Int) throws {
    var dice = SeededGenerator(seed: UInt64(number))
    var read = 0
    for life in 0..<60 {
      let text = Self.text(&dice)
      guard let history = try? History(text: text) else { continue }
      read += 1
      let document = #"{"id":"r","title":"T",\#(Self.reminders[number])}"#
      let reminder = try Reminder(json: try #require(try JSONParser.parse(document).object))
      var harness = EngineHarness()
      harness.send(.add(reminder, history))
      var turns = 0
      for hour in 0..<30 {
        harness.fix(hour % 3 == 0 ? 0 : 2_000)
        if hour == 9 { harness.send([.done(id: "r"), .snooze(id: "r", .nextVisit)][life % 2]) }
        if hour == 15 { harness.restartByLoading(after: 60) }
        if hour == 20 { harness.send(.clockSet) }
        let end = harness.now + .hours(2)
        while let deadline = harness.engine.nextDeadline, deadline <= end, turns < 20_000 {
          harness.now = max(harness.now, deadline)
          harness.send(.tick)
          turns += 1
        }
        harness.now = end
        _ = harness.engine.why("r", at: harness.now)
      }
      #expect(turns < 20_000, "\(text)")
    }
    #expect(read > 10)
  }
}
