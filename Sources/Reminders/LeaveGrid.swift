import Geodesy

/// The cells of `LeaveCells`: cubes of a grid around the Earth's centre, so there are neither poles nor
/// seams. They are so wide that the mode crosses one in fifty minutes at most.
struct LeaveGrid: Sendable {
  /// Seconds that crossing a cell takes at most.
  private static let longestCrossing = 3_000.0
  /// Half a metre that the short numbers lose, and some more, in radii of the Earth.
  private static let doubt = 1 / Sphere.radius

  /// Cells for each radius of the Earth.
  private let scale: Double
  /// From the middle of a cell to its corners, in radii of the Earth.
  private let reach: Double

  init(_ profile: TravelProfile) {
    let growth = profile.growth(beyond: profile.bandStarts.last ?? 0)
    // From 400 km down to 100 m.
    var scale = 16.0
    while scale < 65_536, growth * Sphere.radius / scale > Self.longestCrossing { scale *= 2 }
    self.scale = scale
    reach = 3.0.squareRoot() / 2 / scale + Self.doubt
  }

  /// The cell of a reminder.
  func key(_ entry: LeaveEntry) -> UInt64 {
    func row(_ x: Float) -> UInt64 { UInt64(max(0, (Double(x) + 1) * scale)) }
    return row(entry.x) << 42 | row(entry.y) << 21 | row(entry.z)
  }

  /// Metres that nothing in a cell is farther away; nil before the first position.
  func farthest(_ key: UInt64, _ view: LeaveView) -> Double? {
    func middle(_ row: UInt64) -> Double { (Double(row & 0x1f_ffff) + 0.5) / scale - 1 }
    return view.here?.distance(
      x: middle(key >> 42), y: middle(key >> 21), z: middle(key), reach: reach)
  }
}
