import CivilTime
import Fleet
import Geodesy
import JSONText
import Reminders
import TestSupport

/// A log of devices that go in circles, with reminders, commands and messages of the clock.
enum SimulatedLog {
  static let start = Instant(seconds: 1_800_000_000)

  /// - Parameter isHard: whether the log stands still at times, and then gets the positions of that
  ///   time at once; positions scatter, jump, and are coarse; devices rest; and there are reminders of
  ///   all kinds, and edits.
  static func messages(
    devices: Int, seconds: Int, seed: UInt64, isHard: Bool = false
  ) -> [LogMessage] {
    var random = SeededGenerator(seed: seed)
    var log: [LogMessage] = []
    func add(_ device: String?, _ text: String, at second: Double) {
      log.append(
        LogMessage(
          sequence: UInt64(log.count + 1), time: start + .seconds(second), device: device,
          payload: Array(text.utf8)))
    }
    struct Mover {
      var (latitude, longitude, angle, speed) = (0.0, 0.0, 0.0, 0.0)
      var restsUntil = 0
      var jumpsUntil = 0
      let radius = 0.004

      func place(_ angle: Double, _ off: Double = 0) -> String {
        let (r, half) = (radius + off, 0.5)
        // Close enough to a circle; the length of a degree is 1.5 of latitude here.
        let x = (angle - angle.rounded(.down)) * 4
        let side = Int(x)
        let f = (x - Double(side) - half) * 2
        let (dx, dy) = [(f, -1.0), (1, f), (-f, 1), (-1, -f)][side % 4]
        return "\"lat\":\(latitude + r * dy),\"lon\":\(longitude + r * dx * 1.5)"
      }
    }
    var movers = (0..<devices).map { index in
      Mover(
        latitude: 45 + Double(index) * 0.1, longitude: 5,
        angle: Double.random(in: 0..<1, using: &random),
        speed: Double.random(in: 0.004...0.012, using: &random))
    }
    for index in movers.indices {
      for kind in 0..<4 {
        let at = movers[index].place(Double.random(in: 0..<1, using: &random))
        let trigger = ["arrive", "depart", "arrive", "dwell"][kind]
        let extra = kind == 3 ? #","dwell_s":20"# : ""
        add(
          "dev\(index)",
          #"{"add":{"id":"v\#(kind)","kind":"location","title":"Stop","place":{\#(at),"radius_m":60,"#
            + #""name":"Stop"},"every_visit":true,"on":"\#(trigger)"\#(extra)}}"#, at: 0)
      }
      for kind in 0..<(isHard ? 3 : 0) {
        let at = movers[index].place(Double.random(in: 0..<1, using: &random), 0.00013)
        add(
          "dev\(index)",
          #"{"add":{"id":"s\#(kind)","kind":"location","title":"Small","place":{\#(at),"radius_m":20,"#
            + #""name":"Small"},"every_visit":true}}"#, at: 0)
      }
      for kind in 0..<3 {
        let due = start + .seconds(Double.random(in: 5..<Double(seconds), using: &random))
        add(
          "dev\(index)",
          #"{"add":{"id":"d\#(kind)","kind":"date","title":"Date","due":"\#(due.json)"}}"#, at: 0)
      }
    }
    for index in movers.indices where isHard {
      func at(_ off: Double = 0) -> String {
        movers[index].place(Double.random(in: 0..<1, using: &random), off)
      }
      func due(_ range: Range<Double>) -> String {
        (start + .seconds(Double.random(in: range, using: &random))).json
      }
      let centre = "\"lat\":\(movers[index].latitude),\"lon\":\(movers[index].longitude)"
      let last = Double(seconds)
      for text in [
        #""id":"a","on":"depart","anchor_watch":true,"dwell_s":10,"every_visit":true,"place":{"#
          + #"\#(centre),"radius_m":520}"#,
        #""id":"b","near_category":"bakery","every_visit":true"#,
        #""id":"c","near_category":"bakery","radius_m":120,"on":"depart","every_visit":true"#,
        #""id":"e","on":"dwell","dwell_s":15,"near_category":"bakery","every_visit":true"#,
        #""id":"f","every_visit":true,"max_speed_mps":11,"place":{\#(at()),"radius_m":90}"#,
        #""id":"g","every_visit":true,"heading":"300-60","place":{\#(at()),"radius_m":80}"#,
        #""id":"h","every_visit":true,"heading":"toward","place":{\#(centre),"radius_m":700}"#,
        #""id":"i","on":"absent","due":"\#(due(60..<last))","place":{\#(at()),"radius_m":90}"#,
        #""id":"j","on":"silent","dwell_s":60,"every_visit":true"#,
        #""id":"k","on":"depart","dwell_s":8,"every_visit":true,"nag_s":60,"place":{"#
          + #"\#(at()),"radius_m":80}"#,
        #""id":"m","every_visit":true,"cooldown_s":90,"if_inside":"fire","place":{"#
          + #"\#(at()),"radius_m":200}"#,
        #""id":"n","due":"\#(due(5..<60))","repeat":"FREQ=MINUTELY;INTERVAL=2","nag_s":60"#,
        #""id":"p","due":"\#(due(200..<last))","transport":"driving","place":{"#
          + #"\#(at(0.02)),"radius_m":100}"#,
        #""id":"q","due":"\#(due(400..<2 * last))","transport":"cycling","lead_s":[120,0],"place":{"#
          + #"\#(at(0.01)),"radius_m":100}"#,
        #""id":"s","due":"\#(due(400..<last))","transport":"walking","travel_s":150,"place":{"#
          + #"\#(at()),"radius_m":100}"#,
      ] { add("dev\(index)", #"{"add":{"title":"T",\#(text)}}"#, at: 0) }
    }
    var (standsUntil, held) = (0, 0)
    for second in 1...seconds {
      if isHard, second > standsUntil, Int.random(in: 0..<15, using: &random) == 0 {
        standsUntil = second + Int.random(in: 1...20, using: &random)
      }
      if second < standsUntil {
        held += 1
        continue
      }
      for step in 0...held {
        for index in movers.indices {
          if second >= movers[index].restsUntil { movers[index].angle += movers[index].speed }
          var off = 0.0
          var (claim, speed) = (8, 60)
          if isHard {
            off = Double.random(in: -0.00005...0.00005, using: &random)
            speed = second < movers[index].restsUntil ? 0 : Int.random(in: 20...60, using: &random)
            switch Int.random(in: 0..<300, using: &random) {
            case 0: movers[index].jumpsUntil = second + Int.random(in: 0...40, using: &random)
            case 1: movers[index].restsUntil = second + Int.random(in: 10...700, using: &random)
            case 2...6: claim = [60, 150, 400, 3_000][Int.random(in: 0..<4, using: &random)]
            default: break
            }
            if second <= movers[index].jumpsUntil { off += 0.03 }
          }
          let at = movers[index].place(movers[index].angle, off)
          // What waited comes with the time at which it is sent.
          let moment = Double(second) + Double(step) / 100 + Double(index) / 1000
          let time = (start + .seconds(isHard ? moment : Double(second))).seconds
          add(
            "dev\(index)",
            #"{"_type":"location",\#(at),"tst":\#(time),"acc":\#(claim),"vel":\#(speed)}"#,
            at: moment)
        }
      }
      held = 0
      for index in movers.indices {
        switch Int.random(in: 0..<400, using: &random) {
        case 0: add("dev\(index)", #"{"done":"v0"}"#, at: Double(second) + 0.5)
        case 1: add("dev\(index)", #"{"snooze":{"id":"v1","minutes":1}}"#, at: Double(second) + 0.5)
        case 2: add("dev\(index)", #"{"remove":"d0"}"#, at: Double(second) + 0.5)
        case 3: add("dev\(index)", #"{"zone":"Europe/Berlin"}"#, at: Double(second) + 0.5)
        case 4 where isHard:
          let at = movers[index].place(movers[index].angle + 0.02)
          add(
            "dev\(index)",
            #"{"edit":{"id":"v0","title":"Stop","every_visit":true,"place":{\#(at),"radius_m":70}}}"#,
            at: Double(second) + 0.5)
        case 5 where isHard:
          add("dev\(index)", #"{"snooze":{"id":"m","next_visit":true}}"#, at: Double(second) + 0.5)
        case 6 where isHard:
          add("dev\(index)", #"{"done":"k"}"#, at: Double(second) + 0.5)
        default: break
        }
      }
      if second % 7 == 0 { add(nil, "", at: Double(second) + 0.9) }
    }
    // With a command each device is stored as it is.
    for index in movers.indices {
      add("dev\(index)", #"{"zone":"Europe/Berlin"}"#, at: Double(seconds) + 1)
    }
    return log
  }

  /// Places on the ways of these devices.
  static func places(devices: Int, seed: UInt64) -> PlaceCatalog {
    var random = SeededGenerator(seed: seed)
    var catalog = PlaceCatalog()
    for number in 0..<devices * 4 {
      let side = Double.random(in: -0.004...0.004, using: &random)
      let (north, east) = number % 2 == 0 ? (0.004, side) : (side, -0.004)
      catalog.add(
        number: Int64(number + 1), name: "Bakery \(number)", category: "bakery",
        position: Coordinate(
          clampingLatitude: 45 + Double(number / 4) * 0.1 + north, wrappingLongitude: 5 + 1.5 * east
        ),
        radius: 70)
    }
    return catalog
  }
}

/// What `fleet.commit` stores, in memory.
struct MemoryStore {
  struct Device {
    var (sequence, time) = (0, 0)
    var firings: [JSONValue] = []
    var (zone, state, trips): (String?, String?, String?) = (nil, nil, nil)
    var reminders: [String: (document: String, history: String)] = [:]
  }

  var devices: [String: Device] = [:]
  var offset = LogPoint()
  var replay = LogPoint()
  var refused: [JSONValue] = []

  mutating func commit(_ partition: Partition) throws {
    defer { partition.didCommit() }
    let part = try JSONParser.parse(partition.offset)
    func point(_ sequence: String, _ time: String) -> LogPoint {
      LogPoint(
        sequence: UInt64(part[sequence]?.int ?? 0),
        time: Instant(microseconds: Int64(part[time]?.int ?? 0)))
    }
    (offset, replay) = (point("seq", "at"), point("replay", "replay_at"))
    refused += try JSONParser.parse("[\(partition.refusals)]").array ?? []
    for step in try JSONParser.parse("[\(partition.steps)]").array ?? [] {
      let name = step["d"]?.string ?? ""
      var device = devices[name] ?? Device()
      device.sequence = step["seq"]?.int ?? 0
      device.time = step["at"]?.int ?? 0
      device.zone = step["zone"]?.string
      device.state = step["state"]?.line
      device.trips = step["trips"]?.line ?? device.trips
      for id in step["gone"]?.array ?? [] { device.reminders[id.string ?? ""] = nil }
      for row in step["r"]?.array ?? [] {
        let (id, history) = (row["id"]?.string ?? "", row["h"]?.string ?? "")
        guard let document = row["doc"]?.string ?? device.reminders[id]?.document else { continue }
        device.reminders[id] = (document, history)
      }
      guard step["from"]?.int == device.firings.count else { throw LogError("a number twice") }
      device.firings += step["f"]?.array ?? []
      devices[name] = device
    }
  }

  func partition() throws -> Partition {
    let partition = Partition(0, after: offset, replay: replay)
    for (name, device) in devices {
      try partition.restoreDevice([
        name, "\(device.sequence)", "\(device.time)", "\(device.firings.count)", device.zone,
        device.state, device.trips,
      ])
      for row in device.reminders.values {
        try partition.restoreReminder([name, row.document, row.history])
      }
    }
    return partition
  }
}
