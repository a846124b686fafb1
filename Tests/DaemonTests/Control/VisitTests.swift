import CivilTime
import JSONText
import Positioning
import TestSupport
import Testing

@testable import Daemon

/// All that is to do at a place, as one firing for a destination that wants that.
@Suite(.serialized) struct VisitTests {
  private func add(_ live: LiveRig, _ id: String, _ more: String = "") throws {
    _ = try live.rig.client().call(
      "Add",
      #"{"reminder":{"id":"\#(id)","title":"\#(id)","kind":"location",\#(more)"place":"#
        + #"{"name":"Rewe","lat":53.55,"lon":9.99,"radius_m":100}}}"#)
  }

  private func rows(
    _ live: LiveRig, after seq: Int, together: Bool = true, urgent: Bool = false
  ) throws -> [JSONValue] {
    try live.rig.client().call(
      "ReadLedger",
      [
        "after": .int(seq), "limit": 1, "urgent": .bool(urgent), "together": .bool(together),
      ])["rows"]?.array ?? []
  }

  private func go(_ live: LiveRig, east: Double) throws {
    let before = live.feed().statistics.fixes
    live.pass(.minutes(10))
    for _ in 0..<3 {
      live.pass(.minutes(1))
      try live.send(live.tpv(east: east))
    }
    try live.finish(fixes: before + 3)
  }

  @Test func oneCanBePutOffUntilThePlaceIsLeft() throws {
    let live = try LiveRig()
    try add(live, "milk")
    let client = try live.rig.client()
    try go(live, east: 2_000)
    let snooze = #"{"id":"milk","until":"until-leave"}"#
    #expect("\(try client.error("Snooze", snooze))".contains("where you are now"))
    try go(live, east: 0)
    // A time to leave for it does not wait for a departure.
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"go","title":"go","kind":"preemptive","due":"2099-01-01T10:00:00Z","#
        + #""place":{"name":"Rewe","lat":53.55,"lon":9.99,"radius_m":100}}}"#)
    let other = #"{"id":"go","until":"until-leave"}"#
    #expect("\(try client.error("Snooze", other))".contains("where you are now"))
    let reminder = try client.call("Snooze", snooze)["reminder"]
    #expect(reminder?["state"] == "snoozed" && reminder?["snoozed_until_leave"] == true)
    try go(live, east: 10)
    #expect(live.fired == ["arrive arrive", "milk arrive"])
    try go(live, east: 2_000)
    #expect(live.fired == ["arrive arrive", "milk arrive", "depart depart", "milk depart"])
    // It has fired once and is not followed: here is not there.
    #expect("\(try client.error("Snooze", snooze))".contains("where you are now"))
  }

  @Test func firingsOfOneVisitAreOne() throws {
    let live = try LiveRig()
    _ = try live.rig.client().call("Remove", #"{"id":"arrive"}"#)
    for (id, more) in [
      ("milk", #""priority":7,"#), ("bread", ""), ("alarm", #""priority":1,"#),
      ("eggs", #""priority":5,"#),
    ] { try add(live, id, more) }
    for east in [2_000.0, 0] { try go(live, east: east) }
    // The ledger and the journal have each.
    #expect(Set(live.fired) == Set(["milk", "bread", "alarm", "eggs"].map { "\($0) arrive" }))
    var found: [JSONValue] = []
    while let row = try rows(live, after: found.last?["seq"]?.int ?? 0).first { found.append(row) }
    #expect(found.count == 1)
    let visit = try #require(found.first)
    let ids = visit["reminder_ids"]?.array?.compactMap(\.string) ?? []
    #expect(ids.sorted() == ["bread", "eggs", "milk"] && visit["reminder_id"] == "")
    #expect(visit["title"] == "3 at Rewe" && visit["why"]?.string == ids.joined(separator: "; "))
    #expect(visit["event"] == "arrive" && visit["priority"]?.int == 5)
    // An urgent one is alone, and so is each for all others.
    #expect(try rows(live, after: 0, urgent: true).first?["reminder_id"] == "alarm")
    #expect(try rows(live, after: 0, together: false).first?["reminder_ids"] == nil)
  }
}
