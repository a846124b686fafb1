import Bytes
import CivilTime
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
/// dropped at once. The track is the engine's.
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
  /// The place number of each fence; rising up to `sortedCount`.
  private var numbers: [Int64] = []
  private var sortedCount = 0
  /// Fences of places added later, by place number.
  private var late: [Int64: FenceID] = [:]
  /// The time of the first sample since `fill`.
  private var firstSample: Instant?
  /// The edge or line that the distance of a place with a shape refers to, by place number.
  private var landmarks: [Int64: String] = [:]

  init(key: Key, policy: MonitorPolicy) {
    self.key = key
    fences = FenceSet(policy: policy)
  }

  var count: Int { numbers.count }

  /// Estimated heap use of the places in bytes.
  var byteCount: Int { fences.byteCount + numbers.capacity * 8 + late.count * 32 }

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

  /// Takes in the next places after `beginFilling`; known ones are ignored.
  /// - Parameters:
  ///   - places: in rising order of their numbers.
  ///   - device: its last sample is the first one of the new fences.
  mutating func fill(
    _ places: [NumberedPlace], isLast: Bool, following device: FenceMonitor
  ) {
    let needed = numbers.count + places.count
    if needed > numbers.capacity {
      // By a quarter in place of Swift's double: there may be a million.
      let room = max(needed, numbers.count * 5 / 4)
      numbers.reserveCapacity(room)
      fences.reserveCapacity(room)
    }
    for place in places where fence(of: place.number) == nil {
      let isInside = known?.contains(place.number) ?? false
      put(place, isInside ? .inside : .outside)
      if isInside { enter(place.number) }
    }
    if isLast { known = nil }
    guard let last = device.lastSample else { return }
    if !device.isInDoubt { settle(places, at: last.position) }
    var unused: [Transition] = []
    fences.seed(from: device.track, into: &unused)
    follow(unused)
    settle(by: last)
  }

  /// Notes that these of its places contain a position, as the last fix shows.
  private mutating func settle(_ places: [NumberedPlace], at position: Coordinate) {
    let here = Set(
      fences.nearest(to: position, limit: 64, within: 0).map { numbers[Int($0.id)] }
    ).subtracting(inside)
    guard !here.isEmpty else { return }
    for place in places where here.contains(place.number) {
      put(place, .inside)
      enter(place.number)
    }
  }

  /// Adds a place that is not known. Complexity: O(1) amortised for a rising number.
  mutating func take(new place: NumberedPlace) {
    if isFilled, fence(of: place.number) == nil { put(place) }
  }

  /// Adds or moves a place. Unless its presence is given, it is determined anew.
  mutating func put(_ place: NumberedPlace, _ presence: Presence = .unknown) {
    guard let region = region(of: place) else { return remove(place.number) }
    landmarks[place.number] = place.area == nil ? nil : region.landmark
    let id = fence(of: place.number) ?? FenceID(numbers.count)
    if Int(id) == numbers.count {
      let isRising = sortedCount == numbers.count && numbers.last.map { $0 < place.number } ?? true
      numbers.append(place.number)
      if isRising { sortedCount += 1 } else { late[place.number] = id }
    }
    inside.removeAll { $0 == place.number }
    fences.add(region, id: id, presence: presence)
  }

  mutating func remove(_ number: Int64) {
    guard let id = fence(of: number) else { return }
    fences.remove(id)
    inside.removeAll { $0 == number }
  }

  /// The place's own shape, unless the reminders want a radius.
  private func region(of place: NumberedPlace) -> Region? {
    if key.radius == nil, let area = place.area { return area.region }
    return Circle(center: place.position, radius: key.radius ?? place.radius).map { .circle($0) }
  }

  private func fence(of number: Int64) -> FenceID? {
    guard sortedCount > 0, number <= numbers[sortedCount - 1] else { return late[number] }
    var low = 0
    var high = sortedCount
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    if low < sortedCount, numbers[low] == number { return FenceID(low) }
    return late[number]
  }

  /// The place of a transition.
  func place(of transition: Transition) -> PlaceMet {
    met(numbers[Int(transition.fence)], fences.distance(of: transition))
  }

  private func met(_ number: Int64, _ distance: Double) -> PlaceMet {
    PlaceMet(
      number: number, distance: distance,
      landmark: landmarks[number] ?? Region.circleLandmark)
  }

  // MARK: - The device

  /// Follows a step, updates `inside` and appends the transitions. Returns whether a reminder may
  /// have to know.
  /// - Complexity: as `FenceSet.follow`. It is mutating as a whole: a getter would copy it.
  mutating func follow(_ step: Step, into transitions: inout [Transition]) -> Bool {
    guard isFilled else { return false }
    fences.follow(step, into: &transitions)
    if isSettled, transitions.isEmpty, !hasNewcomers { return false }
    follow(transitions)
    settle(by: step.sample)
    guard hasNewcomers || !transitions.isEmpty else { return false }
    if isSettled { hasNewcomers = false }
    return true
  }

  /// Starts anew without the track so far; presences stay.
  mutating func restart(policy: MonitorPolicy) { fences = fences.restarted(policy: policy) }

  private mutating func follow(_ transitions: some Sequence<Transition>) {
    for transition in transitions {
      let number = numbers[Int(transition.fence)]
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
      (numbers[Int($0.id)], $0.id, $0.distance)
    }
  }

  /// Among the places that contain the device, the one with the nearest centre.
  func nearestInside(to position: Coordinate) -> PlaceMet? {
    inside.compactMap { number in
      fence(of: number).map {
        met(number, fences.centerDistance(of: $0, from: position))
      }
    }.min { ($0.distance, $0.number) < ($1.distance, $1.number) }
  }
}
