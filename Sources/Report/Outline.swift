import Geodesy

/// Lines with fewer points that stay within a tolerance of the ones they stand for.
enum Outline {
  /// Vertices of a line to keep so that none is farther than `tolerance` metres from the result
  /// (Douglas and Peucker). The ends always stay.
  /// - Complexity: O(n²) at worst, O(n log n) for hand-drawn or driven lines.
  static func kept(_ line: [Vector], tolerance: Double) -> [Bool] {
    var kept = [Bool](repeating: line.count <= 2, count: line.count)
    guard line.count > 2 else { return kept }
    kept[0] = true
    kept[line.count - 1] = true
    var open = [(0, line.count - 1)]
    while let (from, to) = open.popLast() {
      guard to - from > 1 else { continue }
      var farthest = (distance: tolerance, index: -1)
      for index in from + 1..<to {
        let distance = line[index].distance(toSegmentFrom: line[from], to: line[to])
        if distance > farthest.distance { farthest = (distance, index) }
      }
      guard farthest.index >= 0 else { continue }
      kept[farthest.index] = true
      open.append((from, farthest.index))
      open.append((farthest.index, to))
    }
    return kept
  }

  /// A ring or line in runs of bounded length, so that the steps are bounded, too.
  static func thinned(_ line: [Coordinate], tolerance: Double) -> [Coordinate] {
    let runLength = 512
    var result: [Coordinate] = []
    var start = 0
    if let first = line.first { result.append(first) }
    while start < line.count - 1 {
      let stop = min(start + runLength, line.count - 1)
      let run = line[start...stop]
      let kept = kept(run.map { Vector($0) }, tolerance: tolerance)
      for (position, isKept) in zip(run, kept).dropFirst() where isKept { result.append(position) }
      start = stop
    }
    return result
  }
}

extension Vector {
  /// Metres to the nearest point of a straight line, valid at the poles and the antimeridian.
  func distance(toSegmentFrom a: Vector, to b: Vector) -> Double {
    let along = b - a
    let own = self - a
    let square = along.dot(along)
    let part = square > 0 ? min(1, max(0, own.dot(along) / square)) : 0
    return (own - part * along).length * Sphere.radius
  }
}
