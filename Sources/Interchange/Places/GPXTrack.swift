package import CivilTime
import Geodesy
package import Positioning

/// The track points of GPX as fixes, in the order of the file.
///
/// Speed and course: GPX 1.0 or Garmin's TrackPointExtension. Error: by the HDOP, as for a receiver
/// that reports no more (`Fix.error`). A point that cannot be read is left out, and the others
/// count.
package enum GPXTrack {
  /// The track points of a file.
  package struct Content {
    /// Points that were handed out.
    package fileprivate(set) var points = 0
    /// Points that were left out, and the first of them with its line and its fault.
    package fileprivate(set) var leftOut = 0
    package fileprivate(set) var firstFault: InterchangeError?

    /// A note for people; nil where every point counts.
    package var note: String? {
      guard let firstFault else { return nil }
      let others = leftOut - 1
      return "\(firstFault.file):\(firstFault.line ?? 0): left out: \(firstFault.reason)"
        + (others == 0 ? "" : "; and \(others) more track point\(others == 1 ? "" : "s")")
    }
  }

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
  ) throws -> Content {
    let handler = GPXTrackReader(name, zone, body)
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
      throw Fault("is XML but no GPX; give a recording of a receiver").error(in: name, at: 1)
    }
    return handler.content
  }
}

private final class GPXTrackReader: XMLHandler {
  private(set) var isGPX = false
  private(set) var bodyError: (any Error)?
  private(set) var content = GPXTrack.Content()
  private let name: String
  private let zone: TimeZoneRules
  private let body: (Fix) throws -> Void
  private var fix: Fix?
  private var hdop: Double?
  /// OsmAnd and Locus write Android's accuracy there, in metres at 68 %.
  private var hdopIsAccuracy = false
  private var hasFix = true
  private var lastPosition: Coordinate?

  init(_ name: String, _ zone: TimeZoneRules, _ body: @escaping (Fix) throws -> Void) {
    self.name = name
    self.zone = zone
    self.body = body
  }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    if parents.isEmpty {
      isGPX = element.name == "gpx"
      let creator = element["creator"] ?? ""
      hdopIsAccuracy = ["OsmAnd", "Locus"].contains { creator.hasPrefix($0) }
    }
    guard element.name == "trkpt" else { return }
    fix = nil
    (hasFix, hdop) = (true, nil)
    fix = Fix(time: nil, position: try element.position())
  }

  func end(_ name: String, text: String, in parents: [String]) throws(Fault) {
    guard fix != nil else { return }
    switch name {
    case "time": fix?.time = try time(text.trimmedText(limit: 64))
    case "ele":
      fix?.altitudeMSL = number(text)
      if fix?.altitudeMSL != nil { fix?.mode = .threeD }
    case "speed": fix?.speed = number(text)
    case "course": fix?.track = number(text)
    case "hdop": hdop = number(text)
    case "fix": hasFix = text.trimmedText(limit: 16) != "none"
    case "trkpt": try finish()
    default: break
    }
  }

  /// A point is left out alone. An error of the caller ends the reading.
  func leaveOut(_ fault: Fault, line: Int) throws(Fault) {
    guard bodyError == nil, isGPX else { throw fault }
    fix = nil
    content.leftOut += 1
    if content.firstFault == nil { content.firstFault = fault.error(in: name, at: line) }
  }

  private func time(_ text: String) throws(Fault) -> Instant {
    do {
      return try DeviceTime.read(text, in: zone)
    } catch {
      throw Fault("the time '\(text)' cannot be read: \(error.reason)")
    }
  }

  private func number(_ text: String) -> Double? { Double(text.trimmedText(limit: 64)) }

  private func finish() throws(Fault) {
    guard var fix else { return }
    self.fix = nil
    guard hasFix else { return }
    fix.eph = hdop.flatMap {
      guard hdopIsAccuracy else { return Fix.error(ofHDOP: $0, source: fix.source) }
      return $0 > 0 ? Fix.error(ofAccuracy: $0) : nil
    }
    guard let fix = fix.admitted(after: lastPosition) else {
      throw Fault("0° N 0° E stands for no position")
    }
    lastPosition = fix.position
    content.points += 1
    do {
      try body(fix)
    } catch {
      bodyError = error
      throw Fault("the reading was given up")
    }
  }
}
