package import CivilTime
package import Geodesy

/// One position of the way, 24 bytes.
package struct TrackPoint: Equatable, Sendable {
  package let time: Instant
  /// Ten-millionths of a degree: 11 mm.
  package let latitude: Int32
  package let longitude: Int32
  /// m/s; nil where unknown.
  package var speed: Double? { speedValue < 0 ? nil : Double(speedValue) }
  /// Horizontal error in metres, 95 %; nil where unknown.
  package var eph: Double? { ephValue < 0 ? nil : Double(ephValue) }
  private let speedValue: Float
  private let ephValue: Float

  package var position: Coordinate {
    Coordinate(
      clampingLatitude: Double(latitude) / 1e7, wrappingLongitude: Double(longitude) / 1e7)
  }

  package init(time: Instant, position: Coordinate, speed: Double? = nil, eph: Double? = nil) {
    self.init(
      time: time, latitude: Int32((position.latitude * 1e7).rounded()),
      longitude: Int32((position.longitude * 1e7).rounded()), speed: speed, eph: eph)
  }

  package init(time: Instant, latitude: Int32, longitude: Int32, speed: Double?, eph: Double?) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    speedValue = Self.stored(speed)
    ephValue = Self.stored(eph)
  }

  private static func stored(_ value: Double?) -> Float {
    guard let value, value.isFinite, value >= 0 else { return -1 }
    return Float(min(value, 1e6))
  }

  package var fix: Fix { Fix(time: time, position: position, speed: speed, eph: eph) }
}

/// Fewer positions: one each five metres or each half minute.
package struct TrackThinner: Sendable {
  package static let distance = 5.0
  package static let interval = TimeSpan.seconds(30)

  private var last: TrackPoint?

  package init(after last: TrackPoint? = nil) { self.last = last }

  /// The point, or nil where the last one stands for it. A time that is not later counts for
  /// nothing, unless the clock was set back by more than an hour: the way begins anew.
  package mutating func take(_ point: TrackPoint) -> TrackPoint? {
    if let last {
      let wait = point.time - last.time
      guard wait > .zero || wait < .hours(-1) else { return nil }
      guard
        wait < .zero || wait >= Self.interval
          || last.position.distance(to: point.position) >= Self.distance
      else { return nil }
    }
    last = point
    return point
  }
}
