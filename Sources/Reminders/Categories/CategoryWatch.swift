import Bytes
import CivilTime
import Containers
import Geodesy
import Geofencing

/// A place of a category at which the device arrived.
struct PlaceMet: Sendable {
  /// Its number in the store.
  let number: Int64
  /// Metres to its centre, line or edge.
  let distance: Double
  /// Which of them, in words.
  let landmark: String
}

/// The fences around all places of one category, shared by the reminders that wait for them.
///
/// It holds fences and store numbers only, in a set of its own, so that a million fences can be
/// dropped at once. The watches of a category, one for each radius, share the memory of the places
/// (`Engine.releasePlaces`) and differ in the presence at each. The track is the engine's.
struct CategoryWatch: Sendable {
  /// Reminders with the same key share the fences.
  struct Key: Hashable, Sendable {
    /// `nameKey` of the category.
    let category: String
    /// Metres around each place; nil is each place's own.
    let radius: Double?

    init?(_ reminder: Reminder) {
      guard let category = reminder.nearCategory else { return nil }
      self.category = category.nameKey
      radius = reminder.nearRadius
    }
  }

  let key: Key
  private(set) var fences: FenceSet
  /// Slots of the waiting reminders.
  var listeners: Set<Int32> = []
  /// The places are known, or the first of them.
  private(set) var isFilled = false
  /// Places that contained the device before the first ones came, while further ones follow; nil
  /// once all are known.
  private var known: Set<Int64>?
  /// Whether the presence at every place is known.
  private(set) var isSettled = false
  /// Whether a reminder's own presence may differ from the watch's.
  var hasNewcomers = true
  /// Numbers of the places that contain the device, rising.
  private(set) var inside: [Int64] = []
  /// The places; their index is the one of `fences`.
  private var places = WatchedPlaces()
  /// The time of the first sample since the places came.
  private var firstSample: Instant?

  init(key: Key, policy: MonitorPolicy) {
    self.key = key
    fences = FenceSet(policy: policy, radius: key.radius)
  }

  var count: Int { places.count }

  /// Estimated heap use of the places in bytes, of which the watches of a category share all but a
  /// byte a place.
  var byteCount: Int { fences.byteCount + places.byteCount }

  // MARK: - Places

  /// Whether some of its places have yet to come.
  var isFilling: Bool { known != nil }

  /// Drops all places; `fill` brings them anew.
  /// - Parameter known: places known to contain the device; removed ones are ignored.
  mutating func beginFilling(inside known: Set<Int64>) {
    let listeners = listeners
    self = CategoryWatch(key: key, policy: fences.policy)
    self.listeners = listeners
    isFilled = true
    self.known = known
  }

  /// Gives the places away, so that the places of a category are changed once. `take` brings them
  /// back.
  mutating func release() -> WatchedPlaces {
    var given = places
    places = WatchedPlaces()
    given.index = fences.release()
    return given
  }

  /// - Parameters:
  ///   - common: what `release` gave.
  ///   - changed: places that were added, moved or removed: the next samples decide the presence.
  mutating func take(_ common: WatchedPlaces, changed: [FenceID]) {
    share(common)
    for fence in changed {
      let number = places.number(of: fence)
      inside.removeAll { $0 == number }
      fences.set(.unknown, of: fence)
    }
  }

  private mutating func share(_ common: WatchedPlaces, isOutside: Bool = false) {
    places = common
    places.index = FenceIndex()
    fences.share(common.index, isOutside: isOutside)
  }

  /// The places, for a watch with another radius.
  var common: WatchedPlaces {
    var common = places
    common.index = fences.index
    return common
  }

  /// Takes places after `beginFilling`. The device is outside of the new ones, but for the known
  /// ones and the places that contain its last sample.
  /// - Parameters:
  ///   - common: what `release` gave, or the places of another watch.
  ///   - new: the added places.
  mutating func fill(
    _ common: WatchedPlaces, new: Range<FenceID>, isLast: Bool, following device: FenceMonitor
  ) {
    share(common, isOutside: true)
    enter((known ?? []).compactMap { places.fence(of: $0) }, of: new)
    if isLast { known = nil }
    guard let last = device.lastSample else { return }
    if !device.isInDoubt {
      enter(fences.nearest(to: last.position, limit: 64, within: 0).map(\.id), of: new)
    }
    var unused: [Transition] = []
    fences.seed(from: device.track, into: &unused)
    follow(unused)
    settle(by: last)
  }

