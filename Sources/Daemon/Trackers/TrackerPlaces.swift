import CivilTime
import Geodesy
import Geofencing
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// The saved places that contain a tracker.
struct TrackerPlaces {
  /// The fix for which they hold; nil: they are to be determined.
  private(set) var fix: Fix?
  private(set) var places: [SavedPlace] = []

  /// The smallest place comes first. At an edge, the error of a fix moves nobody out.
  mutating func determine(at fix: Fix, among near: [SavedPlace]) {
    let before = Set(places.map(\.name))
    places = near.filter { place in
      let slack = before.contains(place.name) ? fix.eph ?? 0 : 0
      let distance = fix.position.distance(to: place.position)
      guard distance <= place.radius + slack else { return false }
      // A region lies within its circle.
      let edge = place.area?.region.signedBoundaryDistance(from: fix.position)
      return edge.map { $0 <= slack } ?? true
    }.sorted { ($0.radius, $0.name) < ($1.radius, $1.name) }
    self.fix = fix
  }

  mutating func placesHaveChanged() { fix = nil }
}

extension Daemon {
  /// The places nearest to a tracker of which one may contain it.
  private static let nearPlaces = 20

  /// The saved places, and the places of reminders, that contain a tracker. A reminder knows the
  /// beginning of the visit.
  func inside(_ tracker: TrackerEngine) throws(StoreError) -> JSONValue {
    if let fix = tracker.engine.lastFix, fix != tracker.places.fix {
      tracker.places.determine(
        at: fix,
        among: try store.places.search(PlaceQuery(near: fix.position, limit: Self.nearPlaces))
          .map(\.place))
    }
    let visits = tracker.engine.visits
    let names = tracker.engine.lastFix == nil ? [] : tracker.places.places.map(\.name)
    // A reminder may have a larger circle around a place than the place itself.
    var others: [String] = []
    for visit in visits where !names.contains(visit.place) {
      let saved = try store.places.place(named: visit.place)
      if saved.map({ visit.radius <= $0.radius }) ?? true { others.append(visit.place) }
    }
    return .array(
      (names + others).map { name in
        let since = visits.first { $0.place == name }?.since
        return ["name": .string(name), "since": since.map { .string($0.json) }]
      })
  }

  /// Where the trackers are that a caller may follow, the machine itself first.
  func presence(for caller: Caller) throws(StoreError) -> JSONObject {
    let followed = settings.trackers.filter { mayFollow($0.name, caller) }
    var trackers: [JSONValue] = []
    for tracker in [host.own] + followed.map({ host.tracker(.tracker($0.name)) }) {
      trackers.append([
        "name": .string(tracker.memberName), "inside": try inside(tracker),
        "fix": (tracker.engine.lastFix?.tpv(device: nil)).map { .object($0) },
      ])
    }
    return ["trackers": .array(trackers)]
  }
}

/// An answer of `WatchPresence`, to be compared with the next one.
struct PresenceMark {
  /// Without the positions.
  private let places: String
  private let whole: String
  /// On the steady clock, microseconds.
  private let time = SystemClock.monotonic.microseconds

  init(_ news: JSONObject) {
    whole = JSONValue.object(news).line
    let trackers = (news["trackers"]?.array ?? []).map { tracker in
      var tracker = tracker.object ?? JSONObject()
      tracker["fix"] = tracker["fix"].map { _ in true }
      return JSONValue.object(tracker)
    }
    places = JSONValue.array(trackers).line
  }

  /// When a client that has the other one wants this one.
  /// - Parameter interval: seconds between two positions; nil wants none.
  /// - Returns: microseconds from now, nil for never.
  func wait(after known: PresenceMark?, interval: Double?) -> Int64? {
    guard let known, places == known.places else { return 0 }
    guard let interval, whole != known.whole else { return nil }
    return max(known.time + Int64(min(max(interval, 0), 1e9) * 1e6) - time, 0)
  }
}
