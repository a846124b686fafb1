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

/// Several people and the machine itself, each with a position of its own, on one feed.
@Suite(.serialized) struct TrackerTests {
  private static let config = """
    [Tracker anna]
    [Tracker van]
    Phone=Van2
    """
  private static let anna = "owntracks:Anna/phone"

  private func add(_ live: LiveRig, _ members: String) throws {
    _ = try live.rig.client().call("Add", #"{"reminder":{"every_visit":true,\#(members)}}"#)
  }

  private static let home =
    #""kind":"location","place":{"name":"Home","lat":53.55,"lon":9.99,"radius_m":100}"#

  @Test func eachArrivesAndLeavesByItself() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"anna","title":"Anna is home","who":"anna",\#(Self.home)"#)
    try add(live, #""id":"van","title":"Van","who":"van","on":"depart",\#(Self.home)"#)
    try live.go("gps", east: 2_000)
    try live.go(Self.anna, east: 1_000)
    try live.go("traccar:van2", east: 0)
    #expect(live.fired == [])
    try live.go(Self.anna, east: 0)
    #expect(live.fired == ["anna arrive"])
    try live.go("traccar:van2", east: 3_000)
    #expect(live.fired == ["anna arrive", "van depart"])
    try live.go("gps", east: 0)
    #expect(live.fired == ["anna arrive", "van depart", "arrive arrive"])
    let firings = live.rig.journal.firings
    #expect(firings.map { $0["GEOREMIND_WHO"] } == ["anna", "van", nil])
    #expect(firings[0].message.hasPrefix("Anna is home: anna arrived at Home"))
    let log = try live.rig.client().call("Log")["firings"]?.array
    #expect(log?.map { $0["who"]?.string } == ["anna", "van", nil])
  }

  /// Neither at its firing nor at a repetition; nor in any other entry.
  @Test func aTimeToLeaveHasNoPositionOfTheTracker() throws {
    let live = try LiveRig(config: Self.config)
    try live.go(Self.anna, east: 12_345)
    let due = live.now + .hours(2)
    _ = try live.rig.client().call(
      "Add",
      #"{"reminder":{"id":"x","title":"Train","who":"anna","kind":"preemptive","nag_s":300,"#
        + #""due":"\#(due.json)","place":{"name":"Station","lat":53.55,"lon":9.99,"radius_m":100}}}"#
    )
    while let deadline = live.rig.daemon.host.nextDeadline, deadline <= due {
      live.pass(max(.zero, deadline - live.now))
      live.rig.daemon.host.advance(to: live.now)
    }
    let firings = live.rig.journal.firings
    #expect(firings.count > 1 && firings.allSatisfy { $0["GEOREMIND_WHO"] == "anna" })
    let fields: [JournalFieldName] = [
      "GEOREMIND_LATITUDE", "GEOREMIND_LONGITUDE", "GEOREMIND_EPH_M", "GEOREMIND_DISTANCE_M",
      "GEOREMIND_FIX_TIME", "GEOREMIND_SOURCE",
    ]
    for firing in firings { for field in fields { #expect(firing[field] == nil) } }
    let position = live.rig.daemon.host.tracker(.tracker("anna")).engine.lastFix?.position
    let longitude = "\(try #require(position).longitude)".prefix(6)
    for entry in live.rig.journal.entries {
      #expect(!entry.message.contains(longitude) && !entry.message.contains("12.3"))
    }
  }

  @Test func theMachineKeepsItsOwnPosition() throws {
    let live = try LiveRig(config: Self.config)
    try live.go("gps", east: 2_000)
    let own = live.lastFix
    try live.go(Self.anna, east: 0)
    #expect(live.lastFix == own && live.fired == [])
    let anna = live.rig.daemon.host.tracker(.tracker("anna"))
    #expect(anna.engine.lastFix?.time == live.now)
  }

  @Test func aRestartKnowsWhereEachWas() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"anna","title":"Anna","who":"anna","on":"depart",\#(Self.home)"#)
    try live.go(Self.anna, east: 0)
    let last = live.now
    live.rig.daemon.stop()
    let rig = try Rig(Self.config, folder: live.rig.folder, systemClock: { live.now.microseconds })
    let anna = rig.daemon.host.holder(of: "anna")
    #expect(anna.name == "anna")
    #expect(anna.engine.lastFix?.time == last)
    #expect(rig.daemon.host.engine.lastFix == nil)
    guard case .inside = anna.engine.history("anna")?.stay else {
      Issue.record("the stay is lost")
      return
    }
  }

  @Test func aReminderCanBeGivenToAnotherTracker() throws {
    let live = try LiveRig(config: Self.config)
    try add(live, #""id":"x","title":"X",\#(Self.home)"#)
    try live.go(Self.anna, east: 1_000)
    _ = try live.rig.client().call("Edit", #"{"id":"x","changes":{"who":"anna"}}"#)
    #expect(live.rig.daemon.host.holder(of: "x").name == "anna")
    #expect(live.rig.daemon.host.engine.reminder("x") == nil)
    try live.go("gps", east: 2_000)
    try live.go("gps", east: 0)
    #expect(live.fired == ["arrive arrive"])
    try live.go(Self.anna, east: 0)
    #expect(live.fired == ["arrive arrive", "x arrive"])
    _ = try live.rig.client().call("Edit", #"{"id":"x","changes":{"who":null}}"#)
    #expect(live.rig.daemon.host.holder(of: "x").name == nil)
    _ = try live.rig.client().call("Remove", #"{"id":"x"}"#)
    #expect(live.rig.daemon.host.count == 2)
  }

  @Test func aTrackerThatNobodyHasSetUpIsNamedAsAnError() throws {
    let live = try LiveRig(config: Self.config)
    let error = try live.rig.client().error(
      "Add", #"{"reminder":{"title":"Ben","who":"ben",\#(Self.home)}}"#)
    #expect("\(error)".contains("there is anna, van; add [Tracker ben]"))
  }

  @Test func aWrongLineOfATrackerIsLeftOutAndNamed() throws {
    let rig = try Rig(
      """
      [Tracker anna]
      Topic=owntracks
      Phone=a/b
      [Tracker all]
      [Tracker ben]
      Topic=owntracks/ben/phone
      """)
    #expect(rig.daemon.settings.trackers.map(\.name) == ["anna", "ben"])
    #expect(rig.daemon.settings.trackers[0].carriers.count == 1)
    #expect(rig.daemon.settings.trackers[1].devices.count == 1)
    #expect(
      rig.daemon.wrongLines.map(\.line) == [5, 4]
        && rig.daemon.wrongLines.allSatisfy { $0.description.contains("[Tracker anna]") })
  }
}
