/// A disc without an edge of those that are asked for, around a place looked at.
struct Rest {
  /// The place, from the Earth's centre.
  private var place = Vector(x: 0, y: 0, z: 0)
  /// How far from there no edge is.
  private var metres = -1.0
  /// Within how many radii of there a quarter of it is left, squared; negative where it is nowhere.
  private var ampleSquared = -1.0

  /// No disc.
  init() {}

  /// A disc of so many metres of a straight line.
  @inline(__always)
  init(_ metres: Double, around place: Vector) {
    self.place = place
    self.metres = metres
    ampleSquared = CellGrid.squaredRadii(metres * 0.75 - 0.001)
  }

  /// How far from a place no edge is, where that is known without a look and so much is left of it that
  /// a look would hardly show more.
  @inline(__always)
  func ample(at other: Vector) -> Double? {
    let offset = other - place
    let way = offset.dot(offset)
    // Compared by squares: the root need not be waited for.
    guard way < ampleSquared else { return nil }
    return CellGrid.remainder(of: metres, afterSquared: way)
  }

  /// How far from a place no edge is, as far as that is known; negative where it is not.
  @inline(__always)
  func remainder(at other: Vector) -> Double {
    let offset = other - place
    return CellGrid.remainder(of: metres, afterSquared: offset.dot(offset))
  }
}
