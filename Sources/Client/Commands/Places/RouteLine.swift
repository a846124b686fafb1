import CivilTime
import Companion
import Geodesy
import Interchange
import Positioning

/// A route as a line of short pieces, which says how far along it a place lies.
struct RouteLine {
  /// Pieces are at most this long, metres: they are straight enough for plane triangles.
  static let longestPiece = 5_000.0
  /// Points that are closer to the last one are left out, metres.
  private static let step = 10.0

  /// The ends of the pieces, in order.
  private(set) var points: [Coordinate] = []
  /// Metres from the beginning to each of them.
  private(set) var along: [Double] = []

  /// Metres.
  var length: Double { along.last ?? 0 }

  /// - Parameter route: fewer than two different points make no piece.
  init(_ route: [Coordinate]) {
    for point in route {
      guard let last = points.last else {
        (points, along) = ([point], [0])
        continue
      }
      let leg = last.distance(to: point)
      guard leg >= Self.step else { continue }
      let bearing = last.initialBearing(to: point)
      let pieces = (leg / Self.longestPiece).rounded(.up)
      let start = length
      for number in stride(from: 1, to: pieces, by: 1) {
        points.append(last.destination(bearing: bearing, distance: leg * number / pieces))
        along.append(start + leg * number / pieces)
      }
      points.append(point)
      along.append(start + leg)
    }
  }

  /// The nearest point of some pieces: metres from the beginning of the route to it, and from it to
  /// the place. Of several the first one counts.
  /// - Parameter pieces: by the numbers of their beginnings; nil for all.
  /// - Complexity: O(pieces).
  func nearest(to place: Coordinate, in pieces: Range<Int>? = nil) -> (along: Double, off: Double) {
    var best = (along: 0.0, off: Double.infinity)
    for number in pieces ?? 0..<max(0, points.count - 1) {
      let (a, b) = (points[number].distance(to: place), points[number + 1].distance(to: place))
      let piece = along[number + 1] - along[number]
      let foot = min(max(0, (a * a + piece * piece - b * b) / (2 * piece)), piece)
      let off =
        foot == 0 ? a : foot == piece ? b : max(0, a * a - foot * foot).squareRoot()
      if off < best.off { best = (along[number] + foot, off) }
    }
    return best
  }

  /// Reads a route or track: GPX, GeoJSON, KML, or a recording of a receiver.
  static func read(_ path: String, _ context: Context) throws -> RouteLine {
    var points: [Coordinate] = []
    var isRecording = false
    do {
      let source = try ByteSource(path: path)
      switch try FileKind.of(source) {
      case .places(let format):
        _ = try PlaceFile.read(source, as: format) { place in
          if case .line(let line, _)? = place.shape { points += line }
        }
        isRecording = points.isEmpty && format == .gpx && path != "-"
      case .recording where path != "-": isRecording = true
      case .reminders, .calendar, .recording, .empty, .unknown: break
      }
    } catch let error as InterchangeError where error.isMissing {
      throw Failure(.noInput, "--along \(error)")
    }
    if isRecording {
      var decoder = FixDecoder()
      _ = try InputFile(path: path).readFixes(with: &decoder, zone: .utc, context) { fixes, _ in
        points += fixes.map(\.position)
      }
    }
    let route = RouteLine(points)
    guard route.length > 0 else {
      throw Failure(
        .badData,
        "--along \(path): has no route; give a file with a route or track in GPX, GeoJSON or KML")
    }
    return route
  }
}
