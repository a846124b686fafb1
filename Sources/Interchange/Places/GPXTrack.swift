package import CivilTime
import Geodesy
package import Positioning

/// The track points of GPX as fixes, in the order of the file.
///
/// Speed and course: GPX 1.0 or Garmin's TrackPointExtension. Error: 19 m times the HDOP, as for a
/// receiver that reports no more.
package enum GPXTrack {
  /// Whether a file may be GPX: its first bytes are XML.
  package static func resemblesXML(_ head: ArraySlice<UInt8>) -> Bool {
    let text = TextDecoder.decode(Array(head.prefix(256)))
    return text.first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  /// - Parameters:
  ///   - zone: where a time without a zone is meant.
  ///   - next: the next piece of the file, empty at the end.
  ///   - body: gets each fix. Its error ends the reading and is rethrown.
  package static func read(
    name: String, zone: TimeZoneRules, next: () throws -> [UInt8],
    _ body: @escaping (Fix) throws -> Void
  ) throws {
    let handler = GPXTrackReader(zone, body)
    var sourceError: (any Error)?
    do throws(InterchangeError) {
      try XMLReader.read(name: name, handler) { () throws(InterchangeError) in
        do {
          return try next()
        } catch {
          sourceError = error
          throw InterchangeError(file: name, line: nil, reason: "cannot be read")
        }
      }
    } catch {
      throw sourceError ?? handler.bodyError ?? error
    }
    guard handler.isGPX else {
      throw InterchangeError(
        file: name, line: 1, reason: "is XML but no GPX; give a recording of a receiver")
    }
  }
}

private final class GPXTrackReader: XMLHandler {
  private(set) var isGPX = false
  private(set) var bodyError: (any Error)?
  private let zone: TimeZoneRules
  private let body: (Fix) throws -> Void
  private var fix: Fix?
  private var hasFix = true

  init(_ zone: TimeZoneRules, _ body: @escaping (Fix) throws -> Void) {
    self.zone = zone
    self.body = body
  }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    if parents.isEmpty { isGPX = element.name == "gpx" }
    guard element.name == "trkpt" else { return }
    fix = Fix(time: nil, position: try element.position())
    hasFix = true
  }

  func end(_ name: String, text: String, in parents: [String]) throws(Fault) {
    guard fix != nil else { return }
    switch name {
    case "time":
      let stamp = text.trimmedText(limit: 64)
      do {
        fix?.time = try TimeStamp(parsing: stamp).instant(in: zone)
      } catch {
        throw Fault("the time '\(stamp)' cannot be read: \(error)")
      }
    case "ele":
      fix?.altitudeMSL = number(text, in: -20_000...1_000_000)
      if fix?.altitudeMSL != nil { fix?.mode = .threeD }
    case "speed": fix?.speed = number(text, in: 0...10_000)
    case "course": fix?.track = number(text, in: 0...360).map { $0 == 360 ? 0 : $0 }
    case "hdop":
      // 0 and 99 and more stand for "not known".
      fix?.eph = number(text, in: 0.01...98).map { $0 * 19 }
    case "fix": hasFix = text.trimmedText(limit: 16) != "none"
    case "trkpt": try finish()
    default: break
    }
  }

  private func number(_ text: String, in range: ClosedRange<Double>) -> Double? {
    Double(text.trimmedText(limit: 64)).flatMap { range.contains($0) ? $0 : nil }
  }

  private func finish() throws(Fault) {
    guard let fix else { return }
    self.fix = nil
    guard hasFix else { return }
    do {
      try body(fix)
    } catch {
      bodyError = error
      throw Fault("the reading was given up")
    }
  }
}
