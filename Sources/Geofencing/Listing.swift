/// A fence on its way into or out of the cells.
struct Listing {
  let fence: FenceID
  private let isShape: Bool
  private let shortLevel: UInt8
  let cover: DiscCover
  private let center: FixedVector
  /// Metres of the straight line from the centre to the edge.
  private let chord: Double

  init(_ record: CircleRecord, fence: FenceID, isShape: Bool) {
    self.fence = fence
    self.isShape = isShape
    shortLevel = UInt8(truncatingIfNeeded: Listing.level(of: record))
    cover = DiscCover(
      latitude: record.latitude, longitude: record.longitude, metres: record.radius)
    center = FixedVector(record.direction)
    chord = record.chord
  }

  /// The level it fits on.
  @inline(__always)
  var level: Int { Int(shortLevel) }

  @inline(__always)
  static func level(of record: CircleRecord) -> Int {
    CellGrid.level(units: record.radius / CellGrid.earthRadius * CellGrid.unitsPerRadian)
  }

  func entry(level: Int) -> Entry {
    Entry(tag: isShape ? ~fence : fence, center: center, chord: chord, level: level)
  }
}
