import CivilTime
import Configuration
import Control
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// Reminders about anyone and about all, about an absence and about a silence.
@Suite(.serialized) struct SeveralTrackersTests {
  static let config = """
    [Tracker anna]
    [Tracker ben]
    """
  static let home =
    #""kind":"location","place":{"name":"Home","lat":53.55,"lon":9.99,"radius_m":100}"#

  private func add(_ live: LiveRig, _ members: String) throws {
    _ = try live.rig.client().call("Add", #"{"reminder":{\#(members)}}"#)
  }

  /// Three fixes of a phone, a minute apart, after a pause.
  private func go(_ live: LiveRig, _ name: String, east: Double) throws {
    try live.go("traccar:\(name)", east: east)
  }

  /// Five fixes of a phone, 20 seconds apart: at 30 m/s through Home, from the west.
  /// - Parameter action: 2 seconds after it has passed the centre.
  private func drive(_ live: LiveRig, _ name: String, _ action: () throws -> Void) throws {
    for east in stride(from: -1_600.0, through: 800, by: 600) {
      live.pass(.seconds(15))
      if east == 200 { try action() }
      live.pass(.seconds(5))
      let count = live.feed().statistics.fixes
      try live.send(live.tpv(east: east, device: "traccar:\(name)"))
      try live.finish(fixes: count + 1)
    }
  }

  private func advance(_ live: LiveRig, to time: Instant) {
    live.pass(time - live.now)
    live.rig.daemon.host.advance(to: live.now)
  }

  @Test func theLastOneWhoLeavesLocksUp() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"lock","title":"Lock up","who":"all","on":"depart",\#(Self.home)"#)
    try go(live, "anna", east: 0)
    try go(live, "ben", east: 0)
    try go(live, "anna", east: 2_000)
    #expect(live.fired == [])
    let why = try live.rig.client().call("Why", #"{"id":"lock"}"#)["why"]
    let gate = why?["gates"]?.array?.first { $0["gate"]?.string == "members" }
    #expect(gate?["says"]?.string == "anna is outside, ben is inside")
    try go(live, "ben", east: 2_000)
    #expect(live.fired == ["lock depart"])
    let firing = try #require(live.rig.journal.firings.first)
    #expect(firing["GEOREMIND_WHO"] == "ben")
    #expect(firing.message.hasPrefix("Lock up: ben left Home"))
  }

  @Test func theLastOneWhoComesAndARestartInBetween() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"dinner","title":"Dinner","who":"all",\#(Self.home)"#)
    try go(live, "anna", east: 2_000)
    try go(live, "ben", east: 2_000)
    try go(live, "anna", east: 0)
    #expect(live.fired == [])
    let history = live.rig.daemon.host.history("dinner")
    #expect(history?.members == ["anna": true, "ben": false])
    live.rig.daemon.stop()
    let stored = try Rig(
      Self.config, folder: live.rig.folder, systemClock: { live.now.microseconds })
    #expect(stored.daemon.host.history("dinner")?.members == ["anna": true, "ben": false])
    let host = stored.daemon.host
    var fix = Fix(
      time: nil, position: LiveRig.home, mode: .threeD, source: .gnss, eph: 5)
    for _ in 0..<4 {
      live.pass(.minutes(5))
      fix.time = live.now
      host.take(fix, of: host.tracker(.tracker("ben")))
    }
    #expect(stored.journal.fired.suffix(1) == ["dinner arrive"])
  }

