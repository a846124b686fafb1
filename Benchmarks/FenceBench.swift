import CivilTime
import Geodesy
import Geofencing
import Glibc

/// The rules that `fenceBench` has the monitor decide by.
enum BenchPolicy: String {
  /// The daemon's own: margins, confirmation, passes.
  case standard = "default"
  /// `MonitorPolicy.plain`, which is what other libraries do.
  case containment

  var policy: MonitorPolicy { self == .standard ? MonitorPolicy() : .plain }
}

/// Runs a track against circles and returns one line: `ns_per_fix`, `build_ms`, `bytes_per_fence`,
/// `enter`, `exit`, `pass`, `transitions_sha256`.
func fenceBench(
  fencesCSV fencesPath: String, trackCSV trackPath: String, policy: BenchPolicy
) throws -> String {
  let circles = try readFences(fencesPath)
  let track = try readTrack(trackPath)
  guard !circles.isEmpty, !track.isEmpty else {
    throw BenchError("\(fencesPath) and \(trackPath) must have at least one row each")
  }

  let buildStart = processorTime()
  var pristine = FenceMonitor(policy: policy.policy)
  pristine.reserveCapacity(circles.count)
  for (id, circle) in circles.enumerated() {
    pristine.add(.circle(circle), id: FenceID(id), presence: .outside)
  }
  let buildTime = processorTime() - buildStart

  var times: [Double] = []
  var transitions: [Transition] = []
  let deadline = processorTime() + 6
  repeat {
    var monitor = pristine
    // So that the first fix does not have to copy the states.
    monitor.reserveCapacity(circles.count)
    let start = processorTime()
    for point in track {
      // As few as the caches hold: the daemon clears them after each fix.
      if transitions.count > 256 { transitions.removeAll(keepingCapacity: true) }
      monitor.process(point.sample, into: &transitions)
    }
    times.append((processorTime() - start) / Double(track.count) * 1e9)
  } while times.count < 9 && (times.count < 3 || processorTime() < deadline)
  times.sort()

  let digest = try SHA256()
  var counts = (enter: 0, exit: 0, pass: 0)
  var monitor = pristine
  for point in track {
    transitions.removeAll(keepingCapacity: true)
    monitor.process(point.sample, into: &transitions)
    transitions.sort { ($0.fence, $0.kind.rawValue) < ($1.fence, $1.kind.rawValue) }
    for transition in transitions {
      let letter: String
      switch transition.kind {
      case .arrive, .found: (letter, counts.enter) = ("E", counts.enter + 1)
      case .depart: (letter, counts.exit) = ("X", counts.exit + 1)
      case .pass: (letter, counts.pass) = ("P", counts.pass + 1)
      }
      let time = padded(transition.time.microseconds / 1_000, 10)
      digest.update("\(time),\(padded(Int64(transition.fence), 7)),\(letter)\n")
    }
  }
  let checksum = try digest.hexDigest()
  let bytes = Double(pristine.fences.byteCount) / Double(circles.count)
  return "ns_per_fix=\(rounded(times[times.count / 2])) build_ms=\(rounded(buildTime * 1e3))"
    + " bytes_per_fence=\(rounded(bytes)) enter=\(counts.enter) exit=\(counts.exit)"
    + " pass=\(counts.pass) transitions_sha256=\(checksum)"
}

/// What a benchmark could not do, in one sentence.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Two decimals, without Foundation.
func rounded(_ value: Double) -> String {
  let hundredths = Int64((value * 100).rounded())
  let fraction = hundredths.magnitude % 100
  return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

private func readFences(_ path: String) throws -> [Circle] {
  var circles: [Circle] = []
  try readRows(path, columns: 4) { fields, line in
    guard fields[0] == Double(circles.count) else {
      throw BenchError("\(path):\(line): the ids must be 0, 1, 2 and so on")
    }
    guard let center = Coordinate(latitude: fields[1], longitude: fields[2]),
      let circle = Circle(center: center, radius: fields[3])
    else { throw BenchError("\(path):\(line): not a circle: position or radius out of range") }
    circles.append(circle)
  }
  return circles
}

/// A line of a track, as small as it can be: memory that is read counts as well.
struct TrackPoint {
  let time: Instant
  let position: Coordinate

  @inline(__always)
  var sample: PositionSample { PositionSample(time: time, position: position) }
}

func readTrack(_ path: String) throws -> [TrackPoint] {
  var track: [TrackPoint] = []
  try readRows(path, columns: 3) { fields, line in
    guard let position = Coordinate(latitude: fields[1], longitude: fields[2]) else {
      throw BenchError("\(path):\(line): the position is out of range")
    }
    track.append(TrackPoint(time: Instant(seconds: fields[0] / 1_000), position: position))
  }
  return track
}

/// Reads plain decimal numbers; the first line is a header.
private func readRows(
  _ path: String, columns: Int, row: (_ fields: [Double], _ line: Int) throws -> Void
) throws {
  let bytes = try readFile(path)
  var fields: [Double] = []
  var line = 1
  var number = DecimalNumber()
  for byte in bytes {
    if byte == UInt8(ascii: "\n") {
      if line > 1 {
        fields.append(try number.value(path, line))
        guard fields.count == columns else {
          throw BenchError("\(path):\(line): \(fields.count) columns, \(columns) are needed")
        }
        try row(fields, line)
      }
      line += 1
      fields.removeAll(keepingCapacity: true)
      number = DecimalNumber()
    } else if line > 1 {
      if byte == UInt8(ascii: ",") {
        fields.append(try number.value(path, line))
        number = DecimalNumber()
      } else if byte != UInt8(ascii: "\r") {
        number.append(byte)
      }
    }
  }
}

/// A decimal number of up to 15 digits, which a quotient of two doubles gives exactly rounded.
private struct DecimalNumber {
  private var digits = 0.0
  private var scale = 1.0
  private var count = 0
  private var isNegative = false
  private var hasPoint = false
  private var isBad = false

  mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      digits = digits * 10 + Double(byte - UInt8(ascii: "0"))
      if hasPoint { scale *= 10 }
      count += 1
    case UInt8(ascii: "-") where count == 0 && !isNegative && !hasPoint: isNegative = true
    case UInt8(ascii: ".") where !hasPoint: hasPoint = true
    default: isBad = true
    }
  }

  func value(_ path: String, _ line: Int) throws -> Double {
    guard !isBad, count > 0, count <= 15 else {
      throw BenchError("\(path):\(line): not a plain decimal number of up to 15 digits")
    }
    return (isNegative ? -digits : digits) / scale
  }
}

private func readFile(_ path: String) throws -> [UInt8] {
  guard let file = fopen(path, "r") else { throw BenchError("\(path): cannot be opened") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { break }
    bytes.append(contentsOf: chunk[..<count])
  }
  guard ferror(file) == 0 else { throw BenchError("\(path): cannot be read") }
  return bytes
}
