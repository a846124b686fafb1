import CivilTime
import Control
import Geodesy
import Geofencing
import JSONText
import Positioning
import Reminders
import Storage

/// The way of the device: trips, the track of one or of the last hours, and what it suggests.
extension ControlService {
  /// Points of an answer: a day of driving has about half as many.
  private static let maximumPoints = 50_000
  private static let maximumTrips = 1_000
  /// Reminders that are played along a track; more would hold up the daemon.
  private static let maximumPlayed = 5_000

  private var now: Instant { daemon.clock.nowOrSystem }

  /// The store of the trips.
  private func trips() throws(GeoremindError) -> TrackStore {
    if let store = daemon.track.current(at: now) { return store }
    if let failure = daemon.track.failure { throw .storeFailure(reason: "\(failure)") }
    throw .refusedByPolicy(
      reason: "trips are not kept; set Keep=30d in section [Track] of georemind.conf")
  }

  func listTrips(_ given: JSONObject) throws -> JSONObject {
    let limit = max(1, min(given["limit"]?.int ?? 100, Self.maximumTrips))
    let since = try daemon.past(given, "since") ?? Instant(microseconds: .min)
    let found = try trips().trips(since: since, limit: limit + 1)
    return [
      "trips": .array(found.prefix(limit).map(Self.json)), "more": .bool(found.count > limit),
    ]
  }

  private static func json(_ trip: RecordedTrip) -> JSONValue {
    [
      "id": .string(trip.id), "start": .string(trip.begin.json), "end": .string(trip.end.json),
      "distance_m": .double(trip.distance.rounded()),
      "time_s": .double((trip.end - trip.begin).seconds.rounded()),
    ]
  }

  /// The trip with this id, the only one whose id begins with it, or the `last` one.
  private func trip(_ name: String) throws -> RecordedTrip {
    let all = try trips().trips(since: Instant(microseconds: .min), limit: .max)
    let named = name == "last" ? Array(all.prefix(1)) : all.filter { $0.id.hasPrefix(name) }
    guard let found = named.first(where: { $0.id == name }) ?? named.first else {
      throw GeoremindError.notFound(id: name)
    }
    guard found.id == name || named.count == 1 else {
      throw GeoremindError.ambiguous(id: name, candidates: named.prefix(5).map(\.id))
    }
    return found
  }

  /// The points of a trip, or of the trail.
  private func points(_ given: JSONObject) throws -> (points: [TrackPoint], trip: RecordedTrip?) {
    guard let name = given["trip"]?.string else {
      return (Array(daemon.track.points.suffix(Self.maximumPoints)), nil)
    }
    let trip = try trip(name)
    return (
      try trips().points(from: trip.begin, to: trip.end, limit: Self.maximumPoints), trip
    )
  }

  func readTrack(_ given: JSONObject) throws -> JSONObject {
    let (points, trip) = try points(given)
    var columns = TrackColumns()
    var last: TrackPoint?
    for point in points {
      let wait = last.map { (point.time - $0.time).seconds } ?? 0
      let speed =
        point.speed
        ?? last.map { wait > 0 ? $0.position.distance(to: point.position) / wait : 0 } ?? 0
      columns.add(
        time: point.time, position: point.position, speed: speed, eph: point.eph,
        isAfterGap: wait > daemon.settings.engine.monitor.longestLeg.seconds)
      last = point
    }
    return ["track": .object(columns.json), "trip": trip.map(Self.json)]
  }

  func replayTrack(_ given: JSONObject) throws -> JSONObject {
    let (points, _) = try points(given)
    let (host, store) = (daemon.host, daemon.store)
    guard try store.reminders.count() <= Self.maximumPlayed else {
      throw GeoremindError.refusedByPolicy(
        reason: "there are more than \(Self.maximumPlayed) reminders; use 'georemind trips export' "
          + "and 'georemind replay'")
    }
    var reminders: [Reminder] = []
    _ = try store.reminders.forEach {
      var reminder = $0.reminder
      guard reminder.who == nil else { return }
      reminder.state = .armed
      reminders.append(reminder)
    }
    var replay = TrackReplay(settings: host.engine.settings, zone: host.engine.zone) {
      host.placesForEngine($0) ?? []
    }
    let firings = replay.play(points, reminders).map { firing in
      var firing = firing
      if let name = firing.unnamed.flatMap({ host.placeName($0.number) }) { firing.name(name) }
      return JSONValue.object(firing.json)
    }
    return ["firings": .array(firings)]
  }

  func forgetTrack(_ given: JSONObject) throws -> JSONObject {
    if !caller.isMaster { try requireSharing("the trips", of: 0, by: "ForgetTrack") }
    let count = try daemon.track.forget(before: try daemon.past(given, "before"), at: now)
    return ["trips": .int(count)]
  }

  // MARK: - Places that have no name yet

  /// Metres within which stays are at one place, and to a place that is known already.
  private static let suggestedRadius = 150.0
  private static let fewestVisits = 3

  func suggestPlaces(_ given: JSONObject) throws -> JSONObject {
    struct Spot {
      var position: Coordinate
      var visits = 0
      var time = TimeSpan.zero
      var last: Instant
    }
    var spots: [Spot] = []
    for stay in try trips().stays(limit: 10_000) {
      let near = spots.firstIndex {
        $0.position.distance(to: stay.position) <= Self.suggestedRadius
      }
      let index = near ?? spots.count
      if near == nil { spots.append(Spot(position: stay.position, last: stay.end)) }
      spots[index].visits += 1
      spots[index].time =
        TimeSpan(
          microseconds: spots[index].time.microseconds
            &+ max(0, (stay.end - stay.begin).microseconds))
      spots[index].last = max(spots[index].last, stay.end)
    }
    let often = spots.filter { $0.visits >= Self.fewestVisits }.sorted { $0.time > $1.time }
    let limit = max(1, min(given["limit"]?.int ?? 10, 100))
    var answer: [JSONValue] = []
    for spot in often where answer.count < limit {
      guard try !isKnown(spot.position) else { continue }
      answer.append([
        "latitude": .double(Decimal.rounded(spot.position.latitude, digits: 5)),
        "longitude": .double(Decimal.rounded(spot.position.longitude, digits: 5)),
        "visits": .int(spot.visits), "time_s": .double(spot.time.seconds.rounded()),
        "last": .string(spot.last.json),
      ])
    }
    return ["places": .array(answer)]
  }

  private func isKnown(_ position: Coordinate) throws -> Bool {
    let near = PlaceQuery(near: position, within: 2_000, limit: 50)
    return try daemon.store.places.search(near).contains {
      ($0.distance ?? .infinity) <= max(Self.suggestedRadius, $0.place.radius)
    }
  }
}
