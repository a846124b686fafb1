/// A circle as a neighbourhood keeps it once its entry, which is rounded to a quantum of its cell, no
/// longer tells on which side of its edge a place is.
struct ExactCircle {
  /// Metres from the origin of the neighbourhood to the centre.
  let x: Float
  let y: Float
  let z: Float
  /// Metres of the straight line from the centre to the edge.
  let radius: Float
  /// Metres by which an edge may be off that is measured with these from within the reach.
  ///
  /// Each of the sums and products on the way is rounded to 24 bits: eight of them, where the
  /// longest line is the radius and twice the reach, are below half a metre in a million.
  let doubt: Float

  /// - Parameter reach: metres around the origin within which the edge is measured.
  init(_ circle: CircleRecord, from origin: Vector, within reach: Double) {
    let offset = CellGrid.earthRadius * (circle.direction - origin)
    x = Float(offset.x)
    y = Float(offset.y)
    z = Float(offset.z)
    let chord = circle.chord
    radius = Float(chord)
    doubt = Float(0.005 + 1e-6 * (chord + 2 * reach))
  }
}
