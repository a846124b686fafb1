import CivilTime
import Control
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// What a map asks for: places and fences of a box, positions, and changes.
@Suite struct MapMethodTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "fixes.json",
      #"{"class":"TPV","mode":3,"time":"2026-06-12T16:00:00Z","lat":52,"lon":13,"eph":5}"# + "\n"
        + #"{"class":"TPV","mode":3,"time":"2026-06-12T16:00:01Z","lat":52,"lon":13,"eph":5}"#
        + "\n")
    rig = try Rig("[Feed]\nFeed=file://\(file)\n")
    let daemon = rig.daemon
    try rig.run { daemon.host.engine.lastFix != nil }
    client = try rig.client()
  }

  private func add(
    _ name: String, _ latitude: Double, _ longitude: Double, _ category: String
  )
    throws
  {
    _ = try client.call(
      "AddPlace",
      [
        "name": .string(name), "latitude": .double(latitude), "longitude": .double(longitude),
        "category": .string(category),
      ])
  }

  private func names(_ box: String) throws -> [String] {
    try client.call("PlacesInBox", "{\(box)}")["places"]?.array?.compactMap { $0["name"]?.string }
      ?? []
  }

  private static let pacific = #""south":-20,"west":170,"north":0,"east":-170"#
  private static let world = #""south":-90,"west":-180,"north":90,"east":180"#

  @Test func aBoxMayCrossTheAntimeridianAndHoldAPole() throws {
    try add("East", -17, 179.9, "Food")
    try add("West", -17, -179.9, "Food")
    try add("Greenwich", -17, 0, "Food")
    try add("Pole", 90, 0, "Home")
    #expect(try names(Self.pacific) == ["East", "West"])
    #expect(try names(#""south":80,"west":-10,"north":90,"east":10"#) == ["Pole"])
    #expect(try names(Self.world) == ["East", "Greenwich", "Pole", "West"])
    #expect(try names(Self.world + #","without":["food"]"#) == ["Pole"])
    let error = try client.error("PlacesInBox", #"{"south":1,"west":0,"north":0,"east":0}"#)
    guard case .invalidReminder? = GeoremindError(error) else {
      throw Unexpected("south of south is refused")
    }
  }

  @Test func groupsCountEachPlaceOnceAndTakeTheMostFrequentColour() throws {
    for number in 0..<40 {
      let step = Double(number % 8)
      try add("P\(number)", -17 + step, number % 2 == 0 ? 179.5 - step : -179.5 + step, "Food")
    }
    try add("Home", -17.001, 179.5, "Home")
    let answer = try client.call("PlacesInBox", "{\(Self.pacific),\"limit\":10,\"cells\":4}")
    #expect(answer["places"] == [])
    let groups = answer["groups"]?.array ?? []
    #expect(groups.reduce(0) { $0 + ($1["count"]?.int ?? 0) } == 41)
    #expect(groups.count <= 16 && groups.allSatisfy { $0["color"] == "#C62828" })
    for group in groups {
      let longitude = try #require(group["longitude"]?.double)
      #expect(longitude >= 170 || longitude <= -170)
    }
  }

  private func fences(_ more: String = "") throws -> [String: JSONValue] {
    let box = #""south":51,"west":12,"north":53,"east":14"#
    let fences = try client.call("FencesInBox", "{\(box)\(more)}")["fences"]?.array ?? []
    return Dictionary(uniqueKeysWithValues: fences.map { ($0["id"]?.string ?? "", $0) })
  }

  private func placeGate(_ id: String, _ more: String = "") throws -> JSONValue {
    let why = try client.call("Why", #"{"id":"\#(id)"\#(more)}"#)
    let gates = why["why"]?["gates"]?.array ?? []
    return try #require(gates.first { $0["gate"] == "place" })
  }

  private func addFences() throws {
    for (id, latitude, more) in [
      ("in", 52.0, ""), ("out", 52.01, ""), ("shut", 52.0, #","until":"2020-01-01T00:00:00Z""#),
    ] {
      try rig.daemon.add(
        reminder(
          #"{"id":"\#(id)","kind":"location","title":"\#(id)","category":"Food","#
            + #""place":{"lat":\#(latitude),"lon":13,"radius_m":200}\#(more)}"#))
    }
  }

  @Test func aFenceSaysWhatWhySays() throws {
    try addFences()
    let fences = try fences()
    for id in ["in", "out"] {
      let gate = try placeGate(id)
      #expect(fences[id]?["edge_m"] == gate["edge_m"])
      #expect(fences[id]?["margin_m"] == gate["margin_m"])
      #expect(fences[id]?["error_m"] == gate["error_m"])
      #expect(fences[id]?["color"] == "#C62828")
    }
    #expect(try #require(fences["in"]?["edge_m"]?.double) < 0)
    #expect(fences["out"]?["presence"] == "outside")
    // One that has expired has no fence any more.
    #expect(fences["shut"] == nil)
  }

  /// In alarm, silenced or neither: an anchor watch is on the map.
  @Test func anAnchorWatchIsAFence() throws {
    try rig.daemon.add(
      reminder(
        #"{"id":"anchor","kind":"location","title":"Anchor watch","anchor_watch":true,"#
          + #""on":"depart","dwell_s":30,"place":{"lat":52.001,"lon":13,"radius_m":40}}"#))
    #expect(try fences()["anchor"]?["edge_m"]?.double.map { $0.rounded() } == 71)
    #expect(try fences()["anchor"]?["state"] == "armed")
    _ = try client.call("Snooze", #"{"id":"anchor","until":"10min"}"#)
    #expect(try fences()["anchor"]?["state"] == "snoozed")
    let status = try client.call("Status")["status"]?["anchor"]
    #expect(status?["id"] == "anchor" && status?["alarm"] == false)
    #expect(status?["silenced_until"] != nil && status?["radius_m"] == 40)
    let here = #","here":{"latitude":52.001,"longitude":13}"#
    #expect(try fences(here)["anchor"]?["presence"] == "inside")
    #expect(try fences(#","limit":1"#).count == 1)
  }

  @Test func aSupposedPositionAnswersAsIfThere() throws {
    try addFences()
    let here = #","here":{"latitude":52.01,"longitude":13,"eph_m":20}"#
    let fences = try fences(here)
    #expect(fences["in"]?["presence"] == "outside" && fences["out"]?["presence"] == "inside")
    let gate = try placeGate("out", here)
    #expect(gate["passed"] == true && gate["edge_m"] == fences["out"]?["edge_m"])
    #expect(gate["error_m"] == 20)
    // The engine itself has moved nowhere.
    #expect(rig.daemon.host.engine.lastFix?.position.latitude == 52)
    let error = try client.error(
      "Why", #"{"id":"out","here":{"latitude":91,"longitude":0}}"#)
    guard case .invalidReminder? = GeoremindError(error) else {
      throw Unexpected("91 degrees north is refused")
    }
  }

  // MARK: - Streams

  @Test func eachPositionArrivesOnceAndItsLossToo() throws {
    let live = try Rig(systemClock: SystemClock.now)
    let watcher = try live.client()
    try watcher.send("WatchFixes", ["interval_s": 0], more: true)
    #expect(try watcher.reply().get() == ["fix": nil, "lost": false])
    for number in 0..<60 {
      let position = try #require(
        Coordinate(latitude: 52 + Double(number) / 1e5, longitude: 13))
      live.daemon.host.take(
        Fix(time: live.daemon.clock.now, position: position, mode: .threeD, eph: 5))
    }
    var latitudes: [Double] = []
    while latitudes.count < 60 {
      latitudes.append(try #require(watcher.reply().get()["fix"]?["lat"]?.double))
    }
    #expect(latitudes == (0..<60).map { 52 + Double($0) / 1e5 })
  }

  @Test func aChangeIsNamedOnce() throws {
    let watcher = try rig.client()
    try watcher.send("WatchChanges", more: true)
    let added = try client.call(
      "Add", #"{"reminder":{"title":"Tea","kind":"date","due":"2100-01-01T00:00:00Z"}}"#)
    let id = try #require(added["id"]?.string)
    #expect(try watcher.reply().get() == ["what": "reminders", "ids": [.string(id)]])
    try add("Café", 1, 2, "Food")
    #expect(try watcher.reply().get() == ["what": "places", "ids": []])
    _ = try client.call("Undo")
    #expect(try watcher.reply().get() == ["what": "reminders", "ids": [.string(id)]])
    #expect(try watcher.poll().isEmpty)
  }
}
