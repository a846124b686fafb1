import Geodesy
import Glibc

/// Numbering of the cells in `place.cell`: squares of a 64th of a degree, 1.7 km from north to
/// south. The number is 32 768 times the row from the south pole, plus the column eastward from the
/// antimeridian.
enum PlaceCells {
  private static let perDegree = 64.0
  private static let rowStep = 32_768
  private static let lastRow = 180 * 64
  private static let lastColumn = 360 * 64

  /// Ranges of cells that cover all points within `radius` metres of `center`, at most two per row.
  static func ranges(around center: Coordinate, radius: Double) -> [ClosedRange<Int64>] {
    // Slightly more, to absorb rounding.
    let angle = radius / Sphere.radius + 1e-9
    let degrees = angle * 180 / Double.pi
    let south = row(center.latitude - degrees)
    let north = row(center.latitude + degrees)
    // The circle's widest point: sin Δλ = sin δ / cos φ; none if it contains a pole.
    let ratio = sin(min(angle, Double.pi / 2)) / cos(center.latitude * Double.pi / 180)
    let columns: [ClosedRange<Int>]
    if abs(center.latitude) + degrees >= 90 || !(ratio < 1) {
      columns = [0...lastColumn]
    } else {
      let half = asin(ratio) * 180 / Double.pi + 1e-9
      columns = Self.columns(from: center.longitude - half, to: center.longitude + half)
    }
    return (south...north).flatMap { row in
      columns.map { Int64(row * rowStep + $0.lowerBound)...Int64(row * rowStep + $0.upperBound) }
    }
  }

  /// The range of all cells between two latitudes.
  static func rows(from south: Double, to north: Double) -> ClosedRange<Int64> {
    Int64(row(south) * rowStep)...Int64(row(north) * rowStep + lastColumn)
  }

  private static func row(_ latitude: Double) -> Int {
    max(0, min(lastRow, Int((latitude + 90) * perDegree)))
  }

  /// The columns between two longitudes, which may be up to 180° out of range.
  private static func columns(from west: Double, to east: Double) -> [ClosedRange<Int>] {
    func column(_ longitude: Double) -> Int {
      max(0, min(lastColumn, Int((longitude + 180) * perDegree)))
    }
    guard east - west < 359 else { return [0...lastColumn] }
    if west < -180 { return [column(west + 360)...lastColumn, 0...column(east)] }
    if east > 180 { return [column(west)...lastColumn, 0...column(east - 360)] }
    // 180° east and west are one meridian in two columns.
    if west == -180 { return [0...column(east), lastColumn...lastColumn] }
    if east == 180 { return [0...0, column(west)...lastColumn] }
    return [column(west)...column(east)]
  }
}
