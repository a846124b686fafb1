package import CivilTime
package import Geodesy
package import Positioning

/// A track of bounded size: the fixes that a line through the others would miss by more than a
/// tolerance (Douglas and Peucker, 1973).
///
/// It is made while reading, so memory does not grow with the recording. With too many points the
/// tolerance is doubled and the points are thinned again. `deviation` adds up and holds for every
/// fix.
package struct TrackSketch {
  /// One fix that was kept, and what stands for those left out since the one before.
  package struct Point: Equatable {
    package var time: Instant
    package var position: Coordinate
    /// Mean over the way from the point before, m/s.
    package var speed: Double
    /// The worst since the point before, metres (95 %); nil where none was given.
    package var eph: Double?
    /// The way from the previous point is unknown.
    package var isAfterGap: Bool
  }

  package private(set) var points: [Point] = []
  /// Metres that a fix can be from the line through `points`.
  package private(set) var deviation: Double
  /// A longer time without a fix is drawn as a gap.
  package let longestLeg: TimeSpan

  private var tolerance: Double
  private let maximumPoints: Int
  /// Fixes since the last point, that one in front.
  private var open: [Point] = []
  /// Fixes thinned together: bounds the work, and keeps a point per run for time and speed.
  private static let runLength = 64

  /// - Parameters:
  ///   - tolerance: initial tolerance in metres.
  ///   - maximumPoints: at least 128; twice as many are held briefly.
  package init(
    tolerance: Double = 1, maximumPoints: Int = 20_000, longestLeg: TimeSpan = .minutes(5)
  ) {
    self.tolerance = tolerance
    self.maximumPoints = max(128, maximumPoints)
    self.longestLeg = longestLeg
    deviation = tolerance
  }

  /// Adds a fix; ignores those without a newer time.
  /// - Complexity: amortised O(1): runs of at most 64 are thinned at once.
  package mutating func add(_ fix: Fix) {
    guard let time = fix.time else { return }
    var point = Point(
      time: time, position: fix.position, speed: fix.speed ?? 0, eph: fix.eph, isAfterGap: false)
    guard let last = open.last else {
      point.isAfterGap = true
      points.append(point)
      open = [point]
      return
    }
    guard time > last.time else { return }
    if time - last.time > longestLeg {
      closeRun()
      point.isAfterGap = true
      points.append(point)
      open = [point]
      return thinIfNeeded()
    }
    if fix.speed == nil {
      point.speed = last.position.distance(to: point.position) / (time - last.time).seconds
    }
    open.append(point)
    if open.count >= Self.runLength {
      closeRun()
      thinIfNeeded()
    }
  }

  /// Closes the open run; nothing may be added afterwards.
  package mutating func finish() {
    closeRun()
    open = []
  }

  private mutating func closeRun() {
    guard open.count > 1, let last = open.last else { return }
    points += Self.thinned(open[...], tolerance: tolerance)
    open = [last]
  }

  private mutating func thinIfNeeded() {
    while points.count > maximumPoints {
      tolerance *= 2
      deviation += tolerance
      var thinned: [Point] = []
      var start = 0
      while start < points.count {
        thinned.append(points[start])
        var end = start + 1
        while end < points.count, !points[end].isAfterGap { end += 1 }
        while start < end - 1 {
          let stop = min(start + Self.runLength, end - 1)
          thinned += Self.thinned(points[start...stop], tolerance: tolerance)
          start = stop
        }
        start = end
      }
      // Gaps alone are as many as they are.
      guard thinned.count < points.count else { return }
      points = thinned
    }
  }

  /// A run's thinned points after its first, which stays.
  private static func thinned(_ run: ArraySlice<Point>, tolerance: Double) -> [Point] {
    let vectors = run.map { Vector($0.position) }
    let kept = Outline.kept(vectors, tolerance: tolerance)
    var points: [Point] = []
    var metres = 0.0
    var seconds = 0.0
    var worst: Double?
    for (offset, index) in run.indices.enumerated().dropFirst() {
      let point = run[index]
      let time = (point.time - run[index - 1].time).seconds
      metres += point.speed * time
      seconds += time
      if let eph = point.eph { worst = max(worst ?? eph, eph) }
      guard kept[offset] else { continue }
      points.append(
        Point(
          time: point.time, position: point.position, speed: metres / seconds, eph: worst,
          isAfterGap: false))
      (metres, seconds, worst) = (0, 0, nil)
    }
    return points
  }
}
