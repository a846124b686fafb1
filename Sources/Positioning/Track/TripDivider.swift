package import CivilTime
package import Geodesy

/// A way from one stay to the next.
package struct RecordedTrip: Equatable, Sendable {
  package var begin: Instant
  package var end: Instant
  /// Metres along the way.
  package var distance: Double

  package init(begin: Instant, end: Instant, distance: Double) {
    (self.begin, self.end, self.distance) = (begin, end, distance)
  }

  /// Its name: the beginning in UTC, to the second.
  package var id: String {
    Instant(microseconds: begin.microseconds / 1_000_000 * 1_000_000).rfc3339()
      .filter { $0 != "-" && $0 != ":" }
  }
}

/// A time at one place.
package struct Stay: Equatable, Sendable {
  package var begin: Instant
  package var end: Instant
  package var position: Coordinate

  package init(begin: Instant, end: Instant, position: Coordinate) {
    (self.begin, self.end, self.position) = (begin, end, position)
  }
}

/// Divides a way into trips and stays while it comes.
///
/// A stay is five minutes within a hundred metres (stay points: Li et al., "Mining user similarity
/// based on location history", 2008). The way between two stays is a trip, where it leads two
/// hundred metres away. A gap of ten minutes ends a trip as well.
/// - Complexity: amortised O(1) a point.
package struct TripDivider: Sendable {
  package static let stayRadius = 100.0
  package static let stayTime = TimeSpan.minutes(5)
  package static let longestGap = TimeSpan.minutes(10)
  fileprivate static let shortestTrip = 200.0

  package enum Part: Equatable, Sendable {
    case trip(RecordedTrip)
    case stay(Stay)
  }

  private enum Phase: Sendable {
    case resting(Stay)
    /// The way since the last stay.
    case moving(Way)
  }

  fileprivate struct Way: Sendable {
    var begin: TrackPoint
    /// Metres from the beginning along the way, and the farthest as the crow flies.
    var distance = 0.0
    var reach = 0.0
    /// Points of the last minutes near the newest, with the distance along the way of each.
    var near: [(point: TrackPoint, distance: Double)]
    var first = 0

    init(_ begin: TrackPoint) {
      self.begin = begin
      near = [(begin, 0)]
    }
  }

  private var phase: Phase?
  private var last: TrackPoint?

  package init() {}

  /// Adds a point later than those before; answers what has ended.
  package mutating func add(_ point: TrackPoint) -> [Part] {
    defer { last = point }
    guard let phase, let last, point.time > last.time else {
      let ended = finish()
      self.phase = .moving(Way(point))
      return ended
    }
    switch phase {
    case .resting(var stay):
      if stay.position.distance(to: point.position) <= Self.stayRadius {
        stay.end = point.time
        self.phase = .resting(stay)
        return []
      }
      var way = Way(point.time - last.time > Self.longestGap ? point : last)
      _ = way.add(point)
      self.phase = .moving(way)
      return [.stay(stay)]
    case .moving(var way):
      let step = last.position.distance(to: point.position)
      if point.time - last.time > Self.longestGap {
        let ended = way.trip(to: last, distance: way.distance)
        self.phase =
          step <= Self.stayRadius
          ? .resting(Stay(begin: last.time, end: point.time, position: last.position))
          : .moving(Way(point))
        return ended
      }
      if let stay = way.add(point) {
        self.phase = .resting(stay.stay)
        return way.trip(to: stay.arrival.point, distance: stay.arrival.distance)
      }
      self.phase = .moving(way)
      return []
    }
  }

  /// Ends the open part: the way so far, or the stay.
  package mutating func finish() -> [Part] {
    defer { phase = nil }
    switch phase {
    case .resting(let stay): return [.stay(stay)]
    case .moving(let way): return last.map { way.trip(to: $0, distance: way.distance) } ?? []
    case nil: return []
    }
  }
}

extension TripDivider.Way {
  typealias Arrival = (point: TrackPoint, distance: Double)

  /// Adds a point; answers the stay that it has become, and where on the way that began.
  fileprivate mutating func add(_ point: TrackPoint) -> (stay: Stay, arrival: Arrival)? {
    if let previous = near.last { distance += previous.point.position.distance(to: point.position) }
    reach = max(reach, begin.position.distance(to: point.position))
    near.append((point, distance))
    while near[first].point.position.distance(to: point.position) > TripDivider.stayRadius {
      first += 1
    }
    if first > 1_000 {
      near.removeFirst(first)
      first = 0
    }
    let arrival = near[first]
    guard point.time - arrival.point.time >= TripDivider.stayTime else { return nil }
    let middle = near[(first + near.count) / 2].point.position
    return (Stay(begin: arrival.point.time, end: point.time, position: middle), arrival)
  }

  fileprivate func trip(to end: TrackPoint, distance: Double) -> [TripDivider.Part] {
    guard reach >= TripDivider.shortestTrip, end.time > begin.time else { return [] }
    return [.trip(RecordedTrip(begin: begin.time, end: end.time, distance: distance))]
  }
}