  /// A phone that saves its battery sends one position, and the next one at home.
  @Test func allCountWithOnePositionEach() throws {
    let live = try LiveRig(config: Self.config + "\n[Tracker cleo]")
    try add(live, #""id":"dinner","title":"Dinner","who":"all",\#(Self.home)"#)
    let names = ["anna", "ben", "cleo"]
    for name in names {
      try add(live, #""id":"\#(name)","title":"T","who":"\#(name)",\#(Self.home)"#)
    }
    var count = 0
    func send(_ east: Double) throws {
      for name in names {
        live.pass(.seconds(4))
        try live.send(live.tpv(east: east, device: "traccar:\(name)"))
        count += 1
        try live.finish(fixes: count)
        live.rig.daemon.host.advance(to: live.now)
      }
    }
    try send(3_000)
    advance(live, to: live.now + .seconds(65))
    for _ in 0..<3 { try send(0) }
    #expect(live.fired == ["anna arrive", "ben arrive", "cleo arrive", "dinner arrive"])
  }

  @Test func anyoneIsEachByItself() throws {
    let live = try LiveRig(config: Self.config)
    try add(
      live, #""id":"x","title":"X","who":"anyone","every_visit":true,\#(Self.home)"#)
    try go(live, "anna", east: 2_000)
    try go(live, "ben", east: 2_000)
    try go(live, "anna", east: 0)
    try go(live, "ben", east: 0)
    try go(live, "anna", east: 2_000)
    try go(live, "anna", east: 0)
    #expect(live.fired == ["x arrive", "x arrive", "x arrive"])
    #expect(live.rig.journal.firings.map { $0["GEOREMIND_WHO"] } == ["anna", "ben", "anna"])
  }

  /// Who is found at home has not brought the other one back.
  @Test func aHeldDepartureOfOneOutlastsThatAnotherIsFound() throws {
    let live = try LiveRig(config: Self.config)
    try go(live, "self", east: 0)
    try add(
      live, #""id":"x","title":"X","who":"anyone","on":"depart","dwell_s":3600,\#(Self.home)"#)
    try go(live, "anna", east: 0)
    try go(live, "anna", east: 2_000)
    try go(live, "ben", east: 0)
    try go(live, "anna", east: 2_000)
    advance(live, to: live.now + .hours(1))
    #expect(live.fired == ["x depart"])
  }

  @Test func notThereByThen() throws {
    let live = try LiveRig(config: Self.config)
    let due = live.now + .hours(3)
    for name in ["anna", "ben"] {
      try add(
        live,
        #""id":"\#(name)","title":"T","who":"\#(name)","on":"absent","due":"\#(due.json)",\#(Self.home)"#
      )
      try go(live, name, east: 2_000)
    }
    // Anna has been there, and is away again.
    try go(live, "anna", east: 0)
    try go(live, "anna", east: 2_000)
    advance(live, to: due - .seconds(1))
    #expect(live.fired == [])
    advance(live, to: due)
    #expect(live.fired == ["ben absent"])
    let firing = try #require(live.rig.journal.firings.first)
    #expect(firing["GEOREMIND_LATITUDE"] == nil, "where else ben is, is nobody's business")
    #expect(firing.message == "T: ben is not at Home, nor since midnight")
  }

  @Test func oldPositionsOfAQueueProveNoPresence() throws {
    let live = try LiveRig(config: Self.config)
    let due = live.now + .hours(3)
    try add(
      live,
      #""id":"a","title":"T","who":"anna","on":"absent","due":"\#(due.json)",\#(Self.home)"#)
    try add(
      live,
      #""id":"s","title":"S","who":"anna","on":"silent","dwell_s":3600"#)
    try go(live, "anna", east: 2_000)
    let last = live.now
    // Back after 50 minutes, with what it has stored; all of it was at home, and is old.
    advance(live, to: last + .minutes(50))
    let before = live.feed().statistics.fixes
    for minute in 1...20 {
      try live.send(
        live.tpv(
          east: 0, time: last + .minutes(Double(minute)), device: "traccar:anna"))
    }
    try live.finish(fixes: before + 20)
    // It was heard then.
    advance(live, to: last + .minutes(61))
    #expect(live.fired == [])
    advance(live, to: last + .minutes(110))
    #expect(live.fired == ["s silent"])
    #expect(live.rig.journal.firings[0].message == "S: nothing heard of anna for 1h")
    advance(live, to: due)
    #expect(live.fired == ["s silent", "a absent"])
  }

  @Test func severalHaveNoOneWay() throws {
    let live = try LiveRig(config: Self.config)
    for members in [
      #""who":"all","max_speed_mps":3,\#(Self.home)"#, #""who":"all","on":"silent""#,
      #""who":"anyone","kind":"preemptive","due":"2030-06-13T08:00:00","place":{"lat":1,"lon":1}"#,
    ] {
      let error = try live.rig.client().error("Add", #"{"reminder":{"title":"T",\#(members)}}"#)
      #expect("\(error)".contains("name one tracker"))
    }
  }

  @Test func whoIsThereWhenAnAbsenceIsAddedIsNotMissed() throws {
    let live = try LiveRig(config: Self.config)
    try go(live, "anna", east: 0)
    let passed = (live.now - .hours(1)).json
    let due = #""on":"absent","due":"\#(passed)",\#(Self.home)"#
    try add(live, #""id":"any","title":"T","who":"anyone",\#(due)"#)
    try add(live, #""id":"all","title":"T","who":"all",\#(due)"#)
    // Nobody knows where Ben is.
    #expect(live.fired == ["all absent"])
  }

  @Test func whoPassesByDoesNotLockUpWhileSomebodyIsAtHome() throws {
    let live = try LiveRig(config: Self.config)
    try add(
      live, #""id":"lock","title":"T","who":"all","on":"depart","every_visit":true,\#(Self.home)"#)
    try go(live, "anna", east: 0)
    try go(live, "ben", east: -2_200)
    try drive(live, "ben") {}
    #expect(live.fired == [])
  }

  @Test func anotherEventAsksAnewWhoIsThere() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"x","title":"T","who":"all","on":"depart",\#(Self.home)"#)
    try go(live, "anna", east: 0)
    try go(live, "ben", east: 2_000)
    // Of a departure, somebody inside is a stay; of an arrival, all are.
    _ = try live.rig.client().call("Edit", #"{"id":"x","changes":{"on":"arrive"}}"#)
    #expect(live.fired == [])
    try go(live, "ben", east: 0)
    #expect(live.fired == ["x arrive"])
  }

  @Test func anotherPlaceForgetsWhoWasAtTheOldOne() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"x","title":"T","who":"anyone","every_visit":true,\#(Self.home)"#)
    try go(live, "anna", east: 0)
    _ = try live.rig.client().call(
      "Edit", #"{"id":"x","changes":{"place":{"lat":53.6,"lon":9.99,"radius_m":100}}}"#)
    #expect(live.rig.daemon.host.history("x")?.members == ["anna": false])
  }

  @Test func whereSomebodyIsElsewhereIsNotInTheJournal() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"left","title":"T","who":"anna","on":"depart",\#(Self.home)"#)
    let due = (live.now + .hours(3)).json
    try add(
      live,
      #""id":"train","title":"T","who":"anna","kind":"preemptive","transport":"walking","#
        + #""due":"\#(due)","place":{"name":"Station","lat":53.55,"lon":9.99}"#)
    try go(live, "anna", east: 0)
    try go(live, "anna", east: 5_000)
    advance(live, to: LiveRig.start + .hours(3))
    // In one step over hours it comes late.
    #expect(live.fired == ["left depart", "train late"])
    for firing in live.rig.journal.firings {
      let keys: [JournalFieldName] = [
        "GEOREMIND_LATITUDE", "GEOREMIND_LONGITUDE", "GEOREMIND_EPH_M", "GEOREMIND_DISTANCE_M",
        "GEOREMIND_FIX_TIME",
      ]
      for key in keys { #expect(firing[key] == nil) }
      #expect(!firing.message.contains(" m ") && !firing.message.contains("km"))
    }
  }

  @Test func theStatusNamesTrackersAndPhones() throws {
    let live = try LiveRig(config: "[Tracker anna]\n")
    _ = try live.rig.client().call("AddPhone", #"{"name":"van"}"#)
    for name in ["anna", "van", "stranger"] { try go(live, name, east: 0) }
    let receivers = live.rig.daemon.statusJSON["feeds"]?.array?.first?["receivers"]?.array ?? []
    #expect(receivers.map { $0["name"]?.string } == ["anna", "van", nil])
  }

  @Test func aRestartKeepsWhoIsAtAPlaceOfACategory() throws {
    let live = try LiveRig(config: Self.config)
    _ = try live.rig.client().call(
      "AddPlace", #"{"name":"Rewe","category":"Food","latitude":53.55,"longitude":9.99}"#)
    try add(
      live,
      #""id":"x","title":"T","who":"anyone","on":"depart","kind":"location","near_category":"Food""#
    )
    try go(live, "anna", east: 0)
    live.rig.daemon.stop()
    let later = try Rig(
      Self.config, folder: live.rig.folder, systemClock: { live.now.microseconds })
    let host = later.daemon.host
    for _ in 0..<3 {
      live.pass(.minutes(5))
      let fix = Fix(
        time: live.now, position: Coordinate(clampingLatitude: 53.6, wrappingLongitude: 9.99),
        mode: .threeD, source: .gnss, eph: 5)
      host.take(fix, of: host.tracker(.tracker("anna")))
    }
    #expect(later.journal.fired.last == "x depart")
  }

  @Test func aPositionAfterARestartBeginsTheSilence() throws {
    let live = try LiveRig(config: Self.config)
    try add(
      live, #""id":"s","title":"S","who":"anna","kind":"location","on":"silent","dwell_s":1800"#)
    try go(live, "anna", east: 0)
    live.rig.daemon.stop()
    let later = try Rig(
      Self.config, folder: live.rig.folder, systemClock: { live.now.microseconds })
    let host = later.daemon.host
    // What is stored of the last one is up to an eighth of the span old.
    live.pass(.seconds(90))
    host.hear(host.tracker(.tracker("anna")))
    live.pass(.minutes(30))
    host.advance(to: live.now)
    #expect(later.journal.fired.last == "s silent")
  }

  /// A way through before the reminder was what it is now is nobody's arrival.
  @Test func whoPassedBeforeAnEditIsNotNamed() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"x","title":"T","who":"anyone","every_visit":true,\#(Self.home)"#)
    for name in ["anna", "ben"] { try go(live, name, east: -2_200) }
    try go(live, "ben", east: 0)
    try drive(live, "anna") {
      let due = (live.now + .hours(1)).json
      _ = try live.rig.client().call("Edit", #"{"id":"x","changes":{"due":"\#(due)"}}"#)
    }
    advance(live, to: live.now + .hours(1))
    #expect(live.rig.journal.firings.map { $0["GEOREMIND_WHO"] } == ["ben", "ben"])
  }

  /// The machine is elsewhere: its position says nothing of who left.
  @Test func whoLeftIsSaidAfterTheHold() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"x","title":"T","who":"anyone","on":"depart","dwell_s":600,\#(Self.home)"#)
    for name in ["anna", "ben"] { try go(live, name, east: 0) }
    try go(live, "ben", east: 2_000)
    advance(live, to: live.now + .minutes(15))
    let firing = try #require(live.rig.journal.firings.first)
    #expect(firing["GEOREMIND_WHO"] == "ben" && firing["GEOREMIND_LATITUDE"] == nil)
  }

  @Test func aSilenceThatRangWaitsForTheNextOne() throws {
    let live = try LiveRig(config: Self.config)
    try add(
      live, #""id":"s","title":"S","who":"anna","kind":"location","on":"silent","dwell_s":7200"#)
    advance(live, to: live.now + .hours(3))
    _ = try live.rig.client().call("Snooze", #"{"id":"s","until":"next-visit"}"#)
    try go(live, "anna", east: 0)
    #expect(live.fired == ["s silent"])
    advance(live, to: live.now + .hours(3))
    #expect(live.fired == ["s silent", "s silent"])
  }
}
