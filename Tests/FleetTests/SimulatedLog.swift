import CivilTime
import Fleet
import JSONText
import Reminders
import TestSupport

/// A log of devices that go in circles, with reminders, commands and messages of the clock.
enum SimulatedLog {
  static let start = Instant(seconds: 1_800_000_000)

  /// - Parameter outages: whether the log stands still at times, and then gets the positions of that
  ///   time at once, with small circles and scatter.
  static func messages(
    devices: Int, seconds: Int, seed: UInt64, outages: Bool = false
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
      for kind in 0..<(outages ? 3 : 0) {
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
    var (standsUntil, held) = (0, 0)
    for second in 1...seconds {
      if outages, second > standsUntil, Int.random(in: 0..<15, using: &random) == 0 {
        standsUntil = second + Int.random(in: 1...20, using: &random)
      }
      if second < standsUntil {
        held += 1
        continue
      }
      for step in 0...held {
        for index in movers.indices {
          movers[index].angle += movers[index].speed
          let off = outages ? Double.random(in: -0.00005...0.00005, using: &random) : 0
          let at = movers[index].place(movers[index].angle, off)
          // What waited comes with the time at which it is sent.
          let moment = Double(second) + Double(step) / 100 + Double(index) / 1000
          let time = (start + .seconds(outages ? moment : Double(second))).seconds
          add(
            "dev\(index)", #"{"_type":"location",\#(at),"tst":\#(time),"acc":8,"vel":60}"#,
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
        default: break
        }
      }
      if second % 7 == 0 { add(nil, "", at: Double(second) + 0.9) }
    }
    return log
  }
}

/// What `fleet.commit` stores, in memory.
struct MemoryStore {
  struct Device {
    var (sequence, time, quietSequence, quietTime) = (0, 0, 0, 0)
    var firings: [JSONValue] = []
    var (zone, takeover, trips): (String?, String?, String?) = (nil, nil, nil)
    var reminders: [String: (document: String, history: String, quiet: String?)] = [:]
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
      let isQuiet = step["quiet"]?.bool ?? false
      device.sequence = step["seq"]?.int ?? 0
      device.time = step["at"]?.int ?? 0
      if isQuiet { (device.quietSequence, device.quietTime) = (device.sequence, device.time) }
      device.zone = step["zone"]?.string
      device.takeover = step["takeover"]?.line ?? device.takeover
      device.trips = step["trips"]?.line ?? device.trips
      for id in step["gone"]?.array ?? [] { device.reminders[id.string ?? ""] = nil }
      if isQuiet { for id in device.reminders.keys { device.reminders[id]?.quiet = nil } }
      for row in step["r"]?.array ?? [] {
        let (id, history) = (row["id"]?.string ?? "", row["h"]?.string ?? "")
        if let document = row["doc"]?.string {
          device.reminders[id] = (document, history, nil)
        } else if let old = device.reminders[id] {
          device.reminders[id] = (old.document, history, isQuiet ? nil : old.quiet ?? old.history)
        }
      }
      guard step["from"]?.int == device.firings.count else { throw LogError("a number twice") }
      device.firings += step["f"]?.array ?? []
      devices[name] = device
    }
  }

  func partition(warmUp: TimeSpan) throws -> Partition {
    let partition = Partition(0, after: offset, replay: replay, warmUp: warmUp)
    for (name, device) in devices {
      try partition.restoreDevice([
        name, "\(device.sequence)", "\(device.time)", "\(device.quietSequence)",
        "\(device.quietTime)", "\(device.firings.count)", device.zone, device.takeover,
        device.trips,
      ])
      for row in device.reminders.values {
        try partition.restoreReminder([name, row.document, row.history, row.quiet])
      }
    }
    return partition
  }
}