  private mutating func enter(_ fences: [FenceID], of new: Range<FenceID>) {
    for fence in fences where new.contains(fence) && self.fences.presence(of: fence) == .outside {
      self.fences.set(.inside, of: fence)
      enter(places.number(of: fence))
    }
  }

  /// Whether it has a place, or had.
  func knows(_ number: Int64) -> Bool { places.fence(of: number) != nil }

  /// The place of a transition.
  func place(of transition: Transition) -> PlaceMet {
    met(places.number(of: transition.fence), fences.distance(of: transition))
  }

  private func met(_ number: Int64, _ distance: Double) -> PlaceMet {
    PlaceMet(
      number: number, distance: distance,
      landmark: places.landmark(of: number, isCircle: key.radius != nil))
  }

  /// Passes what the samples have shown; the places are known.
  mutating func pass(_ tape: inout StateTape) {
    tape.pass(&isSettled)
    tape.pass(&hasNewcomers)
    tape.pass(&firstSample)
    tape.pass(&inside, blank: 0) { $1.pass(&$0) }
    let places = places
    fences.pass(&tape, name: { places.number(of: $0) }, fence: { places.fence(of: $0) })
  }

  // MARK: - The device

  /// Follows the newest sample of a track, updates `inside` and appends the transitions. Returns
  /// whether a reminder may have to know.
  /// - Complexity: as `FenceSet.follow`. It is mutating as a whole: a getter would copy it.
  mutating func follow(_ track: borrowing Track, into transitions: inout [Transition]) -> Bool {
    guard isFilled, let sample = track.last else { return false }
    fences.follow(track, into: &transitions)
    if isSettled, transitions.isEmpty, !hasNewcomers { return false }
    follow(transitions)
    settle(by: sample)
    guard hasNewcomers || !transitions.isEmpty else { return false }
    if isSettled { hasNewcomers = false }
    return true
  }

  /// Starts anew without the track so far; presences stay.
  mutating func restart(policy: MonitorPolicy) { fences = fences.restarted(policy: policy) }

  private mutating func follow(_ transitions: some Sequence<Transition>) {
    for transition in transitions {
      let number = places.number(of: transition.fence)
      switch transition.kind {
      case .arrive, .found:
        enter(number)
      case .depart: inside.removeAll { $0 == number }
      case .pass: break
      }
    }
  }

  private mutating func enter(_ number: Int64) {
    let index = inside.firstIndex { $0 >= number } ?? inside.count
    if index == inside.count || inside[index] != number { inside.insert(number, at: index) }
  }

  /// The presence is known once a second sample shows no undecided place.
  private mutating func settle(by sample: PositionSample) {
    guard !isSettled, !isFilling else { return }
    let first = firstSample ?? sample.time
    firstSample = first
    isSettled =
      (fences.policy.isPlain || sample.time > first)
      && fences.nearest(to: sample.position, limit: 64, within: 0).allSatisfy {
        fences.presence(of: $0.id) == .inside
      }
  }

  /// The place with the nearest edge, and metres to it (negative inside).
  func nearest(to position: Coordinate) -> (number: Int64, fence: FenceID, distance: Double)? {
    fences.nearest(to: position, limit: 1, within: .infinity).first.map {
      (places.number(of: $0.id), $0.id, $0.distance)
    }
  }

  /// Among the places that contain the device, the one with the nearest centre.
  func nearestInside(to position: Coordinate) -> PlaceMet? {
    inside.compactMap { number in
      places.fence(of: number).map {
        met(number, fences.centerDistance(of: $0, from: position))
      }
    }.min { ($0.distance, $0.number) < ($1.distance, $1.number) }
  }
}
