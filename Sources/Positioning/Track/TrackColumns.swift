package import CivilTime
package import Geodesy
package import JSONText

/// Points as columns, the form in which pages draw them. Times in milliseconds and millionths of a
/// degree are differences from the point before. Speeds are tenths of a m/s and errors tenths of a
/// metre (−1 is unknown). `gaps` has the numbers of points behind a gap.
package struct TrackColumns {
  private var columns: [[JSONValue]] = [[], [], [], [], []]
  private var gaps: [JSONValue] = []
  private var last = (time: 0, latitude: 0, longitude: 0)
  package private(set) var count = 0

  package init() {}

  package mutating func add(
    time: Instant, position: Coordinate, speed: Double, eph: Double?, isAfterGap: Bool
  ) {
    func micro(_ degrees: Double) -> Int { Int((degrees * 1e6).rounded()) }
    func tenths(_ value: Double, _ maximum: Double) -> JSONValue {
      .int(Int((min(value, maximum) * 10).rounded()))
    }
    let milliseconds = Int(time.microseconds / 1000)
    let latitude = micro(position.latitude)
    var east = micro(position.longitude) - last.longitude
    // The short way over the antimeridian.
    if count > 0, abs(east) > 180_000_000 { east += east > 0 ? -360_000_000 : 360_000_000 }
    columns[0].append(.int(milliseconds - last.time))
    columns[1].append(.int(latitude - last.latitude))
    columns[2].append(.int(east))
    columns[3].append(tenths(speed, 1e5))
    columns[4].append(eph.map { tenths($0, 1e6) } ?? -1)
    if count > 0, isAfterGap { gaps.append(.int(count)) }
    last = (milliseconds, latitude, last.longitude + east)
    count += 1
  }

  package var json: JSONObject {
    [
      "t": .array(columns[0]), "lat": .array(columns[1]), "lon": .array(columns[2]),
      "speed": .array(columns[3]), "eph": .array(columns[4]), "gaps": .array(gaps),
    ]
  }
}
