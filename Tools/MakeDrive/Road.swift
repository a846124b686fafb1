import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// The route as a smooth line in a local plane, one sample a metre.
struct Road {
  /// A place on the line; metres east and north of the origin, and above the sea.
  struct Sample {
    var east: Double
    var north: Double
    var height: Double
    /// Highest legal speed, m/s.
    var limit: Double
    var isTunnel: Bool
    /// Seconds to stand here.
    var stop: Double
  }

  private(set) var samples: [Sample] = []
  private let origin: Coordinate
  private let metresPerDegreeEast: Double
  private let metresPerDegreeNorth: Double

  /// `route` needs two points at least.
  init(_ route: [Waypoint]) {
    origin = route[0].position
    metresPerDegreeNorth = Sphere.radius * .pi / 180
    metresPerDegreeEast = metresPerDegreeNorth * cos(origin.latitude * .pi / 180)
    let corners = route.map { point in
      (
        east: (point.position.longitude - origin.longitude) * metresPerDegreeEast,
        north: (point.position.latitude - origin.latitude) * metresPerDegreeNorth
      )
    }
    // Every corner becomes a parabola that begins and ends up to 25 m from it.
    let arm = 25.0
    for leg in 0..<(route.count - 1) {
      let (a, b) = (corners[leg], corners[leg + 1])
      let length = hypot(b.east - a.east, b.north - a.north)
      let count = max(1, Int(length.rounded()))
      for step in 0..<count {
        let along = Double(step) / Double(count)
        var sample = Sample(
          east: a.east + (b.east - a.east) * along, north: a.north + (b.north - a.north) * along,
          height: route[leg].height + (route[leg + 1].height - route[leg].height) * along,
          limit: route[leg].limit / 3.6, isTunnel: route[leg].isTunnel,
          stop: step == 0 ? route[leg].stop : 0)
        let metres = along * length
        let toNearest = min(metres, length - metres)
        let corner = metres < length / 2 ? leg : leg + 1
        if corner > 0, corner < corners.count - 1 {
          let here = corners[corner]
          let before = corners[corner - 1]
          let after = corners[corner + 1]
          let lengthBefore = hypot(here.east - before.east, here.north - before.north)
          let lengthAfter = hypot(after.east - here.east, after.north - here.north)
          let reach = min(arm, lengthBefore * 0.45, lengthAfter * 0.45)
          if toNearest < reach {
            let signed = corner == leg ? toNearest : -toNearest
            let t = (signed / reach + 1) / 2
            let start = (
              east: here.east + (before.east - here.east) * reach / lengthBefore,
              north: here.north + (before.north - here.north) * reach / lengthBefore
            )
            let end = (
              east: here.east + (after.east - here.east) * reach / lengthAfter,
              north: here.north + (after.north - here.north) * reach / lengthAfter
            )
            let (u, v, w) = ((1 - t) * (1 - t), 2 * t * (1 - t), t * t)
            sample.east = u * start.east + v * here.east + w * end.east
            sample.north = u * start.north + v * here.north + w * end.north
          }
        }
        samples.append(sample)
      }
    }
    if let last = route.last, let corner = corners.last {
      samples.append(
        Sample(
          east: corner.east, north: corner.north, height: last.height, limit: last.limit / 3.6,
          isTunnel: false, stop: last.stop))
    }
  }

  /// Back from the plane; exact to centimetres over a town.
  func position(east: Double, north: Double) -> Coordinate {
    Coordinate(
      clampingLatitude: origin.latitude + north / metresPerDegreeNorth,
      wrappingLongitude: origin.longitude + east / metresPerDegreeEast)
  }
}
