import CivilTime
import Geodesy
import Glibc

/// From the last byte of an epoch on a pseudo-terminal to its firing's datagram at the journal's
/// socket, through the whole daemon: with the state in memory, then on the disk of /var/tmp.
///
/// The receiver goes through a place and back. On the move the second fix on a side decides, so
/// each fourth one fires. Its fixes are a second apart by their own times, which soon are ahead of
/// the clock. Each comes `pace` milliseconds after the last firing reached the journal.
func latencyBench(count: Int, pace: Int) throws -> String {
  var line = ""
  for (suffix, parent) in [("", "/dev/shm"), ("_sync", "/var/tmp")] {
    let times = try latencies(count: count, pace: pace, stateIn: parent)
    for (place, times) in [("", times.map(\.reading)), ("_socket", times.map(\.arrival))] {
      let times = times.sorted()
      for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        line += "\(name)\(place)\(suffix)_us=\(rounded(times.percentile(share) * 1e6)) "
      }
    }
  }
  return line + "n=\(count) pace_ms=\(pace)"
}

/// Seconds from each burst until its firing is in the socket, and until it is read there.
private func latencies(
  count: Int, pace: Int, stateIn parent: String
) throws -> [(arrival: Double, reading: Double)] {
  let rig = try LatencyRig(stateIn: parent, reminders: bothWays)
  var drive = Drive()
  func pause() { usleep(UInt32(pace) * 1000) }

  // The daemon has to learn on which side of the fence it is and how a burst ends.
  _ = try rig.entry(with: "georemindd 0")
  for _ in 0..<40 * Drive.stride {
    try rig.send(drive.next())
    usleep(20_000)
  }
  while try !rig.entry(with: firing).text.holds(drive.fixTime) {}

  var times: [(arrival: Double, reading: Double)] = []
  times.reserveCapacity(count)
  while times.count < count {
    for _ in 1..<Drive.stride {
      try rig.send(drive.next())
      pause()
    }
    let burst = drive.next()
    let start = timeOfDay()
    try rig.send(burst)
    let entry = try rig.entry(with: firing)
    times.append((entry.arrival - start, entry.reading - start))
    // A late one, of the epoch before, would look quick.
    guard entry.text.holds(drive.fixTime) else {
      throw BenchError("the firing after epoch \(drive.epochs) is another one's")
    }
    pause()
  }
  return times
}

/// What only the entry of a firing holds.
private let firing = "GEOREMIND_FIRING_ID="

/// Two reminders of one place, so that each change of side fires one of them.
private let bothWays = """
  {"id":"in","kind":"location","title":"Arrived","on":"arrive","every_visit":true,\
  "place":{"name":"Pier","lat":53.5461,"lon":9.9661,"radius_m":60}}
  {"id":"out","kind":"location","title":"Left","on":"depart","every_visit":true,\
  "place":{"name":"Pier","lat":53.5461,"lon":9.9661,"radius_m":60}}

  """

/// A receiver that goes from 160 m in the south of the place to 160 m in the north of it, and back,
/// at 40 m/s, so that two fixes in turn are well inside or well outside.
private struct Drive {
  /// The second fix on a side comes each so many epochs: at the ends, and in the middle.
  static let stride = 4

  private(set) var epochs = 0
  /// Of the last epoch.
  private(set) var time: Instant

  init() {
    time = Instant(seconds: timeOfDay().rounded(.down))
  }

  var fixTime: String { "GEOREMIND_FIX_TIME=\(time.json)" }

  /// The sentences of the next epoch.
  mutating func next() -> [UInt8] {
    epochs += 1
    time = time + .seconds(1)
    let stamp = time.rfc3339().filter(\.isNumber)
    let clock = "\(stamp.dropFirst(8).prefix(6)).00"
    // DDMMYY out of YYYYMMDD.
    let date = [6, 4, 2].map { String(stamp.dropFirst($0).prefix(2)) }.joined()
    let phase = epochs % 16
    let metres = 40 * (abs(phase - 8) - 4)
    // A minute of latitude is a nautical mile. In ten-thousandths, and in seven digits.
    let minutes = 327_660 + metres * 10_000 / 1852
    let position = "53\(minutes / 10_000).\(minutes % 10_000),N,00957.9660,E"
    let course = phase > 8 || phase == 0 ? "0.0" : "180.0"
    let sentences = [
      "GNGGA,\(clock),\(position),1,12,0.8,14.2,M,45.1,M,,",
      "GNGSA,A,3,05,07,08,10,13,15,18,23,27,30,,,1.4,0.8,1.1",
      "GNRMC,\(clock),A,\(position),77.8,\(course),\(date),,,A",
    ]
    return sentences.flatMap { Array(Self.framed($0).utf8) }
  }

  private static func framed(_ text: String) -> String {
    let sum = text.utf8.reduce(0, ^)
    let digits = String(sum, radix: 16, uppercase: true)
    return "$\(text)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
  }
}
