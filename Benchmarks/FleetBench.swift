import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import Reminders

private let now = Instant(seconds: 1_800_000_000)

/// An engine of its own for each of `devices`, with `count` reminders each, as a service for many
/// receivers has them.
func fleetBench(devices: Int, reminders count: Int) throws -> String {
  let empty = residentBytes()
  var fleet: [Device] = []
  // One list for all: a service carries the effects of an event out before the next.
  var effects: [Effect] = []
  fleet.reserveCapacity(devices)
  let load = spent {
    for number in 0..<devices { fleet.append(Device(number, count, &effects)) }
  }
  for device in fleet { device.follow(0, &effects) }
  let bytes = Double(residentBytes() - empty) / Double(devices)

  let rounds = 20
  let follow = spent {
    for round in 1...rounds { for device in fleet { device.follow(round, &effects) } }
  }
  let texts = fleet.prefix(1_000).map(\.texts)
  let restore = try spent { for one in texts { _ = try Device(one, &effects) } }
  var states: [JSONValue] = []
  let write = spent { for device in fleet { states.append(device.engine.state()) } }
  let size = states.reduce(0) { $0 + $1.line.utf8.count }
  let read = spent {
    for (device, state) in zip(fleet, states) { _ = device.engine.resume(with: state, at: now) }
  }
  func each(_ seconds: Double) -> String { rounded(seconds / Double(devices) * 1e6) }
  return "engine_bytes=\(MemoryLayout<Engine>.size) device_bytes=\(rounded(bytes))"
    + " load_us=\(rounded(load / Double(devices) * 1e6))"
    + " ns_per_fix=\(rounded(follow / Double(devices * rounds) * 1e9))"
    + " restore_us=\(rounded(restore / Double(texts.count) * 1e6))"
    + " state_us=\(each(write)) resume_us=\(each(read)) state_bytes=\(size / devices)"
}

/// Resident memory of this process in bytes; 0 where the kernel does not say.
private func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var text = [CChar](repeating: 0, count: 64)
  guard fgets(&text, 64, file) != nil else { return 0 }
  let words = String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
    separator: " ")
  return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(getpagesize())
}

/// One receiver: three in ten go through the town, the others rest.
private final class Device {
  typealias Texts = [(reminder: String, history: String?)]

  var engine = Engine(zone: .utc)
  private let home: Coordinate
  private let speed: Double

  init(_ number: Int, _ count: Int, _ effects: inout [Effect]) {
    home = position(number)
    speed = number % 10 < 3 ? 15 : 0
    effects.removeAll(keepingCapacity: true)
    engine.load(
      (0..<count).map { (reminder($0, of: number, near: home), nil) }, at: now, into: &effects)
  }

  /// From what was stored of a device.
  init(_ texts: Texts, _ effects: inout [Effect]) throws {
    (home, speed) = (position(0), 0)
    effects.removeAll(keepingCapacity: true)
    engine.beginLoading(count: texts.count)
    for (text, history) in texts {
      guard let json = try JSONParser.parse(text).object else { throw BenchError("no object") }
      engine.load(try Reminder(json: json), try History(text: history))
    }
    engine.finishLoading(at: now, into: &effects)
  }

  var texts: Texts {
    engine.entries.map { (JSONValue.object($0.reminder.json).line, $0.history.text) }
  }

  /// The fix of a round, of which there is one in ten seconds.
  func follow(_ round: Int, _ effects: inout [Effect]) {
    effects.removeAll(keepingCapacity: true)
    let time = now + .seconds(Double(10 * round))
    let place = home.destination(bearing: 75, distance: speed * 10 * Double(round))
    let fix = Fix(time: time, position: place, mode: .threeD, source: .gnss, speed: speed, eph: 8)
    engine.handle(.fix(fix), at: time, into: &effects)
  }
}

/// One in four has a date, one in eight is a time to leave; the others wait for a place in town.
private func reminder(_ index: Int, of device: Int, near home: Coordinate) -> Reminder {
  let place = Reminder.Place(
    name: "Place \(index)",
    position: home.destination(bearing: Double(index * 67), distance: Double(200 + index * 700)))
  let id = "6f9619ff-8b86-d011-b42d-\(device)-\(index)"
  let due = TimeStamp.absolute(now + .hours(Double(index * 61 % 700 + 1)))
  switch index % 8 {
  case 1, 5: return Reminder(id: id, kind: .date, title: "Pay the bill \(index)", due: due)
  case 3:
    return Reminder(
      id: id, kind: .preemptive, title: "Be there \(index)", place: place, due: due)
  default:
    return Reminder(
      id: id, kind: .location, title: "Buy milk \(index)", place: place,
      everyVisit: index.isMultiple(of: 2))
  }
}
