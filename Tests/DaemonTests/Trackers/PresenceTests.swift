import CivilTime
import Control
import Geodesy
import JSONText
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Where the trackers are, to those who may know.
@Suite(.serialized) struct PresenceTests {
  private static let home = LiveRig.home

  private static func fix(_ metres: Double, eph: Double) -> Fix {
    Fix(time: nil, position: home.destination(bearing: 90, distance: metres), eph: eph)
  }

  @Test func atAnEdgeTheErrorMovesNobodyOut() {
    let house = SavedPlace(name: "House", position: Self.home, radius: 100)
    let town = SavedPlace(name: "Town", position: Self.home, radius: 2_000)
    var places = TrackerPlaces()
    let moves: [(Double, [String])] = [
      (130, ["Town"]), (90, ["House", "Town"]), (130, ["House", "Town"]), (160, ["Town"]),
      (130, ["Town"]), (2_030, ["Town"]), (3_000, []),
    ]
    for (metres, expected) in moves {
      let fix = Self.fix(metres, eph: 50)
      places.determine(at: fix, among: [town, house])
      #expect(places.places.map(\.name) == expected, "at \(metres) m")
    }
  }

  @Test func aRegionIsMoreThanItsCircle() {
    let corner =
      #"{"type":"Polygon","coordinates":[[[9.99,53.55],[10,53.55],[10,53.56],[9.99,53.55]]]}"#
    let region = SavedPlace(name: "Yard", position: Self.home, radius: 2_000, region: corner)
    var places = TrackerPlaces()
    let outside = Fix(
      time: nil, position: Self.home.destination(bearing: 270, distance: 300))
    places.determine(at: outside, among: [region])
    #expect(places.places.isEmpty)
    let inside = Fix(
      time: nil, position: Coordinate(clampingLatitude: 53.553, wrappingLongitude: 9.998))
    places.determine(at: inside, among: [region])
    #expect(places.places.map(\.name) == ["Yard"])
  }

  @Test func comingAndLeavingAreNewsAndAPositionForThoseWhoWantIt() throws {
    let live = try LiveRig(config: "[Tracker anna]\n")
    let client = try live.rig.client()
    _ = try client.call("AddPlace", #"{"name":"Home","latitude":53.55,"longitude":9.99}"#)
    let (plain, positions) = (try live.rig.client(), try live.rig.client())
    try plain.send("WatchPresence", more: true)
    try positions.send("WatchPresence", ["interval_s": 0], more: true)
    func news(_ client: Client) throws -> [String] {
      try client.reply().get()["trackers"]?.array?.map { tracker in
        let names = tracker["inside"]?.array?.compactMap { $0["name"]?.string } ?? []
        return "\(tracker["name"]?.string ?? "") \(names.joined()) \(tracker["fix"] != nil)"
      } ?? []
    }
    /// The news that comes behind positions of before.
    func comes(_ wanted: [String], to client: Client) throws {
      while try news(client) != wanted {}
    }
    #expect(try news(plain) == ["self  false", "anna  false"])
    _ = try news(positions)
    // The same again is no news.
    live.rig.daemon.control?.pushPresence()
    try live.go("owntracks:anna/phone", east: 0)
    live.rig.daemon.control?.pushPresence()
    #expect(try news(plain) == ["self  false", "anna Home true"])
    try comes(["self  false", "anna Home true"], to: positions)
    // A move within the place has one listener, a changed place both.
    try live.go("owntracks:anna/phone", east: 20)
    live.rig.daemon.control?.pushPresence()
    try comes(["self  false", "anna Home true"], to: positions)
    _ = try client.call("EditPlace", #"{"name":"Home","new_name":"House"}"#)
    live.rig.daemon.control?.pushPresence()
    #expect(try news(plain) == ["self  false", "anna House true"])
    try comes(["self  false", "anna House true"], to: positions)
    try live.go("owntracks:anna/phone", east: 2_000)
    live.rig.daemon.control?.pushPresence()
    #expect(try news(plain) == ["self  false", "anna  true"])
  }

  /// A position that waits for its interval holds nothing else back.
  @Test(arguments: [10.0, 1e9, -5]) func anIntervalIsOfPositionsAlone(interval: Double) throws {
    let live = try LiveRig(config: "[Tracker anna]\n")
    let (client, watcher) = (try live.rig.client(), try live.rig.client())
    _ = try client.call("AddPlace", #"{"name":"Home","latitude":53.55,"longitude":9.99}"#)
    try watcher.send("WatchPresence", ["interval_s": .double(interval)], more: true)
    _ = try watcher.reply().get()
    func places() throws -> [String] {
      let trackers = try watcher.reply().get()["trackers"]?.array ?? []
      return trackers.flatMap { $0["inside"]?.array?.compactMap { $0["name"]?.string } ?? [] }
    }
    try live.go("owntracks:anna/phone", east: 0)
    while try places() != ["Home"] {}
    try live.go("owntracks:anna/phone", east: 20)
    _ = try client.call("EditPlace", #"{"name":"Home","new_name":"House"}"#)
    while try places() != ["House"] {}
  }

  /// The circle of a reminder may be larger than its place.
  @Test(arguments: [(100, true), (5_000, false)])
  func aPlaceIsWhereItsOwnCircleIs(radius: Int, isThere: Bool) throws {
    let live = try LiveRig(config: "[Tracker anna]\n")
    let client = try live.rig.client()
    _ = try client.call(
      "AddPlace", #"{"name":"Home","latitude":53.55,"longitude":9.99,"radius_m":100}"#)
    _ = try client.call(
      "Add",
      #"{"reminder":{"title":"T","kind":"location","who":"anna","place":"Home","#
        + #""every_visit":true,"radius_m":\#(radius)}}"#
    )
    try live.go("owntracks:anna/phone", east: 9_000)
    try live.go("owntracks:anna/phone", east: isThere ? 0 : 3_000)
    let tracker = live.rig.daemon.host.tracker(.tracker("anna"))
    #expect(tracker.engine.visits.map(\.place) == ["Home"])
    let inside = try live.rig.daemon.inside(tracker).array ?? []
    #expect(inside.compactMap { $0["name"]?.string } == (isThere ? ["Home"] : []))
  }

  @Test func onlyThoseWhoMayFollowATrackerKnowWhereItIs() throws {
    let rig = try Rig("[Tracker anna]\nOwner=4711\n[Tracker ben]\nOwner=4712\nShare=group\n")
    func names(_ user: UInt32) throws -> [String?]? {
      try rig.daemon.presence(for: Caller(user: user, daemon: 1))["trackers"]?.array?
        .map { $0["name"]?.string }
    }
    #expect(try names(4711) == ["self", "anna", "ben"])
    #expect(try names(4712) == ["self", "ben"])
    #expect(try names(4713) == ["self", "ben"])
  }
}
